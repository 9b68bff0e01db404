"""PlanQuery + price list -> Plan: the one entry."""

from __future__ import annotations

from dataclasses import dataclass

from planner.fit import Fit, Option
from planner.memory import MemoryEstimate
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
