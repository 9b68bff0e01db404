"""Fixtures of these tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
from telegram import Bot
from telegram.request import HTTPXRequest

from peer import TOKEN, BotApi
from peer.fixtures import api

__all__ = ["api"]


@pytest.fixture
def client(api: BotApi) -> Callable[..., Bot]:
    """Makes clients of the server: by token, with a read timeout."""

    def make(token: str = TOKEN, read_timeout: float = 5) -> Bot:
        request, polling = (HTTPXRequest(8, read_timeout=read_timeout) for _ in range(2))
        return Bot(token, f"{api.url}/bot", f"{api.url}/file/bot", request, polling)

    return make


@pytest.fixture
async def bot(api: BotApi, client: Callable[..., Bot]) -> AsyncIterator[Bot]:
    """A client that may ask as often as it likes."""
    api.damping = False
    async with client() as made:
        yield made
