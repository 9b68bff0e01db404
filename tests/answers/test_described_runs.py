"""What is said of a run (context, batch, rank, users) makes the model's layers lead the answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.chat import Turn, Voice, take_turn
from bot.render.contract import to_contract
from bot.shop.shop import Shop

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def ask(shop: Shop, text: str) -> Turn:
    return take_turn(text, history=[], shop=shop, now=NOW, voice=Voice(chosen="en"))


def said(turn: Turn) -> str:
    return turn.text().plain.replace("\u00a0", " ")


def test_a_model_that_the_rule_refuses_but_its_layers_fit_is_said_to_fit(shop: Shop) -> None:
    """70 x 2 x 1.2 = 168 GB is over 2 x 80; weights of 141 GB and a cache of 10 GB at 32k are not."""
    turn = ask(shop, "does llama 3.1 70b fit on 2x h100 with 32k context?")
    assert turn.answer.asked is not None
    assert turn.answer.asked.option.verdict == "fits"
    text = said(turn)
    assert "✓ 2× H100 (160 GB): fits" in text
    assert "Planning rule, without your settings: 168 GB" in text
    method = to_contract(turn.answer, "en", text)["answer"]["methods"][0]
    assert (method["tier"], method["basis"]) == ("architecture", "per_gpu")
    option = next(o for o in method["options"] if (o["gpu"], o["count"]) == ("h100", 2))
    assert option["spare_gb"] == pytest.approx(option["capacity_gb"] - method["plan_gb"], abs=1e-5)
    assert sum(term["gb"] for term in method["terms"]) == pytest.approx(method["plan_gb"], abs=1e-4)
    assert method["low_gb"] <= method["plan_gb"] <= method["high_gb"] <= option["capacity_gb"]


def test_what_does_not_fit_says_what_would_make_it_fit(shop: Shop) -> None:
    turn = ask(shop, "llama 3.1 70b lora ctx 16k batch 4")
    assert turn.answer.methods[0].fit.simplest is None
    assert turn.answer.changes
    text = said(turn)
    assert "✗ No single instance holds it." in text
    assert "What would make it fit:\n• batch 1 → " in text
    assert turn.answer.block is None


def test_a_refused_configuration_is_kept_and_the_run_made_smaller(shop: Shop) -> None:
    turn = ask(shop, "13b full fine-tune, seq 8192, on 2x A100 80GB")
    assert turn.answer.asked is not None
    assert turn.answer.asked.option.verdict != "fits"
    assert [change.kind for change in turn.answer.changes] == ["method"]
    assert "What would make it fit there:\n• LoRA\n" in said(turn)


def test_by_the_rule_too_a_lighter_method_or_fewer_bits_are_offered_there(shop: Shop) -> None:
    assert "What would make it fit there:\n• QLoRA" in said(ask(shop, "does 70b lora fit on 1x a100 80gb?"))
    assert "What would make it fit there:\n• 4-bit weights" in said(ask(shop, "can 1x l40s run a 70b for inference?"))


def test_every_method_is_counted_with_what_was_said(shop: Shop) -> None:
    text = said(ask(shop, "fine-tune 14B, batch 4, 4096 tokens"))
    assert "Counted with 4,096 tokens, batch 4 per GPU." in text
    assert " per GPU → 4× B200" in text


def test_a_batch_without_a_method_means_training(shop: Shop) -> None:
    turn = ask(shop, "14b batch 4 seq 4096 on 2x h100")
    assert {one.method for one in turn.answer.methods} == {"qlora", "lora", "full_8bit", "full"}


def test_a_context_beyond_the_model_is_planned_with_a_warning(shop: Shop) -> None:
    turn = ask(shop, "run llama 3 8b with 32k context")
    assert "Llama 3 8B was made for 8,192 tokens at most" in said(turn)
    assert turn.answer.peak is not None
    assert turn.answer.peak.seq_len in (32_000, 32_768)


def test_a_card_nobody_rents_that_holds_it_by_no_count_is_judged_at_its_most(shop: Shop) -> None:
    turn = ask(shop, "8b lora seq 4096 batch 16 on a 4090")
    assert turn.answer.asked is not None
    assert turn.answer.peak is not None
    assert turn.answer.peak.count == turn.answer.asked.option.count


def test_a_rank_beyond_the_model_is_refused_kindly(shop: Shop) -> None:
    turn = ask(shop, "llama 3.1 8b lora rank 9000")
    assert turn.answer.error is not None
    assert "from 1 to 4096" in said(turn)


def test_a_named_format_is_weighed_as_its_files_are_and_kept_by_a_follow_up(shop: Shop) -> None:
    """Qwen3.5 122B in Q4_K_M: 125.1 x 4.8944 / 8 = 76.5 GB of the whole, 75 GB of its text model: not on 48 GB."""
    first = ask(shop, "qwen3.5 122b q4_k_m on one l40s?")
    assert first.answer.asked is not None
    assert first.answer.asked.option.verdict == "no"
    weights = next(term for term in first.answer.methods[0].memory.terms if term.name == "weights")
    assert 70 < weights.gb < 78
    second = take_turn("and on a h100?", history=[first.question], shop=shop, now=NOW, voice=Voice(chosen="en"))
    again = next(term for term in second.answer.methods[0].memory.terms if term.name == "weights")
    assert again.gb == pytest.approx(weights.gb)
    assert second.answer.asked is not None
    assert second.answer.asked.option.verdict == "fits"


@pytest.mark.parametrize("text", ["70B in 4-bit, which GPU to run it?", "run a 70b in fp8", "serve 70b int8"])
def test_plain_bits_keep_the_planning_rule_in_front(shop: Shop, text: str) -> None:
    assert ask(shop, text).answer.methods[0].memory.tier == "rule"


def test_dpo_counts_its_reference_model_and_a_follow_up_keeps_it(shop: Shop) -> None:
    first = ask(shop, "llama 3.1 8b full dpo")
    assert "reference" in {term.name for term in first.answer.methods[0].memory.terms}
    assert "rl_copies" in {note.code for note in first.answer.notes}
    second = take_turn("and on 2x H200?", history=[first.question], shop=shop, now=NOW, voice=Voice(chosen="en"))
    assert "reference" in {term.name for term in second.answer.methods[0].memory.terms}


def test_what_a_gpu_can_do_counts_the_run_that_is_described(shop: Shop) -> None:
    plain = ask(shop, "what can I train on an h100?").answer.largest
    described = ask(shop, "what can I train on 1x h100 with 4k context, batch 2?").answer.largest
    assert [one.method for one in described] == [one.method for one in plain]
    assert described[0].max_params_b < plain[0].max_params_b
    for model in described[0].models:
        assert model in {"qwen2.5-72b", "llama-3.3-70b", "mixtral-8x7b", "qwen3-32b", "gemma-3-27b"}
    nothing = ask(shop, "what can I train on 1x l40s with 128k context, batch 64?")
    assert nothing.answer.largest == ()
    assert "Nothing fits there so" in said(nothing)
