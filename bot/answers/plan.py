"""plan: which GPU fits a size or model, with the memory arithmetic and the price."""

from __future__ import annotations

from dataclasses import replace

from bot.answers.answer import Answer
from bot.answers.common import Desk, Led, fit_notes, not_counted
from bot.answers.work import cite_speeds, times_on, work_of
from planner.catalog import load_catalog
from planner.cost import RunCost
from planner.fit import Option, fit
from planner.memory import estimate
from planner.plan import MethodPlan, Plan, demand_of
from planner.query import MAX_COUNT, METHODS, TRAINING, Method
from planner.speed import DecodeBound, RunTime, decode_bound

#: Methods from the lightest on, for "which method would fit".
_LIGHTER: tuple[Method, ...] = ("qlora", "lora", "full_8bit", "full")


def answer_plan(desk: Desk) -> Answer:
    """The plan for the size that is asked about; a family without a size gets its sizes to choose from."""
    size = desk.size()
    if size is None:
        if desk.slots.models:
            desk.note("size_wanted")
            return Answer(question=desk.question, candidates=desk.slots.models)
        if desk.question.hub is not None:
            return Answer(question=desk.question)  # the notes say what is missing
        return _without_size(desk)
    if "size_not_in_family" in desk.question.notes:
        desk.note("size_not_in_family")
    methods = desk.methods(TRAINING if desk.question.task == "train" else METHODS)
    gpu = desk.slots.gpu
    plan = desk.plan(size, methods, gpu, desk.slots.count)
    plan = _at_most(desk, plan)
    asked = plan.asked
    if gpu is not None and desk.shop.prices.row(gpu) is None:
        desk.note("not_rented", gpu=gpu)
    notes_on(desk, plan)
    if gpu is None and desk.slots.count is not None:
        _on_count(desk, plan, desk.slots.count)
    headline = plan.methods[0]  # several methods are listed from the lightest on
    peak = desk.peak(plan, asked[0] if asked else None)
    run, block = money_for(desk, plan, headline, peak.instead)
    return Answer(
        question=desk.question,
        params_b=size,
        model_name=model_name(desk),
        methods=plan.methods,
        times=times_for(desk, plan, run or block),
        bound=bound_for(plan, peak),
        peak=peak.on,
        peak_instead=peak.instead,
        changes=desk.changes(plan, asked[0] if asked else None),
        asked=asked[0] if asked and len(methods) == 1 else None,
        asked_by_method=asked if len(methods) > 1 else (),
        run=run,
        block=block,
        wanted_method=methods[0] if len(methods) == 1 else None,
    )


def times_for(desk: Desk, plan: Plan, paid: RunCost | None) -> tuple[RunTime, ...]:
    """How long the work that the question states takes on the configuration that is priced."""
    only = plan.methods[0]
    if len(plan.methods) != 1 or only.method == "inference" or paid is None:
        return ()
    work = work_of(desk)
    options = tuple(one for one in only.fit.options if (one.gpu, one.count) == (paid.gpu, paid.count))
    times = times_on(desk, plan, only, work, options) if work is not None else []
    for one in times:
        cite_speeds(desk, one)
    return tuple(times)


def bound_for(plan: Plan, peak: Led) -> DecodeBound | None:
    """The bound on generating, where the answer leads with one configuration to run on."""
    only = plan.methods[0]
    if len(plan.methods) != 1 or only.method != "inference" or peak.on is None or not peak.on.holds:
        return None
    option = next((one for one in only.fit.options if (one.gpu, one.count) == (peak.on.gpu, peak.on.count)), None)
    return decode_bound(plan.query, option) if option is not None else None


def _at_most(desk: Desk, plan: Plan) -> Plan:
    """The same; where no count of the GPU named holds a method, judged on the largest instance ("how many?")."""
    gpu = plan.query.gpu
    if gpu is None or plan.query.count is not None or all(one.option.verdict == "fits" for one in plan.asked):
        return plan
    row = desk.shop.prices.row(gpu)
    most = row.max_per_host if row is not None else MAX_COUNT
    full = desk.plan(plan.query.params_b, plan.query.methods, gpu, most)
    chosen = [plan if asked.option.verdict == "fits" else full for asked in plan.asked]
    return replace(
        plan,
        methods=tuple(one.methods[index] for index, one in enumerate(chosen)),
        asked=tuple(one.asked[index] for index, one in enumerate(chosen)),
    )


def _on_count(desk: Desk, plan: Plan, count: int) -> None:
    """ "On a single GPU?": which methods fit on so many GPUs, and on which."""
    for method in plan.methods:
        option = _cheapest_of(method, count)
        if option is not None:
            desk.note("on_count", method=method.method, count=count, option=option)
        else:
            simplest = method.fit.simplest
            more = {"option": simplest} if simplest is not None else {}
            desk.note("not_on_count", method=method.method, count=count, **more)


