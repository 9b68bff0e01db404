"""Hours, GPU-hours, blocks, top-up and cost: exact in Decimal."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from planner.query import Method


@dataclass(frozen=True, slots=True)
class Blocks:
    """``count`` blocks of ``hours`` GPU-hours each."""

    hours: int
    count: int


@dataclass(frozen=True, slots=True)
class Basket:
    """Blocks that cover a need.  ``left_over_hours`` never expire."""

    blocks: tuple[Blocks, ...]  # largest first
    gpu_hours: int
    left_over_hours: Decimal
    usd: Decimal


@dataclass(frozen=True, slots=True)
class RunCost:
    """The cost of one run: GPUs x wall-clock hours x price per GPU-hour.

    ``usd`` is what the run consumes, rounded up to the cent once.  ``exact`` is the basket that costs
    least now, ``round`` the one with fewest blocks and at most 10 % unused (None where it saves no
    block), ``basket`` the recommended one of the two.  ``topup_usd`` is what has to be paid in at
    least: the basket, or the shop's minimum where that binds.
    """

    gpu: str
    count: int
    method: Method | None
    hours: Decimal  # wall-clock
    gpu_hours: Decimal
    usd_per_hour: Decimal  # whole configuration
    usd: Decimal
    exact: Basket
    round: Basket | None
    basket: Basket
    topup_usd: Decimal
