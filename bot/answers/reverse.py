"""reverse: what can be trained or run on these GPUs, or for this money."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from bot.answers.answer import Answer
from bot.answers.common import Desk, wall_for
from bot.answers.cost import basket_notes
from bot.answers.price import answer_price
from planner.catalog import load_catalog
from planner.cost import MAX_HOURS, whole_blocks
from planner.offer import PriceRow
from planner.query import METHODS, TRAINING, Method
from planner.reverse import affordable, largest_for, largest_in, largest_on


def answer_reverse(desk: Desk) -> Answer:
    """The largest size per method on the GPUs named, or what a budget buys."""
    slots = desk.slots
    default: tuple[Method, ...] = TRAINING if desk.question.task == "train" else METHODS
    methods = desk.methods(default)
    for method in methods:
        rule = load_catalog().rules[method]
        desk.cite(rule.floor_source, rule.plan_source)
    if slots.gpu is not None:
        return _on_gpu(desk, methods)
    desk.assume("rule_tier")
    if slots.vram_gb is not None:
        found = tuple(
            x
            for m in methods
            if (x := largest_in(slots.vram_gb * (slots.count or 1), m, "", slots.count or 1, slots.bits))
        )
        return Answer(question=desk.question, largest=found)
    budget = _budget(desk)
    if budget is not None and budget > 0:
        bought = affordable(budget, desk.shop.prices, methods)
        if any(row.gpu_hours == 0 for row in bought):
            desk.note("less_than_block", hours=min(desk.shop.prices.blocks))
        if budget < desk.shop.prices.topup_usd:
            desk.note("topup_binds", usd=desk.shop.prices.topup_usd)
        return Answer(question=desk.question, affordable=bought, worth=desk.teller.worth(slots))
    return answer_price(desk)


def _budget(desk: Desk) -> Decimal | None:
    """The budget in dollars, at the rate of its coin or currency; None without one or without a rate."""
    worth = desk.teller.worth(desk.slots)
    return worth.usd if worth is not None else desk.slots.budget_usd


def _bought_hours(desk: Desk, row: PriceRow | None, count: int) -> Decimal | None:
    """Wall-clock hours on the GPUs named that a budget's whole blocks give; None without a budget or a block."""
    prices, budget = desk.shop.prices, _budget(desk)
    if budget is None or row is None or not row.available:
        return None
    bought = whole_blocks(budget, row, prices.blocks)
    if not bought:
        desk.note("budget_below_block", gpu=row.gpu, hours=min(prices.blocks))
        if budget < prices.topup_usd:
            desk.note("topup_binds", usd=prices.topup_usd)
        return None
    return min(wall_for(bought, count), MAX_HOURS)


def _on_gpu(desk: Desk, methods: tuple[Method, ...]) -> Answer:
    slots = desk.slots
    gpu = slots.gpu or ""
    count = slots.count or 1
    if slots.count is None:
        desk.assume("count_assumed", count=1)
    row = desk.shop.prices.row(gpu)
    if row is None:
        desk.note("not_rented", gpu=gpu)
    hours = slots.hours or _bought_hours(desk, row, count)
    run = None
    if row is not None and hours is not None:
        run = desk.cost(gpu, count, hours)
        if slots.hours is None:  # the round basket may cost more than the budget
            topup = max(run.exact.usd, desk.shop.prices.topup_usd)
            run = replace(run, round=None, basket=run.exact, topup_usd=topup)
        basket_notes(desk, run)
        desk.note("no_run_time")
    if count > 1:
        desk.assume("split_assumed")
    query = desk.query(1.0, methods)
    if query.has_run_details:
        desk.assume("layers_tier")
        desk.cite("measured", "model-cards")
        largest = largest_for(query, gpu, count, methods)
    else:
        desk.assume("rule_tier")
        largest = largest_on(gpu, count, methods, slots.bits)
    return Answer(
        question=desk.question,
        largest=largest,
        run=run,
        worth=desk.teller.worth(slots),
    )
