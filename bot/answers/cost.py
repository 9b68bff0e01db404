"""cost: money for a configuration over stated hours; convert: into a coin."""

from __future__ import annotations

from dataclasses import replace

from bot.answers.answer import Answer
from bot.answers.common import BLOCK_HOURS, Desk, block_wall_hours
from bot.answers.plan import answer_plan, model_name, notes_on
from bot.answers.price import answer_price, price_line
from planner.cost import RunCost
from planner.plan import Asked, MethodPlan, Plan
from planner.query import TRAINING


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
    methods, asked_about = shown(plan)
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


def shown(plan: Plan | None) -> tuple[tuple[MethodPlan, ...], Asked | None]:
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


def answer_convert(desk: Desk) -> Answer:
    """Dollars in a coin, or a coin that is named alone in dollars; without a rate, the dollars and the reason."""
    slots = desk.slots
    if slots.gpu is not None and slots.hours is not None and desk.shop.prices.row(slots.gpu) is not None:
        run = desk.cost(slots.gpu, slots.count or 1, slots.hours, slots.method)
        basket_notes(desk, run)
        return Answer(question=desk.question, run=run)
    if slots.gpu is not None:
        if slots.hours is None:
            desk.note("which_hours")
        return answer_price(desk)
    if slots.params_b is not None or slots.model is not None or desk.question.hub is not None:
        return answer_plan(desk)
    if slots.budget is None and slots.budget_usd is None and slots.coin is not None:
        return Answer(question=desk.question, worth=desk.teller.one(slots.coin))
    worth = desk.teller.worth(slots) if slots.budget is not None else None  # dollars into USDT are no USDT
    usd = worth.usd if worth is not None else slots.budget_usd
    same = worth is not None and worth.code == slots.coin
    quotes = () if usd is None or same else desk.teller.quotes((usd,), every=slots.coin is None)
    return Answer(question=desk.question, worth=worth, quotes=quotes)
