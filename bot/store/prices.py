"""Price lists in the store.  A new database starts with the seeds' list; from then on only imports count."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Final

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.shop.history import Import, prices_from_json, prices_to_json
from bot.store.engine import StoreError
from bot.store.tables import price_lists
from bot.store.withdrawals import withdraw, withdrawn
from planner.offer import PriceList

SEEDS: Final = "seeds"


async def price_history(connection: AsyncConnection) -> list[Import]:
    """Every price list, in the order of their import.  Raises StoreError for a damaged one."""
    found = []
    gone = await withdrawn(connection, "prices")
    for row in await connection.execute(select(price_lists).order_by(price_lists.c.id)):
        try:
            prices = prices_from_json(json.loads(row.document))
        except (ValueError, KeyError, TypeError, ArithmeticError):
            raise StoreError(f"price list {row.id} in the database is damaged: restore a backup") from None
        found.append(Import(row.imported_at, row.imported_by, prices, gone.get(row.id)))
    return found


async def add_prices(connection: AsyncConnection, entry: Import) -> None:
    """Add an imported price list."""
    document = json.dumps(prices_to_json(entry.prices))
    await connection.execute(
        insert(price_lists).values(
            as_of=entry.prices.as_of.isoformat(), imported_at=entry.at, imported_by=entry.who, document=document
        )
    )


async def seed_prices(connection: AsyncConnection, seeds: PriceList, now: datetime) -> None:
    """Give a database without any price list the seeds' one."""
    if not (await connection.execute(select(func.count()).select_from(price_lists))).scalar():
        await add_prices(connection, Import(now, SEEDS, seeds))


async def withdraw_prices(connection: AsyncConnection, who: str, now: datetime) -> str | None:
    """Withdraw the list imported last, which is kept; its date, or None where only the first one is left."""
    gone = await withdrawn(connection, "prices")
    rows = await connection.execute(select(price_lists.c.id, price_lists.c.as_of).order_by(price_lists.c.id))
    left = [row for row in rows if row.id not in gone]
    if len(left) < 2:
        return None
    await withdraw(connection, "prices", left[-1].id, who, now)
    return str(left[-1].as_of)


async def newest_prices(connection: AsyncConnection) -> int:
    """The id of the last import."""
    return (await connection.execute(select(func.max(price_lists.c.id)))).scalar() or 0
