"""Catalogues are whole, messages are valid Telegram HTML, JSON follows the shipped schema."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answers.notes import CODES
from bot.chat import Voice, answer_question, take_turn
from bot.reader.question import Question, Slots
from bot.render import schema
from bot.render.contract import to_contract
from bot.render.document import Document, Lines, Span
from bot.render.extract import field_names, messages, read
from bot.render.html import to_html
from bot.render.i18n import SHIPPED, parse_markup
from bot.render.views.notes import SENTENCES
from bot.shop.files import load_seeds

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SHOP = load_seeds()
CORPUS = Path(__file__).parent.parent / "corpus" / "questions.jsonl"
TEXTS = [json.loads(line)["text"] for line in CORPUS.read_text(encoding="utf-8").splitlines()]


class Strict(HTMLParser):
    """Telegram's subset: known tags, properly nested and closed, nothing unescaped."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.open: list[str] = []
        self.tags = 0
        assert not re.search(r"&(?!amp;|lt;|gt;|quot;|#\d+;)", html), html
        self.feed(html)
        self.close()
        assert not self.open, html

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"b", "i", "code", "pre", "a", "blockquote"}, tag
        self.open.append(tag)
        self.tags += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


@pytest.mark.parametrize("locale", SHIPPED)
def test_pitfalls_2_and_48_every_message_is_translated_with_the_same_fields_and_markup(locale: str) -> None:
    catalogue = read(locale)
    wanted = messages()
    assert {m.id if isinstance(m.id, str) else tuple(m.id) for m in catalogue if m.id} == set(wanted)
    for message in wanted:
        entry = catalogue.get(message if isinstance(message, str) else message[0])
        assert entry is not None
        assert not entry.fuzzy, message
        forms = (entry.string,) if isinstance(entry.string, str) else tuple(entry.string)
        model = message if isinstance(message, str) else message[1]
        for form in forms:
            assert form, message
            assert field_names(form) == field_names(model), message
            styles = sorted(style for style, _text in parse_markup(form))
            assert [s for s in styles if s != "text"] == [
                s for s in sorted(s for s, _t in parse_markup(model)) if s != "text"
            ]


def test_every_note_code_has_a_sentence() -> None:
    assert CODES.keys() <= SENTENCES.keys()


@given(st.sampled_from(TEXTS), st.sampled_from(SHIPPED))
def test_every_answer_is_valid_html_within_telegrams_limits_and_valid_json(text: str, locale: str) -> None:
    turn = take_turn(text, history=(), shop=SHOP, now=NOW, voice=Voice(default=locale))
    html = turn.text().html
    assert turn.text().plain.strip()
    parsed = Strict(html)
    assert len(html.encode("utf-16-le")) // 2 < 4096
    assert parsed.tags <= 100
    jsonschema.validate(to_contract(turn.answer, turn.locale, turn.text().plain), schema.schema())


@given(st.text(max_size=300))
def test_no_value_becomes_markup(text: str) -> None:
    html = to_html(Document((Lines(((Span(text, "bold"), Span(text)),)),)))
    Strict(html)
    assert "\u202e" not in html


def test_hostile_model_names_are_escaped() -> None:
    question = Question(intent="unsupported", model_text="<script>&", slots=Slots())
    html = answer_question(question, shop=SHOP, now=NOW, voice=Voice(default="en")).text().html
    assert "&lt;script&gt;&amp;" in html


def test_the_shipped_schema_is_the_current_one() -> None:
    assert schema.PATH.read_text(encoding="utf-8") == schema.schema_text()
