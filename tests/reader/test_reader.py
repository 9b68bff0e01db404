"""Messages become the right questions, whatever they look like."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reader.lexicon import LexiconError, compile_sources, load_lexicon
from bot.reader.read import read
from bot.reader.score import score

CORPUS = Path(__file__).parent.parent / "corpus" / "questions.jsonl"
LINES = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
TEXTS = [row["text"] for row in LINES]


@pytest.mark.parametrize(
    ("name", "n", "intent", "slots", "exact"),
    [
        # What unseen messages may meet is what these scored before anything was mended after them:
        ("customers", 90, 0.98, 0.97, 0.90),  # 0.867, 0.923, 0.633
        ("customers_other_languages", 90, 0.97, 0.97, 0.89),  # 0.789, 0.910, 0.611
        ("customers_western", 90, 0.98, 0.98, 0.93),  # 0.900, 0.955, 0.811
        ("customers_eastern", 90, 0.94, 0.96, 0.84),  # 0.789, 0.905, 0.567
        ("customers_hurried", 100, 0.98, 0.99, 0.94),  # 0.920, 0.959, 0.780
    ],
)
def test_messages_written_by_people_who_knew_no_code_keep_the_floor_reached(
    name: str, n: int, intent: float, slots: float, exact: float
) -> None:
    path = CORPUS.with_name(f"{name}.jsonl")
    found = score([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()])
    assert found.n == n
    assert found.intent >= intent
    assert found.slots >= slots
    assert found.exact >= exact


def test_the_corpus_keeps_the_floor_reached() -> None:
    found = score(LINES)
    assert found.n == 275
    assert found.intent >= 0.99
    assert found.slots >= 0.99
    assert found.exact >= 0.98


@pytest.mark.parametrize(
    "text",
    [
        "70B",
        "70 B",
        "70b",
        "70 bi",
        "70 bilhões",
        "70.000M",
        "７０Ｂ",
        "70\u200bB",
        "٧٠B",
        "setenta bilhões",
        "70 billion",
        "70 mil millones",
    ],
)
def test_one_size_written_many_ways_is_one_size(text: str) -> None:
    assert read(text).slots.params_b == 70


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("0,5B", {"params_b": 0.5}),
        ("7000M com lora", {"params_b": 7.0, "method": "lora"}),
        ("8x7B em 2x A100", {"model": "mixtral-8x7b", "gpu": "a100-80", "count": 2}),
        ("B200 ou H200 pra 200B?", {"params_b": 200.0, "gpus": ("b200", "h200")}),
        ("h1oo de 80 pra 13b", {"gpu": "h100", "params_b": 13.0}),
        ("A100 40GB 8b", {"gpu": "a100-40", "params_b": 8.0}),
        ("não QLoRA, full, 13B", {"method": "full", "params_b": 13.0}),
        ("adam 8-bit 7B", {"method": "full_8bit", "params_b": 7.0}),
        ("2 H100 por 3 dias", {"gpu": "h100", "count": 2, "hours": Decimal(72)}),
        ("US$ 1.500,00 pra treinar", {"budget_usd": Decimal(1500)}),
        ("1000 passos a 250 passos por hora", {"steps": 1000, "steps_per_hour": 250.0}),
        ("2x A100 vs H100", {"gpus": ("a100-80", "h100"), "counts": (2, 1)}),
        ("A100 ou 4 L40S?", {"gpus": ("a100-80", "l40s"), "counts": (1, 4)}),
        ("50 GPU-hours of H100", {"gpu": "h100", "count": None, "hours": Decimal(50)}),
        ("7b lora batch 2 na l40s", {"batch": 2, "gpu": "l40s", "count": None}),
        ("7b lora batch 2 en una l40s", {"batch": 2, "gpu": "l40s"}),
        ("0,003 btc", {"budget": Decimal("0.003"), "currency": "BTC"}),
        ("Qwen 2.5 7B q4_k_m ctx 8192", {"model": "qwen2.5-7b", "bits": 4.0, "context": 8192}),
    ],
)
def test_numbers_get_the_role_that_the_words_around_them_give(text: str, slots: dict[str, object]) -> None:
    found = read(text).slots
    assert {name: getattr(found, name) for name in slots} == slots


@pytest.mark.parametrize(
    ("first", "then", "intent", "slots"),
    [
        ("70B com LoRA?", "e com QLoRA?", "plan", {"params_b": 70.0, "method": "qlora"}),
        ("mistral 7b full cabe em 1 h100?", "e em 2x?", "check", {"gpu": "h100", "count": 2, "method": "full"}),
        ("2x H100 for 24 hours", "and the H200?", "cost", {"gpu": "h200", "count": 2, "hours": Decimal(24)}),
        ("llama 3?", "8b", "plan", {"model": "llama-3-8b", "params_b": 8.0}),
        ("lora of falcon3 10b", "sorry, I meant the 7b", "plan", {"model": "falcon3-7b", "method": "lora"}),
        ("qlora on 14b, 4k seq", "thanks! now same but 32B", "plan", {"params_b": 32.0, "method": "qlora"}),
        ("serve qwen3 32b in 4 bits", "make it 8, with 16k context", "plan", {"bits": 8, "context": 16000}),
        ("8b lora", "no, full", "plan", {"params_b": 8.0, "method": "full"}),
    ],
)
def test_a_followup_changes_only_what_it_names(first: str, then: str, intent: str, slots: dict[str, object]) -> None:
    question = read(then, [read(first)])
    assert question.intent == intent
    assert {name: getattr(question.slots, name) for name in slots} == slots


def test_a_full_question_starts_afresh() -> None:
    question = read("13B com QLoRA em 1 L40S cabe?", [read("70B full em 8 H100 por 24 horas")])
    assert question.slots.hours is None
    assert question.slots.gpu == "l40s"


@pytest.mark.parametrize("text", ["0B", "-70B", "999999B", "1e400 B", "16 H100 para 70B"])
def test_impossible_values_are_named_with_what_is_allowed(text: str) -> None:
    assert read(text).problem is not None


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for mention in read(text).mentions:
        assert mention.text == text[mention.start : mention.end]


@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS))
def test_any_two_messages_can_follow_each_other(one: str, two: str) -> None:
    read(two, [read(one)])


@given(st.sampled_from(TEXTS))
def test_spaces_and_capitals_never_change_the_question(text: str) -> None:
    plain, spaced = read(text), read(f"  {text}\n ")
    assert (plain.intent, plain.slots) == (spaced.intent, spaced.slots)


#: A greeting before a question, and thanks after it, in its language.
POLITE = {
    "pt": ("oi, {}", "boa tarde! {}", "{} por favor", "{} obrigado!"),
    "en": ("hi, {}", "Hello! {}", "{} please", "{} thanks!"),
    "es": ("hola, {}", "buenas tardes! {}", "{} por favor", "{} gracias"),
    "fr": ("bonjour, {}", "{} s'il vous plait"),
    "de": ("Hallo, {}", "{} bitte"),
    "it": ("ciao, {}", "{} grazie"),
    "ru": ("привет, {}", "{} спасибо"),
}


@pytest.mark.parametrize("language", POLITE)
def test_politeness_never_changes_the_question(language: str) -> None:
    for row in LINES:
        plain = read(row["text"])
        if row["lang"] != language or row["context"] or plain.intent == "smalltalk":
            continue
        for form in POLITE[language]:
            polite = read(form.replace("{}", row["text"]))
            assert (polite.intent, polite.slots) == (plain.intent, plain.slots), form


@pytest.mark.parametrize(
    "text", ["70B " * 1250, "4090 " * 1000, "1 " * 2500, "(" * 5000, "lora " * 1000, "🙂" * 5000, "\ud800\0\u202e"]
)
def test_long_and_hostile_messages_are_read(text: str) -> None:
    read(text)


@pytest.mark.parametrize("piece", ["70B ", "a1", "llama-", "4090 2 ", "a.", "qwen 2.5 "])
def test_reading_time_grows_with_the_length_not_its_square(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        started = time.process_time()
        read(text)
        return time.process_time() - started

    seconds(100)
    ratios = [seconds(4800) / seconds(1200) for _ in range(3)]
    assert min(ratios) < 9  # four times the text: 4 when linear, 16 when quadratic


def test_every_language_has_a_lexicon_that_speaks() -> None:
    assert {"pt", "en", "es", "fr", "de", "it", "ru", "zh", "tr", "id", "pl", "nl", "hi"} <= set(
        load_lexicon().languages
    )


@pytest.mark.parametrize("text", [b"language: xx", b"- a", b"language: pt\nlocale:\ncolour: [red]", b"{"])
def test_a_broken_lexicon_is_named_in_one_line(text: bytes) -> None:
    with pytest.raises(LexiconError) as error:
        compile_sources([("xx", text)])
    assert str(error.value).startswith("locales/xx/lexicon.yaml: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        (
            "oi! 3 coisas: 1) quanto de vram pro 70b qlora 2) preço da h100 3) vcs aceitam btc?",
            ["plan", "price", "faq"],
        ),
        ("which gpu for 7b lora? and 13b full?", ["plan", "plan"]),
        ("1) vram for 8b full\n2) price list\n3) do hours expire", ["plan", "price", "faq"]),
        ("70B lora? do you take btc? can I talk to a person?", ["plan", "faq", "human"]),
        ("oi, tudo bem? quanto custa a h100?", ["price"]),
        ("llama 8b? what would I need and what does it cost roughly?", ["plan"]),
    ],
)
def test_several_questions_in_one_message_are_all_read(text: str, intents: list[str]) -> None:
    question = read(text)
    assert [question.intent, *(other.intent for other in question.also)] == intents


def test_what_is_asked_beside_builds_on_the_first_question() -> None:
    question = read("which gpu for 7b lora? and 13b full?")
    assert [one.slots.stated() for one in (question, *question.also)] == [
        {"params_b": 7.0, "method": "lora"},
        {"params_b": 13.0, "method": "full"},
    ]


def test_a_long_pasted_text_keeps_the_question_before_and_after_it() -> None:
    pasted = "\n".join(f"  warning: step {n} took {n} ms on worker {n}" for n in range(100))
    for text in (f"70B com LoRA cabe em 2x H100?\n{pasted}", f"{pasted}\n70B com LoRA cabe em 2x H100?"):
        question = read(text)
        assert (question.intent, question.slots.params_b, question.slots.gpu) == ("check", 70.0, "h100")
        for mention in question.mentions:
            assert mention.text == text[mention.start : mention.end]


@pytest.mark.parametrize("piece", ["a1", "8x", "70B ", "lora ", "qwen 2.5 ", "4090 2 ", "não ", "中"])
def test_what_is_read_of_an_endless_message_is_bounded(piece: str) -> None:
    """Time is no test's matter; what takes it is the number of tokens."""
    from bot.reader.scan import scan
    from bot.reader.tokens import HEAD, TAIL

    assert len(scan((piece * 5000)[:5000]).tokens) <= HEAD + TAIL + 2


