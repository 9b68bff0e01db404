"""Engines: SQLite made safe for one writer beside readers, PostgreSQL as it is."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, event, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from planner.errors import OperatorError

#: Seconds to wait for another writer, or for a connection; callers come again.  Nothing ends a wait in SQLite sooner.
_BUSY: Final = 5.0
#: Seconds to connect to PostgreSQL, and for one statement.
CONNECT: Final = 10.0
_COMMAND: Final = 60.0
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
    return isinstance(error, DataError | IntegrityError) or str(getattr(error.orig, "pgcode", "")).startswith("22")


def is_away(error: Exception) -> bool:
    """Whether the database can't be reached or can't work now, so that another try may succeed.

    While it connects, asyncpg raises errors of its own that SQLAlchemy does not wrap ("is starting up").
    """
    own = type(error).__module__.partition(".")[0] == "asyncpg"
    return (own or isinstance(error, SQLAlchemyError | OSError)) and not never_taken(error)


def make_engines(url: URL) -> tuple[AsyncEngine, AsyncEngine]:
    """An engine for writing and one for reading; the same one where the database sorts writers out itself.

    In SQLite a transaction that reads and then writes fails at once when another wrote in between, whatever the
    time-out: the writing engine has one connection, and takes the write lock at BEGIN.
    """
    if not is_sqlite(url):
        engine = create_async_engine(
            url,
            pool_size=8,
            max_overflow=0,
            pool_pre_ping=True,
            pool_timeout=_BUSY,
            hide_parameters=True,
            connect_args={"timeout": CONNECT, "command_timeout": _COMMAND},
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


def make_folder(url: URL) -> None:
    """Make the folder of a file database where there is none.  Raises StoreError."""
    if not is_sqlite(url) or not url.database:
        return
    folder = Path(url.database).parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: {(error.strerror or 'cannot be made').lower()}") from None


#: What the errors under a connection that failed mean to an operator, by their type's name.
_WHY: Final = {
    "InvalidPasswordError": "refuses the user or the password",
    "InvalidAuthorizationSpecificationError": "refuses the user or the password",
    "InvalidCatalogNameError": "has no database of that name",
    "gaierror": "is not found: no such host",
    "ConnectionRefusedError": "is not there: nothing listens at that host and port",
    "TimeoutError": "does not answer at that host and port",
}


def unusable(url: URL, error: BaseException) -> str:
    """One line on why a database could not be opened, without its address."""
    if is_sqlite(url):
        return f"{url.database}: is no database that can be written; mend its rights or set GPUBOT_DATA_DIR"
    return (
        unreachable(error) or "GPUBOT_DATABASE_URL: the database does not answer; check host, name, user and password"
    )


def unreachable(error: BaseException) -> str | None:
    """One line on why no connection came about; None where the error says nothing of that."""
    cause: BaseException | None = error
    while cause is not None:
        for kind in type(cause).__mro__:
            if kind.__name__ in _WHY:
                return f"GPUBOT_DATABASE_URL: the database {_WHY[kind.__name__]}"
        cause = getattr(cause, "orig", None) or cause.__cause__ or cause.__context__
    return None


@contextmanager
def alone(url: URL) -> Iterator[None]:
    """Hold a file database for this process: two would send each other's messages.  Raises StoreError."""
    if not is_sqlite(url) or not url.database:
        yield
        return
    make_folder(url)
    path = Path(f"{url.database}.lock")
    try:
        file = path.open("w")
    except OSError as error:
        raise StoreError(f"{path.parent}: {(error.strerror or 'cannot be written').lower()}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(f"{url.database}: another gpubot runs on it; stop that one, or use PostgreSQL") from None
        yield
