"""Alerts: what they say, that they come once, and only for prices that count."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import count

import pytest

from bot.rates.values import FRESH, Rate, Rates
from bot.rates.watch import Watch
from bot.store.records import Handled, NewWatch, Place, Remember
from bot.store.store import Store
from bot.telegram import alerts as module
from bot.telegram.alerts import Alerts
from bot.telegram.callbacks import Unwatch, decode
from bot.telegram.handlers import DecideContext
from bot.telegram.sender import Sender
from peer import BotApi, error

ids = count(1)
H100 = Watch("h100", "<", Decimal("2.00"))
BTC = Watch("BTC", "<", Decimal(60000))


class Market:
    """The shop and the rates as the bot sees them, to be changed by a test."""

    def __init__(self, context: DecideContext) -> None:
        self.context = context

    def gpu(self, usd: str, *, available: bool = True) -> None:
        prices = self.context.shop.prices
        rows = tuple(
            replace(row, usd_per_hour=Decimal(usd), available=available) if row.gpu == "h100" else row
            for row in prices.rows
        )
        self.context = replace(self.context, shop=replace(self.context.shop, prices=replace(prices, rows=rows)))

    def coin(self, usd: str, age: timedelta = timedelta(0), *, manual: bool = False) -> None:
        rate = Rate("BTC", Decimal(usd), ("Kraken", "Coinbase"), self.context.now - age, manual=manual)
        rates = Rates(manual={"BTC": rate}) if manual else Rates({"BTC": rate}, expected=True)
        self.context = replace(self.context, rates=rates)


@pytest.fixture
def market(context: DecideContext) -> Market:
    return Market(context)


@pytest.fixture
async def alerts(store: Store, sender: Sender, market: Market, monkeypatch: pytest.MonkeyPatch) -> Alerts:
    monkeypatch.setattr(module, "_PAUSE", 0.01)
    return Alerts(store, sender, lambda: market.context)


async def put(store: Store, watch: Watch, chat: int = 7, thread: int | None = None) -> None:
    new = NewWatch(watch=watch, locale="en", armed=True)
    place = Place(chat, thread, chat if chat > 0 else 42)
    await store.commit(Handled(update_id=next(ids), remember=(Remember(place=place, watch=new),)))


async def told(api: BotApi, sender: Sender, chat: int = 7) -> list[str]:
    """What a chat was told, once everything is out."""
    await sender.drain(5)
    return [message["text"] for message in api.chat(chat)]


async def test_an_alert_says_price_limit_and_date_and_offers_to_stop(
    api: BotApi, store: Store, sender: Sender, alerts: Alerts, market: Market
) -> None:
    await put(store, H100)
    await alerts.check()
    market.gpu("1.95")
    await alerts.check()
    (text,) = await told(api, sender)
    for part in ("H100: $1.95/h", "H100 < $2.00/h", "29 Oct 2026", "$2.02/h or more"):
        assert part in text
    (row,) = api.chat(7)[0]["reply_markup"]["inline_keyboard"]
    assert isinstance(decode(row[0]["callback_data"]), Unwatch)


async def test_a_price_that_trembles_around_the_limit_tells_once(
    api: BotApi, store: Store, sender: Sender, alerts: Alerts, market: Market
) -> None:
    await put(store, H100)
    heard = []
    for usd in ("2.10", "1.99", "2.01", "1.98", "2.00", "1.99", "2.02", "2.00", "1.99", "1.90"):
        market.gpu(usd)
        await alerts.check()
        heard.append(len(await told(api, sender)))
    assert heard == [0, 1, 1, 1, 1, 1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("age", "manual", "tells"),
    [
        (timedelta(0), False, True),
        (FRESH, False, True),
        (FRESH + timedelta(seconds=1), False, False),
        (timedelta(minutes=16), False, False),
        (timedelta(hours=-1), False, False),
        (timedelta(0), True, False),
    ],
)
async def test_only_a_fresh_rate_tells(
    api: BotApi,
    store: Store,
    sender: Sender,
    alerts: Alerts,
    market: Market,
    *,
    age: timedelta,
    manual: bool,
    tells: bool,
) -> None:
    await put(store, BTC)
    market.coin("59000", age, manual=manual)
    await alerts.check()
    texts = await told(api, sender)
    assert len(texts) == tells
    assert all("BTC: $59,000.00" in text and "Kraken, Coinbase" in text and "UTC" in text for text in texts)


async def test_an_old_rate_makes_nothing_ready_again(
    api: BotApi, store: Store, sender: Sender, alerts: Alerts, market: Market
) -> None:
    await put(store, BTC)
    for usd, age in (("59000", 0), ("70000", 6), ("59000", 0)):
        market.coin(usd, timedelta(minutes=age))
        await alerts.check()
    assert len(await told(api, sender)) == 1


async def test_a_gpu_that_is_not_for_rent_tells_nothing(
    api: BotApi, store: Store, sender: Sender, alerts: Alerts, market: Market
) -> None:
    await put(store, H100)
    market.gpu("1.50", available=False)
    await alerts.check()
    assert await told(api, sender) == []
    market.gpu("1.50")
    await alerts.check()
    assert len(await told(api, sender)) == 1


async def test_a_topic_is_told_in_the_topic(
    api: BotApi, store: Store, sender: Sender, alerts: Alerts, market: Market
) -> None:
    await put(store, H100, chat=-1001, thread=7)
    market.gpu("1.95")
    await alerts.check()
    await sender.drain(5)
    assert [call.params["message_thread_id"] for call in api.called("sendMessage")] == [7]


async def test_many_alerts_are_recorded_a_few_at_a_time_and_each_comes(
    api: BotApi, store: Store, sender: Sender, alerts: Alerts, market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 4)
    for chat in range(1, 11):
        await put(store, H100, chat)
    market.gpu("1.95")
    await alerts.check()
    await sender.drain(5)
    assert [len(api.chat(chat)) for chat in range(1, 11)] == [1] * 10


async def test_who_blocked_the_bot_is_told_nothing_more(
    api: BotApi, store: Store, sender: Sender, alerts: Alerts, market: Market
) -> None:
    api.script("sendMessage", error(403, "Forbidden: bot was blocked by the user"), chat=7)
    for watch in (H100, BTC):
        await put(store, watch)
    market.gpu("1.95")
    await alerts.check()
    await sender.drain(5)
    assert await store.standing_watches() == []
    market.coin("59000")
    await alerts.check()
    assert await told(api, sender) == []
