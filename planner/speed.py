"""Run time from the user's own measurement."""

from __future__ import annotations

from decimal import Decimal

from planner.errors import PlanError


def wall_hours(steps: int, steps_per_hour: float) -> Decimal:
    """Wall-clock hours for ``steps`` at a measured rate.  Raises PlanError for a rate or count that is not positive."""
    if steps <= 0:
        raise PlanError("out_of_range", "steps", ">0", "1")
    if not 0 < steps_per_hour < float("inf"):
        raise PlanError("out_of_range", "steps_per_hour", ">0", "1")
    return Decimal(steps) / Decimal(repr(steps_per_hour))
