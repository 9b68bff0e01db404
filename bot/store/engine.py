"""Engines: SQLite made safe for one writer beside readers, PostgreSQL as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, event, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from planner.errors import OperatorError

#: Seconds to wait for another writer, or for a connection; callers come again.  Nothing ends a wait in SQLite sooner.
_BUSY: Final = 5.0
_DRIVERS: Final = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}


class StoreError(OperatorError):
    """The database can't be used: one line that says what to mend, without its address."""


def database_url(configured: str | None, default: Path) -> URL:
    """The database's address: the configured one, or the file ``default``.

    Raises StoreError for an address that is none, or of a database that is not supported.
    """
    if configured is None:
        return URL.create("sqlite+aiosqlite", database=str(default))
    try:
        url = make_url(configured)
    except (ArgumentError, ValueError):
        raise StoreError("GPUBOT_DATABASE_URL: is no address; e.g. postgresql://user:password@host/name") from None
    driver = _DRIVERS.get(url.drivername)
    if driver is None:
        raise StoreError("GPUBOT_DATABASE_URL: must start with sqlite:/// or postgresql://")
    if driver.startswith("sqlite") and not url.database:
        raise StoreError("GPUBOT_DATABASE_URL: must name a file, e.g. sqlite:////var/lib/gpubot/gpubot.db")
    return url.set(drivername=driver)


def is_sqlite(url: URL) -> bool:
    """Whether the database is a file."""
    return url.drivername.startswith("sqlite")


def never_taken(error: Exception) -> bool:
    """Whether the database refused the data themselves, as it would again.

    What asyncpg refuses by itself is no DataError to SQLAlchemy, but has the code of one.
    """
    if not isinstance(error, DBAPIError):
        return False
    return isinstance(error, DataError) or str(getattr(error.orig, "pgcode", "")).startswith("22")


def make_engines(url: URL) -> tuple[AsyncEngine, AsyncEngine]:
    """An engine for writing and one for reading; the same one where the database sorts writers out itself.

    In SQLite a transaction that reads and then writes fails at once when another wrote in between, whatever the
    time-out: the writing engine has one connection, and takes the write lock at BEGIN.
    """
    if not is_sqlite(url):
        engine = create_async_engine(
            url, pool_size=8, max_overflow=0, pool_pre_ping=True, pool_timeout=_BUSY, hide_parameters=True
        )
        return engine, engine
    engines = []
    for begin in ("BEGIN IMMEDIATE", "BEGIN"):
        engine = create_async_engine(
            url,
            pool_size=1,
            max_overflow=0,
            hide_parameters=True,
            connect_args={"timeout": _BUSY, "isolation_level": None},
        )
        _prepare(engine, begin)
        engines.append(engine)
    return engines[0], engines[1]


def _prepare(engine: AsyncEngine, begin: str) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def connect(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        # WAL lets readers go on beside the writer; FULL keeps a commit through a power cut.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={_BUSY * 1000:.0f}", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def start(connection: Any) -> None:
        connection.exec_driver_sql(begin)
