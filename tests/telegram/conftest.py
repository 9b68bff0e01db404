"""A shop and a moment to decide in."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.shop.files import load_seeds
from bot.telegram.handlers import DecideContext
from telegram_updates import BOT_ID

NOW = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def context() -> DecideContext:
    return DecideContext(shop=load_seeds(), now=NOW, bot_id=BOT_ID, bot_username="shop_bot")
