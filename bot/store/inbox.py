"""Updates that are kept here while they wait: Telegram was told that they came."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, exists, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.records import Waiting
from bot.store.tables import inbox, updates

_handled = exists().where(updates.c.bot_id == inbox.c.bot_id, updates.c.update_id == inbox.c.update_id)


@dataclass(frozen=True, slots=True)
class Before:
    """The updates of a lane that came before one."""

    lane: int
    update_id: int


class Inbox:
    """One bot's waiting updates, which of them this process knows of, and which are its own (``owner``)."""

    def __init__(self, dialect: str, bot_id: int, owner: str) -> None:
        self._bot_id = bot_id
        self._owner = owner
        insert: Any = sqlite.insert if dialect == "sqlite" else postgresql.insert
        self._insert = insert(inbox).on_conflict_do_nothing()
        self._clear = delete(inbox).where(inbox.c.bot_id == bot_id, inbox.c.update_id == bindparam("one"))
        self._ids: set[int] = set()

    async def park(
        self, connection: AsyncConnection, waiting: Sequence[Waiting], now: datetime, lease: datetime
    ) -> None:
        """Keep updates, but for those that were handled meanwhile."""
        ids = [one.raw["update_id"] for one in waiting]
        over = select(updates.c.update_id).where(updates.c.bot_id == self._bot_id, updates.c.update_id.in_(ids))
        handled = set((await connection.execute(over)).scalars())
        rows = [
            {
                "bot_id": self._bot_id,
                "update_id": one.raw["update_id"],
                "payload": json.dumps(one.raw, separators=(",", ":")),
                "received_at": now,
                "lane": one.lane,
                "owner": self._owner,
                "leased_until": lease,
            }
            for one in waiting
            if one.raw["update_id"] not in handled
        ]
        if rows:
            await connection.execute(self._insert, rows)
            self._ids.update(row["update_id"] for row in rows)

    async def clear(self, connection: AsyncConnection, ids: Collection[int]) -> None:
        """Drop updates that are handled by the same transaction."""
        kept = self._ids.intersection(ids)
        if kept:
            await connection.execute(self._clear, [{"one": update_id} for update_id in kept])
            self._ids -= kept

    async def take_up(
        self,
        connection: AsyncConnection,
        now: datetime,
        lease: datetime,
        *,
        started: bool,
        alone: bool,
        lanes: Collection[int] = (),
        ahead: Before | None = None,
    ) -> list[dict[str, Any]]:
        """Take up updates of replicas that have gone silent, in the order in which they came; when this replica has
        ``started`` just now, also its own from before (``alone``: there is no other replica, all are).

        Left out are those of some ``lanes``; with ``ahead``, all but those.
        """
        free = and_(inbox.c.bot_id == self._bot_id, ~_handled)
        if not (started and alone):
            silent = and_(inbox.c.owner != self._owner, inbox.c.leased_until < now)
            free = and_(free, or_(silent, inbox.c.owner == self._owner) if started else silent)
        if ahead is not None:
            free = and_(free, _in(ahead))
        rows = await connection.execute(select(inbox.c.id, inbox.c.lane).where(free).order_by(inbox.c.id))
        ids = [row.id for row in rows if row.lane not in lanes]
        found: list[tuple[int, dict[str, Any]]] = []
        for start in range(0, len(ids), 500):
            taken = await connection.execute(
                update(inbox)
                .where(inbox.c.id.in_(ids[start : start + 500]), free)  # another may have been quicker
                .values(owner=self._owner, leased_until=lease)
                .returning(inbox.c.id, inbox.c.payload)
            )
            found += [(row.id, json.loads(row.payload)) for row in taken]
        raws = [raw for _id, raw in sorted(found, key=lambda pair: pair[0])]
        self._ids.update(raw["update_id"] for raw in raws)
        return raws

    async def others_wait(self, connection: AsyncConnection, ahead: Before) -> bool:
        """Whether another replica has yet to handle one of these updates."""
        found = await connection.execute(select(inbox.c.id).where(self._of_others(), _in(ahead)).limit(1))
        return found.first() is not None

    async def held(self, connection: AsyncConnection) -> dict[int, int]:
        """Per lane, the id of the oldest update that another replica has yet to handle."""
        rows = await connection.execute(
            select(inbox.c.lane, func.min(inbox.c.update_id))
            .where(self._of_others(), inbox.c.lane.is_not(None))
            .group_by(inbox.c.lane)
        )
        return dict(map(tuple, rows))

    async def renew(self, connection: AsyncConnection, lease: datetime) -> None:
        """Hold, until then, what this replica handles."""
        own = and_(inbox.c.bot_id == self._bot_id, inbox.c.owner == self._owner)
        await connection.execute(update(inbox).where(own).values(leased_until=lease))

    def _of_others(self) -> ColumnElement[bool]:
        return and_(inbox.c.bot_id == self._bot_id, inbox.c.owner != self._owner, ~_handled)


def _in(ahead: Before) -> ColumnElement[bool]:
    return and_(inbox.c.lane == ahead.lane, inbox.c.update_id < ahead.update_id)


async def sweep(connection: AsyncConnection, before: datetime) -> None:
    """Drop what was handled by a commit that did not drop it, and what nothing could handle for long."""
    await connection.execute(delete(inbox).where(_handled | (inbox.c.received_at < before)))
