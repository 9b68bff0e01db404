"""MemoryEstimate x configurations on offer -> verdicts, simplest, cheapest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Verdict = Literal["fits", "tight", "no"]


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
