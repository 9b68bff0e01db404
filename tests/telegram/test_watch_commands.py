"""Watches in the chat: what commands, words and buttons set, list and remove."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

import telegram_updates as tg
from bot.rates.values import COIN_DIGITS, Rate, Rates
from bot.rates.watch import MOST, Watch
from bot.render.i18n import SHIPPED
from bot.store.records import KeptWatch, NewWatch
from bot.telegram.actions import Call, Edit, Effects, Remembered, Send
from bot.telegram.callbacks import Unwatch, decode, encode
from bot.telegram.handlers import DecideContext, decide, needs_watches
from bot.telegram.handlers.replies import ALIASES, COMMANDS

ENGLISH = Remembered(language="en")
H100 = Watch("h100", "<", Decimal(2))


def here(*watches: Watch) -> Remembered:
    kept = tuple(KeptWatch(id=100 + n, number=n, watch=watch, armed=True) for n, watch in enumerate(watches, 1))
    return replace(ENGLISH, watches=kept)


@pytest.fixture
def market(context: DecideContext) -> DecideContext:
    """A chat where every coin has a fresh rate."""
    values = {"BTC": "84000", "ETH": "3000", "SOL": "140", "LTC": "85", "USDT": "1.0002", "USDC": "0.9999"}
    at = context.now - timedelta(seconds=5)
    found = {code: Rate(code, Decimal(values[code]), ("Kraken", "Coinbase"), at) for code in COIN_DIGITS}
    return replace(context, rates=Rates(found, expected=True))


def shown(effects: Effects) -> Send | Edit:
    (action,) = [action for action in effects.actions if isinstance(action, Send | Edit)]
    return action


def new_of(effects: Effects) -> NewWatch:
    (change,) = effects.remember
    assert change.watch is not None
    return change.watch


def buttons(action: Send | Edit) -> list[dict[str, Any]]:
    return [cell for row in (action.keyboard or {"inline_keyboard": []})["inline_keyboard"] for cell in row]


def test_a_watch_is_set_and_says_when_it_tells(market: DecideContext) -> None:
    effects = decide(tg.said("/watch h100 < 2.00"), ENGLISH, market)
    assert new_of(effects) == NewWatch(watch=H100, locale="en", armed=True)
    text = shown(effects).plain
    for part in ("H100 < $2.00/h", "Now: $2.32/h", "once when it passes", "$2.02/h or more", "1 %"):
        assert part in text


@pytest.mark.parametrize(
    ("text", "watch"),
    [
        ("/watch btc < 60.000", Watch("BTC", "<", Decimal(60000))),
        ("/watch btc < 60 mil", Watch("BTC", "<", Decimal(60000))),
        ("/watch ltc > 90.000", Watch("LTC", ">", Decimal(90))),
        ("/watch h100 2", H100),
        ("/watch h100 3", Watch("h100", ">", Decimal(3))),
        ("/watch btc hits 90k", Watch("BTC", ">=", Decimal(90000))),
        ("/vigiar h100 abaixo de 2", H100),
        ("/alerta h100 por debajo de 2,00", H100),
        ("/watch@shop_bot h100 < 2", H100),
        ("let me know when h100 drops below $2", H100),
        ("avise quando a h100 ficar abaixo de 2 dólares", H100),
    ],
)
def test_the_same_in_other_words(market: DecideContext, text: str, watch: Watch) -> None:
    assert new_of(decide(tg.said(text), ENGLISH, market)).watch == watch


def test_what_is_past_its_limit_already_is_said_and_not_told_again_at_once(market: DecideContext) -> None:
    effects = decide(tg.said("/watch h100 < 3"), ENGLISH, market)
    assert not new_of(effects).armed
    assert "past the limit already" in shown(effects).plain


def test_a_coin_without_a_fresh_rate_is_waited_for(context: DecideContext) -> None:
    effects = decide(tg.said("/watch btc < 60000"), ENGLISH, context)
    assert new_of(effects).armed
    assert "no fresh rate" in shown(effects).plain
    by_hand = {"BTC": Rate("BTC", Decimal(59000), ("manual",), context.now, manual=True)}
    effects = decide(tg.said("/watch btc < 60000"), ENGLISH, replace(context, rates=Rates(manual=by_hand)))
    assert "59" not in shown(effects).plain


@pytest.mark.parametrize("locale", SHIPPED)
@pytest.mark.parametrize(
    "text",
    ["/watch", "/watch h100", "/watch < 2", "/watch h100 < 0", "/watch h100 < -1", "/watch h100 < reais",
     "/watch h100 < R$ 10", "/watch btc h100 < 2", "/watch 2x h100 < 4", "/watch rtx 4090 < 0.4", "/watch llama < 2",
     "/watch btc < 5%", "/watch h100 2.32"],
)  # fmt: skip
def test_bad_input_is_answered_with_an_example(market: DecideContext, text: str, locale: str) -> None:
    effects = decide(tg.said(text), Remembered(language=locale), market)
    assert not effects.remember
    assert "/watch h100 < 2.00" in shown(effects).plain


def test_a_currency_that_is_not_the_dollar_is_named(market: DecideContext) -> None:
    assert "BRL" in shown(decide(tg.said("/watch h100 < 10 reais"), ENGLISH, market)).plain


def test_the_same_watch_is_kept_once(market: DecideContext) -> None:
    effects = decide(tg.said("/watch h100 < 2"), here(H100), market)
    assert not effects.remember
    assert "already" in shown(effects).plain


def test_the_eleventh_is_refused_with_the_list(market: DecideContext) -> None:
    full = here(*(Watch("h100", "<", Decimal(n) / 10) for n in range(1, MOST + 1)))
    effects = decide(tg.said("/watch h100 < 2"), full, market)
    assert not effects.remember
    assert "10 prices here at most" in shown(effects).plain
    assert len(buttons(shown(effects))) == MOST


def test_the_list_has_a_button_to_remove_each(market: DecideContext) -> None:
    both = here(H100, Watch("BTC", "<", Decimal(60000)))
    listed = shown(decide(tg.said("/watches"), both, market))
    assert [decode(cell["callback_data"]) for cell in buttons(listed)] == [Unwatch(101), Unwatch(102)]
    for part in ("1. H100 < $2.00/h", "2. BTC < $60,000.00", "Now: $84,000.00"):
        assert part in listed.plain
    effects = decide(tg.pressed(buttons(listed)[0]["callback_data"]), both, market)
    assert [change.unwatch for change in effects.remember] == [101]
    left = shown(effects)
    assert "H100" not in left.plain
    assert [decode(cell["callback_data"]) for cell in buttons(left)] == [Unwatch(102)]
    assert isinstance(effects.actions[0], Call)


def test_a_button_of_a_watch_that_is_not_here_removes_nothing(market: DecideContext) -> None:
    effects = decide(tg.pressed(encode(Unwatch(999))), here(H100), market)
    assert not effects.remember
    assert "H100" in shown(effects).plain


@pytest.mark.parametrize("text", ["/unwatch 1", "/unwatch #1", "/unwatch 1."])
def test_a_watch_is_removed_by_its_number(market: DecideContext, text: str) -> None:
    effects = decide(tg.said(text), here(H100), market)
    assert [change.unwatch for change in effects.remember] == [101]
    assert "no longer" in shown(effects).plain


@pytest.mark.parametrize("text", ["/unwatch", "/unwatch 7", "/unwatch h100", "/unwatch -1", "/unwatch 99999999999"])
def test_any_other_number_shows_the_list(market: DecideContext, text: str) -> None:
    effects = decide(tg.said(text), here(H100), market)
    assert not effects.remember
    assert "1. H100" in shown(effects).plain


def test_an_edited_command_is_judged_without_the_watch_that_it_set(market: DecideContext) -> None:
    kept = KeptWatch(id=5, number=1, watch=H100, armed=True, message_id=77)
    known = replace(ENGLISH, watches=(kept,), answered={77: (78,)})
    effects = decide(tg.edited("/watch h100 < 2", message_id=77), known, market)
    assert new_of(effects).watch == H100
    (change,) = decide(tg.edited("/watch h100 <", message_id=77), known, market).remember
    assert (change.watch, change.message_id) == (None, 77)


def test_in_a_group_a_watch_belongs_to_its_topic(market: DecideContext) -> None:
    said = tg.said("/watch h100 < 2", chat=tg.FORUM, message_thread_id=7, is_topic_message=True)
    (change,) = decide(said, ENGLISH, market).remember
    assert (change.place.chat_id, change.place.thread_id) == (tg.FORUM["id"], 7)
    assert decide(tg.said("avise se h100 < 2", chat=tg.GROUP), ENGLISH, market) == Effects()


def test_watches_are_read_for_whatever_needs_them() -> None:
    names = [name for name in (*COMMANDS, *ALIASES) if ALIASES.get(name, name) in {"watch", "watches", "unwatch"}]
    assert len(names) > 3
    for name in names:
        assert needs_watches(tg.said(f"@shop_bot /{name.upper()}@shop_bot 1", chat=tg.GROUP))
        assert needs_watches(tg.said(photo=tg.PHOTO, caption=f"/{name}"))
    assert needs_watches(tg.edited("/watch h100 < 2"))
    assert needs_watches(tg.said("avise quando h100 < 2"))
    assert needs_watches(tg.pressed(encode(Unwatch(1))))
    for update in (tg.said("70B com LoRA?"), tg.pressed("1a:70B"), tg.searched("h100"), tg.said("/prices")):
        assert not needs_watches(update)
