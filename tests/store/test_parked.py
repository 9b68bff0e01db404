"""Parked updates: kept until they are handled, by whichever replica is alive."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from sqlalchemy import URL
from stores import Clock, asked, count, opened

from bot.shop.shop import Shop
from bot.store.inbox import Before
from bot.store.records import Lookup, Waiting
from bot.store.tables import inbox


def parked(*ids: int, lane: int | None = 5) -> list[Waiting]:
    return [Waiting({"update_id": one, "message": {"text": "olá \0 💬"}}, lane) for one in ids]


def ids(raws: list[dict[str, object]]) -> list[object]:
    return [raw["update_id"] for raw in raws]


async def test_an_update_is_parked_until_it_is_handled(url: URL, shop: Shop, clock: Clock) -> None:
    async with opened(url, shop, clock) as store:
        await store.commit(asked(3))
        await store.park(parked(5, 3, 2, 4))
        await asyncio.gather(store.commit(asked(4)), store.park(parked(4, 5, 6)))
    async with opened(url, shop, clock) as store:
        waiting = [one.raw for one in parked(5, 2, 6)]
        assert await store.take_up(started=True) == waiting
        assert await store.take_up() == []  # it is handling them
        await store.commit(asked(5))
        assert await store.take_up(started=True) == waiting[1:]
        assert await count(store, inbox) == 2
        clock.now += timedelta(days=4)
        await store.sweep()
        assert await store.take_up(started=True) == []


async def test_parked_updates_of_a_replica_that_went_silent_are_taken_up_by_another(
    new_database: URL, shop: Shop, clock: Clock
) -> None:
    async with opened(new_database, shop, clock, "one") as one, opened(new_database, shop, clock, "two") as two:
        await one.park(parked(1, 2) + parked(3, lane=None))
        found = await two.look_up(Lookup(update_id=4, lane=5))
        assert found.held
        assert not (await two.look_up(Lookup(update_id=4, lane=6))).held
        assert not (await two.look_up(Lookup(update_id=1, lane=5))).held
        assert await two.take_up() == []
        clock.now += timedelta(seconds=20)
        await one.renew()
        clock.now += timedelta(seconds=20)
        assert await two.take_up(started=True) == []
        clock.now += timedelta(seconds=20)
        assert ids(await two.take_up(lanes={5})) == [3]
        assert ids(await two.take_up(ahead=Before(5, 2))) == [1]
        assert await two.others_handle(Before(5, 4))
        assert ids(await two.take_up()) == [2]
        assert not await two.others_handle(Before(5, 4))
        assert await one.take_up() == []


async def test_what_a_replica_leaves_at_its_end_is_free_at_once(new_database: URL, shop: Shop, clock: Clock) -> None:
    async with opened(new_database, shop, clock, "one") as one, opened(new_database, shop, clock, "two") as two:
        await one.commit(asked(9))
        await one.park(parked(1))
        await one.release()
        clock.now += timedelta(seconds=1)
        assert ids(await two.take_up()) == [1]
        assert len(await two.take_over([])) == 1


async def test_two_replicas_of_one_name_do_not_take_each_others_messages(
    new_database: URL, shop: Shop, clock: Clock
) -> None:
    """Two pollers on one host, while one is being replaced."""
    async with opened(new_database, shop, clock) as one, opened(new_database, shop, clock) as two:
        await one.commit(asked(9))
        await one.park(parked(1))
        assert await two.take_over([]) == []
        assert await two.take_up(started=True) == []
    async with opened(new_database, shop, clock) as again:
        assert len(await again.take_over([])) == 1
        assert ids(await again.take_up(started=True)) == [1]
