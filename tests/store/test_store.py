"""The store, on SQLite and on a real PostgreSQL: the same behaviour."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL, inspect, select, text
from stores import ANA, BO, NOON, PLAN, Clock, asked, count, opened

from bot.reader.question import Mention, Question, Slots
from bot.shop.faq import FaqImport, FaqList, FaqText
from bot.shop.history import Import
from bot.shop.shop import Shop
from bot.store.engine import StoreError, database_url, make_engines
from bot.store.migrate import migrate
from bot.store.offline import import_faq, import_prices, read_prices, withdraw_faq, withdraw_prices
from bot.store.records import KEPT_VOTES_DAYS, Handled, Letter, Lookup, Mark, NewVote, Place, Remember
from bot.store.store import Store
from bot.store.tables import metadata, outbox, questions, updates
from bot.store.votes import all_votes


@pytest.fixture
async def store(url: URL, shop: Shop, clock: Clock) -> AsyncIterator[Store]:
    async with opened(url, shop, clock) as store:
        yield store


async def test_an_update_is_handled_once_however_often_it_comes(store: Store) -> None:
    first = await store.commit(asked(1))
    assert first.fresh
    assert first.recorded[0].payload == {"html": "💬"}
    again, twin = await asyncio.gather(store.commit(asked(1)), store.commit(asked(1)))
    assert not again.fresh
    assert not twin.fresh
    a, b = await asyncio.gather(store.commit(asked(2)), store.commit(asked(2)))
    assert sorted([a.fresh, b.fresh]) == [False, True]
    assert (await store.look_up(Lookup(update_id=1))).handled
    assert not (await store.look_up(Lookup(update_id=3))).handled
    assert await count(store, outbox) == 2


async def test_two_replicas_handle_an_update_once(url: URL, shop: Shop, clock: Clock) -> None:
    async with opened(url, shop, clock, "one") as one, opened(url, shop, clock, "two") as two:
        results = await asyncio.gather(*(store.commit(asked(n)) for n in range(20) for store in (one, two)))
        assert sum(result.fresh for result in results) == 20
        assert await count(one, outbox) == 20


async def test_a_place_remembers_its_last_ten_questions_without_the_users_words(store: Store, clock: Clock) -> None:
    words = Mention("params", "my secret words 70B", 0, 19, 70)
    spoken = Question(intent="plan", slots=PLAN.slots, mentions=(words,), model_text="my secret words")
    for n in range(1, 14):
        await store.commit(asked(n, question=spoken if n == 13 else PLAN))
    await store.commit(asked(50, place=BO))
    remembered = (await store.look_up(Lookup(update_id=99, place=ANA))).remembered
    assert remembered.question_ids == tuple(range(4, 14))
    assert remembered.questions == (PLAN,) * 10
    assert await count(store, questions) == 11
    async with store._reading.begin() as connection:
        kept = (await connection.execute(select(questions.c.question))).scalars().all()
    assert not [raw for raw in kept if "secret" in raw]
    clock.now += timedelta(days=7, seconds=1)
    assert (await store.look_up(Lookup(update_id=99, place=ANA))).remembered.questions == ()


async def test_topics_and_users_of_a_group_have_memories_of_their_own(store: Store) -> None:
    await store.commit(asked(1, place=BO))
    for other in (Place(BO.chat_id, None, 42), Place(BO.chat_id, 7, 43), Place(BO.chat_id, 7, None)):
        assert (await store.look_up(Lookup(update_id=9, place=other))).remembered.questions == ()
    assert (await store.look_up(Lookup(update_id=9, place=BO))).remembered.questions == (PLAN,)


async def test_an_edited_message_changes_its_question_in_place(store: Store) -> None:
    for n in (1, 2):
        await store.commit(asked(n))
    new = Question(intent="price")
    await store.commit(Handled(update_id=3, edited=True, remember=(Remember(place=ANA, question=new, message_id=1),)))
    remembered = (await store.look_up(Lookup(update_id=9, place=ANA))).remembered
    assert (remembered.question_ids, remembered.questions) == ((1, 2), (new, PLAN))


async def test_settings_merge_and_clear(store: Store) -> None:
    async def settle(update_id: int, **settings: str | None) -> None:
        change = Remember(place=ANA, settings=settings)
        await store.commit(Handled(update_id=update_id, remember=(change,)))

    await settle(1, language="es", coin="BTC")
    await settle(2, coin=None)
    remembered = (await store.look_up(Lookup(update_id=9, place=ANA))).remembered
    assert (remembered.language, remembered.preferences.coin) == ("es", None)


async def test_forgetting_erases_all_but_what_waits_to_be_sent(store: Store) -> None:
    first = await store.commit(asked(1, remember=(Remember(place=ANA, question=PLAN, settings={"language": "es"}),)))
    await store.mark(Mark(id=first.recorded[0].id, state="sent", message_id=5))
    await store.commit(asked(2, place=BO))
    await store.commit(asked(3, remember=(Remember(place=ANA, forget=True),)))
    remembered = (await store.look_up(Lookup(update_id=9, place=ANA, replied=5))).remembered
    assert (remembered.questions, remembered.language, remembered.quoted) == ((), None, None)
    assert (await store.look_up(Lookup(update_id=9, place=BO))).remembered.questions == (PLAN,)
    assert await count(store, outbox) == 2


async def test_an_edit_finds_the_answer(store: Store) -> None:
    letters = tuple(Letter(key=f"u1.{n}", chat_id=ANA.chat_id, payload={}, answers=1) for n in range(2))
    parts = (await store.commit(Handled(update_id=1, letters=letters))).recorded
    edit = Lookup(update_id=9, place=ANA, edited=1)
    assert (await store.look_up(edit)).remembered.answered == {1: ()}
    for part, message_id in zip(parts, (71, 72), strict=True):
        await store.mark(Mark(id=part.id, state="sent", message_id=message_id))
    assert (await store.look_up(edit)).remembered.answered == {1: (71, 72)}
    assert (await store.look_up(Lookup(update_id=9, place=ANA, edited=2))).remembered.answered == {}
    assert await store.answers_sent(ANA.chat_id, 1, parts[1].id) == [71]
    assert await store.answers_sent(ANA.chat_id, 1, parts[1].id + 1) == [71, 72]


async def test_a_reply_finds_what_was_asked_up_to_the_answer_by_whoever_asked_it(store: Store) -> None:
    group, topic = -1001234567890, 7
    first, second = Place(group, topic, 42), Place(group, topic, 43)
    sizes = [replace(PLAN, slots=Slots(params_b=float(size))) for size in (7, 13, 34, 70)]
    for number, (place, question) in enumerate(zip((first, first, second, first), sizes, strict=True), start=1):
        letter = Letter(key=f"u{number}.0", chat_id=group, payload={}, answers=10 * number)
        remember = Remember(place=place, question=question, message_id=10 * number)
        (row,) = (await store.commit(Handled(update_id=number, letters=(letter,), remember=(remember,)))).recorded
        await store.mark(Mark(id=row.id, state="sent", message_id=10 * number + 1))

    async def quoted(replied: int) -> tuple[Question, ...] | None:
        return (await store.look_up(Lookup(update_id=9, place=second, replied=replied))).remembered.quoted

    assert await quoted(21) == tuple(sizes[:2]), "the answer to another user's question"
    assert await quoted(31) == (sizes[2],)
    assert await quoted(10) == (sizes[0],), "a question itself"
    assert await quoted(99) is None
    pressed = Remember(place=second, question=sizes[3], message_id=21)  # a button under the second answer
    await store.commit(Handled(update_id=5, remember=(pressed,)))
    assert await quoted(21) == (sizes[2], sizes[3]), "what the answer was changed to by a button"


async def test_a_vote_takes_the_place_of_the_same_users_earlier_one_and_is_forgotten_on_request(
    store: Store, clock: Clock
) -> None:
    def vote(update_id: int, place: Place, helped: bool) -> Handled:
        new = NewVote(message_id=5, question=PLAN, helped=helped)
        return Handled(update_id=update_id, remember=(Remember(place=place, vote=new),))

    for item in (vote(1, ANA, True), vote(2, ANA, False), vote(3, BO, True)):
        await store.commit(item)

    async def kept() -> list[bool]:
        async with store._reading.begin() as connection:
            return [one.helped for one in await all_votes(connection)]

    assert await kept() == [False, True]
    await store.commit(Handled(update_id=4, remember=(Remember(place=ANA, forget=True),)))
    assert await kept() == [True]
    clock.now += timedelta(days=KEPT_VOTES_DAYS + 1)
    await store.sweep()
    assert await kept() == []


async def test_text_is_dropped_once_a_message_is_out(store: Store) -> None:
    (row,) = (await store.commit(asked(1))).recorded
    await store.mark(Mark(id=row.id, state="sent", message_id=5))
    async with store._reading.begin() as connection:
        assert (await connection.execute(select(outbox.c.payload))).scalars().all() == [None]


async def test_a_restart_takes_over_what_was_not_sent(url: URL, shop: Shop, clock: Clock) -> None:
    async with opened(url, shop, clock) as store:
        rows = [(await store.commit(asked(n))).recorded[0] for n in (1, 2, 3)]
        await store.mark(Mark(id=rows[1].id, state="sent", message_id=5))
        assert await store.take_over([row.id for row in rows]) == []
    async with opened(url, shop, clock) as store:
        found = await store.take_over([])
        assert [(row.id, row.uncertain, row.payload) for row in found] == [
            (rows[0].id, 1, {"html": "💬"}),
            (rows[2].id, 1, {"html": "💬"}),
        ]


async def test_a_replica_is_left_its_messages_until_it_has_gone_silent(url: URL, shop: Shop, clock: Clock) -> None:
    if url.drivername.startswith("sqlite"):
        pytest.skip("one process owns a file")
    async with opened(url, shop, clock, "one") as one, opened(url, shop, clock, "two") as two:
        await one.commit(asked(1))
        assert await two.take_over([]) == []
        clock.now += timedelta(seconds=20)
        await one.renew()
        clock.now += timedelta(seconds=20)
        assert await two.take_over([]) == []
        clock.now += timedelta(seconds=20)
        assert len(await two.take_over([])) == 1
        assert await one.take_over([]) == []


async def test_a_group_that_became_a_supergroup_takes_everything_along(store: Store) -> None:
    old = Place(-77, None, 42)
    await store.commit(asked(1, place=old))
    await store.commit(Handled(update_id=2, remember=(Remember(place=old, settings={"language": "es"}),)))
    for update_id in (3, 4):  # Telegram tells both groups
        await store.commit(Handled(update_id=update_id, moved=(-77, -1001)))
    remembered = (await store.look_up(Lookup(update_id=9, place=Place(-1001, None, 42)))).remembered
    assert (remembered.questions, remembered.language) == ((PLAN,), "es")
    assert [row.chat_id for row in await store.take_over([])] == [-1001]


async def test_a_blocked_chat_is_known_until_it_comes_back(store: Store) -> None:
    (row,) = (await store.commit(asked(1))).recorded
    await store.mark(Mark(id=row.id, state="failed", fault="blocked", unreachable=ANA.chat_id))
    assert not (await store.look_up(Lookup(update_id=9, place=ANA))).remembered.reachable
    await store.commit(Handled(update_id=2, reachable=(ANA.chat_id, True)))
    assert (await store.look_up(Lookup(update_id=9, place=ANA))).remembered.reachable


async def test_one_bad_item_does_not_take_others_of_its_group_along(store: Store) -> None:
    bad = Handled(update_id=1, letters=(Letter(key="k" * 80, chat_id=2**70, payload={}),))
    results = await asyncio.gather(
        store.commit(asked(2)), store.commit(bad), store.commit(asked(3)), return_exceptions=True
    )
    assert [getattr(result, "fresh", "error") for result in results] == [True, "error", True]
    assert not (await store.look_up(Lookup(update_id=1))).handled


async def test_what_was_kept_long_enough_is_deleted(store: Store, clock: Clock) -> None:
    (row,) = (await store.commit(asked(1))).recorded
    await store.mark(Mark(id=row.id, state="sent", message_id=5))
    clock.now += timedelta(days=4)
    await store.commit(asked(2))
    await store.sweep()
    assert [await count(store, table) for table in (updates, questions, outbox)] == [1, 2, 2]
    clock.now += timedelta(days=7, seconds=1)
    await store.sweep()
    assert [await count(store, table) for table in (updates, questions, outbox)] == [0, 0, 1]  # one still waits


async def test_many_writers_and_readers_never_find_the_database_locked(url: URL, shop: Shop, clock: Clock) -> None:
    """Pitfall 52."""
    async with opened(url, shop, clock, "one") as one, opened(url, shop, clock, "two") as two:

        async def talk(store: Store, chat: int) -> None:
            place = Place(chat, None, chat)
            for n in range(5):
                await store.look_up(Lookup(update_id=chat * 10 + n, place=place))
                (row,) = (await store.commit(asked(chat * 10 + n, place=place))).recorded
                await store.mark(Mark(id=row.id, state="sent", message_id=n))

        await asyncio.gather(*(talk(store, chat) for chat, store in enumerate([one, two] * 25, start=1)))
        assert await count(one, updates) == 250


async def test_prices_start_from_the_seeds_and_go_on_with_imports(url: URL, shop: Shop, clock: Clock) -> None:
    async with opened(url, shop, clock) as store:
        (seeds,) = await store.price_history()
        assert (seeds.prices, seeds.who) == (shop.prices, "seeds")
        before = await store.newest_lists()
        entry = Import(NOON, "ana", shop.prices)
        await asyncio.to_thread(import_prices, url, shop.prices, entry)
        assert await store.newest_lists() != before
        assert await asyncio.to_thread(read_prices, url) == [seeds, entry]
    async with opened(url, shop, clock) as store:
        assert len(await store.price_history()) == 2


async def test_lists_can_be_withdrawn_but_for_the_first_prices(url: URL, shop: Shop, clock: Clock) -> None:
    async with opened(url, shop, clock) as store:
        assert await asyncio.to_thread(withdraw_prices, url, shop.prices, "ana", NOON) is None
        newer = Import(NOON, "ana", replace(shop.prices, as_of=date(2026, 11, 30)))
        await asyncio.to_thread(import_prices, url, shop.prices, newer)
        seen = await store.newest_lists()
        assert await asyncio.to_thread(withdraw_prices, url, shop.prices, "bia", NOON) == "2026-11-30"
        assert await store.newest_lists() != seen
        assert [one.withdrawn for one in await store.price_history()] == [None, "bia"]

        texts = FaqList("en", date(2026, 11, 30), "Support", (FaqText("refund", "policy", "Within 7 days"),))
        for who in ("ana", "bia"):
            await asyncio.to_thread(import_faq, url, shop.prices, FaqImport(NOON, who, texts))
        seen = await store.newest_lists()
        assert await asyncio.to_thread(withdraw_faq, url, shop.prices, "en", "cleo", NOON)
        assert await store.newest_lists() != seen
        assert [(one.who, one.withdrawn, one.faq) for one in await store.faq_history()] == [
            ("ana", None, texts),
            ("bia", "cleo", texts),
        ]
        assert not await asyncio.to_thread(withdraw_faq, url, shop.prices, "es", "cleo", NOON)


async def test_the_migrations_make_the_tables_that_the_code_uses(url: URL, shop: Shop, clock: Clock) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    async with opened(url, shop, clock) as store, store._writing.connect() as connection:

        def differences(sync: object) -> list[object]:
            context = MigrationContext.configure(sync, opts={"compare_type": True})  # type: ignore[arg-type]
            return compare_metadata(context, metadata)

        assert await connection.run_sync(differences) == []


async def test_a_newer_database_is_refused_in_one_line(url: URL, shop: Shop, clock: Clock) -> None:
    async with opened(url, shop, clock) as store, store._writing.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="newer gpubot"):
        async with opened(url, shop, clock):
            pass


async def test_replicas_that_start_at_once_migrate_once(url: URL, shop: Shop) -> None:
    if url.drivername.startswith("sqlite"):
        Path(str(url.database)).parent.mkdir()
    pools = [make_engines(url) for _ in range(3)]
    await asyncio.gather(*(migrate(writing) for writing, _reading in pools))
    async with pools[0][1].connect() as connection:
        assert "outbox" in await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    for pool in pools:
        for engine in pool:
            await engine.dispose()


async def test_a_start_that_fails_half_way_leaves_no_thread(tmp_path: Path, shop: Shop, clock: Clock) -> None:
    """Pitfall 53."""
    before = set(threading.enumerate())
    file = tmp_path / "bad.db"
    file.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match=r"bad\.db"):
        async with opened(URL.create("sqlite+aiosqlite", database=str(file)), shop, clock):
            pass
    with pytest.raises(RuntimeError, match="start fails"):
        async with opened(URL.create("sqlite+aiosqlite", database=str(tmp_path / "a.db")), shop, clock):
            raise RuntimeError("start fails")
    assert not {thread for thread in threading.enumerate() if thread not in before and not thread.daemon}


def test_addresses_of_databases(tmp_path: Path) -> None:
    assert database_url(None, tmp_path / "a.db").database == str(tmp_path / "a.db")
    assert database_url("postgres://u:p@h/n", tmp_path).drivername == "postgresql+asyncpg"
    for bad in ("mysql://u:sesame@h/n", "sesame", "sqlite://"):
        with pytest.raises(StoreError, match="GPUBOT_DATABASE_URL") as caught:
            database_url(bad, tmp_path)
        assert "sesame" not in str(caught.value)


def test_reading_prices_creates_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    url = URL.create("sqlite+aiosqlite", database=str(file))
    assert read_prices(url) == []
    assert not file.exists()
    sqlite3.connect(file).close()
    assert read_prices(url) == []
