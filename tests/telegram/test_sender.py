"""The sender: every fault that Telegram answers with, and what becomes of the message."""

from __future__ import annotations

import asyncio
import itertools
import logging
from typing import Any

import pytest

from bot.store.records import Handled, Lookup, Place
from bot.store.store import Store
from bot.telegram.actions import Action, Edit, Send
from bot.telegram.api import make_api
from bot.telegram.letters import write_letters
from bot.telegram.sender import Sender
from peer import BotApi, error, hang, http, perform_then_reset, reset, slow

ids = itertools.count(1)
BLOCKED = error(403, "Forbidden: bot was blocked by the user")


def here(chat: int = 7, thread: int | None = None) -> Place:
    return Place(chat, thread, chat if chat > 0 else 42)


def say(text: str, chat: int = 7, **fields: Any) -> Send:
    thread = fields.pop("thread", None)
    return Send(place=here(chat, thread), html=f"<b>{text}</b>", plain=text, **fields)


async def post(store: Store, sender: Sender, *actions: Action) -> int:
    """Record and send; gives the update's id."""
    update_id = next(ids)
    committed = await store.commit(Handled(update_id=update_id, letters=write_letters(update_id, actions)))
    sender.accept(committed.recorded)
    return update_id


async def all_out(store: Store) -> None:
    """Nothing waits to be sent any more."""
    for _ in range(200):
        if not await store.take_over([]):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("something still waits")


def texts(api: BotApi, chat: int = 7) -> list[str]:
    return [message["text"] for message in api.chat(chat)]


async def test_pitfalls_15_and_16_a_flood_limit_is_obeyed_in_its_chat_and_freezes_no_other(
    api: BotApi, store: Store, sender: Sender
) -> None:
    api.script("sendMessage", error(429, "Too Many Requests: retry after 1", retry_after=1), chat=7)
    start = asyncio.get_running_loop().time()
    for n in range(3):
        await post(store, sender, say(f"{n}"))
        await post(store, sender, say(f"{n}", chat=8))
    await api.until(lambda: len(api.chat(8)) == 3)
    assert not api.chat(7)
    await api.until(lambda: len(api.chat(7)) == 3)
    assert texts(api) == texts(api, 8) == ["0", "1", "2"]
    assert asyncio.get_running_loop().time() - start >= 1


async def test_a_slow_chat_delays_no_other(api: BotApi, store: Store, sender: Sender) -> None:
    api.script("sendMessage", hang(2), chat=7)
    await post(store, sender, say("slow"))
    for chat in range(100, 140):
        await post(store, sender, say("quick", chat=chat))
    await api.until(lambda: all(api.chat(chat) for chat in range(100, 140)), 5)
    assert not api.chat(7)


async def test_pitfall_18_an_unknown_outcome_is_sent_again_and_counted(
    api: BotApi, store: Store, sender: Sender
) -> None:
    api.script("sendMessage", perform_then_reset())
    await post(store, sender, say("twice"))
    await post(store, sender, say("once"))
    await api.until(lambda: "once" in texts(api))
    assert texts(api) == ["twice", "twice", "once"]
    assert sender.counts["unknown"] == 1


@pytest.mark.parametrize(
    "fault", [reset(), http(502, b"<html>bad gateway</html>"), error(500, "Internal Server Error")]
)
async def test_a_server_that_fails_for_a_while_gets_the_message_in_the_end(
    api: BotApi, store: Store, sender: Sender, fault: Any
) -> None:
    api.script("sendMessage", fault, times=3)
    await post(store, sender, say("late"))
    await api.until(lambda: texts(api) == ["late"])


