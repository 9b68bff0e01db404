"""PlanQuery -> MemoryEstimate: how much GPU memory a method takes, term by term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.catalog import Rule, load_catalog
from planner.query import Method, PlanQuery

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


def estimate(query: PlanQuery, method: Method) -> MemoryEstimate:
    """The rule tier: bytes per parameter times parameters, whatever the batch and sequence length.

    The rules and their sources stand in data/methods.toml.  For inference the floor is the weights,
    ``bits`` / 8 bytes per parameter, and the plan adds the shop's margin.
    """
    rule = load_catalog().rules[method]
    size = query.params_b
    bits = rule.bits
    floor_rate, plan_rate = rule.floor, rule.plan
    if method == "inference" and query.bits is not None:
        bits = query.bits
        floor_rate = bits / 8
        plan_rate = floor_rate * (rule.margin or 1.0)
    # Rounding to a byte per parameter's billionth keeps float noise from flipping a verdict (75 x 2.4 = 180).
    floor, plan = round(size * floor_rate, 6), round(size * plan_rate, 6)
    return MemoryEstimate(
        method=method,
        tier="rule",
        basis="total",
        params_b=size,
        bits=bits,
        floor_gb=floor,
        plan_gb=plan,
        low_gb=None,
        high_gb=None,
        terms=_terms(rule, size, floor_rate, floor, plan),
        formula=_formula(rule, size, floor_rate, plan_rate, floor, plan),
        sources=tuple(dict.fromkeys((rule.floor_source, rule.plan_source))),
    )


def number(value: float) -> str:
    """A plain number for a formula: no thousands marks, no needless zeros, at most six significant decimals."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _terms(rule: Rule, size: float, floor_rate: float, floor: float, plan: float) -> tuple[Term, ...]:
    if rule.parts is not None:
        return tuple(
            Term(name, round(size * rate, 6), f"{number(size)} x {number(rate)} bytes", rule.plan_source)
            for name, rate in rule.parts.items()
        )
    weights = Term("weights", floor, f"{number(size)} x {number(floor_rate)} bytes", rule.floor_source)
    rest = round(plan - floor, 6)
    return (weights, Term("overhead", rest, f"{number(plan)} - {number(floor)} GB", rule.plan_source))


def _formula(rule: Rule, size: float, floor_rate: float, plan_rate: float, floor: float, plan: float) -> str:
    start = f"{number(size)} x {number(floor_rate)} bytes = {number(floor)} GB"
    if rule.margin is not None:
        return f"{start}; x {number(rule.margin)} = {number(plan)} GB"
    if floor == plan:
        return start
    return f"{start}; {number(size)} x {number(plan_rate)} bytes = {number(plan)} GB"
