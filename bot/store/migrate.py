"""Bringing a database to this version's tables, at start, once."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.store.engine import StoreError

#: One replica migrates, the others wait for it: the key of PostgreSQL's advisory lock.
_LOCK: Final = 7_146_282
#: Waits for a file that another process writes to, each as long as the time-out of its engine.
_TRIES: Final = 4


async def migrate(engine: AsyncEngine) -> None:
    """Create or upgrade the tables in one transaction.

    Raises StoreError when the database was written by a newer version.
    """
    with as_file(files("bot.store") / "migrations") as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        for left in reversed(range(_TRIES)):
            try:
                async with engine.begin() as connection:
                    await connection.run_sync(_upgrade, config)
                break
            except OperationalError as error:
                # On a slow disk another process may migrate a file for longer than one wait for its lock.
                if not left or "locked" not in str(error.orig):
                    raise


def _upgrade(connection: Connection, config: Config) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError:
        raise StoreError(
            "the database was written by a newer gpubot: install that version, or restore a backup"
        ) from None
