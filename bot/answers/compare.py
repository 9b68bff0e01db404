"""compare: GPU against GPU, configuration against configuration, method against method."""

from __future__ import annotations

from bot.answers.answer import Answer
from bot.answers.common import Desk
from bot.answers.plan import answer_plan, model_name
from bot.answers.price import answer_price
from planner.catalog import load_catalog
from planner.compare import GpuFigures, compare_gpus, compare_methods, method_ratio
from planner.memory import Demand, estimate
from planner.plan import demand_of
from planner.query import Method, PlanQuery

#: The size the shop's page compares methods at.
_PAGE_SIZE = 70.0


def answer_compare(desk: Desk) -> Answer:
    """Figures side by side, and what they mean for choosing."""
    slots = desk.slots
    if len(slots.gpus) > 1 or (slots.gpu and len(slots.counts) > 1):
        return _gpus(desk)
    if len(slots.methods) > 1:
        return _methods(desk, slots.methods)
    if desk.size() is not None:
        return answer_plan(desk)
    return answer_price(desk)


def _gpus(desk: Desk) -> Answer:
    slots = desk.slots
    gpus = slots.gpus or (slots.gpu or "",) * len(slots.counts)
    counts = slots.counts if len(slots.counts) == len(gpus) else (slots.count or 1,) * len(gpus)
    size = desk.size()
    demand = None
    method: Method | None = slots.method
    if size is not None:
        method = method or ("inference" if desk.question.task == "run" else "qlora")
        if slots.method is None:
            desk.assume("method_assumed", method=method)
        demand = _demand(desk, size, method)
    figures = compare_gpus(tuple(zip(gpus, counts, strict=True)), desk.shop.prices, demand)
    for figure in figures:
        desk.cite(*figure.sources)
        if figure.usd_per_hour is None:
            desk.note("not_rented", gpu=figure.gpu)
        if _slower_boards(figure.gpu):
            desk.note("pcie_lower", gpu=figure.gpu)
    _choice(desk, figures)
    desk.note("peak_figures")
    return Answer(
        question=desk.question, params_b=size, model_name=model_name(desk), gpu_figures=figures, wanted_method=method
    )


def _slower_boards(gpu: str) -> bool:
    """Whether an SXM part's figures overstate the PCIe boards sold under the same name."""
    card = load_catalog().gpus[gpu]
    peak = card.bf16_tflops or 0.0
    lower = any(variant.bf16_tflops is not None and variant.bf16_tflops < peak for variant in card.variants)
    return lower and (card.form_factor or "").startswith("SXM")


def _demand(desk: Desk, size: float, method: Method) -> Demand:
    query = desk.query(size, (method,))
    desk.cite(*estimate(query, method).sources)
    return demand_of(query, method)


def _choice(desk: Desk, figures: tuple[GpuFigures, ...]) -> None:
    """The cheaper per hour for a fixed budget, the faster at peak for a fixed deadline, among those that hold it."""
    usable = [f for f in figures if f.usd_per_hour is not None and (f.option is None or f.option.verdict == "fits")]
    if len(usable) < 2:
        return
    cheap = min(usable, key=lambda f: (f.usd_per_hour or 0, f.count))
    fast = max(usable, key=lambda f: f.bf16_tflops or 0.0)
    if cheap is not fast:
        desk.note("budget_tight", gpu=cheap.gpu, count=cheap.count)
        desk.note("deadline_tight", gpu=fast.gpu, count=fast.count)


def _methods(desk: Desk, methods: tuple[Method, ...]) -> Answer:
    size = desk.size()
    name = model_name(desk) if size is not None else None
    if size is None:
        size = _PAGE_SIZE
        desk.assume("page_70b")
    figures = compare_methods(size, methods, desk.shop.prices)
    for method in methods:
        desk.cite(*estimate(PlanQuery(params_b=size, methods=(method,)), method).sources)
    ordered = sorted(figures, key=lambda figure: figure.plan_gb)
    ratio = method_ratio(size, ordered[0].method, ordered[-1].method, desk.shop.prices, desk.shop.market)
    if ratio is not None and ratio.ours is not None and ratio.ours > 1:
        desk.note("times_dearer", dear=ratio.dear.method, cheap=ratio.cheap.method, times=ratio.ours)
        if ratio.market is not None:
            low, high = ratio.market_prices
            desk.note("times_market", times=ratio.market, high=high.usd_per_hour, high_provider=high.provider,
                      low=low.usd_per_hour, low_provider=low.provider)  # fmt: skip
            desk.cite(low.source, high.source)
    if "full" in methods and {"lora", "qlora"} & set(methods):
        _paper(desk)
    return Answer(question=desk.question, params_b=size, model_name=name, method_figures=figures, ratio=ratio)


def _paper(desk: Desk) -> None:
    for fact in desk.shop.facts_on("comparable"):
        if fact.key == "lora_fewer_trainable" and isinstance(fact.value, int):
            desk.note("lora_comparable", times=fact.value)
            desk.cite(fact.source)
