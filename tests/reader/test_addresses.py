"""Repositories of model hubs in a message: found where one is named, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.hub.values import parse_id
from bot.reader.question import Question
from bot.reader.read import read
from bot.store.records import question_from_json, question_to_json


@pytest.mark.parametrize(
    ("text", "hub"),
    [
        ("acme/widget-13B com LoRA?", "acme/widget-13B"),
        ("acme/widget-one com LoRA?", "acme/widget-one"),
        ("acme/widget-one", "acme/widget-one"),
        ("https://huggingface.co/acme/Widget.One", "acme/Widget.One"),
        ("hf.co/acme/widget lora", "acme/widget"),
        ("www.huggingface.co/acme/widget/tree/v2 qlora", "acme/widget@v2"),
        ("https://huggingface.co/acme/widget/blob/main/config.json", "acme/widget"),
        ("https://huggingface.co/acme/widget/resolve/a1b2c3/config.json lora", "acme/widget@a1b2c3"),
        ("acme/widget-7b@refs/pr/3 lora", "acme/widget-7b@refs/pr/3"),
        ("vllm serve acme/widget-7b --tensor-parallel-size 2", "acme/widget-7b"),
        ("base_model: acme/widget-7b\nadapter: lora\nwhich GPU?", "acme/widget-7b"),
        ("does acme/qwen-special-22b fit on 2x H100?", "acme/qwen-special-22b"),
        ("微调acme/widget-7b要多少显存", "acme/widget-7b"),
        ("(acme/widget-7b) lora.", "acme/widget-7b"),
        # What the catalogue knows stays its own.
        ("meta-llama/Llama-3.3-70B-Instruct", None),
        ("https://huggingface.co/mistralai/Mistral-7B-v0.1 lora", None),
        ("TheBloke/Llama-2-13B-GPTQ on L40S", None),
        # What is none.
        ("USDT/TRC20-net?", None),
        ("usd/gpu-hour H100", None),
        ("LoRA/QLoRA-4bit 13B", None),
        ("fp8/bf16-mixed 70b", None),
        ("H100/H200-sxm?", None),
        ("7B/13B lora", None),
        ("24/7 support?", None),
        ("and/or", None),
        ("do you have docker/docker-compose?", None),
        ("data/train-01.jsonl 70b lora", None),
        ("/home/me/acme/widget-7b lora", None),
        ("src/acme/widget-7b lora", None),
        ("https://huggingface.co/datasets/acme/widget-7b lora", None),
        ("70B lora on dataset: acme/alpaca-52k", None),
        ("acme/widget--7b lora", None),
        ("acme/../etc-7b lora", None),
    ],
)
def test_a_repository_is_found_where_one_is_named(text: str, hub: str | None) -> None:
    assert read(text).hub == hub


@pytest.mark.parametrize(
    ("text", "intent", "slots"),
    [
        ("acme/widget-13B com LoRA?", "plan", {"params_b": 13.0, "method": "lora"}),
        ("acme/widget-one com LoRA?", "plan", {"method": "lora"}),
        ("acme/chat-lora-350m qlora", "plan", {"params_b": 0.35, "method": "qlora"}),
        ("does acme/widget-13B fit on 2x H100?", "check",
         {"params_b": 13.0, "method": "inference", "gpu": "h100", "count": 2}),
        ("does acme/widget-13B-AWQ fit on an L40S?", "check",
         {"params_b": 13.0, "method": "inference", "bits": 4.0, "gpu": "l40s"}),
    ],
)  # fmt: skip
def test_a_repository_is_a_model_with_the_size_in_its_name(text: str, intent: str, slots: dict[str, object]) -> None:
    question = read(text)
    assert (question.intent, question.slots.stated()) == (intent, slots)


def test_follow_ups_keep_the_repository_until_another_size_or_model_is_named() -> None:
    history: list[Question] = [read("acme/widget-one lora")]
    found = []
    for text in ("e com QLoRA?", "cabe numa H100?", "e acme/other-7b?", "e com LoRA?", "e 13B?", "e com QLoRA?"):
        history.append(read(text, history))
        found.append(history[-1].hub)
    assert found == ["acme/widget-one", "acme/widget-one", "acme/other-7b", "acme/other-7b", None, None]
    assert history[-1].slots.params_b == 13


def test_a_repository_is_remembered_as_it_was() -> None:
    question = read("acme/widget-one lora")
    stored = question_from_json(question_to_json(question))
    assert stored is not None
    assert stored.hub == "acme/widget-one"


@given(st.text(alphabet="aB9-_./@: \n", max_size=60))
def test_whatever_is_found_is_an_id(text: str) -> None:
    hub = read(f"{text} lora").hub
    assert hub is None or parse_id(hub) is not None
