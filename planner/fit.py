"""What a run must hold x configurations on offer -> verdicts, simplest, cheapest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import ceil
from typing import Final, Literal, NamedTuple

from planner.catalog import Gpu, load_catalog
from planner.errors import PlanError
from planner.memory import Basis, Demand, Need
from planner.offer import PriceList, PriceRow
from planner.query import MAX_COUNT, Method, check_count

Verdict = Literal["fits", "tight", "no"]

#: Interconnects over which a split training run is not held up, as a price row may state them.
_FAST_LINKS: Final = ("nvlink", "nvswitch", "infinity fabric")


#: What the driver keeps of a GPU for each process (the CUDA context), bytes.
CONTEXT_BYTES: Final = 0.6e9


class Option(NamedTuple):
    """One configuration judged.  GB are 10**9 bytes; ``vram_gb`` nominal, of the whole configuration.

    ``capacity_gb`` is what the verdict used, ``spare_gb`` what it leaves beside the plan (below zero: what is missing):
    by ``basis`` of the whole configuration as sold, or of one GPU as its driver reports it, less the CUDA context.
    ``usd_per_hour`` is for the whole configuration; None for a GPU that is not rented.
    ``split_slow``: training would have to be split over GPUs without an NVLink-class interconnect.
    """

    gpu: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody calls on it
    vram_gb: float
    capacity_gb: float
    verdict: Verdict
    spare_gb: float
    usd_per_hour: Decimal | None
    split_slow: bool = False
    basis: Basis = "total"


@dataclass(frozen=True, slots=True)
class Nodes:
    """What it takes when nothing on offer fits in one instance: GPUs over several nodes."""

    gpu: str
    gpus: int
    nodes: int
    usd_per_hour: Decimal


@dataclass(frozen=True, slots=True)
class Fit:
    """Every configuration judged for one run, and the ones worth naming.

    ``simplest``: fewest GPUs, then cheapest.  ``cheapest``: lowest price per hour.  Both among those
    that fit and are not split slowly.  ``alternative``: the next simplest on a GPU model named by neither.
    ``cheaper_slow``: the cheapest configuration below ``cheapest`` that fits only by splitting over
    PCIe.  ``likely``: holds what is expected but not the range's high end, where that takes fewer GPUs or less money
    than what fits surely, or nothing does.  ``nodes``: filled only when nothing fits in one instance.
    """

    options: tuple[Option, ...]
    simplest: Option | None
    cheapest: Option | None
    alternative: Option | None
    cheaper_slow: Option | None
    likely: Option | None
    nodes: Nodes | None

    @property
    def best(self) -> Option | None:
        """What to take: the simplest that fits, else what likely does."""
        return self.simplest or self.likely


def judge(demand: Demand, gpu: str, count: int, prices: PriceList | None) -> Option:
    """The verdict on one configuration, rented or not.

    Capacity is the memory as sold by the rule tier, what the driver reports by the architecture tier.
    Raises PlanError for an unknown GPU, a count outside 1..8, or a GPU without a fixed memory size.
    """
    check_count(count)
    return _judged(demand.method, demand.need(count), _configuration(gpu, count, prices))


@dataclass(frozen=True, slots=True)
class _Configuration:
    """What of a configuration does not depend on the estimate."""

    gpu: str
    count: int
    sold_gb: float
    each_gb: float
    usd_per_hour: Decimal | None
    fast_link: bool


def offered_gb(card: Gpu) -> float:
    """What one GPU offers a program, in GB: as its driver reports (as sold where that is not known), less its context.

    Raises PlanError for a GPU without a fixed memory size.
    """
    if card.vram_gb is None:
        raise PlanError("memory_not_fixed", "gpu", "vram_gb")
    reported = card.reported_mib * 2**20 if card.reported_mib is not None else card.vram_gb * 1e9
    return (reported - CONTEXT_BYTES) / 1e9


@lru_cache(maxsize=4096)
def _configuration(gpu: str, count: int, prices: PriceList | None) -> _Configuration:
    card = load_catalog().gpu(gpu)
    each = round(offered_gb(card), 6)
    row = prices.row(gpu) if prices else None
    usd = row.usd_per_hour * count if row else None
    sold = round((card.vram_gb or 0.0) * count, 6)
    return _Configuration(gpu, count, sold, each, usd, count == 1 or _fast_link(card, row))


@dataclass(frozen=True, slots=True)
class _Offered:
    """Every configuration on offer, and their places in the order of simplicity and of price."""

    configurations: tuple[_Configuration, ...]
    by_simplicity: tuple[int, ...]
    by_price: tuple[int, ...]


@lru_cache(maxsize=64)
def _offered(prices: PriceList) -> _Offered:
    found = tuple(
        _configuration(row.gpu, count, prices)
        for count in prices.counts
        for row in prices.rows
        if row.available and count <= row.max_per_host
    )

    def simplicity(place: int) -> tuple[int, Decimal, float]:
        one = found[place]
        return (one.count, one.usd_per_hour or Decimal(0), one.sold_gb)

    def price(place: int) -> tuple[Decimal, int, float]:
        one = found[place]
        return (one.usd_per_hour or Decimal(0), one.count, one.sold_gb)

    places = range(len(found))
    return _Offered(found, tuple(sorted(places, key=simplicity)), tuple(sorted(places, key=price)))


def _judged(method: Method, need: Need, offered: _Configuration) -> Option:
    plan, _least, _most, basis = need
    capacity = offered.sold_gb if basis == "total" else offered.each_gb
    return Option(
        offered.gpu,
        offered.count,
        offered.sold_gb,
        capacity,
        verdict(need, capacity),
        capacity - plan,
        offered.usd_per_hour,
        method != "inference" and not offered.fast_link,
        basis,
    )


def verdict(need: Need, capacity_gb: float) -> Verdict:
    """fits: the plan (and the range's high end) is within capacity; tight: the floor (or low end) is; else no."""
    if need.most_gb <= capacity_gb:
        return "fits"
    return "tight" if need.least_gb <= capacity_gb else "no"


def fit(demand: Demand, prices: PriceList) -> Fit:
    """Judge every configuration on offer and pick the ones worth naming."""
    method = demand.method
    needs = {count: demand.need(count) for count in prices.counts}
    offered = _offered(prices)
    options = tuple([_judged(method, needs[one.count], one) for one in offered.configurations])
    simple, cheap = ([options[place] for place in order] for order in (offered.by_simplicity, offered.by_price))
    fitting = [option for option in simple if option.verdict == "fits"]
    pool = [option for option in fitting if not option.split_slow] or fitting  # slow is better named than nothing
    simplest = pool[0] if pool else None
    slow = simplest is not None and simplest.split_slow
    cheapest = next((o for o in cheap if o.verdict == "fits" and o.split_slow <= slow), None)
    named = {option.gpu for option in (simplest, cheapest) if option}
    cheaper = None
    if cheapest is not None and not slow:
        before = cheap[: cheap.index(cheapest)]
        cheaper = next((o for o in before if o.split_slow and o.verdict == "fits"), None)
    return Fit(
        options=options,
        simplest=simplest,
        cheapest=cheapest,
        alternative=next((option for option in pool if option.gpu not in named), None),
        cheaper_slow=cheaper,
        likely=_likely(simple, simplest, cheapest),
        nodes=None if fitting else _nodes(demand, prices),
    )


def _likely(simple: list[Option], simplest: Option | None, cheapest: Option | None) -> Option | None:
    """The least configuration that holds what is expected, where it spares GPUs or money."""
    holding = [option for option in simple if option.spare_gb >= 0 and option.verdict == "tight"]
    if not holding:
        return None
    found = next((option for option in holding if not option.split_slow), holding[0])
    if simplest is None or cheapest is None:
        return found
    fewer = found.count < simplest.count
    less = found.count == simplest.count and (found.usd_per_hour or 0) < (cheapest.usd_per_hour or 0)
    return found if fewer or less else None


def smallest_count(demand: Demand, gpu: str, prices: PriceList) -> Option | None:
    """The fewest GPUs of one model (up to 8) that fit, counting only the counts on offer; None when 8 do not."""
    row = prices.row(gpu)
    limit = row.max_per_host if row else MAX_COUNT
    tries = (judge(demand, gpu, count, prices) for count in prices.counts if count <= limit)
    return next((option for option in tries if option.verdict == "fits"), None)


def _fast_link(card: Gpu, row: PriceRow | None) -> bool:
    if row is not None and row.interconnect is not None:
        return any(name in row.interconnect.lower() for name in _FAST_LINKS)
    return card.nvlink


def _nodes(demand: Demand, prices: PriceList) -> Nodes | None:
    """The cheapest way to hold the plan over several full hosts of one GPU model with a fast interconnect.

    Only by the rule: what each GPU of several hosts holds depends on how tools lay a run out over them.
    """
    need = demand.need(MAX_COUNT)
    if need.basis == "per_gpu":
        return None
    found = []
    catalog = load_catalog()
    for row in prices.rows:
        card = catalog.gpu(row.gpu)
        if not row.available or card.vram_gb is None or not _fast_link(card, row):
            continue
        per_host = row.max_per_host
        hosts = ceil(need.plan_gb / (card.vram_gb * per_host))
        found.append(Nodes(row.gpu, hosts * per_host, hosts, row.usd_per_hour * hosts * per_host))
    return min(found, key=lambda nodes: (nodes.nodes, nodes.usd_per_hour), default=None)
