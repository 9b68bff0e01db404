"""Question: what a message asks, typed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final, Literal

from planner.query import Method

Intent = Literal[
    "plan",
    "check",
    "compare",
    "price",
    "cost",
    "time",
    "reverse",
    "convert",
    "faq",
    "human",
    "smalltalk",
    "unsupported",
]
Topic = Literal["payment", "expiry", "kyc", "topup", "software", "start", "hardware", "refund", "privacy", "other"]
Coin = Literal["BTC", "ETH", "SOL", "LTC", "USDT", "USDC"]
Task = Literal["train", "run", "quantize", "merge"]

COINS: Final[tuple[Coin, ...]] = ("BTC", "ETH", "SOL", "LTC", "USDT", "USDC")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """What the text or its context states; None (or empty) where it does not.

    ``params_b``/``active_b`` in billions; ``bits`` of the weights (can be fractional);
    ``context`` in tokens (sequence length when training, prompt plus generated when running);
    ``hours`` wall-clock; ``gpu_hours`` GPU-hours where they differ from count x hours;
    ``budget_usd`` for dollars and dollar stablecoins, other money as ``budget`` + ``currency``.
    """

    model: str | None = None
    models: tuple[str, ...] = ()
    params_b: float | None = None
    active_b: float | None = None
    method: Method | None = None
    methods: tuple[Method, ...] = ()
    bits: float | None = None
    gpu: str | None = None
    gpus: tuple[str, ...] = ()
    count: int | None = None
    counts: tuple[int, ...] = ()
    vram_gb: float | None = None
    context: int | None = None
    batch: int | None = None
    lora_rank: int | None = None
    hours: Decimal | None = None
    gpu_hours: Decimal | None = None
    steps: int | None = None
    steps_per_hour: float | None = None
    tokens: int | None = None
    examples: int | None = None
    epochs: float | None = None
    budget_usd: Decimal | None = None
    budget: Decimal | None = None
    currency: str | None = None
    coin: Coin | None = None
    users: int | None = None
    topic: Topic | None = None
    software: str | None = None

    def stated(self) -> dict[str, Any]:
        """The slots that are filled, by name, in the order above."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in found.items() if value is not None and value != ()}


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of the text that was understood: ``text`` is the message's own ``[start:end]``."""

    role: str  # "params", "method", "gpu", "count", "hours", ...
    text: str
    start: int
    end: int
    value: object


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the text asks for that cannot be: the same shape as planner.errors.PlanError."""

    code: str
    field: str
    allowed: str
    nearest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One message understood, merged with the chat's memory.

    ``lang`` is the message's language (None: no evidence); ``task`` training or running where the
    text says so without naming a method; ``algo`` dpo, grpo or ppo; ``failed_gpu`` the card a
    run failed on; ``weights`` a format that is named (an id of data/formats.toml); ``hub`` a repository of a model
    hub whose model is not in data/ (owner/name, perhaps with @revision); ``model_text`` a
    model named but not covered (an image model);
    ``understood`` False when nothing in the text was recognised; ``followup`` True when
    slots came from the memory; ``notes`` reader codes such as "nominal_model", "unknown_gpu"; ``also`` what the message
    asks beside, the first question being its context.
    """

    intent: Intent
    slots: Slots = Slots()
    lang: str | None = None
    task: Task | None = None
    algo: str | None = None
    failed_gpu: str | None = None
    weights: str | None = None
    hub: str | None = None
    model_text: str | None = None
    mentions: tuple[Mention, ...] = ()
    problem: Problem | None = None
    understood: bool = True
    followup: bool = False
    notes: tuple[str, ...] = ()
    also: tuple[Question, ...] = ()
