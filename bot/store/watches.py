"""Watched prices in the store, and which one of several replicas looks after them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, cast

from sqlalchemy import ColumnElement, and_, delete, func, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.rates.watch import MOST, Watch
from bot.reader.watch import Sign
from bot.store.leases import Holder
from bot.store.records import KeptWatch, NewWatch, Place
from bot.store.tables import NONE, leases, places, watches

#: The lease of whoever looks after the watches.
LEASE: Final = "watches"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A watch as it is looked after: ``armed`` or waiting for the price to go back; it told ``fired`` times."""

    id: int
    place: Place
    watch: Watch
    locale: str
    armed: bool
    fired: int


# -- what the handling of updates reads and writes --------------------------------------------------------------------


async def kept_watches(
    connection: AsyncConnection, bot_id: int, threads: Collection[tuple[int, int]]
) -> dict[tuple[int, int], tuple[KeptWatch, ...]]:
    """The watches of some chats and topics, in the order of their numbers."""
    rows = await connection.execute(
        select(watches)
        .where(watches.c.bot_id == bot_id, tuple_(watches.c.chat_id, watches.c.thread_id).in_(threads))
        .order_by(watches.c.number)
    )
    found: dict[tuple[int, int], tuple[KeptWatch, ...]] = {}
    for row in rows:
        kept = KeptWatch(id=row.id, number=row.number, watch=_watch(row), armed=row.armed, message_id=row.message_id)
        key = (row.chat_id, row.thread_id)
        found[key] = (*found.get(key, ()), kept)
    return found


async def add_watch(
    connection: AsyncConnection, bot_id: int, place: Place, new: NewWatch, message_id: int | None, now: datetime
) -> None:
    """Keep a watch under the lowest free number of its chat and topic; nothing where they are all taken."""
    here = _here(bot_id, place.chat_id, place.thread_id)
    taken = set((await connection.execute(select(watches.c.number).where(here))).scalars())
    number = next((number for number in range(1, MOST + 1) if number not in taken), None)
    if number is None:
        return
    await connection.execute(
        insert(watches).values(
            bot_id=bot_id,
            chat_id=place.chat_id,
            thread_id=place.thread_id or NONE,
            user_id=place.user_id or NONE,
            number=number,
            message_id=message_id,
            subject=new.watch.subject,
            sign=new.watch.sign,
            amount=f"{new.watch.limit:f}",
            locale=new.locale,
            armed=new.armed,
            fired=0,
            changed_at=now,
        )
    )


async def remove_watch(connection: AsyncConnection, bot_id: int, place: Place, watch_id: int) -> None:
    """Remove a watch of a chat and topic."""
    here = _here(bot_id, place.chat_id, place.thread_id)
    await connection.execute(delete(watches).where(here, watches.c.id == watch_id))


async def replace_watch(connection: AsyncConnection, bot_id: int, place: Place, message_id: int) -> None:
    """Remove the watch that a message set, which was edited since."""
    here = _here(bot_id, place.chat_id, place.thread_id)
    await connection.execute(delete(watches).where(here, watches.c.message_id == message_id))


async def forget_watches(connection: AsyncConnection, bot_id: int, chat_id: int, user_id: int) -> None:
    """Remove a user's watches in every topic of a chat."""
    own = and_(watches.c.bot_id == bot_id, watches.c.chat_id == chat_id, watches.c.user_id == user_id)
    await connection.execute(delete(watches).where(own))


async def drop_watches(connection: AsyncConnection, bot_id: int, chats: Collection[int]) -> None:
    """Remove the watches of chats that can no longer be written to."""
    await connection.execute(delete(watches).where(watches.c.bot_id == bot_id, watches.c.chat_id.in_(chats)))


async def move_watches(connection: AsyncConnection, bot_id: int, old: int, new: int) -> None:
    """Take watches along to another chat, behind those that it has."""
    there = watches.alias()
    most = select(func.coalesce(func.max(there.c.number), 0)).where(there.c.bot_id == bot_id, there.c.chat_id == new)
    behind = (await connection.execute(most)).scalar() or 0
    await connection.execute(
        update(watches)
        .where(watches.c.bot_id == bot_id, watches.c.chat_id == old)
        .values(chat_id=new, number=watches.c.number + behind)
    )


# -- looking after them -----------------------------------------------------------------------------------------------


async def lead(connection: AsyncConnection, holder: Holder, now: datetime, until: datetime) -> bool:
    """Whether this replica looks after the watches, until then: it does already, or nobody does any more."""
    make: Any = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    own = make(leases).values(bot_id=holder.bot_id, name=LEASE, owner=holder.owner, leased_until=until)
    taken = own.on_conflict_do_update(
        index_elements=[leases.c.bot_id, leases.c.name],
        set_={"owner": own.excluded.owner, "leased_until": own.excluded.leased_until},
        where=(leases.c.owner == holder.owner) | (leases.c.leased_until < now),
    ).returning(leases.c.owner)
    return (await connection.execute(taken)).scalar() is not None


async def keep_leading(connection: AsyncConnection, holder: Holder, until: datetime) -> None:
    """Hold on to what this replica leads."""
    own = and_(leases.c.bot_id == holder.bot_id, leases.c.owner == holder.owner)
    await connection.execute(update(leases).where(own).values(leased_until=until))


async def any_watches(connection: AsyncConnection, bot_id: int) -> bool:
    """Whether there is anything to look after."""
    return (
        await connection.execute(select(watches.c.id).where(watches.c.bot_id == bot_id).limit(1))
    ).first() is not None


async def standing_watches(connection: AsyncConnection, bot_id: int) -> list[Standing]:
    """Every watch, oldest first, in the language that its user has chosen since, if any."""
    same = and_(
        places.c.chat_id == watches.c.chat_id,
        places.c.thread_id == watches.c.thread_id,
        places.c.user_id == watches.c.user_id,
    )
    rows = await connection.execute(
        select(watches, places.c.settings)
        .join(places, same, isouter=True)
        .where(watches.c.bot_id == bot_id)
        .order_by(watches.c.id)
    )
    return [
        Standing(
            id=row.id,
            place=Place(row.chat_id, row.thread_id or None, row.user_id or None),
            watch=_watch(row),
            locale=(json.loads(row.settings).get("language") if row.settings else None) or row.locale,
            armed=row.armed,
            fired=row.fired,
        )
        for row in rows
    ]


async def disarm(connection: AsyncConnection, passed: Sequence[Standing], now: datetime) -> list[Standing]:
    """Make watches wait that are to tell; those of them that nobody else did, and nobody removed."""
    won: list[Standing] = []
    for one in passed:
        claimed = await connection.execute(
            update(watches)
            .where(watches.c.id == one.id, watches.c.armed.is_(True), watches.c.fired == one.fired)
            .values(armed=False, fired=one.fired + 1, changed_at=now)
            .returning(watches.c.id)
        )
        if claimed.scalar() is not None:
            won.append(one)
    return won


async def arm(connection: AsyncConnection, ids: Collection[int], now: datetime) -> None:
    """Make watches ready again."""
    await connection.execute(update(watches).where(watches.c.id.in_(ids)).values(armed=True, changed_at=now))


def _here(bot_id: int, chat_id: int, thread_id: int | None) -> ColumnElement[bool]:
    return and_(watches.c.bot_id == bot_id, watches.c.chat_id == chat_id, watches.c.thread_id == (thread_id or NONE))


def _watch(row: Any) -> Watch:
    return Watch(row.subject, cast(Sign, row.sign), Decimal(row.amount))
