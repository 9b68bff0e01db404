"""A model that only a hub knows: planned by its layers, or by what is known of its size, and said so."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hubs import WIDGET

from bot.chat import Turn, Voice, take_turn
from bot.hub.values import HubModel, State
from bot.shop.shop import Shop
from planner.configs import read_config

NOW = datetime(2026, 11, 5, 12, tzinfo=UTC)
ID = "acme/widget-one"
READ = HubModel(id=ID, state="read", read_at=NOW, model=read_config(WIDGET, ID).model)


def turn(text: str, shop: Shop, found: HubModel | None = READ, locale: str = "en") -> Turn:
    hub = {found.id: found} if found is not None else {}
    return take_turn(text, history=[], shop=shop, now=NOW, voice=Voice(chosen=locale), hub=hub)


def codes(taken: Turn) -> list[str]:
    return [note.code for note in taken.answer.notes]


def test_its_layers_are_planned_and_the_answer_says_whence_and_when(shop: Shop) -> None:
    taken = turn(f"{ID} inference with 8k context and 10 users", shop)
    said = taken.text().plain
    assert taken.wanted == ()
    assert taken.answer.peak is not None
    assert "acme/widget-one's config.json" in said
    assert "5 Nov 2026" in said
    assert "6.59B" in said
    assert "Estimated" in said
    cache = next(term for term in taken.answer.peak.parts if term.name == "kv_cache")
    assert cache.expected == 2 * 8 * 128 * 32 * 8000 * 10 * 2


def test_without_run_details_the_rule_leads_and_the_layers_range_stands_beside(shop: Shop) -> None:
    taken = turn(f"{ID} LoRA", shop)
    plan = taken.answer.methods[0]
    assert (plan.memory.tier, plan.memory.plan_gb) == ("rule", pytest.approx(6.59 * 2.4))
    assert taken.answer.peak is not None


def test_the_size_in_the_name_is_nominal_where_the_layers_agree(shop: Shop) -> None:
    found = replace(READ, id="acme/widget-7B")
    assert turn("acme/widget-7B LoRA", shop, found).answer.params_b == 7
    odd = replace(READ, id="acme/widget-3B")
    assert turn("acme/widget-3B LoRA", shop, odd).answer.params_b == 6.59


def test_stored_bits_count_when_running_unless_others_are_named(shop: Shop) -> None:
    found = replace(READ, bits=4.0)
    taken = turn(f"run {ID}", shop, found)
    assert taken.answer.methods[0].memory.bits == 4
    assert "hub_bits" in codes(taken)
    assert turn(f"run {ID} in fp8", shop, found).answer.methods[0].memory.bits == 8
    assert turn(f"{ID} LoRA", shop, found).answer.methods[0].memory.bits == 16


def test_nothing_is_known_before_it_is_looked_up(shop: Shop) -> None:
    taken = turn(f"{ID} LoRA", shop, None)
    assert taken.wanted == (ID,)
    assert turn("70B LoRA", shop, None).wanted == ()


def test_a_look_up_is_made_once_and_its_answer_taken(shop: Shop) -> None:
    asked: list[Any] = []

    def look_up(ids: Any) -> dict[str, HubModel]:
        asked.append(ids)
        return {ID: READ}

    taken = take_turn(f"{ID} LoRA", history=[], shop=shop, now=NOW, voice=Voice(), look_up=look_up)
    assert asked == [(ID,)]
    assert "hub_read" in codes(taken)


@pytest.mark.parametrize("locale", ["en", "pt_BR", "es"])
@pytest.mark.parametrize("state", [state for state in get_args(State) if state != "read"])
def test_every_fault_is_said_with_what_to_do(shop: Shop, state: State, locale: str) -> None:
    found = HubModel(id=ID, state=state, read_at=NOW, detail="mystery")
    without = turn(f"{ID} LoRA", shop, found, locale)
    assert f"hub_{state}" in codes(without)
    assert without.answer.methods == ()
    assert ID in without.text().plain
    sized = turn("acme/widget-13B LoRA", shop, replace(found, id="acme/widget-13B"), locale)
    if state == "not_language":
        assert sized.answer.methods == ()
        return
    assert "13B" in without.text().plain  # what to write instead
    assert "hub_name_size" in codes(sized)
    assert sized.answer.methods[0].memory.plan_gb == pytest.approx(31.2)


def test_the_hubs_count_of_parameters_is_planned_where_the_layers_are_not_known(shop: Shop) -> None:
    found = HubModel(id=ID, state="gated", read_at=NOW, params_b=30.5)
    taken = turn(f"{ID} LoRA", shop, found)
    assert taken.answer.params_b == 30.5
    assert {"hub_gated", "hub_counted_size"} <= set(codes(taken))


def test_its_longest_context_is_minded(shop: Shop) -> None:
    taken = turn(f"{ID} inference with 100k context", shop)
    assert "context_beyond" in codes(taken)


def test_no_markup_comes_through_from_a_hub(shop: Shop) -> None:
    found = HubModel(id=ID, state="unknown_type", read_at=NOW, detail="<b>x</b>")
    assert "<b>x</b>" not in turn(f"{ID} LoRA", shop, found).text().html


def test_the_pages_example_never_bears_an_unknown_models_name(shop: Shop) -> None:
    found = HubModel(id=ID, state="missing", read_at=NOW)
    said = turn(f"compare LoRA vs QLoRA for {ID}", shop, found).text().plain
    assert said.startswith("70B: methods compared")
    assert "hub has no acme/widget-one" in said


def test_a_second_questions_repository_is_looked_up_too(shop: Shop) -> None:
    text = f"Quanto custa a H100 por hora?\nE quanta memória para {ID} com QLoRA?"
    asked = take_turn(text, history=[], shop=shop, now=NOW, voice=Voice())
    assert asked.wanted == (ID,)
    assert take_turn(text, history=[], shop=shop, now=NOW, voice=Voice(), hub={ID: READ}).wanted == ()


def test_no_longer_context_is_offered_than_the_model_has(shop: Shop) -> None:
    steps = turn(f"run {ID} with 8k context", shop).steps
    assert [step.question.slots.context for step in steps if step.group == "context"] == [2048, 8192]
    assert {step.question.hub for step in steps} == {ID}