def _cheapest_of(plan: MethodPlan, count: int) -> Option | None:
    """The cheapest configuration of exactly so many GPUs that fits; one that is split slowly only where no other is."""
    fitting = [o for o in plan.fit.options if o.count == count and o.verdict == "fits" and o.usd_per_hour is not None]
    return min(fitting, key=lambda o: (o.split_slow, o.usd_per_hour or 0), default=None)


def _without_size(desk: Desk) -> Answer:
    """A method without a size: the shop's own example stands in, and says so."""
    desk.note("which_size")
    desk.assume("page_70b")
    methods = desk.methods(TRAINING)
    plan = desk.plan(70.0, methods)
    notes_on(desk, plan)
    return Answer(
        question=desk.question,
        params_b=70.0,
        methods=plan.methods,
        wanted_method=methods[0] if len(methods) == 1 else None,
    )


def model_name(desk: Desk) -> str | None:
    """The display name of the model that was named."""
    if desk.question.hub is not None:
        return desk.question.hub.partition("@")[0]
    model = load_catalog().models.get(desk.slots.model or "")
    return model.name if model is not None else None


def notes_on(desk: Desk, plan: Plan) -> None:
    """What there is to say about a plan beside its figures."""
    single = len(plan.methods) == 1
    for method in plan.methods:
        if single and method.fit.simplest is None and method.leading is None:
            _instead(desk, method)
        if single:
            fit_notes(desk, method)
            _tight(desk, method)
    if plan.query.has_run_details:
        desk.assume("layers_tier")
    elif any(method.method != "inference" for method in plan.methods):
        desk.assume("rule_tier")
    if single and plan.methods[0].method == "inference":
        if plan.methods[0].leading is None:
            margin = load_catalog().rules["inference"].margin or 1.0
            desk.assume("short_context", margin_percent=round((margin - 1) * 100))
        if plan.query.bits is None:
            desk.assume("bits_assumed", bits=16)
            _four_bit(desk, plan)
    not_counted(desk)
    failed = desk.question.failed_gpu
    if failed is not None:
        vram = load_catalog().gpu(failed).vram_gb
        if vram is not None:
            desk.note("failed_gpu", gpu=failed, vram=vram)


def _tight(desk: Desk, plan: MethodPlan) -> None:
    """A single card on which QLoRA is tight: what its authors managed on one of that memory."""
    facts = {fact.key: fact.value for fact in desk.shop.facts_on("comparable")}
    size, memory = facts.get("qlora_fitted_b"), facts.get("qlora_fitted_gb")
    if plan.method != "qlora" or plan.leading is not None or not isinstance(size, int) or not isinstance(memory, int):
        return
    for option in plan.fit.options:
        if option.verdict == "tight" and option.count == 1 and option.vram_gb == memory:
            desk.note("tight_qlora_48", option=option, params_b=float(size), gb=float(memory))
            desk.cite("qlora-paper")


def _instead(desk: Desk, plan: MethodPlan) -> None:
    """Nothing fits in one instance: which lighter method would."""
    if plan.method in _LIGHTER:
        for method in reversed(_LIGHTER[: _LIGHTER.index(plan.method)]):
            other = desk.plan(plan.memory.params_b, (method,)).methods[0]
            if other.fit.simplest is not None:
                desk.note("nothing_fits", method=plan.method, fits=method, option=other.fit.simplest)
                return
    if plan.method == "inference" and (desk.slots.bits or 16) > 4:
        return  # the 4-bit note says it
    desk.note("nothing_fits", method=plan.method, fits="")


def _four_bit(desk: Desk, plan: Plan) -> None:
    """Running in 16 bits: what 4 bits would take."""
    query = replace(plan.query, bits=4, weights=None)
    demand = demand_of(query, "inference")
    option = fit(demand, desk.shop.prices).simplest
    if option is None:
        return
    if plan.methods[0].leading is not None:
        if plan.methods[0].fit.simplest is not None and option != plan.methods[0].fit.simplest:
            desk.note("four_bit_run", option=option)
        return
    memory = estimate(query, "inference")
    desk.note("four_bit", floor=memory.floor_gb, plan=memory.plan_gb, option=option)


def money_for(
    desk: Desk, plan: Plan, headline: MethodPlan | None, instead: Option | None = None
) -> tuple[RunCost | None, RunCost | None]:
    """The run's cost where hours are stated, else the 10-hour block of the headline configuration, or of what holds the
    peak ``instead``."""
    if headline is None:
        return None, None
    option = headline.fit.best
    asked = next((a for a in plan.asked if a.method == headline.method), None)
    if asked is not None and asked.option.verdict == "fits" and desk.offered(asked.option):
        option = asked.option
    elif asked is None and desk.slots.count is not None:  # so many GPUs, whichever
        option = _cheapest_of(headline, desk.slots.count) or option
    option = instead or option
    if option is None:
        return None, None
    if desk.slots.hours is not None:
        return desk.cost(option.gpu, option.count, desk.slots.hours, headline.method), None
    return None, desk.block(option, headline.method)
