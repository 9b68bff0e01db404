"""MemoryEstimate x configurations on offer -> verdicts, simplest, cheapest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import ceil
from typing import Final, Literal

from planner.catalog import Gpu, load_catalog
from planner.errors import PlanError
from planner.memory import MemoryEstimate
from planner.offer import PriceList, PriceRow
from planner.query import MAX_COUNT, check_count

Verdict = Literal["fits", "tight", "no"]

#: Interconnects over which a split training run is not held up, as a price row may state them.
_FAST_LINKS: Final = ("nvlink", "nvswitch", "infinity fabric")


@dataclass(frozen=True, slots=True)
class Option:
    """One configuration judged.  GB are nominal (10**9 bytes); ``spare_gb`` = capacity - plan.

    ``usd_per_hour`` is for the whole configuration; None for a GPU that is not rented.
    ``split_slow``: training would have to be split over GPUs without an NVLink-class interconnect.
    """

    gpu: str
    count: int
    vram_gb: float
    capacity_gb: float
    verdict: Verdict
    spare_gb: float
    usd_per_hour: Decimal | None
    split_slow: bool = False


@dataclass(frozen=True, slots=True)
class Nodes:
    """What it takes when nothing on offer fits in one instance: GPUs over several nodes."""

    gpu: str
    gpus: int
    nodes: int
    usd_per_hour: Decimal


@dataclass(frozen=True, slots=True)
class Fit:
    """Every configuration judged for one estimate, and the ones worth naming.

    ``simplest``: fewest GPUs, then cheapest.  ``cheapest``: lowest price per hour.  Both among those
    that fit and are not split slowly.  ``alternative``: the next simplest on a GPU model named by neither.
    ``cheaper_slow``: the cheapest configuration below ``cheapest`` that fits only by splitting over
    PCIe.  ``nodes``: filled only when nothing fits in one instance.
    """

    options: tuple[Option, ...]
    simplest: Option | None
    cheapest: Option | None
    alternative: Option | None
    cheaper_slow: Option | None
    nodes: Nodes | None


def judge(memory: MemoryEstimate, gpu: str, count: int, prices: PriceList | None) -> Option:
    """The verdict on one configuration, rented or not.

    Capacity is the memory as sold (the rule tier's measure, DESIGN decision 3).
    Raises PlanError for an unknown GPU, a count outside 1..8, or a GPU without a fixed memory size.
    """
    check_count(count)
    return _judged(memory, _configuration(gpu, count, prices))


@dataclass(frozen=True, slots=True)
class _Configuration:
    """What of a configuration does not depend on the estimate."""

    gpu: str
    count: int
    capacity_gb: float
    usd_per_hour: Decimal | None
    fast_link: bool


@lru_cache(maxsize=4096)
def _configuration(gpu: str, count: int, prices: PriceList | None) -> _Configuration:
    card = load_catalog().gpu(gpu)
    if card.vram_gb is None:
        raise PlanError("memory_not_fixed", "gpu", "vram_gb")
    row = prices.row(gpu) if prices else None
    usd = row.usd_per_hour * count if row else None
    return _Configuration(gpu, count, round(card.vram_gb * count, 6), usd, count == 1 or _fast_link(card, row))


@lru_cache(maxsize=64)
def _offered(prices: PriceList) -> tuple[_Configuration, ...]:
    """Every configuration on offer."""
    return tuple(
        _configuration(row.gpu, count, prices)
        for count in prices.counts
        for row in prices.rows
        if row.available and count <= row.max_per_host
    )


def _judged(memory: MemoryEstimate, offered: _Configuration) -> Option:
    capacity = offered.capacity_gb
    return Option(
        offered.gpu,
        offered.count,
        capacity,
        capacity,
        verdict(memory, capacity),
        round(capacity - memory.plan_gb, 6),
        offered.usd_per_hour,
        memory.method != "inference" and not offered.fast_link,
    )


def verdict(memory: MemoryEstimate, capacity_gb: float) -> Verdict:
    """fits: the plan (and the range's high end) is within capacity; tight: the floor (or low end) is; else no."""
    if max(memory.plan_gb, memory.high_gb or 0.0) <= capacity_gb:
        return "fits"
    return "tight" if (memory.low_gb or memory.floor_gb) <= capacity_gb else "no"


def fit(memory: MemoryEstimate, prices: PriceList) -> Fit:
    """Judge every configuration on offer and pick the ones worth naming."""
    options = tuple(_judged(memory, offered) for offered in _offered(prices))
    fitting = [option for option in options if option.verdict == "fits"]
    fast = [option for option in fitting if not option.split_slow]
    pool = fast or fitting  # slow splitting is better named than nothing
    simplest = min(pool, key=_simplicity, default=None)
    cheapest = min(pool, key=_price, default=None)
    named = {option.gpu for option in (simplest, cheapest) if option}
    others = [option for option in pool if option.gpu not in named]
    cheaper = [o for o in fitting if o.split_slow and fast and cheapest and _price(o) < _price(cheapest)]
    return Fit(
        options=options,
        simplest=simplest,
        cheapest=cheapest,
        alternative=min(others, key=_simplicity, default=None),
        cheaper_slow=min(cheaper, key=_price, default=None),
        nodes=None if fitting else _nodes(memory, prices),
    )


def smallest_count(memory: MemoryEstimate, gpu: str, prices: PriceList) -> Option | None:
    """The fewest GPUs of one model (up to 8) that fit, counting only the counts on offer; None when 8 do not."""
    row = prices.row(gpu)
    limit = row.max_per_host if row else MAX_COUNT
    tries = (judge(memory, gpu, count, prices) for count in prices.counts if count <= limit)
    return next((option for option in tries if option.verdict == "fits"), None)


def _fast_link(card: Gpu, row: PriceRow | None) -> bool:
    if row is not None and row.interconnect is not None:
        return any(name in row.interconnect.lower() for name in _FAST_LINKS)
    return card.nvlink


def _price(option: Option) -> tuple[Decimal, int, float]:
    return (option.usd_per_hour or Decimal(0), option.count, option.vram_gb)


def _simplicity(option: Option) -> tuple[int, Decimal, float]:
    return (option.count, option.usd_per_hour or Decimal(0), option.vram_gb)


def _nodes(memory: MemoryEstimate, prices: PriceList) -> Nodes | None:
    """The cheapest way to hold the plan over several full hosts of one GPU model with a fast interconnect."""
    found = []
    catalog = load_catalog()
    for row in prices.rows:
        card = catalog.gpu(row.gpu)
        if not row.available or card.vram_gb is None or not _fast_link(card, row):
            continue
        per_host = row.max_per_host
        hosts = ceil(memory.plan_gb / (card.vram_gb * per_host))
        found.append(Nodes(row.gpu, hosts * per_host, hosts, row.usd_per_hour * hosts * per_host))
    return min(found, key=lambda nodes: (nodes.nodes, nodes.usd_per_hour), default=None)
