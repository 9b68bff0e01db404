"""time: how long a run takes, from the user's own measurement or estimated from tokens, and what meets a deadline."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.answers.answer import Answer
from bot.answers.common import BLOCK_HOURS, Desk, block_wall_hours
from bot.answers.cost import basket_notes, shown
from bot.answers.plan import model_name
from bot.answers.work import Work, cite_speeds, minutes_up, times_on, work_of
from planner.catalog import load_catalog
from planner.cost import MAX_HOURS, RunCost
from planner.errors import PlanError
from planner.fit import Fit, Option
from planner.plan import Plan
from planner.query import TRAINING
from planner.speed import RunTime, decode_bound, steps_of, wall_hours

#: Configurations that a phone's screen has room for.
_SHOWN: Final = 5


def answer_time(desk: Desk) -> Answer:
    """Wall hours from the user's own measurement, else estimated from tokens; without either, how to measure."""
    slots = desk.slots
    steps = _steps(desk)
    if steps is not None and slots.steps_per_hour is not None:
        return _measured(desk, steps, slots.steps_per_hour)
    size = desk.size()
    if slots.gpu is not None and desk.shop.prices.row(slots.gpu) is None:
        desk.note("not_rented", gpu=slots.gpu)
    plan = _plan(desk, size)
    if plan is None:
        return _unknown(desk, size, None)
    if plan.methods[0].method == "inference":
        return _bound(desk, size, plan)
    work = work_of(desk)
    if work is None:
        return _unknown(desk, size, plan)
    return _estimated(desk, size, plan, work)


def _steps(desk: Desk) -> int | None:
    """The steps stated, or those that examples, epochs and batch make."""
    slots = desk.slots
    if slots.steps is not None or slots.examples is None or slots.batch is None:
        return slots.steps
    return steps_of(slots.examples, slots.epochs or 1, slots.batch * (slots.count or 1))


def _measured(desk: Desk, steps: int, rate: float) -> Answer:
    slots = desk.slots
    hours = wall_hours(steps, rate)
    if hours > MAX_HOURS:
        raise PlanError("out_of_range", "hours", f"0-{MAX_HOURS}", str(MAX_HOURS))
    size = desk.size()
    desk.note("measured_hours", hours=hours, steps=steps, steps_per_hour=rate)
    run = None
    if slots.gpu is not None and desk.shop.prices.row(slots.gpu) is not None:
        run = desk.cost(slots.gpu, slots.count or 1, hours, slots.method)
        basket_notes(desk, run)
    else:
        desk.note("which_gpu")
    return Answer(question=desk.question, params_b=size, model_name=model_name(desk), run=run)


def _plan(desk: Desk, size: float | None) -> Plan | None:
    if size is None:
        return None
    gpu = desk.slots.gpu
    if gpu is not None and load_catalog().gpu(gpu).vram_gb is None:
        gpu = None
    methods = desk.methods(TRAINING)
    if len(methods) > 1:  # the lightest method's block is where one starts
        methods = methods[:1]
        desk.assume("method_assumed", method=methods[0])
    return desk.plan(size, methods, gpu, desk.slots.count if gpu else None)


def _estimated(desk: Desk, size: float | None, plan: Plan, work: Work) -> Answer:
    only = plan.methods[0]
    asked = plan.asked[0] if plan.asked else None
    named = asked is not None and asked.option.verdict != "no"
    options = (
        (asked.option,) if asked is not None and named else _candidates(only.fit, every=desk.slots.hours is not None)
    )
    times = times_on(desk, plan, only, work, options)
    if not times:
        return _unknown(desk, size, plan)
    lead, times = _lead(desk, times)
    cite_speeds(desk, lead)
    run: RunCost | None = None
    if desk.offered(lead.option):
        run = desk.cost(lead.option.gpu, lead.option.count, minutes_up(lead.expected), only.method)
        basket_notes(desk, run)
    desk.note("measure", hours=BLOCK_HOURS)
    methods, asked_about = shown(plan)
    return Answer(
        question=desk.question,
        params_b=size,
        model_name=model_name(desk),
        methods=methods,
        asked=asked_about,
        times=tuple(times[:_SHOWN]),
        run=run,
        wanted_method=desk.slots.method,
    )


def _lead(desk: Desk, times: list[RunTime]) -> tuple[RunTime, list[RunTime]]:
    """The run to cost: what meets the deadline for least, else the cheapest; and the runs to show, that one first."""
    deadline = desk.slots.hours
    if deadline is None:
        return times[0], times
    met = next((one for one in times if one.expected <= deadline), None)
    lead = met or min(times, key=lambda one: one.expected)
    desk.note("deadline_met" if met is not None else "deadline_missed", hours=deadline, option=lead.option)
    fewest = {one.option.gpu: one for one in reversed(times) if (one.expected <= deadline) == (met is not None)}
    return lead, [
        lead,
        *(one for one in times if fewest.get(one.option.gpu) is one and one.option.gpu != lead.option.gpu),
    ]


def _candidates(fit: Fit, *, every: bool) -> tuple[Option, ...]:
    """Without slow splits, of each GPU model the fewest that fit, or ``every`` count; else what likely does."""
    fitting = [option for option in fit.options if option.verdict == "fits" and not option.split_slow]
    if every:
        return tuple(fitting)
    fewest = {option.gpu: option for option in reversed(fitting)}
    return tuple(fewest.values()) or tuple(option for option in (fit.best,) if option is not None)


def _bound(desk: Desk, size: float | None, plan: Plan) -> Answer:
    """Generating: no speed is published, but memory bandwidth sets a bound."""
    only = plan.methods[0]
    asked = plan.asked[0] if plan.asked else None
    option = asked.option if asked is not None else only.fit.best
    bound = decode_bound(plan.query, option) if option is not None else None
    if bound is not None and option is not None:
        desk.cite(*load_catalog().gpu(option.gpu).sources)
    desk.note("speed_unknown")
    return _with_block(desk, size, plan, Answer(question=desk.question, bound=bound))


def _unknown(desk: Desk, size: float | None, plan: Plan | None) -> Answer:
    """No tokens, no examples: what to say for an estimate, and how to measure."""
    facts = desk.shop.facts_on("time")
    desk.cite(*(fact.source for fact in facts))
    desk.note("no_run_time")
    desk.note("tokens_wanted")
    return _with_block(desk, size, plan, Answer(question=desk.question, facts=facts))


def _with_block(desk: Desk, size: float | None, plan: Plan | None, answer: Answer) -> Answer:
    """The same with what the first block, or the hours named, cost."""
    slots = desk.slots
    option = None
    if plan is not None:
        asked = plan.asked[0] if plan.asked else None
        fits = asked is not None and asked.option.verdict == "fits" and desk.offered(asked.option)
        option = asked.option if asked is not None and fits else plan.methods[0].fit.best
    gpu = option.gpu if option else slots.gpu if slots.gpu and desk.shop.prices.row(slots.gpu) else None
    block: RunCost | None = None
    run: RunCost | None = None
    if gpu is not None:
        count = option.count if option else slots.count or 1
        if slots.hours is not None:
            run = desk.cost(gpu, count, slots.hours, slots.method)
            basket_notes(desk, run)
        else:
            block = desk.cost(gpu, count, block_wall_hours(count), slots.method)
    desk.note("measure", hours=BLOCK_HOURS)
    methods, asked_about = shown(plan)
    return replace(
        answer,
        params_b=size,
        model_name=model_name(desk),
        methods=methods,
        asked=asked_about,
        run=run,
        block=block,
        wanted_method=slots.method,
    )
