"""cost: money for a configuration over stated hours; time: how long, and how to find out; convert: into a coin."""

from __future__ import annotations

from dataclasses import replace

from bot.answers.answer import Answer
from bot.answers.common import BLOCK_HOURS, Desk, block_wall_hours
from bot.answers.plan import answer_plan, model_name, notes_on
from bot.answers.price import answer_price, price_line
from planner.catalog import load_catalog
from planner.cost import MAX_HOURS, RunCost
from planner.errors import PlanError
from planner.plan import Asked, MethodPlan, Plan
from planner.query import TRAINING
from planner.speed import wall_hours


def answer_cost(desk: Desk) -> Answer:
    """GPUs x hours x price, with the blocks to buy; a size without a GPU takes the plan's simplest configuration."""
    slots = desk.slots
    size = desk.size()
    gpu, count = slots.gpu, slots.count
    if gpu is None and size is not None:
        return answer_plan(desk)
    if gpu is None:
        desk.note("which_gpu")
        return answer_price(desk)
    row = desk.shop.prices.row(gpu)
    if row is None and size is None:
        return answer_price(desk)
    if row is None:  # the nearest GPU by memory need not hold the size, so the size is planned
        # without the named GPU's verdict, which would read as the verdict on the run's GPU
        return replace(answer_plan(desk), asked=None, asked_by_method=())
    plan = None
    if size is not None:
        plan = desk.plan(size, desk.methods(TRAINING), gpu, count)
        notes_on(desk, plan)
    if count is None:
        count = 1
        desk.assume("count_assumed", count=1)
    hours = slots.hours
    if hours is None:
        hours = block_wall_hours(count)
        desk.assume("ten_hour_block", hours=BLOCK_HOURS)
    run = desk.cost(gpu, count, hours, slots.method)
    basket_notes(desk, run)
    methods, asked_about = _shown(plan)
    return Answer(
        question=desk.question,
        params_b=size,
        model_name=model_name(desk),
        methods=methods,
        asked=asked_about,
        run=run,
        prices=() if plan else (price_line(row, desk.shop),),
        wanted_method=slots.method,
    )


def _shown(plan: Plan | None) -> tuple[tuple[MethodPlan, ...], Asked | None]:
    """What an answer about money or time shows of a plan: one method with its verdict, or nothing of several."""
    if plan is None or len(plan.methods) != 1:
        return (), None
    return plan.methods, plan.asked[0] if plan.asked else None


def basket_notes(desk: Desk, run: RunCost) -> None:
    """Left-over hours and the smallest top-up, where they matter."""
    if run.basket.left_over_hours > 0:
        desk.note("left_over", hours=run.basket.left_over_hours)
    if run.topup_usd > run.basket.usd:
        desk.note("topup_binds", usd=desk.shop.prices.topup_usd)


def answer_time(desk: Desk) -> Answer:
    """Wall hours from the user's own measurement; without one, no invented time but the way to measure."""
    slots = desk.slots
    size = desk.size()
    if slots.steps is not None and slots.steps_per_hour is not None:
        hours = wall_hours(slots.steps, slots.steps_per_hour)
        if hours > MAX_HOURS:
            raise PlanError("out_of_range", "hours", f"0-{MAX_HOURS}", str(MAX_HOURS))
        desk.note("measured_hours", hours=hours, steps=slots.steps, steps_per_hour=slots.steps_per_hour)
        if slots.gpu is not None and desk.shop.prices.row(slots.gpu) is not None:
            measured = desk.cost(slots.gpu, slots.count or 1, hours, slots.method)
            basket_notes(desk, measured)
            return Answer(question=desk.question, params_b=size, model_name=model_name(desk), run=measured)
        desk.note("which_gpu")
        return Answer(question=desk.question, params_b=size, model_name=model_name(desk))
    if slots.gpu is not None and desk.shop.prices.row(slots.gpu) is None:
        desk.note("not_rented", gpu=slots.gpu)
    facts = desk.shop.facts_on("time")
    desk.cite(*(fact.source for fact in facts))
    desk.note("speed_unknown" if desk.slots.method == "inference" else "no_run_time")
    plan = _time_plan(desk, size)
    option = None
    if plan is not None and len(plan.methods) == 1:
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
    methods, asked_about = _shown(plan)
    return Answer(
        question=desk.question,
        params_b=size,
        model_name=model_name(desk),
        methods=methods,
        asked=asked_about,
        run=run,
        block=block,
        facts=facts,
        wanted_method=slots.method,
    )


def _time_plan(desk: Desk, size: float | None) -> Plan | None:
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


def answer_convert(desk: Desk) -> Answer:
    """Dollars in a coin; without a rate, the dollars and the reason."""
    slots = desk.slots
    if slots.gpu is not None and slots.hours is not None and desk.shop.prices.row(slots.gpu) is not None:
        run = desk.cost(slots.gpu, slots.count or 1, slots.hours, slots.method)
        basket_notes(desk, run)
        return Answer(question=desk.question, run=run)
    if slots.gpu is not None:
        if slots.hours is None:
            desk.note("which_hours")
        return answer_price(desk)
    if slots.params_b is not None or slots.model is not None:
        return answer_plan(desk)
    worth = desk.teller.worth(slots) if slots.budget is not None else None  # dollars into USDT are no USDT
    usd = worth.usd if worth is not None else slots.budget_usd
    same = worth is not None and worth.code == slots.coin
    quotes = () if usd is None or same else desk.teller.quotes((usd,), every=slots.coin is None)
    return Answer(question=desk.question, worth=worth, quotes=quotes)
