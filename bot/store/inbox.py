"""Updates that are kept here while they wait: Telegram was told that they came."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, exists, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.tables import inbox, updates

_handled = exists().where(updates.c.bot_id == inbox.c.bot_id, updates.c.update_id == inbox.c.update_id)


class Inbox:
    """One bot's waiting updates, and which of them this process knows of."""

    def __init__(self, dialect: str, bot_id: int) -> None:
        self._bot_id = bot_id
        insert: Any = sqlite.insert if dialect == "sqlite" else postgresql.insert
        self._insert = insert(inbox).on_conflict_do_nothing()
        self._clear = delete(inbox).where(inbox.c.bot_id == bot_id, inbox.c.update_id == bindparam("one"))
        self._ids: set[int] = set()

    async def park(self, connection: AsyncConnection, raws: Sequence[dict[str, Any]], now: datetime) -> None:
        """Keep updates, but for those that were handled meanwhile."""
        ids = [raw["update_id"] for raw in raws]
        over = select(updates.c.update_id).where(updates.c.bot_id == self._bot_id, updates.c.update_id.in_(ids))
        handled = set((await connection.execute(over)).scalars())
        rows = [
            {
                "bot_id": self._bot_id,
                "update_id": raw["update_id"],
                "payload": json.dumps(raw, separators=(",", ":")),
                "received_at": now,
            }
            for raw in raws
            if raw["update_id"] not in handled
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

    async def waiting(self, connection: AsyncConnection) -> list[dict[str, Any]]:
        """The updates that are kept, in the order in which they came."""
        rows = await connection.execute(
            select(inbox.c.payload).where(inbox.c.bot_id == self._bot_id, ~_handled).order_by(inbox.c.id)
        )
        raws = [json.loads(payload) for payload in rows.scalars()]
        self._ids.update(raw["update_id"] for raw in raws)
        return raws


async def sweep(connection: AsyncConnection, before: datetime) -> None:
    """Drop what was handled by a commit that did not drop it, and what nothing could handle for long."""
    await connection.execute(delete(inbox).where(_handled | (inbox.c.received_at < before)))
