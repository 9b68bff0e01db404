"""GPU against GPU, configuration against configuration, method against method."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from planner.fit import Option
from planner.query import Method


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
