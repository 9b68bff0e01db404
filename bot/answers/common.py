"""What several kinds of answer share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_FLOOR, Decimal
from itertools import islice
from typing import Final

from bot.answers.answer import Answer, Note, NoteValue
from bot.answers.hub import architecture_of, found_for, size_on_hub
from bot.answers.quotes import Teller
from bot.hub.values import NO_HUB, HubModels
from bot.rates.values import NO_RATES, Rates
from bot.reader.preferences import NO_PREFERENCES, Preferences
from bot.reader.question import Problem, Question
from bot.shop.shop import Shop
from planner.architecture import named_model
from planner.catalog import load_catalog
from planner.change import Change, changes
from planner.cost import RunCost, run_cost
from planner.errors import PlanError
from planner.fit import Option, fit
from planner.layers import Layers, check_context
from planner.offer import PriceList
from planner.plan import Asked, MethodPlan, Plan, make_plan
from planner.query import TRAINING, Algo, Method, PlanQuery
from planner.room import PeakOn, peak_on, with_room

#: The block whose price stands in where no hours are stated.
BLOCK_HOURS = 10
#: Ways of learning whose copies are counted, by the word for them.
_ALGOS: Final[dict[str, Algo]] = {"dpo": "dpo", "grpo": "grpo", "ppo": "ppo", "rlhf": "ppo"}
#: Ways out that a phone's screen has room for.
MOST_CHANGES = 3
#: Kinds of answers that name an amount to pay.
_QUOTED = frozenset({"plan", "check", "price", "cost", "time", "convert"})


@dataclass(frozen=True, slots=True)
class Led:
    """The peak ``on`` the configuration an answer leads with, and what holds it ``instead`` where that does not."""

    on: PeakOn | None = None
    instead: Option | None = None


class Desk:
    """One question being answered: the question, the shop, the day, and the notes gathered on the way."""

    def __init__(
        self,
        question: Question,
        shop: Shop,
        now: datetime,
        rates: Rates = NO_RATES,
        preferences: Preferences = NO_PREFERENCES,
        hub: HubModels = NO_HUB,
    ) -> None:
        self.question = question
        self.slots = question.slots
        self.shop = shop
        self.now = now
        self.preferences = preferences
        self.teller = Teller(rates, now, question.slots.coin or preferences.coin, shop.coins, preferences.currency)
        self.found = found_for(question, hub)
        self.architecture = architecture_of(question, self.found)
        self.notes: list[Note] = []
        self.assumptions: list[Note] = []
        self.sources: dict[str, None] = {}

    def note(self, code: str, **values: NoteValue) -> None:
        """Say something once."""
        found = Note(code, values)
        if found not in self.notes:
            self.notes.append(found)

    def assume(self, code: str, **values: NoteValue) -> None:
        """State an assumption once."""
        found = Note(code, values)
        if found not in self.assumptions:
            self.assumptions.append(found)

    def cite(self, *sources: str) -> None:
        """Name sources, in the order of first use."""
        self.sources.update(dict.fromkeys(sources))

    def size(self) -> float | None:
        """The size to plan, in billions: as the text states it, or the model's; None where neither is known."""
        if self.question.hub is not None:
            return size_on_hub(self, self.question.hub)
        stated = self.slots.params_b
        model = load_catalog().models.get(self.slots.model or "")
        if "size_assumed" in self.question.notes and stated is not None:
            self.assume("size_assumed", number=stated, params_b=stated)
        if model is None:
            return stated
        if "version_assumed" in self.question.notes:
            self.assume("version_assumed", model=model.name)
        if model.planned_b != model.nominal_b:
            self.assume("exact_size", params_b=model.planned_b)
            return model.planned_b
        return stated if stated is not None else model.nominal_b

    def methods(self, default: tuple[Method, ...] = TRAINING) -> tuple[Method, ...]:
        """The methods that are asked about."""
        if self.slots.methods:
            return self.slots.methods
        if self.slots.method is not None:
            return (self.slots.method,)
        if self.question.task == "run":
            return ("inference",)
        chosen = self.preferences.method
        if chosen is not None and chosen in default:
            self.assume("own_method", method=chosen)
            return (chosen,)
        return default

    def query(
        self, params_b: float, methods: tuple[Method, ...], gpu: str | None = None, count: int | None = None
    ) -> PlanQuery:
        """The planner's query for a size, with what the user said about the run."""
        slots = self.slots
        stored = self.found.bits if self.found is not None else None
        return PlanQuery(
            params_b=params_b,
            methods=methods,
            model=slots.model,
            bits=(slots.bits or stored) if "inference" in methods else None,
            algo=_ALGOS.get(self.question.algo or ""),
            weights=self.question.weights if "inference" in methods else None,
            gpu=gpu,
            count=count,
            context=slots.context,
            batch=slots.batch,
            lora_rank=slots.lora_rank,
            users=slots.users,
            architecture=self.architecture,
        )

    def plan(
        self, params_b: float, methods: tuple[Method, ...], gpu: str | None = None, count: int | None = None
    ) -> Plan:
        """Plan and cite."""
        query = self.query(params_b, methods, gpu, count)
        plan = make_plan(query, self.shop.prices)
        for method in plan.methods:
            self.cite(*method.rule.sources, *method.memory.sources)
        try:
            check_context(query)
        except PlanError as error:
            model = named_model(query)
            self.note("context_beyond", model=model.name if model is not None else "", tokens=int(error.nearest or 0))
        return plan

    def peak(self, plan: Plan, asked: Asked | None) -> Led:
        """The peak by the model's layers, for one method of a named model or a run described: on the configuration
        asked about, else the one that the plan leads with; with what holds it instead, where that does not."""
        if len(plan.methods) != 1 or not (named_model(plan.query) is not None or plan.query.has_run_details):
            return Led()
        only = plan.methods[0]
        option = only.leading or (asked.option if asked is not None else only.fit.simplest)
        found = peak_on(plan.query, only.method, option) if option is not None else None
        if found is None:
            return Led()
        self.cite(*dict.fromkeys(one.source for one in found.parts))
        if option is not None and only.method == "inference":
            found = with_room(found, plan.query, option)
        if found.holds:
            return Led(found)
        by_layers = only.fit if only.leading is not None else fit(Layers(plan.query, only.method), self.shop.prices)
        return Led(found, by_layers.best)

    def changes(self, plan: Plan, asked: Asked | None) -> tuple[Change, ...]:
        """What would make one method's run fit, where it does not: on the configuration asked about, else at all."""
        if len(plan.methods) != 1:
            return ()
        only = plan.methods[0]
        if only.fit.simplest is not None if asked is None else asked.option.verdict == "fits":
            return ()
        found = changes(plan.query, only.method, self.shop.prices, asked.option if asked is not None else None)
        return tuple(islice(found, MOST_CHANGES))

    def cost(self, gpu: str, count: int, hours: Decimal, method: Method | None = None) -> RunCost:
        """Cost and cite."""
        self.cite(self.shop.prices.source)
        return run_cost(self.shop.prices, gpu, count, hours, method)

    def offered(self, option: Option) -> bool:
        """Whether a configuration can be rented now: nothing unavailable is priced as a recommendation."""
        row = self.shop.prices.row(option.gpu)
        return row is not None and row.available and option.count <= row.max_per_host

    def block(self, option: Option, method: Method | None) -> RunCost:
        """The price of one 10-hour block for a configuration's GPU."""
        hours = block_wall_hours(option.count)
        self.assume("ten_hour_block", hours=BLOCK_HOURS)
        return self.cost(option.gpu, option.count, hours, method)

    def finish(self, answer: Answer) -> Answer:
        """Add what every answer carries: notes, sources, links, the date and age of prices."""
        prices = self.shop.prices
        priced = bool(
            answer.methods or answer.run or answer.prices or answer.gpu_figures or answer.method_figures
            or answer.affordable or answer.block or any("usd" in note.values for note in self.notes)
        )  # fmt: skip
        if priced:
            self.cite(prices.source)
        if not answer.quotes and answer.question.intent in _QUOTED and answer.error is None and answer.worth is None:
            owed = due(answer, prices)
            local = self.teller.local(self.slots, owed[0]) if owed else None
            answer = replace(answer, quotes=self.teller.quotes(owed), local=local)
        for found in self.teller.notes(answer.quotes):
            self.note(found.code, **found.values)
        return replace(
            answer,
            notes=tuple(self.notes),
            assumptions=tuple(self.assumptions),
            sources=tuple(self.sources),
            hub=self.found,
            links=self.shop.links,
            prices_as_of=prices.as_of if priced else None,
            prices_stale_days=self.shop.stale_after(self.now.date()) if priced else None,
        )


