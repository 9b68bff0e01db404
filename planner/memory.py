"""PlanQuery -> MemoryEstimate: how much GPU memory a method takes, term by term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.query import Method

Tier = Literal["rule", "architecture"]
Basis = Literal["total", "per_gpu"]


@dataclass(frozen=True, slots=True)
class Term:
    """One part of an estimate.

    ``gb`` is in GB (10**9 bytes).  ``formula`` is neutral text with plain numbers (a point for
    decimals, no thousands marks, the unit "bytes" or "GB"), so that a renderer can write its
    numbers and unit in any language: "70 x 2 bytes = 140 GB; x 1.2 = 168 GB".
    ``source`` is an id in data/sources.
    """

    name: str
    gb: float
    formula: str
    source: str


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Memory for one method.  ``floor_gb`` is the least that can work, ``plan_gb`` what to plan for.

    ``low_gb``/``high_gb`` bound the architecture tier's range, None in the rule tier.
    ``formula`` is the whole sum in neutral text (see Term), ``sources`` every id it rests on.
    """

    method: Method
    tier: Tier
    basis: Basis
    params_b: float
    bits: float
    floor_gb: float
    plan_gb: float
    low_gb: float | None
    high_gb: float | None
    terms: tuple[Term, ...]
    formula: str
    sources: tuple[str, ...]
