"""Prices and exchange rates for commands that run without the bot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, inspect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.rates.values import Rate
from bot.shop.faq import FaqImport
from bot.shop.history import Import
from bot.store import faq, prices
from bot.store import votes as vote_rows
from bot.store.engine import StoreError, is_sqlite, unreachable
from bot.store.prices import add_prices, price_history
from bot.store.rates import record_rates, usable_rates
from bot.store.rates import unset_rate as take_back
from bot.store.records import Vote
from bot.store.store import open_engines, prepare, utc_now
from bot.store.tables import faq_lists, price_lists, rates, votes
from planner.offer import PriceList

Result = TypeVar("Result")


def read_prices(url: URL) -> list[Import]:
    """Every price list in the database; none where it does not exist yet, and nothing is created.

    Raises StoreError when the database can't be read.
    """
    if is_sqlite(url) and not Path(url.database or "").is_file():
        return []
    return _run(url, _history, None)


def import_prices(url: URL, seeds: PriceList, entry: Import) -> None:
    """Add a price list durably, creating the database where there is none.  Raises StoreError."""

    async def add(connection: AsyncConnection) -> None:
        await add_prices(connection, entry)

    _run(url, add, seeds)


def withdraw_prices(url: URL, seeds: PriceList, who: str, now: datetime) -> str | None:
    """prices.withdraw_prices() without the bot.  Raises StoreError."""

    async def withdraw(connection: AsyncConnection) -> str | None:
        return await prices.withdraw_prices(connection, who, now)

    return _run(url, withdraw, seeds)


def read_faq(url: URL) -> list[FaqImport]:
    """Every list of the shop's texts; none where there is no database, and nothing is created.  Raises StoreError."""
    if is_sqlite(url) and not Path(url.database or "").is_file():
        return []

    async def read(connection: AsyncConnection) -> list[FaqImport]:
        made = await connection.run_sync(lambda sync: inspect(sync).has_table(faq_lists.name))
        return await faq.faq_history(connection) if made else []

    return _run(url, read, None)


def import_faq(url: URL, seeds: PriceList, entry: FaqImport) -> None:
    """Add a list of texts durably, creating the database where there is none.  Raises StoreError."""

    async def add(connection: AsyncConnection) -> None:
        await faq.add_faq(connection, entry)

    _run(url, add, seeds)


def withdraw_faq(url: URL, seeds: PriceList, locale: str, who: str, now: datetime) -> bool:
    """faq.withdraw_faq() without the bot.  Raises StoreError."""

    async def withdraw(connection: AsyncConnection) -> bool:
        return await faq.withdraw_faq(connection, locale, who, now)

    return _run(url, withdraw, seeds)


def read_rates(url: URL, now: datetime) -> list[Rate]:
    """usable_rates() without the bot; nothing is created.  Raises StoreError."""
    if is_sqlite(url) and not Path(url.database or "").is_file():
        return []

    async def read(connection: AsyncConnection) -> list[Rate]:
        made = await connection.run_sync(lambda sync: inspect(sync).has_table(rates.name))
        return await usable_rates(connection, now) if made else []

    return _run(url, read, None)


def keep_rates(url: URL, seeds: PriceList, found: Sequence[Rate], who: str, now: datetime) -> None:
    """record_rates() without the bot, creating the database where there is none.  Raises StoreError."""

    async def add(connection: AsyncConnection) -> None:
        await record_rates(connection, found, who, now)

    _run(url, add, seeds)


def unset_rate(url: URL, seeds: PriceList, code: str, who: str, now: datetime) -> None:
    """rates.unset_rate() without the bot.  Raises StoreError."""

    async def unset(connection: AsyncConnection) -> None:
        await take_back(connection, code, who, now)

    _run(url, unset, seeds)


def read_votes(url: URL) -> list[Vote]:
    """all_votes() without the bot; none where there is no database, and nothing is created.  Raises StoreError."""
    if is_sqlite(url) and not Path(url.database or "").is_file():
        return []

    async def read(connection: AsyncConnection) -> list[Vote]:
        made = await connection.run_sync(lambda sync: inspect(sync).has_table(votes.name))
        return await vote_rows.all_votes(connection) if made else []

    return _run(url, read, None)


async def _history(connection: AsyncConnection) -> list[Import]:
    made = await connection.run_sync(lambda sync: inspect(sync).has_table(price_lists.name))
    return await price_history(connection) if made else []


def _run(url: URL, work: Callable[[AsyncConnection], Awaitable[Result]], seeds: PriceList | None) -> Result:

    async def run() -> Result:
        async with open_engines(url) as (writing, reading):
            if seeds is not None:
                await prepare(writing, url, seeds, utc_now())
            async with (writing if seeds is not None else reading).begin() as connection:
                return await work(connection)

    try:
        return asyncio.run(run())
    except (SQLAlchemyError, OSError) as error:
        if not is_sqlite(url) and (why := unreachable(error)) is not None:
            raise StoreError(why) from None
        where = url.database if is_sqlite(url) else "GPUBOT_DATABASE_URL"
        raise StoreError(f"{where}: cannot be read as gpubot's database; check it, or restore a backup") from None
