"""A shop and a moment to decide in; the delivering half in this process, against the Bot API server of the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL

from bot.shop.files import load_seeds
from bot.shop.shop import Shop
from bot.store.store import Store, open_store
from bot.telegram import sender as sending
from bot.telegram.api import Api, make_api
from bot.telegram.handlers import DecideContext
from bot.telegram.sender import Sender
from bot.telegram.turns import Turns
from peer import TOKEN, BotApi
from peer.fixtures import api as api
from telegram_updates import BOT_ID

NOW = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def context() -> DecideContext:
    return DecideContext(shop=load_seeds(), now=NOW, bot_id=BOT_ID, bot_username="shop_bot")


@pytest.fixture
async def store(tmp_path: Path, shop: Shop) -> AsyncIterator[Store]:
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "gpubot.db"))
    async with open_store(url, shop.prices, bot_id=1, owner="one", memory=timedelta(days=7)) as opened:
        yield opened


@pytest.fixture
async def client(api: BotApi) -> AsyncIterator[Api]:
    async with make_api(TOKEN, api.url, connections=8) as made:
        yield made


@pytest.fixture
async def sender(client: Api, store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sender]:
    monkeypatch.setattr(sending, "FIRST_PAUSE", 0.02)
    made = Sender(client, store, connections=8)
    yield made
    await made.drain(1)


@pytest.fixture
async def turns(client: Api, store: Store, sender: Sender, context: DecideContext) -> AsyncIterator[Turns]:
    made = Turns(client, store, sender, lambda: context)
    yield made
    await made.drain(1)
