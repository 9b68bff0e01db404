"""The shop's texts for frequent questions in the store: every import is kept, one can be withdrawn."""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.shop.faq import FaqImport, faq_from_json, faq_to_json
from bot.store.engine import StoreError
from bot.store.tables import faq_lists
from bot.store.withdrawals import withdraw, withdrawn


async def faq_history(connection: AsyncConnection) -> list[FaqImport]:
    """Every list, in the order of their import, withdrawn ones marked.  Raises StoreError for a damaged one."""
    found = []
    gone = await withdrawn(connection, "faq")
    for row in await connection.execute(select(faq_lists).order_by(faq_lists.c.id)):
        try:
            faq = faq_from_json(json.loads(row.document))
        except (ValueError, KeyError, TypeError):
            raise StoreError(f"FAQ list {row.id} in the database is damaged: restore a backup") from None
        found.append(FaqImport(row.imported_at, row.imported_by, faq, gone.get(row.id)))
    return found


async def add_faq(connection: AsyncConnection, entry: FaqImport) -> None:
    """Add an imported list."""
    document = json.dumps(faq_to_json(entry.faq), ensure_ascii=False)
    values = {"locale": entry.faq.locale, "imported_at": entry.at, "imported_by": entry.who, "document": document}
    await connection.execute(insert(faq_lists).values(values))


async def withdraw_faq(connection: AsyncConnection, locale: str, who: str, now: datetime) -> bool:
    """Withdraw a locale's list that counts, so that the one before counts again; whether there was one."""
    gone = await withdrawn(connection, "faq")
    rows = await connection.execute(select(faq_lists.c.id).where(faq_lists.c.locale == locale).order_by(faq_lists.c.id))
    left = [row.id for row in rows if row.id not in gone]
    if left:
        await withdraw(connection, "faq", left[-1], who, now)
    return bool(left)


async def newest_faq(connection: AsyncConnection) -> int:
    """The id of the last import."""
    return (await connection.execute(select(func.max(faq_lists.c.id)))).scalar() or 0
