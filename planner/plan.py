"""PlanQuery + price list -> Plan: the one entry."""

from __future__ import annotations

from dataclasses import dataclass

from planner.catalog import load_catalog
from planner.fit import Fit, Option, fit, judge, smallest_count
from planner.layers import Layers
from planner.memory import Demand, MemoryEstimate, estimate
from planner.offer import PriceList
from planner.query import Method, PlanQuery


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """One method: what memory it takes and where it fits.

    ``memory`` is the estimate that leads: the rule's, or by the model's layers where the query states something of the
    run, then on each GPU of ``leading`` (None: as the rule has it, over all GPUs).  ``rule``: what the rule says.
    """

    memory: MemoryEstimate
    fit: Fit
    rule: MemoryEstimate
    leading: Option | None = None

    @property
    def method(self) -> Method:
        return self.memory.method


@dataclass(frozen=True, slots=True)
class Asked:
    """The verdict on the configuration that the user named; ``rented`` False: not this shop's GPU.

    ``nearest``: the smallest configuration on offer that fits instead (None when ``option`` fits
    and is rented, or nothing does).
    """

    method: Method
    option: Option
    rented: bool
    nearest: Option | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan for a query: a MethodPlan per method, in the query's order, and the asked configuration."""

    query: PlanQuery
    methods: tuple[MethodPlan, ...]
    asked: tuple[Asked, ...]  # one per method when a GPU was named, else empty


def make_plan(query: PlanQuery, prices: PriceList) -> Plan:
    """Plan every method of the query against the price list.

    A GPU named without a count is judged at the fewest that fit (at one where none do).
    Raises PlanError for an unknown GPU, one without a fixed memory size, or a LoRA rank above the hidden size.
    """
    methods, asked = [], []
    for method in query.methods:
        rule = estimate(query, method)
        demand = demand_of(query, method, rule)
        found = fit(demand, prices)
        judged = _asked(demand, method, query.gpu, query.count, prices, found) if query.gpu is not None else None
        if judged is not None:
            asked.append(judged)
        leading = leading_option(found, judged) if isinstance(demand, Layers) else None
        memory = demand.estimate(leading.count) if leading is not None and isinstance(demand, Layers) else rule
        methods.append(MethodPlan(memory, found, rule, leading))
    return Plan(query, tuple(methods), tuple(asked))


def demand_of(query: PlanQuery, method: Method, rule: MemoryEstimate | None = None) -> Demand:
    """What a query's run must hold: by the model's layers where it states something of the run, else by the rule.

    Raises PlanError for a LoRA rank above the hidden size.
    """
    if query.has_run_details:
        return Layers(query, method)
    return rule or estimate(query, method)


def leading_option(found: Fit, asked: Asked | None = None) -> Option | None:
    """The configuration that an answer leads with: the one asked about, else what fits, else what comes nearest."""
    if asked is not None:
        return asked.option
    nearest = max(found.options, key=lambda option: (option.spare_gb, -option.count), default=None)
    return found.best or nearest


def _asked(demand: Demand, method: Method, gpu: str, count: int | None, prices: PriceList, found: Fit) -> Asked:
    rented = prices.row(gpu) is not None
    option = None
    if count is None and load_catalog().gpu(gpu).vram_gb is not None:
        option = smallest_count(demand, gpu, prices)
    option = option or judge(demand, gpu, count or 1, prices)
    nearest = None if rented and option.verdict == "fits" else found.simplest
    return Asked(method, option, rented, nearest)
