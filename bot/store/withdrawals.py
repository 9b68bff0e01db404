"""Which imported lists were withdrawn, and by whom: a list itself is never changed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import func, insert, inspect, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.tables import withdrawals

ListKind = Literal["prices", "faq"]


async def withdrawn(connection: AsyncConnection, kind: ListKind) -> dict[int, str]:
    """By the id of a list, who withdrew it; none in a database that an earlier release made."""
    if not await connection.run_sync(lambda sync: inspect(sync).has_table(withdrawals.name)):
        return {}
    found = select(withdrawals.c.list_id, withdrawals.c.withdrawn_by).where(withdrawals.c.kind == kind)
    return {row.list_id: row.withdrawn_by for row in await connection.execute(found)}


async def withdraw(connection: AsyncConnection, kind: ListKind, list_id: int, who: str, now: datetime) -> None:
    """Withdraw a list."""
    values = {"kind": kind, "list_id": list_id, "withdrawn_at": now, "withdrawn_by": who}
    await connection.execute(insert(withdrawals).values(values))


async def count_withdrawn(connection: AsyncConnection) -> int:
    """How many lists of any kind were withdrawn."""
    return (await connection.execute(select(func.count()).select_from(withdrawals))).scalar() or 0
