"""A database of each kind: a file, and a database of its own on one PostgreSQL server for the whole run."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL
from stores import Clock

from databases import Server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> URL:
    if request.param == "sqlite":
        return URL.create("sqlite+aiosqlite", database=str(tmp_path / "data" / "gpubot.db"))
    server: Server = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def clock() -> Clock:
    return Clock()