def test_a_followup_stays_in_the_language_spoken_before() -> None:
    asked = read("quanto custa 2x H100 por 24 horas?")
    assert read("e a h200?", [asked]).lang == "pt"
    assert read("and what about the h200?", [asked]).lang == "en"


@pytest.mark.parametrize("text", ["13B full na RTX 4090?", "70b na h100", "h100 24h", "lora vs qlora?", "13B qlora"])
def test_a_word_of_the_trade_or_one_short_word_tells_no_language(text: str) -> None:
    assert read(text).lang in (None, "pt")


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("Budget max. 200 € auf H100", {"gpu": "h100", "budget": Decimal(200), "currency": "EUR"}),
        ("R$ 500 de H100", {"gpu": "h100", "budget": Decimal(500), "currency": "BRL"}),
        ("50$ h100", {"gpu": "h100", "budget_usd": Decimal(50)}),
        ("O que treino com 200 chf?", {"budget": Decimal(200), "currency": "CHF"}),
        ("a h100 for a day and a half", {"gpu": "h100", "hours": Decimal(36)}),
        ("2h30 de b200", {"gpu": "b200", "hours": Decimal("2.5")}),
        ("1h20 per epoch on an A100, I will run 3, what's the bill?",
         {"gpu": "a100-80", "hours": Decimal(4), "epochs": 3}),
        ("adapter: qlora, gemma 2 9b", {"model": "gemma-2-9b", "params_b": 9, "method": "qlora"}),
        ("no, not 8 gpus, i meant 8B, lora", {"params_b": 8, "method": "lora"}),
        ("peft of Qwen/Qwen3-4B-Instruct-2507", {"model": "qwen3-4b-2507", "params_b": 4, "method": "lora"}),
        ("lora do glm 4 de 32b", {"model": "glm-4-32b", "params_b": 32, "method": "lora"}),
        ("command r+ in 4 bits", {"model": "command-r-plus-104b", "bits": 4, "method": "inference"}),
        ("my 4x 4090 dies with full ft of olmo 2 7b, what should I rent?",
         {"model": "olmo-2-7b", "params_b": 7, "method": "full"}),
        ("minha 3060 nao aguenta o 3b em lora, qual eu alugo?", {"params_b": 3, "method": "lora"}),
        ("1,5 Mio. Token, Seq-Länge 2.048, lora 7b",
         {"tokens": 1500000, "context": 2048, "params_b": 7, "method": "lora"}),
        ("B200跑两天半", {"gpu": "b200", "hours": Decimal(60)}),
        ("h100 por dois dias e meio", {"gpu": "h100", "hours": Decimal(60)}),
        ("8 h200 per una decina di giorni", {"gpu": "h200", "count": 8, "hours": Decimal(240)}),
        ("8 kartu seminggu, h100", {"gpu": "h100", "count": 8, "hours": Decimal(168)}),
        ("qwena 2.5 7b lora", {"model": "qwen2.5-7b", "params_b": 7, "method": "lora"}),
        ("ламму 3.1 8б лорой", {"model": "llama-3.1-8b", "params_b": 8, "method": "lora"}),
        ("想微调千问3 32B,用QLoRA", {"model": "qwen3-32b", "params_b": 32, "method": "qlora"}),
        ("на двух а100 в фп16 влезет 7б?",
         {"gpu": "a100-80", "count": 2, "params_b": 7, "bits": 16, "method": "inference"}),
        ("7b bez kwantyzacji na l40s pojdzie?", {"gpu": "l40s", "params_b": 7, "bits": 16, "method": "inference"}),
        ("gpt-oss 20b pour 50 utilisateurs",
         {"model": "gpt-oss-20b", "params_b": 20, "users": 50, "method": "inference"}),
        ("vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ --max-model-len 16384\nwie viele H100?",
         {"model": "qwen2.5-72b", "params_b": 72, "bits": 4, "context": 16384, "gpu": "h100", "method": "inference",
          "software": "vllm"}),
    ],
)  # fmt: skip
def test_what_customers_write_fills_the_right_slots(text: str, slots: dict[str, object]) -> None:
    assert read(text).slots.stated() == slots


