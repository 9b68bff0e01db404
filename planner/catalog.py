"""The slow facts: GPUs, models, methods and sources, read once from data/ and checked.

Tables are JSON Lines (one row a line), small reviewed files TOML.  pydantic checks every row at this
edge; inside, rows are frozen slotted dataclasses.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from planner.errors import CatalogError, PlanError
from planner.layout import Traits
from planner.query import METHODS, Method
from planner.resources import folder

if TYPE_CHECKING:  # pydantic takes longer to import than everything else here: only reading a file needs it
    from pydantic import ValidationError

_Row = TypeVar("_Row")


class _Strict:
    """A row that pydantic reads with no unknown fields."""

    __slots__ = ()
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012


@dataclass(frozen=True, slots=True)
class Variant(_Strict):
    """Another form of a GPU with the same memory: a lower-power card, a PCIe board."""

    form_factor: str | None = None
    bandwidth_gbs: float | None = None
    bf16_tflops: float | None = None


@dataclass(frozen=True, slots=True)
class Gpu(_Strict):
    """A GPU model.  ``vram_gb``: memory as sold, in GB (None: chosen at purchase).  ``reported_mib``: what
    the driver shows, in MiB.  ``bandwidth_gbs`` in GB/s, ``*_tflops`` peak dense tensor TFLOPS."""

    id: str
    name: str
    vendor: str
    architecture: str
    vram_gb: float | None = None
    reported_mib: int | None = None
    memory_type: str | None = None
    bandwidth_gbs: float | None = None
    bf16_tflops: float | None = None
    fp8_tflops: float | None = None
    nvlink: bool = False  # an NVLink-class interconnect between all GPUs of a host
    interconnect: str | None = None
    form_factor: str | None = None
    unified_memory: bool = False
    aliases: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    sources: tuple[str, ...] = ()
    notes: str | None = None


@dataclass(frozen=True, slots=True)
class Model(_Strict):
    """A model architecture.  ``params_b``: exact parameters in billions of the weights one loads for
    inference; ``nominal_b``: the size its name states; ``active_b``: parameters used per token (MoE)."""

    id: str
    name: str
    family: str
    vendor: str
    params_b: float
    nominal_b: float
    aliases: tuple[str, ...] = ()
    text_params_b: float | None = None
    active_b: float | None = None
    layers: int | None = None
    hidden: int | None = None
    intermediate: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    vocab: int | None = None
    tied_embeddings: bool | None = None
    experts: int | None = None
    experts_per_token: int | None = None
    moe_intermediate: int | None = None
    shared_expert_intermediate: int | None = None
    attention: str | None = None
    mla: dict[str, int | None] | None = None
    sliding_window: int | None = None
    full_attention_layers: int | None = None
    cache_layers: int | None = None
    global_head_dim: int | None = None
    global_kv_heads: int | None = None
    max_context: int | None = None
    native_precision: str | None = None
    modality: str | None = None
    gated: bool | None = None
    licence: str | None = None
    release: str | None = None
    hub_id: str | None = None
    confidence: str | None = None

    @property
    def planned_b(self) -> float:
        """The size to plan with: the nominal one, or the exact one where the name is off by over 10 %."""
        return self.nominal_b if abs(self.params_b / self.nominal_b - 1) <= 0.10 else self.params_b


@dataclass(frozen=True, slots=True)
class Rule(_Strict):
    """A planning rule: bytes per parameter (= GB per billion parameters), with the ids of its sources.

    ``parts`` split the plan, in bytes per parameter; ``margin`` is plan / floor where the plan is a margin.
    """

    name: str
    bits: float
    training: bool
    floor: float
    plan: float
    floor_source: str
    plan_source: str
    margin: float | None = None
    parts: dict[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Format(_Strict):
    """A weight format, in bits per weight with its scales (see data/formats.toml).  ``input_bits`` and
    ``output_bits``: embeddings and output matrix, 0 where kept off the GPU.  ``whole``: over a whole file."""

    name: str
    bits: float
    source: str
    input_bits: float = 16
    output_bits: float = 16
    own_output: bool = False
    whole: float | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Throughput(_Strict):
    """A published training speed, BF16 compute: ``tokens_per_s`` of each GPU, or the ``tflops`` it reached."""

    id: str
    method: Method
    model: str
    params_b: float
    gpu: str
    gpus: int
    seq_len: int
    software: str
    source: str
    tokens_per_s: float | None = None
    tflops: float | None = None


@dataclass(frozen=True, slots=True)
class Source(_Strict):
    """Where a fact was read, and when."""

    title: str
    publisher: str
    read: date
    url: str | None = None


def _location(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _rows(path: Path, kind: type[_Row]) -> dict[str, _Row]:
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(kind)
    found: dict[str, _Row] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CatalogError(f"{path.name}: {error.strerror}") from None
    for number, line in enumerate(lines, start=1):
        try:
            raw = json.loads(line)
            row = adapter.validate_python(raw)
        except ValidationError as error:
            raise CatalogError(f"{path.name} line {number}: {_location(error)}") from None
        except ValueError as error:
            raise CatalogError(f"{path.name} line {number}: {error}") from None
        key = str(raw["id"])
        if key in found:
            raise CatalogError(f"{path.name} line {number}: {key} stands there twice")
        found[key] = row
    return found


def _table(path: Path, kind: type[_Row]) -> dict[str, _Row]:
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(dict[str, kind])  # type: ignore[valid-type]
    try:
        with path.open("rb") as file:
            return adapter.validate_python(tomllib.load(file))
    except OSError as error:
        raise CatalogError(f"{path.name}: {error.strerror}") from None
    except ValidationError as error:
        raise CatalogError(f"{path.name}: {_location(error)}") from None
    except ValueError as error:
        raise CatalogError(f"{path.name}: {error}") from None


@dataclass(frozen=True)
class Catalog:
    """Everything in data/.  Models are read at first use: most questions name none."""

    root: Path

    @cached_property
    def gpus(self) -> dict[str, Gpu]:
        """GPUs by id, in the file's order."""
        return _rows(self.root / "gpus.jsonl", Gpu)

    @cached_property
    def models(self) -> dict[str, Model]:
        """Models by id, in the file's order."""
        return _rows(self.root / "models.jsonl", Model)

    @cached_property
    def rules(self) -> dict[Method, Rule]:
        """The rule tier's coefficients by method."""
        table = _table(self.root / "methods.toml", Rule)
        missing = [method for method in METHODS if method not in table]
        if missing:
            raise CatalogError(f"methods.toml: {', '.join(missing)} is missing")
        return {method: table[method] for method in METHODS}

    @cached_property
    def formats(self) -> dict[str, Format]:
        """Weight formats by id."""
        return _table(self.root / "formats.toml", Format)

    @cached_property
    def architectures(self) -> dict[str, Traits]:
        """What weights are made of, by the model_type of a config.json."""
        return _table(self.root / "architectures.toml", Traits)

    @cached_property
    def throughput(self) -> dict[str, Throughput]:
        """Published training speeds by id."""
        return _rows(self.root / "throughput.jsonl", Throughput)

    @cached_property
    def sources(self) -> dict[str, Source]:
        """Sources by id."""
        return _table(self.root / "sources.toml", Source)

    def gpu(self, gpu: str) -> Gpu:
        """The GPU with this id.  Raises PlanError (unknown) with the nearest id."""
        try:
            return self.gpus[gpu]
        except KeyError:
            raise PlanError("unknown", "gpu", ", ".join(self.gpus), nearest(gpu, self.gpus)) from None


def nearest(name: str, names: Any) -> str | None:
    """The most similar of ``names``, or None when none is similar."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(names), n=1, cutoff=0.5)
    return found[0] if found else None


@cache
def load_catalog() -> Catalog:
    """The catalog of this installation.  Raises CatalogError when data/ is missing."""
    return Catalog(folder("data"))
