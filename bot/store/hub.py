"""Architectures read from a model hub, kept until they expire."""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.hub.values import HubModel, from_document, to_document
from bot.store.tables import hub_models


async def hub_model(connection: AsyncConnection, hub_id: str, now: datetime) -> HubModel | None:
    """What is kept of a repository; None where it has expired or this version can't read it."""
    found = await connection.execute(
        select(hub_models.c.document).where(hub_models.c.id == hub_id, hub_models.c.expires_at > now)
    )
    document = found.scalar()
    if document is None:
        return None
    try:
        row = json.loads(document)
    except ValueError:
        return None
    return from_document(row) if isinstance(row, dict) else None


async def keep_hub_model(connection: AsyncConnection, found: HubModel, until: datetime) -> None:
    """Keep what was read, instead of what was kept before."""
    await connection.execute(delete(hub_models).where(hub_models.c.id == found.id))
    await connection.execute(
        insert(hub_models).values(
            id=found.id, read_at=found.read_at, expires_at=until, document=json.dumps(to_document(found))
        )
    )


async def forget_expired(connection: AsyncConnection, now: datetime) -> None:
    """Delete what is no longer believed."""
    await connection.execute(delete(hub_models).where(hub_models.c.expires_at <= now))
