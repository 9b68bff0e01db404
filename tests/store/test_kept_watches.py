"""Watches in the store, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count

import pytest
from sqlalchemy import URL, func, select

from bot.rates.watch import MOST, Watch
from bot.shop.shop import Shop
from bot.store.records import Handled, KeptWatch, Letter, Lookup, Mark, NewWatch, Place, Recorded, Remember
from bot.store.store import Store, open_store
from bot.store.tables import outbox
from bot.store.watches import Standing

ANA = Place(5234567890123, None, 5234567890123)
BO = Place(-1001234567890, 7, 42)
WATCH = Watch("h100", "<", Decimal("2.00"))
ids = count(1)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@asynccontextmanager
async def opened(url: URL, shop: Shop, clock: Clock, owner: str = "one") -> AsyncIterator[Store]:
    async with open_store(url, shop.prices, bot_id=1, owner=owner, memory=timedelta(days=7), clock=clock) as store:
        yield store


@pytest.fixture
async def store(url: URL, shop: Shop, clock: Clock) -> AsyncIterator[Store]:
    async with opened(url, shop, clock) as store:
        yield store


async def put(store: Store, place: Place = ANA, watch: Watch = WATCH, message_id: int | None = None) -> None:
    new = NewWatch(watch=watch, locale="en", armed=True)
    await remember(store, Remember(place=place, watch=new, message_id=message_id))


async def remember(store: Store, change: Remember, *, edited: bool = False) -> None:
    await store.commit(Handled(update_id=next(ids), remember=(change,), edited=edited))


async def kept(store: Store, place: Place = ANA) -> tuple[KeptWatch, ...]:
    return (await store.look_up(Lookup(update_id=0, place=place, watches=True))).remembered.watches


async def standing(store: Store) -> list[Standing]:
    found = await store.standing_watches()
    assert found is not None
    return found


def telling(one: Standing) -> tuple[Standing, Letter]:
    return one, Letter(key=f"w{one.id}.{one.fired}", chat_id=one.place.chat_id, payload={"html": "x"})


async def tell(store: Store) -> tuple[Recorded, ...]:
    """As if every price had passed its limit."""
    return await store.settle_watches([telling(one) for one in await standing(store) if one.armed], [])


async def letters(store: Store) -> int:
    async with store._reading.begin() as connection:
        return (await connection.execute(select(func.count()).select_from(outbox))).scalar() or 0


async def test_a_watch_is_kept_per_chat_and_topic_with_a_number_that_is_free(store: Store) -> None:
    for limit in (1, 2, 3):
        await put(store, watch=Watch("h100", "<", Decimal(limit)))
    await put(store, BO)
    assert [(one.number, one.watch.limit) for one in await kept(store)] == [(1, 1), (2, 2), (3, 3)]
    assert [one.number for one in await kept(store, Place(BO.chat_id, 7, 43))] == [1]  # another user's eyes
    assert await kept(store, Place(BO.chat_id, None, 42)) == ()
    second = (await kept(store))[1]
    await remember(store, Remember(place=BO, unwatch=second.id))  # of another chat: stays
    assert len(await kept(store)) == 3
    await remember(store, Remember(place=ANA, unwatch=second.id))
    await put(store, watch=Watch("BTC", ">", Decimal("99999.5")))
    assert [(one.number, one.watch.subject) for one in await kept(store)] == [(1, "h100"), (2, "BTC"), (3, "h100")]


async def test_no_more_than_ten_are_kept(store: Store) -> None:
    for limit in range(1, MOST + 4):
        await put(store, watch=Watch("h100", "<", Decimal(limit)))
    assert [one.number for one in await kept(store)] == list(range(1, MOST + 1))


async def test_an_edited_message_takes_its_watch_back(store: Store) -> None:
    await put(store, message_id=5)
    await put(store, message_id=6)
    changed = NewWatch(watch=Watch("h100", "<", Decimal("1.50")), locale="en", armed=True)
    await remember(store, Remember(place=ANA, watch=changed, message_id=5), edited=True)
    assert sorted(one.watch.limit for one in await kept(store)) == [Decimal("1.50"), Decimal("2.00")]
    await remember(store, Remember(place=ANA, message_id=6), edited=True)
    assert [one.watch.limit for one in await kept(store)] == [Decimal("1.50")]


async def test_forget_erases_a_users_watches_in_every_topic(store: Store) -> None:
    for place in (ANA, BO, Place(BO.chat_id, None, 42), Place(BO.chat_id, 7, 43)):
        await put(store, place)
    await remember(store, Remember(place=BO, forget=True))
    assert [one.place for one in await standing(store)] == [ANA, Place(BO.chat_id, 7, 43)]


async def test_who_blocks_the_bot_is_watched_for_no_longer(store: Store) -> None:
    for place in (ANA, BO):
        await put(store, place)
    await store.commit(Handled(update_id=next(ids), reachable=(ANA.chat_id, False)))
    assert [one.place for one in await standing(store)] == [BO]
    (row,) = await tell(store)
    await store.mark(Mark(id=row.id, state="failed", fault="kicked", unreachable=BO.chat_id))
    assert await standing(store) == []


async def test_a_group_that_became_a_supergroup_takes_its_watches_along(store: Store) -> None:
    old, new = Place(-77, None, 42), Place(-1001, None, 42)
    await put(store, new, Watch("BTC", "<", Decimal(1)))
    for limit in (1, 2):
        await put(store, old, Watch("h100", "<", Decimal(limit)))
    for _ in range(2):  # Telegram tells both groups
        await store.commit(Handled(update_id=next(ids), moved=(-77, -1001)))
    assert [(one.number, one.watch.subject) for one in await kept(store, new)] == [(1, "BTC"), (2, "h100"), (3, "h100")]
    assert await kept(store, old) == ()


async def test_a_watch_tells_once_until_it_is_ready_again(store: Store) -> None:
    await put(store)
    (one,) = await standing(store)
    assert len(await store.settle_watches([telling(one)], [])) == 1
    assert await store.settle_watches([telling(one)], []) == ()  # decided before the other was kept
    assert await tell(store) == ()
    await store.settle_watches([], [one.id])
    assert [row.chat_id for row in await tell(store)] == [ANA.chat_id]
    assert await letters(store) == 2


async def test_a_watch_that_is_removed_meanwhile_tells_nothing(store: Store) -> None:
    await put(store)
    (one,) = await standing(store)
    await remember(store, Remember(place=ANA, unwatch=one.id))
    assert await store.settle_watches([telling(one)], []) == ()


async def test_the_language_chosen_since_counts(store: Store) -> None:
    await put(store)
    assert [one.locale for one in await standing(store)] == ["en"]
    await remember(store, Remember(place=ANA, settings={"language": "es"}))
    assert [one.locale for one in await standing(store)] == ["es"]


async def test_one_replica_looks_after_the_watches_until_it_has_gone_silent(
    new_database: URL, shop: Shop, clock: Clock
) -> None:
    async with opened(new_database, shop, clock, "one") as one, opened(new_database, shop, clock, "two") as two:
        await put(one)
        assert len(await standing(one)) == 1
        assert await two.standing_watches() is None
        for _ in range(3):
            clock.now += timedelta(seconds=20)
            await one.renew()
            assert await two.standing_watches() is None
        clock.now += timedelta(seconds=31)
        (watch,) = await standing(two)
        # The first one wakes up with what it had decided: it may do nothing any more.
        assert await one.settle_watches([telling(watch)], [watch.id]) == ()
        assert len(await two.settle_watches([telling(watch)], [])) == 1


async def test_two_replicas_that_both_decide_tell_once(new_database: URL, shop: Shop, clock: Clock) -> None:
    async with opened(new_database, shop, clock, "one") as one, opened(new_database, shop, clock, "two") as two:
        for n in range(1, 11):
            await put(one, Place(n, None, n))
        found = await standing(one)

        async def settle(store: Store) -> int:
            store._lease = timedelta(seconds=-1)  # no lease holds: the rows alone decide
            return len(await store.settle_watches([telling(watch) for watch in found], []))

        assert sum(await asyncio.gather(*(settle(store) for store in (one, two, one, two)))) == 10
        assert await letters(one) == 10
