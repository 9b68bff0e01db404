"""Peak memory of a run by the model's layers: its terms and range, on one GPU."""

from __future__ import annotations

from dataclasses import dataclass

from planner import running, training
from planner.run import Part, Run, total
from planner.running import running_parts
from planner.training import training_parts


@dataclass(frozen=True, slots=True)
class Peak:
    """Bytes on one GPU: the range's ends, what to expect, and the terms that add up to it."""

    low: float
    expected: float
    high: float
    parts: tuple[Part, ...]


def peak(run: Run) -> Peak:
    """The peak that the allocator of one GPU reaches (without the driver's own context)."""
    if run.method == "inference":
        parts = running_parts(run)
        spread = running.SPREAD
    else:
        parts = training_parts(run)
        spread = training.SPREAD
    return Peak(*total(parts, spread), parts)
