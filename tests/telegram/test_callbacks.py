"""The data of buttons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.telegram.callbacks import MAX_BYTES, Ask, ChooseLanguage, Forget, decode, encode

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
