"""Who sends which recorded message: each has an owner, whose hold on it ends unless it is renewed."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.records import Recorded
from bot.store.tables import outbox


class Holder(Protocol):
    """One bot's replica."""

    bot_id: int
    owner: str


@dataclass(frozen=True, slots=True)
class Ahead:
    """The messages for a chat that go before another: all up to the one with the id ``newest``."""

    chat_id: int
    newest: int


async def others_waiting(connection: AsyncConnection, holder: Holder, chats: Collection[int]) -> dict[int, int]:
    """Per chat, the newest of the messages that other replicas have not sent yet."""
    rows = await connection.execute(
        select(outbox.c.chat_id, func.max(outbox.c.id))
        .where(_of_others(holder), outbox.c.chat_id.in_(chats))
        .group_by(outbox.c.chat_id)
    )
    return dict(map(tuple, rows))


async def still_waiting(connection: AsyncConnection, holder: Holder, ahead: Ahead) -> bool:
    """Whether another replica has yet to send one of these messages."""
    found = await connection.execute(select(outbox.c.id).where(_of_others(holder), _in(ahead)).limit(1))
    return found.first() is not None


def _of_others(holder: Holder) -> ColumnElement[bool]:
    return and_(outbox.c.bot_id == holder.bot_id, outbox.c.state == "waiting", outbox.c.owner != holder.owner)


def _in(ahead: Ahead) -> ColumnElement[bool]:
    return and_(outbox.c.chat_id == ahead.chat_id, outbox.c.id <= ahead.newest)


async def waiting(
    connection: AsyncConnection,
    holder: Holder,
    now: datetime,
    lease: datetime,
    *,
    alone: bool,
    known: Collection[int] = (),
    chats: Collection[int] = (),
    ahead: Ahead | None = None,
) -> list[Recorded]:
    """Take over recorded messages that nobody is sending: this replica's own from before, and those of replicas
    that have gone silent (``alone``: there is no other replica, all are ours).  Each may have been sent already.

    Left out are those ``known``, and those of some ``chats``; with ``ahead``, all but those.
    """
    free = and_(outbox.c.bot_id == holder.bot_id, outbox.c.state == "waiting")
    if not alone:
        free = and_(free, or_(outbox.c.owner == holder.owner, outbox.c.leased_until < now))
    if ahead is not None:
        free = and_(free, _in(ahead))
    # Known ones are left out here: there may be more of them than a statement takes parameters.
    rows = await connection.execute(select(outbox.c.id, outbox.c.chat_id).where(free).order_by(outbox.c.id))
    ids = [id_ for id_, chat_id in rows if id_ not in known and chat_id not in chats]
    found: list[Recorded] = []
    for start in range(0, len(ids), 500):
        taken = await connection.execute(
            update(outbox)
            .where(outbox.c.id.in_(ids[start : start + 500]), free)  # another may have been quicker
            .values(owner=holder.owner, leased_until=lease, uncertain=outbox.c.uncertain + 1)
            .returning(outbox.c.id, outbox.c.chat_id, outbox.c.payload, outbox.c.answers, outbox.c.uncertain)
        )
        found += [
            Recorded(
                id=row.id,
                chat_id=row.chat_id,
                payload=json.loads(row.payload),
                answers=row.answers,
                uncertain=row.uncertain,
            )
            for row in taken
        ]
    return sorted(found, key=lambda row: row.id)


async def renew(connection: AsyncConnection, holder: Holder, lease: datetime) -> None:
    """Keep this replica's hold on what it is sending."""
    await connection.execute(
        update(outbox)
        .where(outbox.c.bot_id == holder.bot_id, outbox.c.state == "waiting", outbox.c.owner == holder.owner)
        .values(leased_until=lease)
    )
