"""The other way round: what can be trained or run on these GPUs, or for this money."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from planner.query import Method


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest size a method fits on a configuration.  ``max_params_b`` in billions, rounded down.

    ``bits``: weight precision the figure is for (inference).  ``models``: well-known model ids at or
    below the size, largest first.
    """

    gpu: str
    count: int
    vram_gb: float
    method: Method
    bits: float
    max_params_b: float
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Affordable:
    """What a budget buys on one GPU model: whole blocks only.  ``gpu_hours`` 0: less than the smallest block."""

    gpu: str
    vram_gb: float
    usd_per_hour: Decimal
    gpu_hours: int
    usd: Decimal
    largest: tuple[Largest, ...]  # per method, on one such GPU
