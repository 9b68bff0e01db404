"""The store: opened once, shared by all, closed at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from sqlalchemy import URL, delete
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.hub.values import HubModel
from bot.rates.values import Rate
from bot.shop.faq import FaqImport
from bot.shop.history import Import
from bot.store import faq, inbox, leases, prices, reading, votes, watches, writing
from bot.store import hub as hub_rows
from bot.store import rates as rate_rows
from bot.store.engine import StoreError, is_sqlite, make_engines, make_folder, unusable
from bot.store.group import Group
from bot.store.inbox import Before
from bot.store.leases import Ahead
from bot.store.migrate import migrate
from bot.store.names import sole_name
from bot.store.records import Committed, Found, Handled, Letter, Lookup, Mark, Park, Recorded, Waiting
from bot.store.tables import outbox, places, questions, updates
from bot.store.watches import Standing
from bot.store.withdrawals import count_withdrawn
from planner.offer import PriceList

log = logging.getLogger(__name__)

#: Telegram repeats an update for a day at most.
_KEEP_UPDATES: Final = timedelta(days=3)

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Now."""
    return datetime.now(UTC)


class Store:
    """Everything that is kept for one bot.  ``owner`` names this replica."""

    def __init__(
        self,
        url: URL,
        engines: tuple[AsyncEngine, AsyncEngine],
        *,
        bot_id: int,
        owner: str,
        memory: timedelta,
        lease: timedelta,
        clock: Clock,
    ) -> None:
        self._writing, self._reading = engines
        self._alone = is_sqlite(url)
        self._bot_id = bot_id
        self._memory = memory
        self._lease = lease
        self._clock = clock
        self._writer = writing.Writer(self._writing.dialect.name, bot_id, owner)
        self._reads: Group[Lookup, Found] = Group(self._read_group, "store reads")
        self._writes: Group[writing.Item, Committed | None] = Group(self._write_group, "store writes")

    async def look_up(self, item: Lookup) -> Found:
        """What is known for an update."""
        return await self._reads.do(item)

    async def commit(self, item: Handled) -> Committed:
        """Keep an update's handling: its id, what to remember, what to send.  Returns after the commit."""
        return cast(Committed, await self._writes.do(item))

    async def mark(self, item: Mark) -> None:
        """Keep how a recorded message fared.  Returns after the commit."""
        await self._writes.do(item)

    async def park(self, waiting: Sequence[Waiting]) -> None:
        """Keep updates until they are handled.  Returns after the commit."""
        await self._writes.do(Park(tuple(waiting)))

    async def take_up(
        self, *, started: bool = False, lanes: Collection[int] = (), ahead: Before | None = None
    ) -> list[dict[str, Any]]:
        """Parked updates that nobody handles, in the order in which they came, but for those of ``lanes``; with
        ``ahead``, only those.  When the bot has ``started``, also what it left before."""
        if self._alone and not started:
            return []
        now = self._clock()
        async with self._writing.begin() as connection:
            return await self._writer.inbox.take_up(
                connection, now, now + self._lease, started=started, alone=self._alone, lanes=lanes, ahead=ahead
            )

    async def others_handle(self, ahead: Before) -> bool:
        """Whether another replica parked one of these updates and has yet to handle it."""
        async with self._reading.begin() as connection:
            return await self._writer.inbox.others_wait(connection, ahead)

    async def release(self) -> None:
        """Let go, at the end, of what this replica leaves: another one need not wait until it has gone silent."""
        if self._alone:
            return
        now = self._clock()
        async with self._writing.begin() as connection:
            await leases.renew(connection, self._writer, now)
            await self._writer.inbox.renew(connection, now)

    async def take_over(
        self, known: Collection[int], *, chats: Collection[int] = (), ahead: Ahead | None = None
    ) -> list[Recorded]:
        """Recorded messages that nobody is sending, but for those ``known`` and those of ``chats``; with ``ahead``,
        only those.  Each may have been sent already."""
        now = self._clock()
        async with self._writing.begin() as connection:
            return await leases.waiting(
                connection,
                self._writer,
                now,
                now + self._lease,
                alone=self._alone,
                known=known,
                chats=chats,
                ahead=ahead,
            )

    async def others_send(self, ahead: Ahead) -> bool:
        """Whether another replica has yet to send one of these messages."""
        async with self._reading.begin() as connection:
            return await leases.still_waiting(connection, self._writer, ahead)

    async def renew(self) -> None:
        """Keep this replica's hold on what it is sending."""
        until = self._clock() + self._lease
        async with self._writing.begin() as connection:
            await leases.renew(connection, self._writer, until)
            if not self._alone:
                await self._writer.inbox.renew(connection, until)
                await watches.keep_leading(connection, self._writer, until)

    async def answers_sent(self, chat_id: int, answers: int, before: int) -> list[int]:
        """The bot's messages that answer a user's message, oldest first."""
        async with self._reading.begin() as connection:
            return await reading.answers_sent(connection, self._bot_id, chat_id, answers, before)

    async def is_recorded(self, key: str) -> bool:
        """Whether a letter with this key was ever recorded."""
        async with self._reading.begin() as connection:
            return await reading.is_recorded(connection, self._bot_id, key)

    async def sweep(self) -> None:
        """Delete what has been kept for long enough."""
        now = self._clock()
        old = now - self._memory
        async with self._writing.begin() as connection:
            await inbox.sweep(connection, now - _KEEP_UPDATES)
            await connection.execute(delete(updates).where(updates.c.handled_at < now - _KEEP_UPDATES))
            await connection.execute(delete(questions).where(questions.c.asked_at < old))
            await connection.execute(delete(outbox).where(outbox.c.recorded_at < old, outbox.c.state != "waiting"))
            await connection.execute(delete(places).where(places.c.settings == "{}"))
            await hub_rows.forget_expired(connection, now)
            await votes.drop_old_votes(connection, now)

    async def newest_lists(self) -> tuple[int, ...]:
        """What changes with every import and withdrawal of prices and of the shop's texts."""
        async with self._reading.begin() as connection:
            newest = (await prices.newest_prices(connection), await faq.newest_faq(connection))
            return (*newest, await count_withdrawn(connection))

    async def faq_history(self) -> list[FaqImport]:
        """Every list of the shop's texts, in the order of their import."""
        async with self._reading.begin() as connection:
            return await faq.faq_history(connection)

    async def price_history(self) -> list[Import]:
        """Every price list, in the order of their import."""
        async with self._reading.begin() as connection:
            return await prices.price_history(connection)

    async def usable_rates(self) -> list[Rate]:
        """Exchange rates that may still be used, oldest first."""
        async with self._reading.begin() as connection:
            return await rate_rows.usable_rates(connection, self._clock())

    async def record_rates(self, found: Sequence[Rate]) -> None:
        """Keep what sources agreed on."""
        async with self._writing.begin() as connection:
            await rate_rows.record_rates(connection, found, rate_rows.SOURCES, self._clock())

    async def hub_model(self, hub_id: str) -> HubModel | None:
        """What is kept of a model hub's repository and has not expired."""
        async with self._reading.begin() as connection:
            return await hub_rows.hub_model(connection, hub_id, self._clock())

    async def keep_hub_model(self, found: HubModel, until: datetime) -> None:
        """Keep what a model hub said of a repository until a moment."""
        async with self._writing.begin() as connection:
            await hub_rows.keep_hub_model(connection, found, until)

    async def standing_watches(self) -> list[Standing] | None:
        """Every watch; None where another replica looks after them."""
        async with self._reading.begin() as connection:
            if not await watches.any_watches(connection, self._bot_id):
                return []
        if not self._alone:
            async with self._writing.begin() as connection:
                if not await self._lead(connection):
                    return None
        async with self._reading.begin() as connection:
            return await watches.standing_watches(connection, self._bot_id)

    async def settle_watches(
        self, passed: Sequence[tuple[Standing, Letter]], back: Collection[int]
    ) -> tuple[Recorded, ...]:
        """Record what tells of watches whose price passed the limit, each once whoever else tries, and make those
        ready again whose price is ``back``.  Nothing where another replica looks after them meanwhile."""
        now = self._clock()
        async with self._writing.begin() as connection:
            if not self._alone and not await self._lead(connection):
                return ()
            if back:
                await watches.arm(connection, back, now)
            won = {one.id for one in await watches.disarm(connection, [one for one, _letter in passed], now)}
            letters = [letter for one, letter in passed if one.id in won]
            recorded = await self._writer.record_letters(connection, letters, now, now + self._lease)
        return tuple(recorded.values())

    async def close(self) -> None:
        """Finish what is queued."""
        await self._writes.close()
        await self._reads.close()

    async def _lead(self, connection: AsyncConnection) -> bool:
        now = self._clock()
        return await watches.lead(connection, self._writer, now, now + self._lease)

    async def _read_group(self, items: Sequence[Lookup]) -> list[Found]:
        async with self._reading.begin() as connection:
            found = await reading.look_up(connection, self._bot_id, items, self._clock() - self._memory)
            if self._alone:
                return found
            held = await self._writer.inbox.held(connection)
        return [
            replace(one, held=item.lane is not None and held.get(item.lane, item.update_id) < item.update_id)
            for item, one in zip(items, found, strict=True)
        ]

    async def _write_group(self, items: Sequence[writing.Item]) -> list[Committed | None]:
        now = self._clock()
        async with self._writing.begin() as connection:
            return await self._writer.write(connection, items, now, now + self._lease)


