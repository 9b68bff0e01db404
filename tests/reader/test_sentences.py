"""Every language's own sentences (locales/<language>/sentences.yaml) are read as their file says."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from bot.reader.lexicon import load_lexicon
from bot.reader.read import read
from planner.resources import folder

FILES = sorted(folder("locales").glob("*/sentences.yaml"))
ROWS: list[tuple[str, str, dict[str, Any]]] = [
    (file.parent.name, text, wanted)
    for file in FILES
    for text, wanted in yaml.safe_load(file.read_text(encoding="utf-8")).items()
]


@pytest.mark.parametrize(("language", "text", "wanted"), ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_a_sentence_is_read_as_its_file_says(language: str, text: str, wanted: dict[str, Any]) -> None:
    question = read(text)
    slots = {
        name: list(value) if isinstance(value, tuple) else value for name, value in question.slots.stated().items()
    }
    stated = {name: value for name, value in wanted.items() if name != "intent"}
    found = {name: slots.get(name) for name in stated}
    extra = {name for name in slots if name not in stated and slots[name] != 1}
    assert (question.intent, found, extra - {"params_b"}) == (wanted["intent"], stated, set())


@pytest.mark.parametrize("language", load_lexicon().languages)
def test_every_language_has_sentences_and_is_told_from_others(language: str) -> None:
    texts = [text for code, text, _wanted in ROWS if code == language]
    assert len(texts) >= 8, f"locales/{language}/sentences.yaml has {len(texts)} sentences"
    told = [read(text).lang for text in texts]
    assert told.count(language) >= 0.7 * len(told), [
        (text, lang) for text, lang in zip(texts, told, strict=True) if lang != language
    ]
