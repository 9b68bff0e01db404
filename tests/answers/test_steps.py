"""What can be changed about an answer with one tap."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from bot.answers.build import answer
from bot.answers.steps import Step, steps
from bot.reader.read import read
from bot.shop.shop import Shop

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def of(text: str, shop: Shop) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for step in steps(answer(read(text), shop, NOW)):
        found.setdefault(step.group, []).append(step)
    return found


def test_a_plan_can_be_had_by_another_method_on_another_gpu_or_for_some_hours(shop: Shop) -> None:
    found = of("70B LoRA", shop)
    assert [(step.question.slots.method, step.chosen) for step in found["method"]] == [
        ("qlora", False),
        ("lora", True),
        ("full", False),
        ("inference", False),
    ]
    configurations = [(step.question.slots.gpu, step.question.slots.count) for step in found["gpu"]]
    assert configurations == [("b200", 1), ("a100-80", 4), ("h200", 2)]
    day = next(step.question for step in found["hours"] if step.question.slots.hours == 24)
    assert (day.intent, day.slots.gpu, day.slots.method) == ("cost", "b200", "lora")
    assert answer(day, shop, NOW).run.usd == Decimal("110.64")  # type: ignore[union-attr]
    assert not found.keys() & {"context", "batch"}, "the rule counts neither"


def test_a_run_that_is_described_offers_its_context_and_batch(shop: Shop) -> None:
    found = of("llama 3.1 8b lora ctx 8192 batch 4", shop)
    assert [step.question.slots.context for step in found["context"] if step.chosen] == [8192]
    assert [step.question.slots.batch for step in found["batch"] if step.chosen] == [4]
    assert max(step.question.slots.context or 0 for step in of("gemma 2 9b lora ctx 4096", shop)["context"]) == 8192


def test_what_means_training_does_not_outlive_a_change_to_running(shop: Shop) -> None:
    run = of("llama 3.1 8b lora r=64 batch 4 ctx 4096 on 1x h100", shop)["method"][-1].question
    assert (run.slots.method, run.slots.batch, run.slots.lora_rank, run.slots.context) == (
        "inference",
        None,
        None,
        4096,
    )
    lora = of("llama 3.1 8b inference 4 bits for 50 users", shop)["method"][1].question
    assert (lora.slots.method, lora.slots.users, lora.slots.bits, lora.weights) == ("lora", None, None, None)


def test_a_cost_can_be_had_for_another_time_or_number_of_gpus(shop: Shop) -> None:
    found = of("2x H100 24h", shop)
    assert [step.question.slots.count for step in found["gpu"]] == [1, 2, 4, 8]
    assert [step.question.slots.hours for step in found["hours"] if step.chosen] == [24]


@pytest.mark.parametrize("text", ["llama 3?", "do you take paypal?", "70B on 16 H100", "hi", "what is a banana?"])
def test_what_computed_nothing_has_nothing_to_change(text: str, shop: Shop) -> None:
    assert of(text, shop) == {}


def test_each_change_leads_to_an_answer_that_shows_it(shop: Shop, corpus_texts: list[str]) -> None:
    for text in corpus_texts[::4]:
        for step in steps(answer(read(text), shop, NOW)):
            asked = answer(step.question, shop, NOW)
            assert asked.error is None, (text, step)
            if step.group == "gpu" and asked.asked is not None:
                slots = step.question.slots
                assert (asked.asked.option.gpu, asked.asked.option.count) == (slots.gpu, slots.count)
            if step.group == "compare":
                assert len(asked.gpu_figures) == 2, (text, step)
