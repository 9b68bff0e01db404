"""Any Question that the type allows gets an Answer: no exception, exact money, dated prices, known note codes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answers.answer import Answer
from bot.answers.bounds import MAX_BUDGET_USD
from bot.answers.build import answer
from bot.answers.notes import ASSUMPTIONS, NOTES
from bot.reader.question import Coin, Intent, Question, Slots, Task, Topic
from bot.shop.files import load_seeds
from planner.catalog import load_catalog
from planner.offer import PriceRow
from planner.query import METHODS, Method

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SHOP = load_seeds()


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


def _some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=3, unique=True).map(tuple)


GPUS = st.sampled_from([*load_catalog().gpus, *(row.gpu for row in SHOP.prices.rows), "no-such-gpu"])
MODELS = st.sampled_from([*load_catalog().models, "no-such-model"])
COUNTS = st.integers(-2, 12)
SIZES = st.sampled_from([0.0, 0.01, 0.5, 7.0, 70.0, 405.0, 10_000.0]) | st.floats(allow_nan=True, allow_infinity=True)
RATES = st.floats(allow_nan=True, allow_infinity=True)
MONEY = st.sampled_from([Decimal(0), Decimal(25), Decimal("1e400")]) | st.decimals()
HOURS = st.sampled_from([Decimal(10), Decimal("0.0001"), Decimal(100_000)]) | st.decimals()

SLOTS = st.builds(
    Slots,
    model=_maybe(MODELS),
    models=_some(MODELS),
    params_b=_maybe(SIZES),
    method=_maybe(st.sampled_from(METHODS)),
    methods=_some(st.sampled_from(METHODS)),
    bits=_maybe(st.sampled_from([4.0, 8.0, 16.0]) | RATES),
    gpu=_maybe(GPUS),
    gpus=_some(GPUS),
    count=_maybe(COUNTS),
    counts=st.lists(COUNTS, max_size=3).map(tuple),
    vram_gb=_maybe(RATES),
    context=_maybe(st.integers()),
    batch=_maybe(st.integers()),
    lora_rank=_maybe(st.integers()),
    hours=_maybe(HOURS),
    gpu_hours=_maybe(HOURS),
    steps=_maybe(st.integers()),
    steps_per_hour=_maybe(RATES),
    budget_usd=_maybe(MONEY),
    budget=_maybe(MONEY),
    currency=_maybe(st.sampled_from(["BRL", "EUR"])),
    coin=_maybe(st.sampled_from(get_args(Coin))),
    users=_maybe(st.integers()),
    topic=_maybe(st.sampled_from(get_args(Topic))),
)
QUESTIONS = st.builds(
    Question,
    intent=st.sampled_from(get_args(Intent)),
    slots=SLOTS,
    task=_maybe(st.sampled_from(get_args(Task))),
    algo=_maybe(st.sampled_from(["dpo", "grpo", "ppo"])),
    failed_gpu=_maybe(GPUS),
    model_text=_maybe(st.just("sdxl")),
    understood=st.booleans(),
    notes=_some(st.sampled_from(["version_assumed", "how_many", "size_not_in_family", "mining", "invest"])),
)


def _values(thing: object) -> Iterator[tuple[str, object]]:
    """Every field in an answer, by name, the question's own left out."""
    if isinstance(thing, Question):
        return
    if is_dataclass(thing):
        for field in fields(thing):
            value = getattr(thing, field.name)
            yield field.name, value
            yield from _values(value)
    elif isinstance(thing, dict):
        yield from thing.items()
        for value in thing.values():
            yield from _values(value)
    elif isinstance(thing, tuple):
        for value in thing:
            yield from _values(value)


def _is_money(name: str) -> bool:
    return name.startswith("usd") or name.endswith("usd")


def check(found: Answer) -> None:
    """What holds for every answer."""
    assert {note.code for note in found.notes} <= set(NOTES)
    assert {note.code for note in found.assumptions} <= set(ASSUMPTIONS)
    # facts carry their own date
    money = [
        (name, value) for name, value in _values((replace(found, facts=()),)) if _is_money(name) and value is not None
    ]
    assert all(isinstance(value, Decimal) for _, value in money), money
    if money:
        assert found.prices_as_of == SHOP.prices.as_of, money
        assert found.prices_stale_days == SHOP.stale_after_days
        assert SHOP.prices.source in found.sources


@given(QUESTIONS)
def test_any_question_gets_an_answer(question: Question) -> None:
    check(answer(question, SHOP, NOW))


@given(
    st.sampled_from(get_args(Intent)), st.sampled_from(METHODS), st.sampled_from(SHOP.prices.rows), st.integers(1, 8)
)
def test_a_sensible_question_is_never_refused(intent: Intent, method: Method, row: PriceRow, count: int) -> None:
    found = answer(
        Question(intent=intent, slots=Slots(params_b=7.0, method=method, gpu=row.gpu, count=count)), SHOP, NOW
    )
    assert found.error is None
    check(found)


