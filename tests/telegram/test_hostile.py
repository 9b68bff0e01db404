"""Faults found by trying to break delivery: what is lost, doubled, out of order, logged or left hanging."""

from __future__ import annotations

import asyncio
import itertools
import logging
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import URL, select
from sqlalchemy.exc import DataError, OperationalError

import telegram_updates as tg
from bot.shop.shop import Shop
from bot.store.records import Handled, Place, Waiting
from bot.store.store import Store, open_store
from bot.store.tables import outbox
from bot.telegram import sender as sending
from bot.telegram import turns as turns_module
from bot.telegram.actions import Action, Edit, Send
from bot.telegram.api import Api
from bot.telegram.handlers import DecideContext
from bot.telegram.letters import write_letters
from bot.telegram.polling import Polling
from bot.telegram.sender import Sender
from bot.telegram.turns import Turns
from peer import BotApi, error, http, reset, slow

ids = itertools.count(1)
AWAY = OperationalError("SELECT", {}, Exception("database is away"))


def say(text: str, chat: int = 7, **fields: Any) -> Send:
    return Send(place=Place(chat, None, chat), html=text, plain=text, **fields)


async def post(store: Store, sender: Sender, *actions: Action) -> None:
    update_id = next(ids)
    committed = await store.commit(Handled(update_id=update_id, letters=write_letters(update_id, actions)))
    sender.accept(committed.recorded)


def texts(api: BotApi, chat: int = 7) -> list[str]:
    return [message["text"] for message in api.chat(chat)]


async def fates(store: Store) -> list[tuple[str, str | None]]:
    async with store._reading.connect() as connection:
        return [(row.state, row.fault) for row in await connection.execute(select(outbox).order_by(outbox.c.id))]


# Lost


