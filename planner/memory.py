"""PlanQuery -> MemoryEstimate: how much GPU memory a method takes, term by term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

from planner.catalog import Rule, load_catalog
from planner.query import Method, PlanQuery

Tier = Literal["rule", "architecture"]
Basis = Literal["total", "per_gpu"]


class Formula(NamedTuple):
    """A formula in neutral text: plain numbers (a point for decimals, no thousands marks), the unit "bytes" or "GB", so
    that a renderer can write its numbers and unit in any language.  Written out only where it is shown."""

    template: str
    values: tuple[float, ...] = ()

    def __str__(self) -> str:
        """ "70 x 2 bytes = 140 GB; x 1.2 = 168 GB"."""
        return self.template.format(*map(number, self.values))


class Term(NamedTuple):
    """One part of an estimate.  ``gb`` is in GB (10**9 bytes), ``source`` an id in data/sources."""

    name: str
    gb: float
    written: Formula
    source: str

    @property
    def formula(self) -> str:
        """Neutral text (see Formula)."""
        return str(self.written)


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Memory for one method.  ``floor_gb`` is the least that can work, ``plan_gb`` what to plan for.

    By the rule tier over all GPUs together (``basis`` "total"), by the architecture tier on each of so many
    ("per_gpu"), with ``low_gb``/``high_gb`` as its range's ends (None in the rule tier).
    ``written`` is the whole sum (see Formula), ``sources`` every id it rests on.
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
    written: Formula
    sources: tuple[str, ...]

    @property
    def formula(self) -> str:
        """The whole sum in neutral text."""
        return str(self.written)

    def need(self, count: int) -> Need:
        """The rule gives the same total on any number of GPUs."""
        return Need(self.plan_gb, self.floor_gb, self.plan_gb, self.basis)


class Need(NamedTuple):
    """What a verdict depends on, in GB: the plan, the least that can work, the most that it may come to."""

    plan_gb: float
    least_gb: float
    most_gb: float
    basis: Basis


class Demand(Protocol):
    """What a run by one method must hold, by the number of GPUs it runs on."""

    @property
    def method(self) -> Method: ...

    def need(self, count: int) -> Need:
        """What ``count`` GPUs must hold: together, or each of them (see Need.basis)."""
        ...


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
        written=_formula(rule, size, floor_rate, plan_rate, floor, plan),
        sources=tuple(dict.fromkeys((rule.floor_source, rule.plan_source))),
    )


def number(value: float) -> str:
    """A plain number for a formula: no thousands marks, no needless zeros, at most six significant decimals."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


_PRODUCT: Final = "{} x {} bytes"


def _terms(rule: Rule, size: float, floor_rate: float, floor: float, plan: float) -> tuple[Term, ...]:
    if rule.parts is not None:
        return tuple(
            [
                Term(name, round(size * rate, 6), Formula(_PRODUCT, (size, rate)), rule.plan_source)
                for name, rate in rule.parts.items()
            ]
        )
    weights = Term("weights", floor, Formula(_PRODUCT, (size, floor_rate)), rule.floor_source)
    rest = round(plan - floor, 6)
    return (weights, Term("overhead", rest, Formula("{} - {} GB", (plan, floor)), rule.plan_source))


def _formula(rule: Rule, size: float, floor_rate: float, plan_rate: float, floor: float, plan: float) -> Formula:
    start = (size, floor_rate, floor)
    if rule.margin is not None:
        return Formula("{} x {} bytes = {} GB; x {} = {} GB", (*start, rule.margin, plan))
    if floor == plan:
        return Formula("{} x {} bytes = {} GB", start)
    return Formula("{} x {} bytes = {} GB; {} x {} bytes = {} GB", (*start, size, plan_rate, plan))
