"""Read the shop's files: seeds and operators' price files.  Every fault is one line that says what to mend."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bot.shop.shop import Fact, FactValue, Links, Shop
from planner.catalog import load_catalog, nearest
from planner.compare import MarketPrice
from planner.errors import OperatorError
from planner.offer import PriceList, PriceRow
from planner.resources import folder

MAX_FILE_BYTES = 1_000_000
UNPUBLISHED = "unpublished"
_File = TypeVar("_File", bound=BaseModel)


class ShopFileError(OperatorError):
    """A shop file that can't be used; the text is one line naming file, field and mend."""


def _money(value: object) -> object:
    if isinstance(value, bool | float):
        raise ValueError('write dollars in quotes, e.g. "2.32"')
    return Decimal(value) if isinstance(value, int) else value


Dollars = Annotated[Decimal, BeforeValidator(_money), Field(gt=0, lt=1_000_000, decimal_places=4, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class _GpuPrice(_Strict):
    usd_per_hour: Dollars
    available: bool = True
    max_per_host: Annotated[int, Field(ge=1, le=8)] = 8
    form_factor: Annotated[str | None, Field(max_length=40)] = None
    interconnect: Annotated[str | None, Field(max_length=40)] = None


class _PriceFile(_Strict):
    as_of: date
    valid_from: date | None = None
    source: Annotated[str, Field(min_length=1, max_length=200)] = "shop-page"
    counts: Annotated[list[Annotated[int, Field(ge=1, le=8)]], Field(min_length=1, max_length=8)] = [1, 2, 4, 8]
    blocks: Annotated[list[Annotated[int, Field(ge=1, le=8760)]], Field(min_length=1, max_length=12)] = [
        10,
        24,
        168,
        720,
    ]
    topup_usd: Dollars = Decimal(25)
    gpus: Annotated[dict[str, _GpuPrice], Field(min_length=1)]


class _Market(_Strict):
    provider: str
    gpu: str
    count: int
    usd_per_gpu_hour: Dollars
    usd_per_hour: Dollars
    source: str


class _MarketFile(_Strict):
    as_of: date
    price: list[_Market]


@dataclass(frozen=True, slots=True)
class Change:
    """One GPU's price before and after; None on the side where it is not in the list."""

    gpu: str
    old: PriceRow | None
    new: PriceRow | None


def read_price_file(path: Path, today: date) -> PriceList:
    """An operator's price file (TOML or JSON, the shape of seeds/prices.toml).

    Raises ShopFileError with one line: not readable, not TOML/JSON, a wrong field, an unknown GPU (with the
    nearest id), a day of checking after ``today``, a first day before the day of checking.
    """
    file = _validated(path, _PriceFile, parse_file(path))
    gpus = load_catalog().gpus
    for gpu in file.gpus:
        if gpu not in gpus:
            near = nearest(gpu, gpus)
            hint = f"did you mean {near}?" if near else "ids are in data/gpus.jsonl"
            raise ShopFileError(f"{path.name}: gpus.{gpu} is not a known GPU id; {hint}")
    if file.as_of > today:
        raise ShopFileError(
            f"{path.name}: as_of {file.as_of} is in the future; write the day the prices were checked"
            " (valid_from may be later)"
        )
    if file.valid_from is not None and file.valid_from < file.as_of:
        raise ShopFileError(
            f"{path.name}: valid_from {file.valid_from} is before as_of {file.as_of}; leave it out or write a later day"
        )
    rows = tuple(PriceRow(gpu, **row.model_dump()) for gpu, row in file.gpus.items())
    return PriceList(
        as_of=file.as_of,
        valid_from=file.valid_from,
        rows=rows,
        source=file.source,
        counts=tuple(sorted(set(file.counts))),
        blocks=tuple(sorted(set(file.blocks))),
        topup_usd=file.topup_usd,
    )


def difference(old: PriceList, new: PriceList) -> tuple[Change, ...]:
    """The rows that differ, in the order of the new list, then what it no longer has."""
    names = dict.fromkeys([*(row.gpu for row in new.rows), *(row.gpu for row in old.rows)])
    changes = (Change(gpu, old.row(gpu), new.row(gpu)) for gpu in names)
    return tuple(change for change in changes if change.old != change.new)


def load_seeds(links: Links | None = None, stale_after_days: int = 30) -> Shop:
    """The shop as the seeds describe it.  Raises ShopFileError when a seed file is broken."""
    root = folder("seeds")
    market = _validated(root / "market.toml", _MarketFile, parse_file(root / "market.toml"))
    prices = read_price_file(root / "prices.toml", date.max)
    facts = _facts(root / "faq.toml")
    coins = next((fact.value for fact in facts if (fact.topic, fact.key) == ("payment", "coins")), ())
    return Shop(
        prices=prices,
        facts=facts,
        market=tuple(MarketPrice(**row.model_dump()) for row in market.price),
        market_as_of=market.as_of,
        coins=coins if isinstance(coins, tuple) else (),
        links=links or Links(),
        stale_after_days=stale_after_days,
    )


def _facts(path: Path) -> tuple[Fact, ...]:
    raw = parse_file(path)
    day, source = raw.pop("as_of", None), raw.pop("source", None)
    if not isinstance(day, date) or not isinstance(source, str):
        raise ShopFileError(f"{path.name}: as_of (a date) and source are needed at the top")
    found = []
    for topic, facts in raw.items():
        if not isinstance(facts, dict):
            raise ShopFileError(f"{path.name}: {topic} must be a [section] of facts")
        for key, stated in facts.items():
            fact = stated if isinstance(stated, dict) else {"value": stated}
            if not set(fact) <= {"value", "as_of", "source"} or "value" not in fact:
                raise ShopFileError(f"{path.name}: {topic}.{key} may hold value, as_of and source")
            value = _fact_value(fact["value"])
            found.append(Fact(topic, key, value, fact.get("as_of", day), fact.get("source", source)))
    return tuple(found)


def _fact_value(value: Any) -> FactValue | None:
    if value == UNPUBLISHED:
        return None
    return tuple(str(item) for item in value) if isinstance(value, list) else value


def parse_file(path: Path) -> dict[str, Any]:
    """A TOML or JSON file's fields.  Raises ShopFileError with one line."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ShopFileError(f"{path.name}: {(error.strerror or 'cannot be read').lower()}") from None
    if len(data) > MAX_FILE_BYTES:
        raise ShopFileError(f"{path.name}: larger than {MAX_FILE_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
        if path.suffix == ".json":
            raw = json.loads(text, parse_float=Decimal, parse_constant=str)
        else:
            raw = tomllib.loads(text)
    except RecursionError:
        raise ShopFileError(f"{path.name}: nested too deeply") from None
    except ValueError as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise ShopFileError(f"{path.name}: not valid {kind}: {error}".replace("\n", " ")[:300]) from None
    if not isinstance(raw, dict):
        raise ShopFileError(f"{path.name}: must hold named fields (see seeds/prices.toml)")
    return raw


def _validated(path: Path, kind: type[_File], raw: dict[str, Any]) -> _File:
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "file"
        message = first["msg"].removeprefix("Value error, ")
        raise ShopFileError(f"{path.name}: {field}: {message[0].lower()}{message[1:]}") from None