@pytest.mark.parametrize("text", ["GPT-4 fine-tuning", "lora no gpt4o", "can I run Claude on 2x H100?", "chatgpt 微调"])
def test_a_model_whose_weights_nobody_has_is_no_other_model(text: str) -> None:
    found = read(text)
    assert (found.intent, found.slots.model, "closed" in found.notes) == ("unsupported", None, True)
    assert read("gpt-oss 20b lora").slots.model == "gpt-oss-20b"
    assert read("is llama 3 70B lora as good as chatgpt?").slots.model == "llama-3-70b"


def test_an_a_before_thousands_is_no_gpu() -> None:
    asked = read("che scheda per il lora di llama 3.2 3b?")
    found = read("e se salgo a 16k di contesto?", [asked]).slots
    assert (found.context, found.gpu) == (16000, None)


def test_a_currency_alone_asks_for_the_last_amount_in_it() -> None:
    asked = read("dame el precio de 2 h200 por 48 horas")
    found = read("y eso en euros?", [asked])
    assert (found.intent, found.slots.currency, found.slots.hours) == ("convert", "EUR", Decimal(48))


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("50 usd em btc", "convert", {"budget_usd": Decimal(50), "coin": "BTC"}),
        ("100 usdt em btc", "convert", {"budget_usd": Decimal(100), "coin": "BTC"}),
        ("0.002 btc in dollars", "convert", {"budget": Decimal("0.002"), "currency": "BTC", "coin": "BTC"}),
        ("1000 sats in usd", "unsupported", {}),  # a unit that is not known makes no thousand dollars
        ("70B LoRA em SOL", "plan", {"params_b": 70, "method": "lora", "coin": "SOL"}),
    ],
)
def test_an_amount_is_never_taken_for_another_money(text: str, intent: str, slots: dict[str, object]) -> None:
    found = read(text)
    assert (found.intent, found.slots.stated()) == (intent, slots)


