"""What a question's numbers may be: anything else is refused before it is computed with."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Final

from bot.reader.question import Question
from planner.catalog import load_catalog
from planner.cost import MAX_HOURS
from planner.errors import PlanError
from planner.query import check_count

#: Above these a figure is a slip of the keyboard, and arithmetic on it would only cost time.
MAX_BUDGET_USD: Final = Decimal(1_000_000_000)
#: In any coin or currency.
MAX_BUDGET: Final = Decimal(1_000_000_000_000)
MAX_VRAM_GB: Final = 1_000_000.0
MAX_STEPS: Final = 1_000_000_000_000  # steps, and tokens, batch, rank and users alike


def refuse_unusable(question: Question) -> None:
    """Raise PlanError for a count, time, amount or GPU that nothing can be computed from."""
    slots = question.slots
    for count in (slots.count, *slots.counts):
        if count is not None:
            check_count(count)
    _above_zero("hours", slots.hours, MAX_HOURS)
    _above_zero("budget_usd", slots.budget_usd, MAX_BUDGET_USD)
    _above_zero("budget", slots.budget, MAX_BUDGET)
    _above_zero("vram_gb", slots.vram_gb, MAX_VRAM_GB)
    for field in ("context", "batch", "lora_rank", "users", "steps"):
        _within(field, getattr(slots, field), 1, MAX_STEPS)
    _above_zero("steps_per_hour", slots.steps_per_hour, MAX_STEPS)
    for gpu in (slots.gpu, question.failed_gpu, *slots.gpus):
        if gpu is not None:
            load_catalog().gpu(gpu)


def _within(field: str, value: int | None, least: int, most: int) -> None:
    if value is not None and not least <= value <= most:
        raise PlanError("out_of_range", field, f"{least}-{most}", str(least if value < least else most))


def _above_zero(field: str, value: Decimal | float | None, most: Decimal | float) -> None:
    """A Decimal NaN raises when it is compared, so whether the value is finite comes first."""
    if value is None:
        return
    finite = value.is_finite() if isinstance(value, Decimal) else isfinite(value)
    if not finite or not 0 < value <= most:
        raise PlanError("out_of_range", field, f"0-{most:.0f}")
