"""The language of what the bot itself offers to ask, and of what has no language."""

from __future__ import annotations

import pytest

from bot.reader.read import read
from bot.render.i18n import SHIPPED, Speaker
from bot.render.views.talk import examples


@pytest.mark.parametrize("locale", SHIPPED)
def test_each_example_is_in_its_language_or_in_none(locale: str) -> None:
    languages = {read(example).lang for example in examples(Speaker(locale))}
    assert languages <= {locale.partition("_")[0], None}


@pytest.mark.parametrize("text", ["70B LoRA rank 64 batch 4 4k H200", "7b lora r=16 batch size 4", "13B QLoRA bs 8"])
def test_settings_have_no_language(text: str) -> None:
    assert read(text).lang is None


@pytest.mark.parametrize("text", ["2x H100 24h", "1x B200 48h", "8x A100", "2 x L40S 24h"])
def test_a_multiplication_sign_is_no_word(text: str) -> None:
    assert read(text).lang is None
