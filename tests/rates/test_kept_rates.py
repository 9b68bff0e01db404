"""Rates that are kept: read again as old as they are, or not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from sqlalchemy import URL

from bot.rates.values import MANUAL, VALID, Rate
from bot.shop.shop import Shop
from bot.store.offline import keep_rates, read_rates

NOW = datetime(2026, 11, 5, 12, tzinfo=UTC)


def test_rates_come_back_with_their_moment_until_they_expire(tmp_path: Path, shop: Shop) -> None:
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "gpubot.db"))
    agreed = Rate("BTC", Decimal("84000.123"), ("Kraken", "Coinbase"), NOW, ("CoinGecko",))
    by_hand = Rate("BRL", Decimal("5.35"), ("manual",), NOW, manual=True)
    keep_rates(url, shop.prices, [agreed], "sources", NOW)
    keep_rates(url, shop.prices, [by_hand], "operator", NOW)
    assert read_rates(url, NOW + timedelta(minutes=1)) == [agreed, by_hand]
    assert read_rates(url, NOW + VALID) == [by_hand]
    assert read_rates(url, NOW + MANUAL) == []
    assert read_rates(url, NOW - timedelta(minutes=1)) == []  # the clock was set back


def test_reading_rates_creates_nothing(tmp_path: Path) -> None:
    url = URL.create("sqlite+aiosqlite", database=str(tmp_path / "gpubot.db"))
    assert read_rates(url, NOW) == []
    assert list(tmp_path.iterdir()) == []
