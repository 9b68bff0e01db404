"""What buttons offer to ask."""

from __future__ import annotations

from datetime import datetime

import pytest

from bot.answers.build import answer
from bot.answers.offers import offers
from bot.reader.read import read
from bot.shop.shop import Shop
from planner.catalog import load_catalog


def offered(text: str, shop: Shop, now: datetime) -> tuple[str, ...]:
    return offers(answer(read(text), shop, now))


@pytest.mark.parametrize(
    ("text", "first", "model"),
    [
        ("llama lora", "Llama 3.1 8B LoRA", "llama-3.1-8b"),
        ("gemma na l40s?", "Gemma 3 270M 1x L40S", "gemma-3-270m"),
        ("qwen 3", "Qwen3 0.6B", "qwen3-0.6b"),
        ("llama 2 full em 2x h100", "Llama 2 7B full 2x H100", "llama-2-7b"),
    ],
)
def test_a_family_without_size_offers_its_sizes(text: str, first: str, model: str, shop: Shop, now: datetime) -> None:
    found = offered(text, shop, now)
    assert found[0] == first
    asked = read(first)
    assert asked.slots.model == model
    assert asked.slots.gpu == read(text).slots.gpu
    assert read(text).slots.method in (None, asked.slots.method)


def test_eight_bits_in_training_offer_what_they_may_mean(shop: Shop, now: datetime) -> None:
    assert offered("treinar 7b em 8 bit", shop, now) == ("7B full 8-bit Adam", "7B QLoRA")
    assert [read(text).slots.method for text in ("7B full 8-bit Adam", "7B QLoRA")] == ["full_8bit", "qlora"]


def test_what_is_clear_offers_nothing(shop: Shop, now: datetime) -> None:
    for text in ("70B LoRA", "llama 3.1 8b", "preço da h100", "oi", "asdf"):
        assert offered(text, shop, now) == ()


def test_every_family_offers_texts_that_are_read_as_their_model(shop: Shop, now: datetime) -> None:
    names = [model.name for model in load_catalog().models.values()]
    missed = [name for name in names if read(name).slots.model is None]
    assert len(missed) <= 0.02 * len(names), missed