@asynccontextmanager
async def open_store(
    url: URL,
    seeds: PriceList,
    *,
    bot_id: int,
    owner: str,
    memory: timedelta,
    lease: timedelta = timedelta(seconds=30),
    clock: Clock = utc_now,
) -> AsyncIterator[Store]:
    """Open (and create or upgrade) the database, and close it whatever happens.

    Raises StoreError when it can't be reached or is newer than this version.
    """
    async with open_engines(url) as engines:
        await prepare(engines[0], url, seeds, clock())
        async with sole_name(url, bot_id, owner) as name:
            store = Store(url, engines, bot_id=bot_id, owner=name, memory=memory, lease=lease, clock=clock)
            try:
                yield store
            finally:
                await store.close()


async def prepare(engine: AsyncEngine, url: URL, seeds: PriceList, now: datetime) -> None:
    """Create or upgrade the tables, and seed what a new database starts from."""
    make_folder(url)
    try:
        await migrate(engine)
        async with engine.begin() as connection:
            await prices.seed_prices(connection, seeds, now)
    except (SQLAlchemyError, OSError) as error:
        log.debug("the database did not open", extra={"fault": type(error).__name__})
        raise StoreError(unusable(url, error)) from None


@asynccontextmanager
async def open_engines(url: URL) -> AsyncIterator[tuple[AsyncEngine, AsyncEngine]]:
    """A database's engines, closed whatever happens: an open SQLite connection would keep the process alive."""
    engines = make_engines(url)
    try:
        yield engines
    finally:
        for engine in engines:
            # Also when this task is being cancelled.
            await asyncio.shield(engine.dispose())
