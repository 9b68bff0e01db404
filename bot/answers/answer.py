"""Answer: everything a reply says, as typed values in no language."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from bot.hub.values import HubModel
from bot.rates.values import Rate
from bot.reader.question import Problem, Question, Topic
from bot.shop.shop import Fact, Links
from planner.change import Change
from planner.compare import GpuFigures, MethodFigures, MethodRatio
from planner.cost import RunCost
from planner.fit import Option
from planner.plan import Asked, MethodPlan
from planner.query import Method
from planner.reverse import Affordable, Largest
from planner.room import PeakOn
from planner.speed import DecodeBound, RunTime

NoteValue = str | int | float | Decimal | date | datetime | Option | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth saying, by code (see bot/answers/notes.py) with its figures."""

    code: str
    values: dict[str, NoteValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PriceLine:
    """A GPU for rent and what its blocks cost."""

    gpu: str
    vram_gb: float
    usd_per_hour: Decimal
    blocks: tuple[tuple[int, Decimal], ...]  # (GPU-hours, dollars)
    available: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """Dollars in a coin at a dated rate."""

    coin: str
    usd: Decimal
    amount: Decimal
    usd_rate: Decimal
    sources: tuple[str, ...]
    as_of: datetime
    valid_until: datetime
    state: str  # fresh, ageing, manual


@dataclass(frozen=True, slots=True)
class Worth:
    """What an amount of a coin or currency is worth in dollars; ``rate`` None: counted at par."""

    amount: Decimal
    usd: Decimal
    code: str
    rate: Rate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What to say to one Question.  Tuples are empty and objects None where a kind has none.

    ``params_b`` is the size that was planned (billions) and ``model_name`` the model's display name.
    ``block`` is the 10-hour block's price for the headline configuration where no hours were stated.
    ``sources`` are ids in data/sources, in the order of first use.
    """

    question: Question
    params_b: float | None = None
    model_name: str | None = None
    methods: tuple[MethodPlan, ...] = ()
    peak: PeakOn | None = None  # by the model's layers, on the configuration that the answer leads with
    peak_instead: Option | None = None  # what holds the peak, where that configuration does not
    changes: tuple[Change, ...] = ()  # what would make the run fit, where it does not
    asked: Asked | None = None
    asked_by_method: tuple[Asked, ...] = ()  # where several methods were planned on a named GPU
    times: tuple[RunTime, ...] = ()  # estimated, the one that leads first
    bound: DecodeBound | None = None
    run: RunCost | None = None
    block: RunCost | None = None
    prices: tuple[PriceLine, ...] = ()
    gpu_figures: tuple[GpuFigures, ...] = ()
    method_figures: tuple[MethodFigures, ...] = ()
    ratio: MethodRatio | None = None
    largest: tuple[Largest, ...] = ()
    affordable: tuple[Affordable, ...] = ()
    topic: Topic | None = None
    facts: tuple[Fact, ...] = ()
    quotes: tuple[Quote, ...] = ()
    worth: Worth | None = None  # an amount in a coin or currency, in dollars
    local: Worth | None = None  # the dollars to pay, in the currency that was asked for
    assumptions: tuple[Note, ...] = ()
    notes: tuple[Note, ...] = ()
    links: Links = field(default_factory=Links)
    error: Problem | None = None
    prices_as_of: date | None = None
    prices_stale_days: int | None = None  # days beyond which they are said to be old; None: not old
    sources: tuple[str, ...] = ()
    hub: HubModel | None = None  # what a model hub said of the repository that was named
    candidates: tuple[str, ...] = ()  # model ids to choose from, when a family was named without size
    wanted_method: Method | None = None
    also: tuple[Answer, ...] = ()  # to what the message asks beside, to be said in short
