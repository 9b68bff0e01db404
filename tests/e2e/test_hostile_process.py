"""Faults found by trying to break the real process: what hangs, and what is lost when others misbehave."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from peer import BotApi, error
from process import Bot, free_port, running

DRAIN = 1
#: Seconds in which a process has to end after SIGTERM, whatever it waits for: twice the drain, and some.
PROMPT = 2 * DRAIN + 10


@asynccontextmanager
async def session(url: URL, database: str | None = None) -> AsyncIterator[AsyncConnection]:
    """A connection of an administrator's, which commits what it does at once."""
    engine = create_async_engine(url.set(database=database or url.database), isolation_level="AUTOCOMMIT")
    try:
        async with engine.connect() as connection:
            yield connection
    finally:
        await engine.dispose()


def address(url: URL) -> str:
    return url.render_as_string(hide_password=False)


async def ends(bot: Bot) -> bool:
    """Whether SIGTERM ends a process; one that it does not end is killed."""
    try:
        await asyncio.wait_for(bot.stop(), PROMPT)
    except TimeoutError:
        await bot.kill()
        return False
    return True


async def test_sigterm_ends_it_while_telegram_does_not_take_the_webhook(api: BotApi, tmp_path: Path) -> None:
    api.script("setWebhook", error(500, "Internal Server Error"), times=1000)
    port = free_port()
    listen = f"127.0.0.1:{port}"
    bot = Bot(api.url, tmp_path, webhook_url=f"http://{listen}/", webhook_listen=listen, drain_seconds=str(DRAIN))
    await bot.start()
    await api.until(lambda: api.called("setWebhook"))
    assert await ends(bot)


async def test_sigterm_ends_it_while_another_replica_holds_the_migration(
    api: BotApi, tmp_path: Path, new_database: URL
) -> None:
    async with session(new_database) as other:
        await other.execute(text("SELECT pg_advisory_lock(7146282)"))
        bot = Bot(api.url, tmp_path, database_url=address(new_database), drain_seconds=str(DRAIN))
        await bot.start()
        await asyncio.sleep(3)
        assert await ends(bot)


async def test_sigterm_ends_it_while_the_database_hangs(api: BotApi, tmp_path: Path, new_database: URL) -> None:
    bot = Bot(api.url, tmp_path, database_url=address(new_database), drain_seconds=str(DRAIN))
    await bot.start()
    api.say("7B", chat=1)
    await api.until(lambda: api.chat(1))
    async with session(new_database) as other:
        await other.execute(text("BEGIN"))
        await other.execute(text("LOCK TABLE updates IN ACCESS EXCLUSIVE MODE"))
        for n in range(20):
            api.say("7B", chat=n + 2)
        await asyncio.sleep(2)
        ended = await ends(bot)
        await other.execute(text("ROLLBACK"))
    assert ended
    assert len(api.pending) == 20


async def test_a_database_that_refuses_connections_for_a_while_loses_nothing(
    api: BotApi, tmp_path: Path, new_database: URL
) -> None:
    """As while PostgreSQL starts up, or has no connection to spare."""
    address = new_database.render_as_string(hide_password=False)
    async with (
        session(new_database, "postgres") as other,
        running(api, tmp_path, "polling", database_url=address),
    ):
        api.say("7B", chat=1)
        await api.until(lambda: api.chat(1))
        await other.execute(text(f"ALTER DATABASE {new_database.database} ALLOW_CONNECTIONS false"))
        gone = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"
        await other.execute(text(gone), {"name": new_database.database})
        for n in range(10):
            api.say("7B", chat=n + 2)
        await asyncio.sleep(2)
        assert len(api.pending) == 10
        await other.execute(text(f"ALTER DATABASE {new_database.database} ALLOW_CONNECTIONS true"))
        await api.until(lambda: all(api.chat(n + 2) for n in range(10)), 20)


@pytest.mark.parametrize(
    ("fault", "says"), [({"username": "nobody"}, "refuses the user"), ({"database": "nowhere"}, "has no database")]
)
async def test_a_database_that_does_not_let_it_in_ends_in_one_line(
    api: BotApi, tmp_path: Path, new_database: URL, fault: dict[str, str], says: str
) -> None:
    url = new_database.set(**fault)
    bot = Bot(api.url, tmp_path, database_url=address(url))
    await bot.start()
    assert await bot.exit() == 2
    assert says in bot.lines().splitlines()[-1]
    assert "Traceback" not in bot.lines()


async def test_a_log_that_nobody_reads_hinders_neither_work_nor_the_end(api: BotApi, tmp_path: Path) -> None:
    nobody, pipe = os.pipe()
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    bot = Bot(api.url, tmp_path)
    await bot.start(pipe)
    for n in range(1, 41):
        api.say("7B", chat=n)
    await api.until(lambda: all(api.chat(n) for n in range(1, 41)), 20)
    assert await bot.stop() == 0
    os.close(nobody)
    os.close(pipe)


async def test_sigterm_ends_it_while_another_program_writes_to_the_file(api: BotApi, tmp_path: Path) -> None:
    bot = Bot(api.url, tmp_path, drain_seconds=str(DRAIN))
    await bot.start()
    api.say("7B", chat=1)
    await api.until(lambda: api.chat(1))
    other = sqlite3.connect(tmp_path / "data" / "gpubot.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        for n in range(20):
            api.say("7B", chat=n + 2)
        await asyncio.sleep(1)
        assert await ends(bot)
        assert len(api.pending) == 20
    finally:
        other.close()