def due(answer: Answer, prices: PriceList) -> tuple[Decimal, ...]:
    """The dollars worth a coin amount: the run or block, and what has to be paid in at least where that is more."""
    paid = answer.run or answer.block
    if paid is not None:
        used = paid.usd if answer.run is not None else paid.basket.usd
        return tuple(dict.fromkeys((used, paid.topup_usd)))
    if len(answer.prices) == 1 and answer.prices[0].blocks:
        return tuple(
            dict.fromkeys((answer.prices[0].blocks[0][1], max(answer.prices[0].blocks[0][1], prices.topup_usd)))
        )
    return (prices.topup_usd,) if answer.prices else ()


def block_wall_hours(count: int) -> Decimal:
    """Wall-clock hours that one 10-hour block gives on ``count`` GPUs."""
    return wall_for(BLOCK_HOURS, count)


def wall_for(gpu_hours: int, count: int) -> Decimal:
    """Wall-clock hours that GPU-hours give on ``count`` GPUs: whole minutes, as a started one is billed."""
    minutes = gpu_hours * 60 // count
    return (Decimal(minutes) / 60).quantize(Decimal("1e-10"), ROUND_FLOOR)  # never a hair above the minute


def problem(error: PlanError) -> Problem:
    """A planner's refusal as the reader's kind of problem."""
    return Problem(error.code, error.field, error.allowed, error.nearest)


def not_counted(desk: Desk) -> None:
    """Say what of the question no estimate counts."""
    algo = desk.question.algo
    if algo in _ALGOS:
        desk.note("rl_copies", algo=algo.upper())
    elif algo is not None:
        desk.note("rl_extra", algo=algo.upper())
    if desk.question.task in {"quantize", "merge"}:
        desk.note("algo_not_counted")


def fit_notes(desk: Desk, plan: MethodPlan) -> None:
    """What to say about where one method fits."""
    fit = plan.fit
    if fit.cheaper_slow is not None:
        desk.note("cheaper_slow", option=fit.cheaper_slow)
    if fit.simplest is not None and fit.simplest.split_slow:
        desk.note("only_slow")
    chosen = [option for option in (fit.simplest, fit.cheapest) if option]
    if any(option.count > 1 for option in chosen) and plan.method != "inference":
        desk.assume("split_assumed")
    if fit.nodes is not None:
        desk.note("nodes", gpu=fit.nodes.gpu, gpus=fit.nodes.gpus, nodes=fit.nodes.nodes, usd=fit.nodes.usd_per_hour)