@pytest.mark.parametrize(
    ("slots", "field"),
    [
        (Slots(gpu="h100", count=0), "count"),
        (Slots(gpu="h100", hours=Decimal("NaN")), "hours"),
        (Slots(gpu="h100", hours=Decimal(0)), "hours"),
        (Slots(budget_usd=Decimal("sNaN")), "budget_usd"),
        (Slots(budget_usd=MAX_BUDGET_USD + 1), "budget_usd"),
        (Slots(vram_gb=float("inf")), "vram_gb"),
        (Slots(params_b=7.0, context=10**30), "context"),
        (Slots(gpu="no-such-gpu"), "gpu"),
    ],
)
@pytest.mark.parametrize("intent", ["plan", "check", "compare", "price", "cost", "time", "reverse", "convert"])
def test_a_number_nothing_can_be_computed_from_is_refused_by_field(intent: Intent, slots: Slots, field: str) -> None:
    found = answer(Question(intent=intent, slots=slots), SHOP, NOW)
    assert found.error is not None
    assert found.error.field == field


@pytest.mark.parametrize("count", range(1, 9))
def test_the_ten_hour_block_costs_the_same_on_any_count(count: int) -> None:
    plan = answer(
        Question(intent="plan", slots=Slots(params_b=7.0, method="qlora", gpu="h100", count=count)), SHOP, NOW
    )
    cost = answer(Question(intent="cost", slots=Slots(gpu="h100", count=count)), SHOP, NOW)
    time = answer(Question(intent="time", slots=Slots(gpu="h100", count=count)), SHOP, NOW)
    for run in (plan.block, cost.run, time.block):
        assert run is not None
        assert run.basket.usd == Decimal("23.20")


@pytest.mark.parametrize(("count", "usd"), [(1, "92.80"), (2, "92.80"), (7, "92.80")])
def test_a_budget_on_a_named_gpu_buys_whole_blocks_within_it(count: int, usd: str) -> None:
    asked = Slots(gpu="h100", count=count, budget_usd=Decimal(100))
    found = answer(Question(intent="reverse", slots=asked), SHOP, NOW)
    assert found.largest
    assert found.run is not None
    assert found.run.basket.usd == Decimal(usd)


def test_a_budget_below_a_block_of_the_named_gpu_is_said() -> None:
    found = answer(Question(intent="reverse", slots=Slots(gpu="b200", budget_usd=Decimal(20))), SHOP, NOW)
    assert found.run is None
    assert {"budget_below_block", "topup_binds"} <= {note.code for note in found.notes}


def test_a_number_of_gpus_without_their_model_is_what_is_priced() -> None:
    asked = Slots(params_b=70.0, method="qlora", count=2, hours=Decimal(24))
    found = answer(Question(intent="plan", slots=asked), SHOP, NOW)
    assert found.run is not None
    assert (found.run.gpu, found.run.count, found.run.usd) == ("a100-80", 2, Decimal("44.16"))
    (note,) = (note for note in found.notes if note.code == "on_count")
    assert (note.values["option"].gpu, note.values["option"].split_slow) == ("a100-80", False)


def test_a_number_of_gpus_that_holds_nothing_is_priced_on_what_does() -> None:
    asked = Slots(params_b=70.0, method="full", count=1, hours=Decimal(1))
    found = answer(Question(intent="plan", slots=asked), SHOP, NOW)
    assert found.run is not None
    assert (found.run.gpu, found.run.count) == ("b200", 8)


def test_foreign_money_on_a_named_gpu_says_that_no_rate_is_at_hand() -> None:
    asked = Slots(gpu="h100", budget=Decimal(500), currency="BRL")
    found = answer(Question(intent="reverse", slots=asked), SHOP, NOW)
    assert {note.code: note.values for note in found.notes}["no_rate_budget"] == {"currency": "BRL"}


def test_sizes_alone_carry_no_price_warning() -> None:
    assert answer(Question(intent="reverse", slots=Slots(gpu="h100")), SHOP, NOW).prices_as_of is None


def test_how_many_of_a_gpu_that_never_holds_it_is_judged_on_the_largest_instance() -> None:
    found = answer(Question(intent="plan", slots=Slots(params_b=70.0, method="full", gpu="h100")), SHOP, NOW).asked
    assert found is not None
    assert (found.option.count, found.option.verdict, found.option.spare_gb) == (8, "no", -620)


def test_a_size_priced_on_a_gpu_not_rented_is_offered_only_what_holds_it() -> None:
    asked = Slots(params_b=70.0, method="qlora", gpu="rtx-4090", hours=Decimal(10))
    found = answer(Question(intent="cost", slots=asked), SHOP, NOW)
    assert "not_rented" in {note.code for note in found.notes}
    assert found.asked is None
    assert found.run is not None
    assert (found.run.gpu, found.run.count, found.run.usd) == ("a100-80", 1, Decimal("9.20"))


def test_a_gpu_that_is_not_available_is_not_priced_as_the_one_to_rent() -> None:
    rows = tuple(replace(row, available=row.gpu != "h100") for row in SHOP.prices.rows)
    sold_out = replace(SHOP, prices=replace(SHOP.prices, rows=rows))
    found = answer(Question(intent="check", slots=Slots(params_b=8.0, method="qlora", gpu="h100")), sold_out, NOW)
    assert found.block is not None
    assert found.block.gpu != "h100"