@pytest.mark.parametrize(
    "text",
    [
        "llama 4 scout with 1M context",
        "1 million token context on qwen 7b",
        "llama 8b com contexto de 1M tokens",
        "1M de contexto na qwen 7b",
        "1M de contexte avec qwen 7b",
        "1M di contesto su qwen 7b",
        "context 1M qwen 7b",
    ],
)
def test_a_context_of_a_million_is_neither_a_size_nor_a_data_set(text: str) -> None:
    slots = read(text).slots
    assert slots.context == 1_000_000
    assert slots.tokens is None


@pytest.mark.parametrize(
    "text",
    [
        "8B LoRA com um contexto de 32k e um batch de 8",
        "LoRA sur un 8B avec un contexte de 32k et un batch de 8",
        "8B LoRA mit einem Kontext von 32k und einem Batch von 8",
        "8B LoRA con un contesto di 32k e un batch di 8",
    ],
)
def test_an_article_before_a_setting_is_not_its_value(text: str) -> None:
    slots = read(text).slots
    assert (slots.context, slots.batch) == (32_000, 8)


def test_a_data_set_beside_a_context_stays_one() -> None:
    slots = read("7B lora ctx 4096, 5M tokens, how long").slots
    assert (slots.context, slots.tokens) == (4096, 5_000_000)
    assert read("70b context 8k").slots.params_b == 70
