"""GPU against GPU, configuration against configuration, method against method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from planner.catalog import load_catalog
from planner.fit import Option, fit, judge
from planner.memory import Demand, estimate
from planner.offer import PriceList
from planner.query import Method, PlanQuery


@dataclass(frozen=True, slots=True)
class GpuFigures:
    """One side of a GPU comparison.  Figures are for the whole configuration of ``count`` GPUs.

    ``bf16_tflops``: peak dense BF16 tensor TFLOPS; ``bandwidth_gbs``: memory bandwidth in GB/s of one
    GPU; ``usd_per_tflop_hour``: price per hour / peak TFLOPS.  None: not known or not rented.
    ``option``: the verdict for the size and method asked about, when there is one.
    """

    gpu: str
    count: int
    vram_gb: float
    bf16_tflops: float | None
    bandwidth_gbs: float | None
    usd_per_hour: Decimal | None
    usd_per_tflop_hour: Decimal | None
    option: Option | None
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MethodFigures:
    """One side of a method comparison: memory, and the cheapest configuration that fits (None: none does)."""

    method: Method
    floor_gb: float
    plan_gb: float
    cheapest: Option | None


@dataclass(frozen=True, slots=True)
class MarketPrice:
    """A competitor's price per hour for a configuration, as read on a day."""

    provider: str
    gpu: str
    count: int
    usd_per_gpu_hour: Decimal
    usd_per_hour: Decimal
    source: str


@dataclass(frozen=True, slots=True)
class MethodRatio:
    """How many times dearer per hour one method's hardware is than another's.

    ``ours`` from the shop's prices, ``market`` from competitors' (None where none is known for
    both configurations).
    """

    cheap: MethodFigures
    dear: MethodFigures
    ours: Decimal | None
    market: Decimal | None
    market_prices: tuple[MarketPrice, ...]


def compare_gpus(
    sides: Sequence[tuple[str, int]], prices: PriceList, demand: Demand | None = None
) -> tuple[GpuFigures, ...]:
    """The figures of each configuration (GPU id, count); with ``demand``, its verdict too."""
    return tuple(_figures(gpu, count, prices, demand) for gpu, count in sides)


def compare_methods(params_b: float, methods: Sequence[Method], prices: PriceList) -> tuple[MethodFigures, ...]:
    """Memory and the cheapest fitting configuration of each method at one size."""
    query = PlanQuery(params_b=params_b, methods=tuple(methods))
    return tuple(_method_figures(query, method, prices) for method in methods)


def method_ratio(
    params_b: float, cheap: Method, dear: Method, prices: PriceList, market: Sequence[MarketPrice] = ()
) -> MethodRatio | None:
    """How many times dearer ``dear``'s cheapest hardware is per hour than ``cheap``'s, to two decimals.

    None when either fits nowhere.  The market's ratio needs a competitor's price for both configurations.
    """
    one, two = compare_methods(params_b, (cheap, dear), prices)
    if one.cheapest is None or two.cheapest is None:
        return None
    low, high = one.cheapest.usd_per_hour, two.cheapest.usd_per_hour
    found = [_market_price(figures.cheapest, market) for figures in (one, two)]
    listed = tuple(price for price in found if price is not None)
    return MethodRatio(
        cheap=one,
        dear=two,
        ours=_ratio(high, low),
        market=_ratio(listed[1].usd_per_hour, listed[0].usd_per_hour) if len(listed) == 2 else None,
        market_prices=listed,
    )


def _ratio(dear: Decimal | None, cheap: Decimal | None) -> Decimal | None:
    return (dear / cheap).quantize(Decimal("0.01"), ROUND_HALF_UP) if dear and cheap else None


def _figures(gpu: str, count: int, prices: PriceList, demand: Demand | None) -> GpuFigures:
    card = load_catalog().gpu(gpu)
    row = prices.row(gpu)
    usd = row.usd_per_hour * count if row else None
    tflops = card.bf16_tflops * count if card.bf16_tflops else None
    per_tflop = (usd / Decimal(str(tflops))).quantize(Decimal("0.000001"), ROUND_HALF_UP) if usd and tflops else None
    return GpuFigures(
        gpu=gpu,
        count=count,
        vram_gb=(card.vram_gb or 0.0) * count,
        bf16_tflops=tflops,
        bandwidth_gbs=card.bandwidth_gbs,
        usd_per_hour=usd,
        usd_per_tflop_hour=per_tflop,
        option=judge(demand, gpu, count, prices) if demand and card.vram_gb else None,
        sources=card.sources,
    )


def _method_figures(query: PlanQuery, method: Method, prices: PriceList) -> MethodFigures:
    memory = estimate(query, method)
    return MethodFigures(method, memory.floor_gb, memory.plan_gb, fit(memory, prices).cheapest)


def _market_price(option: Option | None, market: Sequence[MarketPrice]) -> MarketPrice | None:
    if option is None:
        return None
    same = [price for price in market if (price.gpu, price.count) == (option.gpu, option.count)]
    return min(same, key=lambda price: price.usd_per_hour, default=None)
