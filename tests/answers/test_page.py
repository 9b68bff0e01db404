"""Each heading and question of the shop's page, asked in three languages, gets the page's facts."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from bot.chat import Turn, Voice, take_turn
from bot.render.i18n import SHIPPED
from bot.shop.shop import Shop

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def ask(shop: Shop, *texts: str, now: datetime = NOW) -> Turn:
    history: list[object] = []
    for text in texts:
        turn = take_turn(text, history=history, shop=shop, now=now, voice=Voice())  # type: ignore[arg-type]
        history.append(turn.question)
    return turn


def said(turn: Turn) -> str:
    return turn.text().plain.replace("\u00a0", " ")


def test_seventy_billion_with_lora_in_portuguese(shop: Shop) -> None:
    text = said(ask(shop, "70B com LoRA?"))
    for part in (
        *(
            "piso de 140 GB",
            "168 GB",
            "1× B200",
            "US$ 4,61/h",
            "4× A100 80GB",
            "US$ 3,68/h",
            "FSDP / ZeRO-3",
            "2× H200",
        ),
        *("4× L40S", "NVLink", "70 × 2 bytes = 140 GB; × 1,2 = 168 GB", "29/10/2026", "mais de 30 dias"),
    ):
        assert part in text, part


@pytest.mark.parametrize(
    "text",
    [
        "Posso ajustar o Llama 70B em uma única GPU?",
        "Can I fine-tune Llama 70B on a single GPU?",
        "¿Puedo ajustar Llama 70B en una sola GPU?",
    ],
)
def test_single_gpu(shop: Shop, text: str) -> None:
    found = said(ask(shop, text))
    assert "1× A100 80GB" in found
    assert "1× B200" in found
    assert "8× H200" in found
    assert "8× B200" in found


def test_gpus_of_one_peak_are_said_to_have_it_and_the_dearer_one_is_named(shop: Shop) -> None:
    text = said(ask(shop, "H100 vs H200?"))
    assert "quase o mesmo pico BF16; 1× H200 custa por hora 1,3× o que custa 1× H100" in text
    assert "1× o pico" not in text


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("QLoRA 70B em {} GPUs", "em 1 GPU:", "em 2 GPUs:"),
        ("can I QLoRA 70B on {} GPUs?", "on 1 GPU:", "on 2 GPUs:"),
        ("¿Puedo entrenar 70B con QLoRA en {} GPUs?", "en 1 GPU:", "en 2 GPUs:"),
    ],
)
def test_one_gpu_and_several_gpus_are_said_as_people_say_them(shop: Shop, text: str, one: str, two: str) -> None:
    assert one in said(ask(shop, text.format(1)))
    assert two in said(ask(shop, text.format(2)))


@pytest.mark.parametrize(
    "text",
    [
        "dá pra treinar o Llama 70B numa RTX 4090?",
        "can an RTX 4090 fine-tune Llama 70B?",
        "¿puedo entrenar Llama 70B en una RTX 4090?",
    ],
)
def test_rtx_4090(shop: Shop, text: str) -> None:
    turn = ask(shop, text)
    found = said(turn)
    assert "35 GB" in found
    assert "24 GB" in found
    assert "1× A100 80GB" in found
    assert turn.answer.asked is not None
    assert turn.answer.asked.rented is False


@pytest.mark.parametrize(
    "text",
    [
        "quanta VRAM pro Llama 70B com LoRA?",
        "how much VRAM does Llama 70B LoRA need?",
        "¿cuánta VRAM para Llama 70B con LoRA?",
    ],
)
def test_lora_memory(shop: Shop, text: str) -> None:
    (plan,) = ask(shop, text).answer.methods
    assert (plan.memory.floor_gb, plan.memory.plan_gb) == (140, 168)


@pytest.mark.parametrize(
    "text",
    [
        "quanto tempo leva treinar o Llama 70B?",
        "how long does it take to train Llama 70B?",
        "¿cuánto tarda entrenar Llama 70B?",
    ],
)
def test_no_invented_run_time(shop: Shop, text: str) -> None:
    turn = ask(shop, text)
    assert turn.question.intent == "time"
    assert {"no_run_time", "measure"} <= {note.code for note in turn.answer.notes}
    assert turn.answer.block is not None


@pytest.mark.parametrize("text", ["posso pagar com cripto?", "can I pay with crypto?", "¿puedo pagar con cripto?"])
def test_crypto(shop: Shop, text: str) -> None:
    found = said(ask(shop, text))
    for coin in ("BTC", "USDT", "USDC", "ETH", "SOL", "LTC", "25"):
        assert coin in found
    facts = {fact.key: fact.value for fact in ask(shop, text).answer.facts}
    assert (facts["id_needed"], facts["card_needed"], facts["unused_hours_expire"]) == (False, False, False)


@pytest.mark.parametrize(
    "text", ["A100 ou H100 para QLoRA em 70B?", "A100 or H100 for QLoRA on 70B?", "¿A100 o H100 para QLoRA de 70B?"]
)
def test_a100_or_h100(shop: Shop, text: str) -> None:
    turn = ask(shop, text)
    assert {"budget_tight", "deadline_tight", "peak_figures"} <= {note.code for note in turn.answer.notes}
    assert all(f.option is not None and f.option.verdict == "fits" for f in turn.answer.gpu_figures)
    assert "312" in said(turn)


@pytest.mark.parametrize(
    "text", ["que software eu uso para LoRA?", "which software runs QLoRA and LoRA?", "¿qué software ejecuta QLoRA?"]
)
def test_software(shop: Shop, text: str) -> None:
    found = said(ask(shop, text))
    for part in ("--load_in_4bit --use_peft", "--accelerate_config", "fsdp2, zero3", "Llama 3.1"):
        assert part in found


@pytest.mark.parametrize(
    "text",
    [
        "quanto mais caro é full que QLoRA?",
        "how much more expensive is full than QLoRA?",
        "¿cuánto más caro es full que QLoRA?",
    ],
)
def test_forty_times(shop: Shop, text: str) -> None:
    found = said(ask(shop, text))
    assert found.count("40×") == 2
    assert "Massed Compute" in found
    assert "Thunder Compute" in found


def test_prices_are_said_to_be_old_after_thirty_days(shop: Shop) -> None:
    fresh = ask(shop, "70B", now=datetime(2026, 11, 28, 23, 59, tzinfo=UTC))
    old = ask(shop, "70B", now=datetime(2026, 11, 29, 0, 0, tzinfo=UTC))
    assert fresh.answer.prices_stale_days is None
    assert old.answer.prices_stale_days == 30
    assert old.answer.prices_as_of == date(2026, 10, 29)


def test_a_run_is_sized_from_the_users_own_measurement(shop: Shop) -> None:
    run = ask(shop, "1000 steps at 250 steps per hour on 2 H100, what will it cost?").answer.run
    assert run is not None
    assert (run.hours, run.gpu_hours, str(run.usd)) == (4, 8, "18.56")


def test_asking_for_support_after_a_plan_reaches_a_person(shop: Shop) -> None:
    for text in ("I want to talk to support", "quero falar com o suporte", "quiero hablar con soporte"):
        assert ask(shop, "70B LoRA em 1 B200 cabe?", text).question.intent == "human"


def test_a_bare_size_shows_four_methods_and_running(shop: Shop) -> None:
    answer = ask(shop, "70B").answer
    assert [plan.method for plan in answer.methods] == ["qlora", "lora", "full_8bit", "full", "inference"]
    assert [str(p.fit.simplest.usd_per_hour) for p in answer.methods if p.fit.simplest] == [
        "0.92",
        "4.61",
        "24.56",
        "36.88",
        "4.61",
    ]


@pytest.mark.parametrize(
    ("lang", "voice", "locale"),
    [
        ("70B com LoRA?", Voice(chosen="en"), "pt_BR"),
        ("70B avec LoRA, combien ça coûte ?", Voice(chosen="en"), "fr"),
        ("was kostet 70B mit LoRA?", Voice(chosen="en"), "de"),
        ("quanto costa 70B con LoRA per una settimana?", Voice(chosen="en"), "it"),
        ("70B", Voice(chosen="es", telegram="en"), "es"),
        ("70B", Voice(telegram="pt-br", default="en"), "pt_BR"),
        ("70B", Voice(telegram="i-klingon", default="en"), "en"),
        ("70B", Voice(telegram=""), "pt_BR"),
        ("ile vramu potrzeba na qlora 70b?", Voice(), "en"),
        ("ile vramu potrzeba na qlora 70b?", Voice(chosen="es"), "es"),
    ],
)
def test_the_answers_locale(shop: Shop, lang: str, voice: Voice, locale: str) -> None:
    assert take_turn(lang, history=(), shop=shop, now=NOW, voice=voice).locale == locale


@pytest.mark.parametrize("locale", SHIPPED)
def test_the_price_table_fits_a_phone(shop: Shop, locale: str) -> None:
    turn = take_turn("h100 price?", history=[], shop=shop, now=NOW, voice=Voice(chosen=locale))
    assert "2" in said(turn)
    text = said(take_turn("/prices", history=[], shop=shop, now=NOW, voice=Voice(chosen=locale)))
    table = [line for line in text.splitlines() if line.startswith(("GPU", "L40S", "A100", "H100", "H200", "B200"))]
    assert len(table) == 6
    assert max(map(len, table)) <= 36
