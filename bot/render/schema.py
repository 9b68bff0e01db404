"""The JSON Schema of the contract, from pydantic models; shipped as bot/render/answer.schema.json.

``python -m bot.render.schema`` writes the file again after a change here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from bot.hub.values import State
from bot.reader.question import Intent
from planner.fit import Verdict
from planner.memory import Basis, Tier
from planner.query import Method

PATH: Final = Path(__file__).with_name("answer.schema.json")

Number = int | float


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TermObject(_Closed):
    """A part of an estimate, in GB (10^9 bytes)."""

    name: str
    gb: Number
    formula: str
    source: str


class OptionObject(_Closed):
    """One configuration judged; spare_gb = capacity_gb - what the run takes there, of the whole or (basis "per_gpu") of
    each GPU."""

    gpu: str
    count: int
    vram_gb: Number
    capacity_gb: Number
    verdict: Verdict
    spare_gb: Number
    usd_per_hour: str | None


class ChoiceObject(_Closed):
    """A configuration named as simplest or cheapest."""

    gpu: str
    count: int
    usd_per_hour: str | None


class MethodObject(_Closed):
    """Memory and configurations for one method.

    Tier "architecture" (something of the run was stated): basis "per_gpu", the plan is what to expect on each GPU of
    the configuration asked about or led with, floor_gb its range's low end.
    """

    method: Method
    tier: Tier
    basis: Basis
    floor_gb: Number
    plan_gb: Number
    low_gb: Number | None
    high_gb: Number | None
    terms: list[TermObject]
    options: list[OptionObject]
    simplest: ChoiceObject | None
    cheapest: ChoiceObject | None


class AskedObject(_Closed):
    """The verdict on the configuration that was named."""

    gpu: str
    count: int
    rented: bool
    method: Method
    verdict: Verdict
    spare_gb: Number


class BlockObject(_Closed):
    """Blocks of GPU-hours to buy."""

    hours: int
    count: int


class RunObject(_Closed):
    """The cost of a run; hours and money are strings."""

    gpu: str
    count: int
    method: Method | None
    hours: str
    gpu_hours: str
    usd: str
    blocks: list[BlockObject]
    purchase_usd: str
    left_over_hours: str
    topup_usd: str


class HoursObject(_Closed):
    """Estimated wall-clock hours, as strings."""

    low: str
    expected: str
    high: str


class TimeObject(_Closed):
    """An estimated training time on one configuration; usd for the expected hours, null where it is not rented."""

    gpu: str
    count: int
    method: Method
    tokens: int
    hours: HoursObject
    usd: str | None


class BlockPriceObject(_Closed):
    """The price of one block."""

    hours: int
    usd: str


class PriceObject(_Closed):
    """A GPU for rent."""

    gpu: str
    vram_gb: Number
    usd_per_hour: str
    blocks: list[BlockPriceObject]


class ComparedGpu(_Closed):
    """One configuration in a comparison."""

    kind: Literal["gpu"]
    gpu: str
    count: int
    vram_gb: Number
    bf16_tflops: Number | None
    bandwidth_gbs: Number | None
    usd_per_hour: str | None
    usd_per_tflop_hour: str | None
    verdict: Verdict | None
    spare_gb: Number | None


class ComparedMethod(_Closed):
    """One method in a comparison."""

    kind: Literal["method"]
    method: Method
    floor_gb: Number
    plan_gb: Number
    cheapest: ChoiceObject | None


class LargestObject(_Closed):
    """The largest size a method fits."""

    kind: Literal["largest"]
    gpu: str | None
    count: int
    vram_gb: Number
    method: Method
    bits: Number
    max_params_b: Number
    models: list[str]


class BudgetObject(_Closed):
    """What a budget buys on one GPU model."""

    kind: Literal["budget"]
    gpu: str
    vram_gb: Number
    usd_per_hour: str
    gpu_hours: int
    usd: str
    largest: list[LargestObject]


class QuoteObject(_Closed):
    """Dollars in a coin at a dated rate."""

    coin: str
    usd: str
    amount: str
    usd_rate: str
    sources: list[str]
    as_of: str
    valid_until: str
    state: Literal["fresh", "ageing", "manual"]


class HubObject(_Closed):
    """What a model hub said of the repository that was named: "read", or why its architecture is not known.

    ``params_b``: billions of parameters by its layers, else as the hub counts them in its files.
    """

    id: str
    state: State
    read_at: str
    params_b: float | None


class ErrorObject(_Closed):
    """What can't be computed, what is allowed, and the nearest valid value."""

    code: str
    field: str
    allowed: str
    nearest: str | None


class AnswerObject(_Closed):
    """Everything computed."""

    methods: list[MethodObject]
    asked: AskedObject | None
    time: list[TimeObject]
    run: RunObject | None
    prices: list[PriceObject]
    compare: list[ComparedGpu | ComparedMethod]
    reverse: list[LargestObject | BudgetObject]
    topic: str | None
    quotes: list[QuoteObject]
    hub: HubObject | None
    assumptions: list[str]
    notes: list[str]
    links: dict[str, str]
    error: ErrorObject | None


class AlsoObject(_Closed):
    """Another question of the same message, answered in short at the end of the text."""

    intent: Intent
    query: dict[str, Any]


class Contract(_Closed):
    """One answered text."""

    lang: str
    locale: str
    intent: Intent
    query: dict[str, Any]
    also: list[AlsoObject]
    answer: AnswerObject
    prices_as_of: str | None
    sources: list[str]
    text: str


def schema() -> dict[str, Any]:
    """The JSON Schema as a dictionary."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Contract.model_json_schema()}


def schema_text() -> str:
    """The schema as the shipped file holds it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")
