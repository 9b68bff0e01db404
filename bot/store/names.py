"""Names of replicas: what one left unsent it takes up at once when it starts again, so no two may share a name."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from sqlalchemy import URL, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from bot.store.engine import CONNECT, StoreError, is_sqlite, unusable

_LONGEST: Final = 50
#: Takes the name where nobody runs under it.  The lock ends with its connection, however the process ends.
_TAKE: Final = text("SELECT pg_try_advisory_lock(hashtext('gpubot'), hashtext(:name))")


@asynccontextmanager
async def sole_name(url: URL, bot_id: int, name: str) -> AsyncIterator[str]:
    """A replica's name, or one like it where another process runs under that name: two pollers on one host, as
    while one is being replaced."""
    if is_sqlite(url):
        yield name  # one process holds the file
        return
    engine = create_async_engine(
        url,
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
        connect_args={"timeout": CONNECT},
    )
    try:
        connection = await engine.connect()
    except (SQLAlchemyError, OSError) as error:
        raise StoreError(unusable(url, error)) from None
    try:
        taken = (await connection.execute(_TAKE, {"name": f"{bot_id}.{name}"})).scalar()
        yield name if taken else f"{name[:_LONGEST]}~{secrets.token_hex(4)}"
    finally:
        await connection.invalidate()
        await connection.close()
