"""The data of buttons."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answers.build import answer
from bot.answers.steps import steps
from bot.reader.read import read
from bot.shop.shop import Shop
from bot.telegram.asked import bare, digest, read_back, write
from bot.telegram.callbacks import MAX_BYTES, Ask, ChooseLanguage, Forget, Show, Vote, decode, encode
from planner.catalog import load_catalog

owners = st.none() | st.integers(min_value=1, max_value=2**52)
presses = st.one_of(
    st.builds(Ask, st.text(min_size=1, max_size=80)),
    st.builds(ChooseLanguage, st.sampled_from([None, "en", "es", "pt_BR", "fil"]), owners),
    st.builds(Forget, st.booleans(), owners),
)


@given(presses)
def test_pitfall_07_what_is_encoded_fits_a_button_and_comes_back(press: Ask | ChooseLanguage | Forget) -> None:
    try:
        data = encode(press)
    except ValueError:
        assert isinstance(press, Ask)
        assert len(press.text.encode()) > MAX_BYTES - 3 or not press.text.strip()
        return
    assert 1 <= len(data.encode()) <= MAX_BYTES
    assert decode(data) == press


def test_no_two_models_share_what_stands_for_them_on_a_button() -> None:
    models = load_catalog().models
    assert len({digest(model) for model in models}) == len(models)


def test_the_questions_that_customers_ask_come_back_from_a_button(shop: Shop, corpus_texts: list[str]) -> None:
    carried = 0
    now = datetime(2026, 11, 1, tzinfo=UTC)
    for text in corpus_texts[::4]:
        question = read(text)
        kept = bare(question)
        if kept is None:
            continue
        stated = {name: value for name, value in question.slots.stated().items() if name != "software"}
        assert (kept.intent, kept.lang, kept.slots.stated()) == (question.intent, question.lang, stated), text
        for press in (
            Show(kept),
            Vote(kept, True),
            *(Show(step.question) for step in steps(answer(question, shop, now))),
        ):
            try:
                data = encode(press)
            except ValueError:
                continue
            carried += 1
            assert decode(data) == press
            assert len(data.encode()) <= MAX_BYTES
    assert carried > 500


@given(st.text(max_size=61) | st.text(alphabet="pkmrct.;gnhxzltq0123456789+-ab", max_size=61))
def test_any_text_is_a_question_of_a_button_or_none(text: str) -> None:
    question = read_back(text)
    if question is not None:
        written = write(question)
        assert written is not None
        assert read_back(written) == question


@pytest.mark.parametrize("text", ["é" * 31, "x" * 62, "RTX PRO 6000 Blackwell Max-Q — São Paulo, com contexto de 128k"])
def test_pitfall_07_bytes_are_counted_not_characters(text: str) -> None:
    with pytest.raises(ValueError, match="64"):
        encode(Ask(text))


@pytest.mark.parametrize(
    "data",
    [None, "", "v0|x", "0a:70B", "2a:70B", "1", "1a", "1a:", "1a:  ", "1z:70B", "1f:*", "1f:*:maybe", "1f:-1:yes",
     "1f:12345678901234567:yes", "1f:٣:yes", "1l:*:../../x", "1l:*:pt-BR", "é" * 32, "\x00", '{"a": 1}'],
)  # fmt: skip
def test_pitfall_08_data_of_another_version_or_program_is_not_understood(data: str | None) -> None:
    assert decode(data) is None


@given(st.text(max_size=64))
def test_pitfall_08_any_data_is_read_or_refused(data: str) -> None:
    press = decode(data)
    assert press is None or decode(encode(press)) == press