async def test_a_server_that_is_not_there_is_no_unknown_outcome(
    api: BotApi, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.telegram import sender as sending

    monkeypatch.setattr(sending, "FIRST_PAUSE", 0.02)
    nowhere = make_api(api.token, "http://127.0.0.1:9", connections=1)
    await nowhere._request[1].initialize()
    alone = Sender(nowhere, store, connections=1)
    await post(store, alone, say("x"))
    await asyncio.sleep(0.2)
    await alone.drain(0)
    await nowhere._request[1].shutdown()
    assert alone.counts["unknown"] == 0
    assert len(await store.take_over([])) == 1


async def test_pitfall_20_a_blocked_chat_is_remembered_and_stops_nobody(
    api: BotApi, store: Store, sender: Sender
) -> None:
    api.script("sendMessage", BLOCKED, chat=7)
    for chat in (6, 7, 8):
        await post(store, sender, say("hello", chat=chat))
    await api.until(lambda: api.chat(6) and api.chat(8))
    await all_out(store)
    assert not (await store.look_up(Lookup(update_id=0, place=here(7)))).remembered.reachable
    assert (await store.look_up(Lookup(update_id=0, place=here(8)))).remembered.reachable
    assert len([call for call in api.called("sendMessage") if call.params["chat_id"] == 7]) == 1


async def test_pitfall_21_a_group_that_moved_gets_its_message_at_the_new_place(
    api: BotApi, store: Store, sender: Sender
) -> None:
    moved = error(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=-100777)
    api.script("sendMessage", moved, chat=-77)
    for n in range(3):
        await post(store, sender, say(f"{n}", chat=-77))
    await api.until(lambda: len(api.chat(-100777)) == 3)
    assert texts(api, -100777) == ["0", "1", "2"]


async def test_pitfall_01_markup_that_is_refused_is_sent_as_plain_text_and_logged(
    api: BotApi, store: Store, sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    api.script("sendMessage", error(400, "Bad Request: can't parse entities: Unsupported start tag"))
    with caplog.at_level(logging.ERROR):
        await post(store, sender, Send(place=here(), html="<b>70B</b> &lt;LoRA&gt;", plain="70B <LoRA>"))
        await api.until(lambda: texts(api) == ["70B <LoRA>"])
    assert "could not parse our markup" in caplog.text
    assert "LoRA" not in caplog.text


async def test_pitfall_12_a_deleted_question_is_answered_without_reply(
    api: BotApi, store: Store, sender: Sender
) -> None:
    await post(store, sender, say("a", reply_to=99))
    api.script("sendMessage", error(400, "Bad Request: message to be replied not found"))
    await post(store, sender, say("b", reply_to=98))
    await api.until(lambda: texts(api) == ["a", "b"])


@pytest.mark.parametrize("said", ["Bad Request: message thread not found", "Bad Request: TOPIC_DELETED"])
async def test_pitfall_40_a_topic_that_is_gone_is_answered_in_the_chat(
    api: BotApi, store: Store, sender: Sender, said: str
) -> None:
    api.script("sendMessage", error(400, said), chat=-1002)
    await post(store, sender, say("x", chat=-1002, thread=7))
    await api.until(lambda: texts(api, -1002) == ["x"])
    assert api.called("sendMessage")[-1].params.get("message_thread_id") is None


async def test_what_another_try_cannot_mend_is_given_up_and_logged(
    api: BotApi, store: Store, sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    api.script("sendMessage", error(400, "Bad Request: not enough rights to send text messages to the chat"))
    await post(store, sender, say("x"))
    await post(store, sender, say("y"))
    await api.until(lambda: texts(api) == ["y"])
    await all_out(store)
    assert "not delivered" in caplog.text


async def test_pitfall_03_a_long_answer_comes_in_parts_with_the_keyboard_on_the_last(
    api: BotApi, store: Store, sender: Sender
) -> None:
    keyboard = {"inline_keyboard": [[{"text": "x", "callback_data": "1a:70B"}]]}
    long = "\n".join(f"line {n} " + "word " * 20 for n in range(90))
    await post(store, sender, Send(place=here(), html=long, plain=long, keyboard=keyboard, reply_to=5))
    await api.until(lambda: len(api.chat(7)) == 3)
    assert [bool(message.get("reply_markup")) for message in api.chat(7)] == [False, False, True]
    assert " ".join(texts(api)).split() == long.split()


async def test_an_edited_question_changes_its_answer_part_by_part(api: BotApi, store: Store, sender: Sender) -> None:
    def lines(word: str, count: int) -> str:
        return "\n".join(f"{word} {n} " + "x" * 100 for n in range(count))

    async def answer(word: str, count: int) -> None:
        text = lines(word, count)
        await post(store, sender, Edit(place=here(), message_id=None, html=text, plain=text, answers=5))
        await api.until(lambda: texts(api) and texts(api)[-1].endswith(text[-90:]) and texts(api)[-1][:3] == word)

    await post(store, sender, Send(place=here(), html=lines("one", 60), plain="", answers=5))
    await api.until(lambda: len(api.chat(7)) == 2)
    first = [message["message_id"] for message in api.chat(7)]
    await answer("two", 3)
    await api.until(lambda: len(api.chat(7)) == 1)
    assert [message["message_id"] for message in api.chat(7)] == first[:1]
    await answer("six", 60)
    await api.until(lambda: [text[:3] for text in texts(api)] == ["six", "six"])
    assert api.chat(7)[0]["message_id"] == first[0]


async def test_an_edit_waits_for_the_answer_that_is_still_to_be_sent(api: BotApi, store: Store, sender: Sender) -> None:
    api.script("sendMessage", slow(0.2))
    await post(store, sender, say("7B", answers=5))
    await post(store, sender, Edit(place=here(), message_id=None, html="70B", plain="70B", answers=5))
    await api.until(lambda: texts(api) == ["70B"])


async def test_pitfall_10_an_edit_that_changes_nothing_is_done(api: BotApi, store: Store, sender: Sender) -> None:
    await post(store, sender, say("same", answers=5))
    await post(store, sender, Edit(place=here(), message_id=None, html="<b>same</b>", plain="same", answers=5))
    await post(store, sender, say("next"))
    await api.until(lambda: texts(api) == ["same", "next"])
    assert sender.counts["failed"] == 0


async def test_pitfall_11_an_answer_that_was_deleted_is_sent_anew(api: BotApi, store: Store, sender: Sender) -> None:
    await post(store, sender, say("7B", answers=5))
    await api.until(lambda: texts(api) == ["7B"])
    api.script("editMessageText", error(400, "Bad Request: message to edit not found"))
    await post(store, sender, Edit(place=here(), message_id=None, html="70B", plain="70B", answers=5))
    await api.until(lambda: texts(api) == ["7B", "70B"])
    await post(store, sender, Edit(place=here(), message_id=None, html="13B", plain="13B", answers=5))
    await api.until(lambda: texts(api) == ["7B", "13B"])


async def test_a_token_that_is_refused_ends_the_service_and_loses_nothing(
    api: BotApi, store: Store, sender: Sender
) -> None:
    api.script("sendMessage", error(401, "Unauthorized"))
    await post(store, sender, say("x"))
    await asyncio.wait_for(sender.refused(), 5)
    await sender.drain(0)
    assert len(await store.take_over([])) == 1


async def test_a_restart_sends_what_was_recorded_only(api: BotApi, store: Store, sender: Sender) -> None:
    committed = await store.commit(Handled(update_id=500, letters=write_letters(500, [say("a"), say("b")])))
    assert len(committed.recorded) == 2
    await sender.take_over()
    await api.until(lambda: texts(api) == ["a", "b"])
    assert sender.counts["taken_over"] == 2


async def test_pitfall_19_two_hundred_chats_at_once_wait_for_a_slow_server_and_none_fails(
    api: BotApi, store: Store, sender: Sender
) -> None:
    api.script("sendMessage", slow(0.05), times=200)
    for chat in range(100, 300):
        await post(store, sender, say("x", chat=chat))
    await api.until(lambda: all(len(api.chat(chat)) == 1 for chat in range(100, 300)), 20)
    assert sender.counts["unknown"] == sender.counts["failed"] == 0
