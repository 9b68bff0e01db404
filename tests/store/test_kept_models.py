"""What a model hub said is kept until it expires, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hubs import WIDGET
from sqlalchemy import URL, func, select

from bot.hub.values import HubModel
from bot.shop.shop import Shop
from bot.store.engine import make_engines
from bot.store.store import open_store
from bot.store.tables import hub_models
from planner.configs import read_config

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
ID = "acme/widget-one@v2"
READ = HubModel(id=ID, state="read", read_at=NOON, model=read_config(WIDGET, ID).model, params_b=6.6)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


async def test_a_model_is_kept_replaced_and_forgotten(url: URL, shop: Shop) -> None:
    clock, week = Clock(), timedelta(days=7)
    async with open_store(url, shop.prices, bot_id=1, owner="one", memory=week, clock=clock) as store:
        assert await store.hub_model(ID) is None
        await store.keep_hub_model(HubModel(id=ID, state="missing", read_at=NOON), NOON + timedelta(hours=1))
        await store.keep_hub_model(READ, NOON + week)
        assert await store.hub_model(ID) == READ
        assert await store.hub_model("acme/other") is None
    async with open_store(url, shop.prices, bot_id=1, owner="two", memory=week, clock=clock) as store:
        assert await store.hub_model(ID) == READ
        clock.now += week
        assert await store.hub_model(ID) is None
        await store.sweep()
    writing, reading = make_engines(url)
    async with reading.begin() as connection:
        assert (await connection.execute(select(func.count()).select_from(hub_models))).scalar() == 0
    await writing.dispose()
    await reading.dispose()
