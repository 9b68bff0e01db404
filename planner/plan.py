"""PlanQuery + price list -> Plan: the one entry."""

from __future__ import annotations

from dataclasses import dataclass

from planner.catalog import load_catalog
from planner.fit import Fit, Option, fit, judge, smallest_count
from planner.memory import MemoryEstimate, estimate
from planner.offer import PriceList
from planner.query import Method, PlanQuery


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """One method: what memory it takes and where it fits."""

    memory: MemoryEstimate
    fit: Fit

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
    Raises PlanError for an unknown GPU or one without a fixed memory size.
    """
    methods = tuple(_method_plan(query, method, prices) for method in query.methods)
    asked: tuple[Asked, ...] = ()
    if query.gpu is not None:
        asked = tuple(_asked(plan, query.gpu, query.count, prices) for plan in methods)
    return Plan(query, methods, asked)


def _method_plan(query: PlanQuery, method: Method, prices: PriceList) -> MethodPlan:
    memory = estimate(query, method)
    return MethodPlan(memory, fit(memory, prices))


def _asked(plan: MethodPlan, gpu: str, count: int | None, prices: PriceList) -> Asked:
    rented = prices.row(gpu) is not None
    option = None
    if count is None and load_catalog().gpu(gpu).vram_gb is not None:
        option = smallest_count(plan.memory, gpu, prices)
    option = option or judge(plan.memory, gpu, count or 1, prices)
    nearest = None if rented and option.verdict == "fits" else plan.fit.simplest
    return Asked(plan.method, option, rented, nearest)
