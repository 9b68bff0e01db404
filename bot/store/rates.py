"""Exchange rates in the store: what was agreed on or set, when, and by whom."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import and_, delete, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.rates.values import MANUAL, VALID, Rate
from bot.store.tables import rates

SOURCES: Final = "sources"
#: How long what sources agreed on is kept; what was set by hand stays.
_KEEP: Final = timedelta(days=7)


async def record_rates(connection: AsyncConnection, found: Sequence[Rate], who: str, now: datetime) -> None:
    """Keep rates, all of them agreed on by sources or all of them set."""
    document = json.dumps([_to_json(rate) for rate in found])
    manual = any(rate.manual for rate in found)
    await connection.execute(insert(rates).values(recorded_at=now, recorded_by=who, manual=manual, document=document))
    await connection.execute(delete(rates).where(rates.c.manual.is_(False), rates.c.recorded_at < now - _KEEP))


async def unset_rate(connection: AsyncConnection, code: str, who: str, now: datetime) -> None:
    """Take back what was set by hand for a coin or currency; what was set stays in the history."""
    document = json.dumps([{"code": code, "unset": True}])
    await connection.execute(insert(rates).values(recorded_at=now, recorded_by=who, manual=True, document=document))


async def usable_rates(connection: AsyncConnection, now: datetime) -> list[Rate]:
    """Rates that may still be used at a moment, oldest first; a damaged row gives none."""
    recent = and_(rates.c.manual.is_(False), rates.c.recorded_at > now - VALID)
    by_hand = and_(rates.c.manual.is_(True), rates.c.recorded_at > now - MANUAL)
    rows = await connection.execute(
        select(rates.c.document).where(rates.c.recorded_at <= now, or_(recent, by_hand)).order_by(rates.c.id)
    )
    found: list[Rate] = []
    for document in rows.scalars():
        try:
            rows_of = json.loads(document)
            taken_back = {row["code"] for row in rows_of if row.get("unset")}
            said = [_from_json(row) for row in rows_of if not row.get("unset")]
        except (ValueError, KeyError, TypeError, ArithmeticError, AttributeError):
            continue
        found = [rate for rate in found if not (rate.manual and rate.code in taken_back)] + said
    return found


def _to_json(rate: Rate) -> dict[str, Any]:
    return {
        "code": rate.code,
        "value": f"{rate.value:f}",
        "sources": rate.sources,
        "dropped": rate.dropped,
        "as_of": rate.as_of.isoformat(),
        "manual": rate.manual,
    }


def _from_json(row: dict[str, Any]) -> Rate:
    return Rate(
        code=row["code"],
        value=Decimal(row["value"]),
        sources=tuple(row["sources"]),
        as_of=datetime.fromisoformat(row["as_of"]),
        dropped=tuple(row["dropped"]),
        manual=bool(row["manual"]),
    )
