"""Price lists over time: an append-only file of every list that was imported, oldest first.

The list in force on a day is the one with the latest date up to that day; of several with one date, the one
imported last.  The seeds' list is there from the start.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from bot.shop.files import ShopFileError
from planner.errors import OperatorError
from planner.offer import PriceList, PriceRow

FILE_NAME: Final = "prices.jsonl"


@dataclass(frozen=True, slots=True)
class Import:
    """One imported price list; ``at`` is in UTC."""

    at: datetime
    who: str
    prices: PriceList


class NoPricesError(OperatorError):
    """There is no price list for a day: one line that says from which day on there is one."""


def read_history(data_dir: Path) -> list[Import]:
    """Every import, oldest first; empty where nothing was imported.  Raises ShopFileError for a damaged file."""
    path = data_dir / FILE_NAME
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ShopFileError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(_from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError, ArithmeticError):
            raise ShopFileError(f"{path} line {number}: damaged; restore the file or remove that line") from None
    return found


def in_force(seeds: PriceList, history: list[Import], day: date) -> PriceList:
    """The price list in force on a day.  Raises NoPricesError for a day before the first list."""
    lists = [seeds, *(entry.prices for entry in history)]
    known = [prices for prices in lists if prices.as_of <= day]
    if not known:
        first = min(prices.as_of for prices in lists)
        raise NoPricesError(f"no prices are known for {day}; the first list is of {first}")
    return max(enumerate(known), key=lambda pair: (pair[1].as_of, pair[0]))[1]


def append(data_dir: Path, entry: Import) -> None:
    """Add an import durably.  Raises ShopFileError when the directory can't be written."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        with (data_dir / FILE_NAME).open("a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(_to_json(entry)) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise ShopFileError(f"{data_dir}: {(error.strerror or 'cannot be written').lower()}") from None


def _to_json(entry: Import) -> dict[str, Any]:
    prices = entry.prices
    return {
        "at": entry.at.isoformat(),
        "who": entry.who,
        "as_of": prices.as_of.isoformat(),
        "source": prices.source,
        "counts": prices.counts,
        "blocks": prices.blocks,
        "topup_usd": str(prices.topup_usd),
        "gpus": [
            {
                "gpu": row.gpu,
                "usd_per_hour": str(row.usd_per_hour),
                "available": row.available,
                "max_per_host": row.max_per_host,
                "form_factor": row.form_factor,
                "interconnect": row.interconnect,
            }
            for row in prices.rows
        ],
    }


def _from_json(raw: dict[str, Any]) -> Import:
    rows = tuple(PriceRow(**{**row, "usd_per_hour": Decimal(row["usd_per_hour"])}) for row in raw["gpus"])
    prices = PriceList(
        as_of=date.fromisoformat(raw["as_of"]),
        rows=rows,
        source=raw["source"],
        counts=tuple(raw["counts"]),
        blocks=tuple(raw["blocks"]),
        topup_usd=Decimal(raw["topup_usd"]),
    )
    return Import(datetime.fromisoformat(raw["at"]), raw["who"], prices)
