"""check: does it fit on these GPUs, and by how much."""

from __future__ import annotations

from bot.answers.answer import Answer
from bot.answers.common import Desk
from bot.answers.plan import answer_plan, model_name, money_for, notes_on
from planner.catalog import load_catalog
from planner.plan import Asked, Plan
from planner.query import TRAINING


def answer_check(desk: Desk) -> Answer:
    """The verdict on the configuration asked about, with spare or missing gigabytes and what fits instead."""
    size, gpu = desk.size(), desk.slots.gpu
    if gpu is None and desk.slots.gpus:
        gpu = desk.slots.gpus[0]
    if size is None or gpu is None:
        return answer_plan(desk)
    methods = desk.methods(TRAINING)
    count = desk.slots.count
    if count is None and "how_many" not in desk.question.notes:
        count = 1
        desk.assume("count_assumed", count=1)
    plan = desk.plan(size, methods, gpu, count)
    single = len(methods) == 1
    asked = plan.asked[0] if single else _most_demanding_that_fits(plan)
    headline = next((m for m in plan.methods if m.method == asked.method), plan.methods[0])
    _verdict_notes(desk, asked)
    notes_on(desk, plan)
    run, block = money_for(desk, plan, headline)
    return Answer(
        question=desk.question,
        params_b=size,
        model_name=model_name(desk),
        methods=plan.methods,
        asked=asked,
        asked_by_method=() if single else plan.asked,
        run=run,
        block=block,
        wanted_method=methods[0] if single else None,
    )


def _most_demanding_that_fits(plan: Plan) -> Asked:
    """Training without a method: the heaviest method that fits, else the lightest one's verdict."""
    fitting = [asked for asked in plan.asked if asked.option.verdict == "fits"]
    return fitting[-1] if fitting else plan.asked[0]


def _verdict_notes(desk: Desk, asked: Asked) -> None:
    option = asked.option
    if not asked.rented:
        desk.note("not_rented", gpu=option.gpu)
    if option.verdict == "tight":
        desk.note("tight", gb=-option.spare_gb)
    card = load_catalog().gpus[option.gpu]
    if option.verdict == "no" and option.count == 1 and card.vram_gb is not None:
        weights = _weights(desk, asked)
        if weights is not None and weights > option.capacity_gb:
            desk.note("weights_exceed", weights=weights, vram=option.capacity_gb, bits=_bits(desk, asked))


def _bits(desk: Desk, asked: Asked) -> float:
    """The precision of the weights that the method holds."""
    stated = desk.slots.bits if asked.method == "inference" else None
    return stated or load_catalog().rules[asked.method].bits


def _weights(desk: Desk, asked: Asked) -> float | None:
    """The frozen or served weights alone, in GB; None where the method keeps more than weights."""
    from planner.memory import estimate
    from planner.query import PlanQuery

    size = desk.size()
    if size is None or asked.method not in {"qlora", "lora", "inference"}:
        return None
    query = PlanQuery(
        params_b=size, methods=(asked.method,), bits=desk.slots.bits if asked.method == "inference" else None
    )
    return estimate(query, asked.method).floor_gb
