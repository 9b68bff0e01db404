"""The work a question states (tokens, examples, steps) and the training times it makes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final

from bot.answers.common import Desk
from planner.cost import MAX_HOURS, run_cost
from planner.fit import Option
from planner.layers import TRAINED_TOKENS
from planner.plan import MethodPlan, Plan
from planner.speed import SOURCE, RunTime, training_time

#: Tokens of an example where nothing is said of its length; the answer says so.
_EXAMPLE_TOKENS: Final = 500
#: A number of tokens beside a number of examples is the length of each up to this.
_LONGEST_EXAMPLE: Final = 100_000


@dataclass(frozen=True, slots=True)
class Work:
    """Tokens to train on in all, and the length of a sequence."""

    tokens: int
    seq_len: int


def work_of(desk: Desk) -> Work | None:
    """What there is to train on, from tokens, or examples, or steps; None where the question does not say."""
    slots = desk.slots
    length = slots.context or TRAINED_TOKENS
    times = Decimal(repr(slots.epochs)) if slots.epochs else Decimal(1)
    each = slots.tokens if slots.tokens is not None and slots.tokens <= _LONGEST_EXAMPLE else None
    if slots.examples is not None and (each is not None or slots.tokens is None):
        if each is None and slots.context is not None:
            each = slots.context
            desk.note("full_length", tokens=each)
        elif each is None:
            each = _EXAMPLE_TOKENS
            desk.note("example_tokens", tokens=each)
        return Work(int(slots.examples * each * times), max(length, each))
    if slots.tokens is not None:
        return Work(int(slots.tokens * times), length)
    if slots.steps is not None and slots.batch is not None:
        return Work(slots.steps * slots.batch * (slots.count or 1) * length, length)
    return None


def times_on(desk: Desk, plan: Plan, only: MethodPlan, work: Work, options: tuple[Option, ...]) -> list[RunTime]:
    """The run's times, by the money to pay in for each (whole blocks), then by GPUs and time."""
    found = [training_time(plan.query, only.method, option, work.tokens, work.seq_len) for option in options]
    return sorted(
        (one for one in found if one is not None), key=lambda one: (_paid_in(desk, one), one.option.count, one.expected)
    )


def _paid_in(desk: Desk, one: RunTime) -> Decimal:
    if not desk.offered(one.option) or one.expected > MAX_HOURS:
        return Decimal("Infinity")
    return run_cost(desk.shop.prices, one.option.gpu, one.option.count, minutes_up(one.expected)).basket.usd


def minutes_up(hours: Decimal) -> Decimal:
    """Hours up to the next whole minute, as started ones are billed."""
    return (hours * 60).to_integral_value(ROUND_CEILING) / 60


def cite_speeds(desk: Desk, lead: RunTime) -> None:
    """Say what an estimated time rests on."""
    desk.cite(SOURCE, *lead.utilisation.sources)
    desk.assume("from_speeds", rows=lead.utilisation.rows, percent=round(lead.utilisation.middle * 100))
