"""Watches with the real process: told once, across restarts, replicas and kills."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from exchanges import exchanges
from sqlalchemy import URL, select
from test_conversation import Chat

from bot.shop.files import load_seeds
from bot.shop.history import Import
from bot.store.engine import make_engines
from bot.store.offline import import_prices
from bot.store.tables import outbox
from peer import GROUP, BotApi, Outcome, hang, slow
from process import Bot, receiving, running

#: Seconds until a running bot has seen a new price list.
SEEN = 20


async def new_price(url: URL, usd: str) -> None:
    """Import a list, as an operator does beside the running bot, in which an H100 costs this much."""
    now = datetime.now(UTC)
    seeds = load_seeds().prices
    rows = tuple(replace(row, usd_per_hour=Decimal(usd)) if row.gpu == "h100" else row for row in seeds.rows)
    entry = Import(now, "operator", replace(seeds, rows=rows, as_of=now.date()))
    await asyncio.to_thread(import_prices, url, seeds, entry)


def alerts(api: BotApi, chat: int = 1) -> list[str]:
    return [message["text"] for message in api.chat(chat) if re.match(r"🔔 \w+: ", message["text"])]


async def test_a_watch_is_set_listed_told_once_and_removed(api: BotApi, tmp_path: Path) -> None:
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "data" / "gpubot.db"))
    ana, group = Chat(api), Chat(api, GROUP)
    async with running(api, tmp_path, "polling"):
        assert "H100 < US$" in (await ana.says("/watch h100 < 2.00"))["text"]
        assert "2,00/h" in (await group.says("/watch h100 abaixo de 2"))["text"]
        assert "/watch btc < 60000" in (await ana.says("/watch foo"))["text"]
        await new_price(url, "1.95")
        await api.until(lambda: alerts(api) and alerts(api, group.id), SEEN)
        assert "1,95/h" in alerts(api)[0]
    async with running(api, tmp_path, "polling"):  # a restart looks at everything, and tells nobody again
        listed = await ana.says("/watches")
        assert "2,02/h" in listed["text"]
        data = listed["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        api.press(1, listed["message_id"], data)
        await api.until(lambda: api.chat(1)[-1]["edited"])
        assert "H100" not in api.chat(1)[-1]["text"].splitlines()[0]
        await new_price(url, "2.50")
        await ana.says("/prices h100")
    await new_price(url, "1.90")
    async with running(api, tmp_path, "polling"):
        await api.until(lambda: not api.pending)
        assert "US$" in (await ana.says("/prices h100"))["text"]
    assert (len(alerts(api)), len(alerts(api, group.id))) == (1, 1)


async def test_a_coin_is_told_of_once_its_rate_is_fresh(api: BotApi, tmp_path: Path) -> None:
    async with running(api, tmp_path, "polling"):
        await Chat(api).says("/watch btc < 60000")
        await Chat(api, 2).says("/watch btc > 100k")
    async with exchanges() as market:
        for prices in market.prices.values():
            prices["BTC"] = "59000"
        async with running(
            api, tmp_path, "polling", rates_url=market.url, rates="kraken,coinbase,bitstamp,coingecko"
        ) as bot:
            await api.until(lambda: alerts(api), SEEN)
            assert "Kraken" in alerts(api)[0]
            await bot.stop()
            await bot.start()
            await Chat(api, 3).says("70B")
    assert (len(alerts(api)), len(alerts(api, 2))) == (1, 0)


@asynccontextmanager
async def two(api: BotApi, home: Path, url: URL) -> AsyncIterator[dict[str, Bot]]:
    """Two bots on one database, by the address that each listens on; the second one receives."""
    address = url.render_as_string(hide_password=False)
    async with AsyncExitStack() as stack:
        found = {}
        for name in ("one", "two"):
            (home / name).mkdir()
            settings = receiving("webhook") | {"database_url": address, "lease_seconds": "3"}
            bot = await stack.enter_async_context(running_as(api, home / name, settings))
            found[settings["webhook_listen"].rpartition(":")[2]] = bot
            await api.until(lambda bot=bot: "receiving by webhook" in bot.lines())  # type: ignore[misc]
        yield found


@asynccontextmanager
async def running_as(api: BotApi, home: Path, settings: dict[str, str]) -> AsyncIterator[Bot]:
    bot = Bot(api.url, home, **settings)
    await bot.start()
    try:
        yield bot
    finally:
        if bot.running:
            assert await bot.stop() == 0, bot.lines()
    assert "Traceback" not in bot.lines(), bot.lines()


async def recorded(url: URL) -> list[tuple[str, int]]:
    """The owner of each alert, and how often it was tried with an unknown outcome."""
    engines = make_engines(url)
    try:
        async with engines[1].connect() as connection:
            rows = await connection.execute(
                select(outbox.c.owner, outbox.c.uncertain).where(outbox.c.key.like("%.w%")).order_by(outbox.c.id)
            )
            return [(row.owner, row.uncertain) for row in rows]
    finally:
        for engine in set(engines):
            await engine.dispose()


async def test_two_processes_tell_once(api: BotApi, tmp_path: Path, new_database: URL) -> None:
    async with two(api, tmp_path, new_database) as bots:
        for chat in range(1, 6):
            await Chat(api, chat).says("/watch h100 < 2.00")
        await new_price(new_database, "1.95")
        await api.until(lambda: all(alerts(api, chat) for chat in range(1, 6)), SEEN)
        for bot in bots.values():
            await api.until(lambda bot=bot: bot.lines().count("prices are read") == 2, SEEN)  # type: ignore[misc]
        await Chat(api, 9).says("70B")
    assert [len(alerts(api, chat)) for chat in range(1, 6)] == [1] * 5
    assert len(await recorded(new_database)) == 5


@pytest.mark.parametrize(
    ("outcome", "arrived"), [(hang(60), 0), (slow(60), 1)], ids=["before it arrived", "after it arrived"]
)
async def test_a_process_that_is_killed_while_it_sends_leaves_the_alert_to_the_other(
    api: BotApi, tmp_path: Path, new_database: URL, outcome: Outcome, arrived: int
) -> None:
    async with two(api, tmp_path, new_database) as bots:
        await Chat(api).says("/watch h100 < 2.00")
        await Chat(api, 2).says("/watch h100 < 1.00")
        before = len(api.called("sendMessage"))
        api.script("sendMessage", outcome, chat=1)
        await new_price(new_database, "1.95")
        await api.until(lambda: len(api.called("sendMessage")) > before, SEEN)
        ((owner, _tries),) = await recorded(new_database)
        assert len(alerts(api)) == arrived
        await bots[owner.rpartition(":")[2]].kill()
        await api.until(lambda: len(alerts(api)) > arrived, SEEN)
    assert len(alerts(api)) == arrived + 1
    assert not alerts(api, 2)
    # One send of unknown outcome, and it is counted.
    assert [tries for _owner, tries in await recorded(new_database)] == [1]


async def test_a_kill_amid_many_alerts_loses_none(api: BotApi, tmp_path: Path, new_database: URL) -> None:
    chats = range(1, 31)
    async with two(api, tmp_path, new_database) as bots:
        for chat in chats:
            api.say("/watch h100 < 2.00", chat=chat)
        await api.until(lambda: all(api.chat(chat) for chat in chats), SEEN)
        for chat in chats:
            api.script("sendMessage", slow(0.3 if chat % 2 else 0.05), chat=chat)
        await new_price(new_database, "1.95")
        await api.until(lambda: sum(len(alerts(api, chat)) for chat in chats) > 5, SEEN)
        owner, _tries = (await recorded(new_database))[0]
        await bots[owner.rpartition(":")[2]].kill()
        await new_price(new_database, "1.94")  # the other one looks again, and finds those that were not recorded
        await api.until(lambda: all(alerts(api, chat) for chat in chats), SEEN)
    told = await recorded(new_database)
    assert len(told) == len(chats)
    doubles = sum(len(alerts(api, chat)) - 1 for chat in chats)
    assert doubles <= sum(tries for _owner, tries in told)
