"""The `api` fixture; a conftest.py takes it with `from peer.fixtures import api`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from .server import BotApi


@pytest.fixture
async def api() -> AsyncIterator[BotApi]:
    """A Bot API server; at the end no request of the bot may have had a fault (a test may clear the list)."""
    async with BotApi() as server:
        yield server
    assert server.faults == [], "\n".join(server.faults)
