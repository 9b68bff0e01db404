"""/settings: what is chosen in a chat, by buttons, and what it changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

import telegram_updates as tg
from bot.rates.values import Rate, Rates
from bot.reader.preferences import Preferences
from bot.render.i18n import SHIPPED
from bot.telegram.actions import Call, Edit, Effects, Remembered, Send
from bot.telegram.callbacks import ChooseSetting, OpenSetting, encode
from bot.telegram.handlers import DecideContext, decide

ENGLISH = Remembered(language="en")


def message_of(effects: Effects) -> Send | Edit:
    (found,) = [action for action in effects.actions if isinstance(action, Send | Edit)]
    return found


def labels(message: Send | Edit) -> dict[str, str]:
    assert message.keyboard is not None
    return {cell["text"]: cell["callback_data"] for row in message.keyboard["inline_keyboard"] for cell in row}


@pytest.mark.parametrize("command", ["/settings", "/ajustes", "/configuracoes"])
def test_settings_show_each_value_and_lead_to_its_choices(context: DecideContext, command: str) -> None:
    shown = labels(message_of(decide(tg.said(command), ENGLISH, context)))
    assert list(shown) == [
        "Language: English",
        "Coin: the shop's first",
        "Currency beside dollars: none",
        "Method where I name none: all of them",
        "Answers: simple",
    ]
    choices = labels(message_of(decide(tg.pressed(shown["Coin: the shop's first"]), ENGLISH, context)))
    assert {"✓ the shop's first", "BTC", "USDC", "‹ Back"} <= choices.keys()
    effects = decide(tg.pressed(choices["LTC"]), ENGLISH, context)
    assert effects.remember[0].settings == {"coin": "LTC"}
    assert "Coin: LTC" in labels(message_of(effects))


@pytest.mark.parametrize("locale", SHIPPED)
def test_choosing_a_language_speaks_it_at_once(context: DecideContext, locale: str) -> None:
    effects = decide(tg.pressed(encode(ChooseSetting("language", locale))), ENGLISH, context)
    assert effects.remember[0].settings == {"language": locale}
    again = decide(tg.pressed(encode(OpenSetting(None))), Remembered(language=locale), context)
    assert message_of(effects).plain == message_of(again).plain


def test_only_the_owner_may_change_them(context: DecideContext) -> None:
    effects = decide(tg.pressed(encode(ChooseSetting("coin", "BTC", tg.BO["id"]))), ENGLISH, context)
    assert not effects.remember
    (call,) = effects.actions
    assert isinstance(call, Call)
    assert call.params["text"]


@pytest.mark.parametrize(
    ("name", "value"), [("colour", "red"), ("coin", "DOGE"), ("method", "magic"), ("language", "tlh")]
)
def test_a_value_that_there_is_not_is_never_kept(context: DecideContext, name: str, value: str) -> None:
    assert not decide(tg.pressed(encode(ChooseSetting(name, value))), ENGLISH, context).remember


def test_the_chosen_method_is_planned_where_none_is_named(context: DecideContext) -> None:
    chosen = replace(ENGLISH, preferences=Preferences(method="lora"))
    assert "168 GB" in message_of(decide(tg.said("70B?"), chosen, context)).plain
    assert "QLoRA" not in message_of(decide(tg.said("70B?"), chosen, context)).plain
    assert "QLoRA" in message_of(decide(tg.said("70B qlora?"), chosen, context)).plain


def test_experts_see_the_arithmetic_at_once(context: DecideContext) -> None:
    expert = replace(ENGLISH, preferences=Preferences(expert=True))
    assert "<blockquote expandable>" in message_of(decide(tg.said("70B LoRA?"), ENGLISH, context)).html
    assert "<blockquote>" in message_of(decide(tg.said("70B LoRA?"), expert, context)).html


def test_the_chosen_currency_stands_beside_dollars(context: DecideContext) -> None:
    rate = Rate("BRL", Decimal(5), ("Kraken", "Coinbase"), context.now - timedelta(seconds=5))
    market = replace(context, rates=Rates({"BRL": rate}, expected=True))
    chosen = replace(ENGLISH, preferences=Preferences(currency="BRL"))
    plain = message_of(decide(tg.said("2x H100 24h"), chosen, market)).plain
    assert "111.36" in plain
    assert "556.80\u00a0BRL" in plain