async def test_what_was_cancelled_at_the_end_is_not_confirmed(
    api: BotApi, client: Api, turns: Turns, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is away when SIGTERM comes: the updates were not committed, and have to come again."""

    async def commit(_item: Any) -> Any:
        raise AWAY

    monkeypatch.setattr(store, "commit", commit)
    api.say("70B", chat=1)
    api.say("13B", chat=2)
    polling = Polling(client, turns)
    task = asyncio.create_task(polling.run())
    await api.until(lambda: api.queue.handed)
    await asyncio.sleep(0.2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await turns.drain(0.2)
    await polling.confirm()
    assert len(api.pending) == 2


@pytest.mark.parametrize("broken", ["write_letters", "commit"])
async def test_an_update_whose_commit_failed_unexpectedly_is_not_confirmed(
    api: BotApi, client: Api, turns: Turns, store: Store, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """asyncpg's own errors, such as "the database system is starting up", are not SQLAlchemy's."""
    times = iter([True])

    with monkeypatch.context() as patched:
        keep: Any = store.commit if broken == "commit" else turns_module.write_letters

        def once(*args: Any) -> Any:
            if next(times, False):
                raise RuntimeError("a fault")
            return keep(*args)

        patched.setattr(*((store, "commit") if broken == "commit" else (turns_module, "write_letters")), once)
        api.say("70B", chat=1)
        polling = Polling(client, turns)
        task = asyncio.create_task(polling.run())
        await asyncio.sleep(2.5)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert api.chat(1) or api.pending


async def test_a_database_that_is_away_while_an_edit_is_sent_loses_nothing(
    api: BotApi, store: Store, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    await post(store, sender, say("7B", answers=5))
    await api.until(lambda: texts(api) == ["7B"])
    read, times = store.answers_sent, iter([True])

    async def once(*args: Any) -> list[int]:
        if next(times, False):
            raise AWAY
        return await read(*args)

    monkeypatch.setattr(store, "answers_sent", once)
    await post(store, sender, Edit(place=Place(7, None, 7), message_id=None, html="70B", plain="70B", answers=5))
    await api.until(lambda: texts(api) == ["70B"], 3)


@pytest.mark.parametrize("body", [b"{}", b"[]", b'"maintenance"', b'{"ok":true,"result":true}', b'{"ok":true}'])
async def test_an_answer_that_is_json_but_not_telegrams_loses_no_message(
    api: BotApi, store: Store, sender: Sender, body: bytes
) -> None:
    api.script("sendMessage", http(200, body))
    await post(store, sender, say("x"))
    await api.until(lambda: texts(api) == ["x"], 3)
    assert sender.counts["unknown"] == 1


@pytest.mark.parametrize("status", [400, 403, 404])
async def test_a_proxys_refusal_is_not_telegrams(api: BotApi, store: Store, sender: Sender, status: int) -> None:
    """A proxy's 403 page does not mean that the user blocked the bot, nor its 404 that the token is bad."""
    api.script("sendMessage", http(status, b"<html>no</html>"))
    await post(store, sender, say("x"))
    await api.until(lambda: texts(api) == ["x"], 3)


async def test_an_outage_of_telegrams_loses_nothing_however_long(
    api: BotApi, store: Store, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(sending, "LAST_PAUSE", 0.01)
    api.script("sendMessage", reset(), times=40)
    await post(store, sender, say("x"))
    await api.until(lambda: texts(api) == ["x"], 5)


async def test_what_the_database_never_takes_stops_nobody(
    api: BotApi, client: Api, turns: Turns, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL's DataError, such as for an id of more than 64 bits, does not pass with time."""
    keep = store.commit
    monkeypatch.setattr(turns_module, "_FIRST_PAUSE", 0.02)

    async def commit(item: Any) -> Any:
        if item.update_id == poison:
            raise DataError("INSERT", {}, Exception("value out of int64 range"))
        return await keep(item)

    monkeypatch.setattr(store, "commit", commit)
    poison = api.say("7B", chat=1)
    for n in range(120):
        api.say("7B", chat=n + 2)
    polling = asyncio.create_task(Polling(client, turns).run())
    try:
        await api.until(lambda: all(api.chat(n + 2) for n in range(120)), 8)
    finally:
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)


# Polling that ends


@pytest.mark.parametrize(
    "body",
    [b"{}", b"[]", b'{"ok":true,"result":true}', b'{"ok":true,"result":null}', b'{"ok":true,"result":{"a":1}}',
     b'{"ok":true,"result":"abc"}', b'{"ok":true,"result":[null,1,"x",[],{"update_id":[]}]}',
     b'{"ok":true,"result":[{"update_id":1,"message":{"message_id":1,"date":1,"chat":{"id":[],"type":"private"}}}]}'],
)  # fmt: skip
async def test_garbage_from_get_updates_ends_nothing(api: BotApi, client: Api, turns: Turns, body: bytes) -> None:
    api.script("getUpdates", http(200, body))
    api.say("70B", chat=1)
    polling = asyncio.create_task(Polling(client, turns).run())
    try:
        await api.until(lambda: api.chat(1) or polling.done(), 5)
        assert not polling.done(), polling.exception()
    finally:
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)


# Order


async def test_a_commit_whose_outcome_was_unknown_keeps_the_order(
    api: BotApi, client: Api, turns: Turns, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks during COMMIT: the update is kept, and its answer must not wait for the next take-over."""
    write, times = store._write_group, iter([True])

    async def once(items: Any) -> Any:
        result = await write(items)
        if next(times, False):
            raise AWAY
        return result

    monkeypatch.setattr(store._writes, "_work", once)
    api.say("7B", chat=1)
    api.say("13B", chat=1)
    polling = asyncio.create_task(Polling(client, turns).run())
    try:
        await api.until(lambda: len(api.chat(1)) == 2, 3)
    finally:
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)
    assert [text[:2] for text in texts(api, 1)] == ["7B", "13"]


async def test_two_replicas_answer_a_chat_in_order(
    api: BotApi, client: Api, shop: Shop, new_database: URL, context: DecideContext
) -> None:
    async with AsyncExitStack() as stack:
        replicas: list[Turns] = []
        for owner in ("one", "two"):
            store = await stack.enter_async_context(
                open_store(new_database, shop.prices, bot_id=1, owner=owner, memory=timedelta(days=7))
            )
            sender = Sender(client, store, 8)
            replicas.append(Turns(client, store, sender, lambda: context))
            stack.push_async_callback(sender.drain, 1)
        api.script("sendMessage", error(429, "Too Many Requests: retry after 1", retry_after=1), chat=7)
        for number, replica in enumerate(replicas, 1):
            message = {"message_id": number, "date": 1, "chat": {"id": 7, "type": "private"}, "from": tg.ANA}
            await replica.take({"update_id": number, "message": {**message, "text": f"{number}B"}})
        await api.until(lambda: len(api.chat(7)) == 2)
        assert [text[:2] for text in texts(api)] == ["1B", "2B"]


async def test_what_a_replica_that_died_had_parked_is_answered_first(
    api: BotApi, client: Api, shop: Shop, new_database: URL, context: DecideContext
) -> None:
    """A poller parks a chat's updates and dies; the one that replaces it gets a newer one from Telegram."""

    def raw(number: int) -> dict[str, Any]:
        message = {"message_id": number, "date": 1, "chat": {"id": 7, "type": "private"}, "from": tg.ANA}
        return {"update_id": number, "message": {**message, "text": f"{number}B"}}

    async with AsyncExitStack() as stack:
        one, two = [
            await stack.enter_async_context(
                open_store(
                    new_database,
                    shop.prices,
                    bot_id=1,
                    owner=owner,
                    memory=timedelta(days=7),
                    lease=timedelta(seconds=1),
                )
            )
            for owner in ("one", "two")
        ]
        await one.park([Waiting(raw(number), 7) for number in (1, 2)])
        sender = Sender(client, two, 8)
        stack.push_async_callback(sender.drain, 1)
        replica = Turns(client, two, sender, lambda: context)
        newer = replica.take(raw(3))
        await asyncio.sleep(0.2)
        await replica.resume()
        await newer
        await api.until(lambda: len(api.chat(7)) == 3)
    assert [text[:2] for text in texts(api)] == ["1B", "2B", "3B"]


async def test_what_a_replica_that_died_had_not_sent_goes_first(
    api: BotApi, client: Api, shop: Shop, new_database: URL
) -> None:
    async with AsyncExitStack() as stack:
        one, two = [
            await stack.enter_async_context(
                open_store(
                    new_database, shop.prices, bot_id=1, owner=owner, memory=timedelta(days=7), lease=timedelta(0.3e-5)
                )
            )
            for owner in ("one", "two")
        ]
        await one.commit(Handled(update_id=next(ids), letters=write_letters(next(ids), [say("first"), say("second")])))
        sender = Sender(client, two, 8)
        stack.push_async_callback(sender.drain, 1)
        await post(two, sender, say("third"))
        await sender.take_over()
        await api.until(lambda: len(api.chat(7)) == 3)
        assert texts(api) == ["first", "second", "third"]


async def test_an_edit_of_a_split_answer_whose_first_part_was_deleted(
    api: BotApi, store: Store, sender: Sender
) -> None:
    def lines(word: str) -> str:
        return "\n".join(f"{word} {n} " + "x" * 100 for n in range(60))

    await post(store, sender, say(lines("one"), answers=5))
    await api.until(lambda: len(api.chat(7)) == 2)
    api.script("editMessageText", error(400, "Bad Request: message to edit not found"))
    two = lines("two")
    await post(store, sender, Edit(place=Place(7, None, 7), message_id=None, html=two, plain=two, answers=5))
    await api.until(lambda: len(api.called("editMessageText")) == 2 and texts(api)[-1].endswith(two[-90:]))
    await asyncio.sleep(0.2)
    seen = "\n".join(texts(api)[1:])  # the first stands for the one that is gone
    assert all(f"two {n} " in seen for n in range(60))
    assert "one" not in seen


async def test_a_part_that_is_too_many_is_deleted_though_telegram_makes_it_wait(
    api: BotApi, store: Store, sender: Sender
) -> None:
    text = "\n".join("x" * 100 for _ in range(60))
    await post(store, sender, say(text, answers=5))
    await api.until(lambda: len(api.chat(7)) == 2)
    api.script("deleteMessage", error(429, "Too Many Requests: retry after 1", retry_after=1))
    await post(store, sender, Edit(place=Place(7, None, 7), message_id=None, html="y", plain="y", answers=5))
    await api.until(lambda: texts(api) == ["y"])


# Others are unhindered


async def test_a_flood_of_inline_queries_delays_no_message(api: BotApi, client: Api, turns: Turns) -> None:
    api.script("answerInlineQuery", slow(2), times=100)
    for n in range(40):
        api.inline(f"70B lora {n}", user=1000 + n)
    api.say("70B", chat=1)
    polling = asyncio.create_task(Polling(client, turns).run())
    loop = asyncio.get_running_loop()
    start = loop.time()
    try:
        await api.until(lambda: api.chat(1), 30)
        assert loop.time() - start < 4
    finally:
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)


async def test_forty_thousand_waiting_messages_do_not_hinder_a_take_over(store: Store) -> None:
    assert await store.take_over(list(range(40_000))) == []


# Logs


async def test_a_body_that_is_cut_off_is_not_logged(
    api: BotApi, client: Api, turns: Turns, caplog: pytest.LogCaptureFixture
) -> None:
    from bot.logs import set_up_logs

    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    set_up_logs("DEBUG", "text", [])
    root.addHandler(caplog.handler)
    try:
        api.script("getUpdates", http(200, b'{"ok":true,"result":[{"update_id":1,"message":{"text":"my private words'))
        api.script("getUpdates", http(502, b"<html>my private words"))
        polling = asyncio.create_task(Polling(client, turns).run())
        await api.until(lambda: len(api.called("getUpdates")) > 2, 5)
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    assert "private words" not in caplog.text
