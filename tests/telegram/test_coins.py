"""Coins in the chat: commands, buttons, copying."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.rates.values import COIN_DIGITS, Rate, Rates
from bot.reader.preferences import Preferences
from bot.telegram.actions import Edit, Effects, Remembered, Send
from bot.telegram.callbacks import ChooseCoin, Coins, encode
from bot.telegram.handlers import DecideContext, decide
from telegram_updates import pressed, said


@pytest.fixture
def market(context: DecideContext) -> DecideContext:
    """A chat where every coin has a rate."""
    sources = ("Kraken", "Coinbase")
    found = {code: Rate(code, Decimal(84000), sources, context.now - timedelta(seconds=5)) for code in COIN_DIGITS}
    return replace(context, rates=Rates(found, expected=True))


def _sent(effects: Effects) -> Send:
    return next(action for action in effects.actions if isinstance(action, Send))


def test_convert_gives_the_amount_with_a_button_that_copies_it(market: DecideContext) -> None:
    send = _sent(decide(said("/convert 50 usd btc"), Remembered(), market))
    assert "0.00059524" in send.plain
    assert send.keyboard is not None
    assert send.keyboard["inline_keyboard"][0][0]["copy_text"] == {"text": "0.00059524"}
    assert send.keyboard["inline_keyboard"][1][0]["callback_data"] == encode(Coins(Decimal("50.0")))


def test_the_button_shows_all_six_coins(market: DecideContext) -> None:
    send = _sent(decide(pressed(encode(Coins(Decimal(50)))), Remembered(), market))
    assert all(coin in send.plain for coin in COIN_DIGITS)


def test_a_chosen_coin_is_kept_and_used(market: DecideContext) -> None:
    effects = decide(said("/coin sol"), Remembered(), market)
    assert effects.remember[0].settings == {"coin": "SOL"}
    assert " SOL" in _sent(decide(said("2x H100 24h"), Remembered(preferences=Preferences(coin="SOL")), market)).plain


def test_a_coin_is_chosen_by_a_button(market: DecideContext) -> None:
    offered = _sent(decide(said("/coin"), Remembered(), market))
    assert offered.keyboard is not None
    assert len([cell for row in offered.keyboard["inline_keyboard"] for cell in row]) == 6
    effects = decide(pressed(encode(ChooseCoin("LTC"))), Remembered(), market)
    assert effects.remember[0].settings == {"coin": "LTC"}
    assert any(isinstance(action, Edit | Send) for action in effects.actions)


@pytest.mark.parametrize("text", ["btc", "Bitcoin?"])
def test_a_coin_alone_is_answered_with_its_rate_and_how_to_ask(market: DecideContext, text: str) -> None:
    plain = _sent(decide(said(text), Remembered(), market)).plain
    assert "84.000,00" in plain
    assert "/convert 50 usd btc" in plain


@pytest.mark.parametrize("text", ["btc", "Bitcoin?"])
def test_a_coin_alone_without_a_rate_is_not_answered_with_nothing(context: DecideContext, text: str) -> None:
    plain = _sent(decide(said(text), Remembered(), context)).plain
    assert "/convert 50 usd btc" in plain
