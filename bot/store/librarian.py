"""A model hub for commands that run without the bot, with what the database keeps of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import URL, inspect
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.hub.ask import BUDGET, Hub
from bot.hub.values import HubModel, HubModels
from bot.store import hub as rows
from bot.store.store import open_engines, utc_now
from bot.store.tables import hub_models


class Librarian:
    """The hub at ``base``, and the database at ``url``; None: nothing is kept beyond the process."""

    def __init__(self, base: str | None, url: URL | None) -> None:
        # Nothing goes on after the answer, so what takes too long is given up, and not tried for every line.
        self._hub = Hub(base, _Shelf(url) if url is not None else None, budget=BUDGET + 1, timeout=BUDGET)

    def find(self, ids: Sequence[str]) -> HubModels:
        """Hub.find(), from code that waits."""

        async def ask() -> HubModels:
            try:
                return await self._hub.find(ids)
            finally:
                await self._hub.close()

        return asyncio.run(ask())


class _Shelf:
    """The table of a database that may be of an older version: then nothing is kept."""

    def __init__(self, url: URL) -> None:
        self._url = url

    async def hub_model(self, hub_id: str) -> HubModel | None:
        async with open_engines(self._url) as (_writing, reading), reading.begin() as connection:
            return await rows.hub_model(connection, hub_id, utc_now()) if await _made(connection) else None

    async def keep_hub_model(self, found: HubModel, until: datetime) -> None:
        async with open_engines(self._url) as (writing, _reading), writing.begin() as connection:
            if await _made(connection):
                await rows.keep_hub_model(connection, found, until)


async def _made(connection: AsyncConnection) -> bool:
    return await connection.run_sync(lambda sync: inspect(sync).has_table(hub_models.name))
