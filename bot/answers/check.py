"""check: does it fit on these GPUs, and by how much."""

from __future__ import annotations

from bot.answers.answer import Answer
from bot.answers.common import Desk
from bot.answers.plan import answer_plan, bound_for, model_name, money_for, notes_on, times_for
from planner.plan import Asked, MethodPlan, Plan
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
    if count is None:
        count = 1
        desk.assume("count_assumed", count=1)
    plan = desk.plan(size, methods, gpu, count)
    single = len(methods) == 1
    asked = plan.asked[0] if single else _most_demanding_that_fits(plan)
    headline = next((m for m in plan.methods if m.method == asked.method), plan.methods[0])
    _verdict_notes(desk, asked, headline)
    notes_on(desk, plan)
    peak = desk.peak(plan, asked)
    run, block = money_for(desk, plan, headline, peak.instead)
    return Answer(
        question=desk.question,
        params_b=size,
        model_name=model_name(desk),
        methods=plan.methods,
        peak=peak.on,
        peak_instead=peak.instead,
        changes=desk.changes(plan, asked),
        times=times_for(desk, plan, run or block),
        bound=bound_for(plan, peak),
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


def _verdict_notes(desk: Desk, asked: Asked, plan: MethodPlan) -> None:
    option, memory = asked.option, plan.memory
    if not asked.rented:
        desk.note("not_rented", gpu=option.gpu)
    if option.verdict == "tight" and plan.leading is None:
        desk.note("tight", gb=-option.spare_gb)
    # The floor of these methods is the frozen or served weights alone.
    weights_only = plan.leading is None and asked.method in {"qlora", "lora", "inference"}
    if weights_only and option.verdict == "no" and option.count == 1 and memory.floor_gb > option.capacity_gb:
        desk.note("weights_exceed", weights=memory.floor_gb, vram=option.capacity_gb, bits=memory.bits)
