"""How long: estimated from tokens or examples, from a measurement, against a deadline; never without a basis."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from bot.chat import Turn, Voice, take_turn
from bot.render.contract import to_contract
from bot.shop.shop import Shop

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def ask(shop: Shop, text: str) -> Turn:
    return take_turn(text, history=[], shop=shop, now=NOW, voice=Voice(chosen="en"))


def said(turn: Turn) -> str:
    return turn.text().plain.replace("\u00a0", " ")


def codes(turn: Turn) -> set[str]:
    return {note.code for note in (*turn.answer.notes, *turn.answer.assumptions)}


def test_tokens_on_a_named_configuration_give_hours_and_their_cost(shop: Shop) -> None:
    turn = ask(shop, "8b full fine-tune, 1.5B tokens, 8x H100, how long?")
    (time,) = turn.answer.times
    assert (time.option.gpu, time.option.count, time.tokens) == ("h100", 8, 1_500_000_000)
    assert turn.answer.run is not None
    assert turn.answer.run.hours >= time.expected > turn.answer.run.hours - Decimal("0.02")
    assert "an estimate" in said(turn)
    assert "from_speeds" in codes(turn)
    stated = to_contract(turn.answer, "en", "")["answer"]["time"][0]
    assert Decimal(stated["hours"]["low"]) < Decimal(stated["hours"]["expected"]) < Decimal(stated["hours"]["high"])


def test_examples_without_their_length_say_what_was_counted_and_with_it_multiply(shop: Shop) -> None:
    assumed = ask(shop, "how long to train 7B LoRA on 10k examples for 2 epochs, 1x A100 80GB?")
    assert assumed.answer.times[0].tokens == 2 * 10_000 * 500
    assert "so 500 tokens per example were counted" in said(assumed)
    named = ask(shop, "how long to train 7B LoRA on 10k examples of 800 tokens, 1x A100 80GB?")
    assert named.answer.times[0].tokens == 8_000_000
    assert "example_tokens" not in codes(named)


def test_a_deadline_names_the_cheapest_that_meets_it_or_says_that_nothing_does(shop: Shop) -> None:
    met = ask(shop, "7B QLoRA, 50M tokens, can I train it in 10 hours?")
    assert "deadline_met" in codes(met)
    assert all(time.expected <= 10 for time in met.answer.times)
    assert len({time.option.gpu for time in met.answer.times}) == len(met.answer.times)
    missed = ask(shop, "how long to fine-tune 70B full on 2B tokens, I have 24 hours")
    assert "deadline_missed" in codes(missed)
    assert missed.answer.times[0].option.count == 8


def test_without_tokens_no_time_is_invented(shop: Shop) -> None:
    turn = ask(shop, "how long does it take to train an 8B with LoRA?")
    assert turn.answer.times == ()
    assert {"no_run_time", "tokens_wanted", "measure"} <= codes(turn)


def test_steps_per_hour_of_ones_own_and_examples_give_hours(shop: Shop) -> None:
    turn = ask(shop, "how long for 32k examples, batch 16, 250 steps per hour, 1x H100?")
    assert turn.answer.run is not None
    assert turn.answer.run.hours == 8  # 32,000 / 16 = 2,000 steps


def test_generating_gets_the_bandwidths_bound_and_says_that_real_speed_is_lower(shop: Shop) -> None:
    turn = ask(shop, "how many tokens per second does llama 3.1 8b do on one l40s?")
    assert turn.answer.bound is not None
    assert "At most about" in said(turn)
    assert "real speed is lower" in said(turn)


def test_a_plan_with_examples_says_how_long_they_take(shop: Shop) -> None:
    text = said(ask(shop, "7B LoRA 10k examples of 1000 tokens on 1x A100 80GB"))
    assert "Training on 1× A100 80GB: about" in text
    assert "estimated" in text
