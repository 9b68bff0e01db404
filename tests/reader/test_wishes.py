"""What a wish to be told of a price names."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.reader.watch import asks_to_be_told, read_wish


@pytest.mark.parametrize(
    ("text", "subject", "sign", "limit"),
    [
        ("h100 < 2.00", "h100", "<", "2"),
        ("h100<2", "h100", "<", "2"),
        ("H100 <= $1,95", "h100", "<=", "1.95"),
        ("H100 ≥ 3", "h100", ">=", "3"),
        ("a100 80gb < 0.90", "a100-80", "<", "0.9"),
        ("btc < 60000", "BTC", "<", "60000"),
        ("btc < 60,000.50", "BTC", "<", "60000.5"),
        ("bitcoin below 60k", "BTC", "<", "60000"),
        ("btc acima de 100 mil", "BTC", ">", "100000"),
        ("sol < 150 usdt", "SOL", "<", "150"),
        ("usdt<0,995", "USDT", "<", "0.995"),
        ("b200 < US$ 4,50", "b200", "<", "4.5"),
        ("h100 abaixo de dois dólares", "h100", "<", "2"),
        ("h100 < 2 dollars per hour", "h100", "<", "2"),
        ("eth por debajo de 3000", "ETH", "<", "3000"),
        ("eth por encima de 3000", "ETH", ">", "3000"),
    ],
)
def test_signs_and_words_of_three_languages_are_read(text: str, subject: str, sign: str, limit: str) -> None:
    wish = read_wish(text)
    assert ((*wish.gpus, *wish.coins), wish.sign, wish.limits[0]) == ((subject,), sign, Decimal(limit))
    assert wish.complete


@pytest.mark.parametrize(
    "text", ["", "h100", "< 2", "h100 < 0", "h100 < -2", "h100 < x", "btc < 5%", "h100 h200 < 2", "2x h100 < 4",
             "h100 < 10 reais", "h100 < R$ 10", "b200 < €4", "h100 < 99999999999999999999", "h100 < 0.0000000001"]
)  # fmt: skip
def test_what_names_no_limit_in_dollars_for_one_thing_is_not_complete(text: str) -> None:
    assert not read_wish(text).complete


def test_a_figure_with_two_readings_keeps_both() -> None:
    assert read_wish("btc < 60.000").limits == (Decimal(60000), Decimal(60))
    assert read_wish("btc < 60 mil").limits[-1] == 60000


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("avise quando a h100 ficar abaixo de 2 dólares", "<"),
        ("me avisa quando o bitcoin passar de 100k", ">"),
        ("me avise quando a h100 ficar mais barata que 2", "<"),
        ("avísame si el H200 baja de 2,50", "<"),
        ("let me know when h100 drops under $2", "<"),
        ("tell me when sol goes over $200", ">"),
        ("notify me when btc hits 60000", None),
        ("avise-me quando o btc chegar a 60 mil", None),
    ],
)
def test_a_free_text_that_asks_to_be_told_is_a_watch(text: str, sign: str | None) -> None:
    wish = asks_to_be_told(text)
    assert wish is not None
    assert wish.sign == sign


@pytest.mark.parametrize(
    "text",
    [
        "70B com LoRA?",
        "h100 < 2",  # asks for nothing: the reader's to answer
        "avise quando 70B lora couber por menos de 2 dólares no h100",
        "tell me when it is ready",
        "me avisa quando o H100 baixar de preço",
        "let me know if 2x h100 under $5 fits 70B",
        "h100 por menos de 2 dólares",
    ],
)
def test_any_other_text_is_no_watch(text: str) -> None:
    assert asks_to_be_told(text) is None


@given(st.text(max_size=200))
def test_no_text_makes_it_fail(text: str) -> None:
    wish = read_wish(text)
    assert all(limit > 0 for limit in wish.limits)
    asks_to_be_told(f"avise {text}")
