"""Updates reach the bot as Telegram brings them: confirmed by offset or webhook, in order, again until taken."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from telegram import Bot, Update
from telegram.error import Conflict

from peer import FORUM, GROUP, PHOTO, TOKEN, BotApi


def texts(updates: tuple[Update, ...]) -> list[str | None]:
    return [update.effective_message.text if update.effective_message else None for update in updates]


async def test_users_messages_look_like_telegrams(api: BotApi, bot: Bot) -> None:
    api.say("😀 @gpubot_test_bot /prices@gpubot_test_bot a/b x@y.z")
    api.say("/start", chat=GROUP, user={"id": 5, "language_code": None, "username": "ana"})
    api.say(None, chat=7, photo=PHOTO, caption="/prices", media_group_id="1")
    api.say("in a topic", chat=FORUM, message_thread_id=4, is_topic_message=True, reply_to_message=None)
    api.say("answer", chat=7, reply_to_message=1)
    api.edit(7, 2, "edited @bob_2")
    api.press(7, 99, "old")
    api.inline("70b " * 100, user=9)
    got = await bot.get_updates()
    assert [u.update_id for u in got] == list(range(700_000_001, 700_000_009))
    first, group, photo, topic, reply, edited, pressed, inline = got
    found = first.message.parse_entities()
    assert {entity.type: text for entity, text in found.items()} == {
        "mention": "@gpubot_test_bot",
        "bot_command": "/prices@gpubot_test_bot",
    }
    assert (group.effective_chat.type, group.effective_user.language_code) == ("supergroup", None)
    assert photo.message.text is None
    assert photo.message.parse_caption_entities().popitem()[1] == "/prices"
    assert (topic.message.message_thread_id, topic.effective_chat.is_forum) == (4, True)
    assert (reply.message.reply_to_message.caption, reply.effective_user.id) == ("/prices", 7)
    assert edited.edited_message.parse_entities().popitem()[1] == "@bob_2"
    assert edited.edited_message.edit_date
    assert not pressed.callback_query.message.is_accessible
    assert (len(inline.inline_query.query), inline.effective_user.language_code) == (256, "pt-br")


async def test_an_offset_confirms_all_below_it_and_nothing_else_does(api: BotApi, bot: Bot) -> None:
    first, *_ = [api.say(str(number)) for number in range(5)]
    assert texts(await bot.get_updates(limit=2)) == ["0", "1"]
    assert texts(await bot.get_updates()) == ["0", "1", "2", "3", "4"]
    assert texts(await bot.get_updates(offset=first + 2, limit=1)) == ["2"]
    assert [u["message"]["text"] for u in api.pending] == ["2", "3", "4"]
    assert api.queue.handed[first] == 2
    # An offset from another time is not believed; one just past the end confirms all.
    assert texts(await bot.get_updates(offset=first + 100)) == ["2", "3", "4"]
    assert texts(await bot.get_updates(offset=-1)) == ["4"]
    assert len(api.pending) == 1
    assert await bot.get_updates(offset=first + 5) == ()
    assert api.pending == []


async def test_a_long_poll_ends_with_the_first_update_or_its_time(api: BotApi, bot: Bot) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=20))
    await api.until(lambda: api.called("getUpdates"))
    assert not poll.done()
    api.say("a")
    api.say("b")
    assert texts(await poll) == ["a", "b"]
    started = time.monotonic()
    assert await bot.get_updates(offset=-1, timeout=1)
    assert await bot.get_updates(offset=api.queue.next_id, timeout=1) == ()
    assert 0.9 < time.monotonic() - started < 3


async def test_asking_for_the_same_offset_over_and_over_is_slowed_down(api: BotApi, bot: Bot) -> None:
    api.damping = True
    first = api.say("a")
    api.say("b")
    assert texts(await bot.get_updates(offset=first)) == ["a", "b"]
    assert texts(await bot.get_updates(offset=first)) == ["a"]
    assert texts(await bot.get_updates(offset=first + 1)) == ["b"]
    assert await bot.get_updates(offset=first + 2) == ()
    poll = asyncio.create_task(bot.get_updates(offset=first + 2))
    await asyncio.sleep(0.1)
    assert not poll.done()
    api.say("c")
    assert texts(await poll) == ["c"]


async def test_the_older_of_two_polls_is_told_of_the_conflict(api: BotApi, bot: Bot) -> None:
    older = asyncio.create_task(bot.get_updates(timeout=20))
    await api.until(lambda: len(api.called("getUpdates")) == 1)
    newer = asyncio.create_task(bot.get_updates(timeout=20))
    with pytest.raises(Conflict, match="terminated by other getUpdates request; make sure that only one bot instance"):
        await older
    api.say("for the newer one")
    assert texts(await newer) == ["for the newer one"]

    poll = asyncio.create_task(bot.get_updates(offset=api.queue.next_id, timeout=20))
    await api.until(lambda: len(api.called("getUpdates")) == 3)
    await bot.set_webhook("http://127.0.0.1:9/")
    with pytest.raises(Conflict, match="terminated by setWebhook request"):
        await poll
    with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
        await bot.get_updates()
    await bot.delete_webhook(drop_pending_updates=True)
    assert api.called("deleteWebhook")[0].params == {"drop_pending_updates": True}
    assert await bot.get_updates() == ()


async def test_allowed_updates_stick_and_count_for_later_updates_only(api: BotApi, bot: Bot) -> None:
    member = {"chat": GROUP, "from": {"id": 1, "is_bot": False, "first_name": "A"}, "date": 1}
    status = {"user": member["from"], "status": "member"}
    api.push({"chat_member": member | {"old_chat_member": status, "new_chat_member": status}})
    api.say("before")
    assert texts(await bot.get_updates(allowed_updates=["callback_query"])) == ["before"]
    api.say("lost")
    api.press(1, 1, "kept")
    restarted = await bot.get_updates(offset=-1)
    assert [update.callback_query.data for update in restarted if update.callback_query] == ["kept"]
    await bot.get_updates(offset=api.queue.next_id, allowed_updates=[])
    api.say("default again")
    assert texts(await bot.get_updates()) == ["default again"]


class Receiver:
    """A bot's webhook server that answers as it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[str, float]] = []
        self.headers: list[dict[str, str]] = []
        self.answers: list[web.Response | None] = []
        self.hold: dict[str, asyncio.Event] = {}
        self.at_once = self.most_at_once = 0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        text = (await request.json())["message"]["text"]
        self.got.append((text, time.monotonic()))
        self.headers.append(dict(request.headers))
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        if text in self.hold:
            await self.hold[text].wait()
        self.at_once -= 1
        answer = self.answers.pop(0) if self.answers else web.Response()
        if answer is None:
            assert request.transport
            request.transport.abort()
        return answer or web.Response()

    @property
    def texts(self) -> list[str]:
        return [text for text, _ in self.got]


@asynccontextmanager
async def receiver(port: int = 0) -> AsyncIterator[tuple[Receiver, str]]:
    made = Receiver()
    runner = web.ServerRunner(web.Server(made.handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield made, f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    finally:
        await runner.cleanup()


async def test_a_webhook_gets_each_chat_in_order_and_again_until_it_says_yes(api: BotApi, bot: Bot) -> None:
    api.retry_delay = 0.05
    async with receiver() as (hook, url):
        hook.answers = [web.Response(status=500), None, web.Response(status=302), web.Response(status=204)]
        api.say("a1")
        await bot.set_webhook(url, secret_token="s3cret_-")
        api.say("a2")
        await api.until(lambda: not api.pending)
        assert hook.texts == ["a1"] * 4 + ["a2"]
        assert [delivery.status for delivery in api.deliveries] == [500, None, 302, 204, 200]
        assert all(later[1] - sooner[1] >= 0.05 for sooner, later in zip(hook.got[:3], hook.got[1:4], strict=True))
        assert all(headers["X-Telegram-Bot-Api-Secret-Token"] == "s3cret_-" for headers in hook.headers)
        assert {headers["Content-Type"] for headers in hook.headers} == {"application/json"}
        info = await bot.get_webhook_info()
        assert (info.url, info.last_error_message) == (url, "Wrong response from the webhook: 302 Found")


async def test_webhook_queues_run_side_by_side_up_to_max_connections(api: BotApi, bot: Bot) -> None:
    async with receiver() as (hook, url):
        hook.hold = {"slow": asyncio.Event(), "two": asyncio.Event()}
        await bot.set_webhook(url, max_connections=2)
        api.say("slow", chat=1)
        api.say("after slow", chat=1)
        api.say("two", chat=2)
        api.say("three", chat=3)
        await api.until(lambda: len(hook.got) == 2)
        await asyncio.sleep(0.05)
        assert hook.texts == ["slow", "two"]
        hook.hold["two"].set()
        await api.until(lambda: "three" in hook.texts)
        assert [u["message"]["text"] for u in api.pending][:2] == ["slow", "after slow"]
        hook.hold["slow"].set()
        await api.until(lambda: not api.pending)
        assert hook.most_at_once == 2


async def test_a_webhook_answer_may_hold_one_call(api: BotApi, bot: Bot) -> None:
    async with receiver() as (hook, url):
        answer: dict[str, Any] = {"method": "sendMessage", "chat_id": 1, "text": "<b>B200</b>", "parse_mode": "HTML"}
        hook.answers = [
            web.json_response(answer),
            web.json_response({"method": "deleteWebhook"}),
            web.json_response(answer | {"text": "<b>"}),
        ]
        await bot.set_webhook(url)
        for number in range(3):
            api.say(str(number))
        await api.until(lambda: not api.pending)
        assert [message["text"] for message in api.chat(1)] == ["B200"]
        calls = api.called("sendMessage")
        assert [(call.answered, call.in_webhook_answer) for call in calls] == [("ok", True), (400, True)]
        assert api.webhook.url == url
        assert len(api.faults) == 1
        api.faults.clear()


async def test_updates_outlive_a_bot_that_is_killed(api: BotApi, client: Callable[..., Bot]) -> None:
    host, port = api.url.removeprefix("http://").split(":")
    before = asyncio.all_tasks()
    killed = [socket.create_connection((host, int(port))) for _ in range(2)]
    killed[0].sendall(f"GET /bot{TOKEN}/getUpdates?timeout=50 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    killed[1].sendall(f"POST /bot{TOKEN}/sendMessage HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{{".encode())
    await api.until(lambda: api.called("getUpdates"))
    for connection in killed:
        connection.close()
    await asyncio.sleep(0.1)
    api.say("after the kill")
    async with client() as bot:
        assert texts(await bot.get_updates()) == ["after the kill"]
        assert api.called("sendMessage") == []

        async with receiver() as (hook, url):
            hook.hold = {"after the kill": asyncio.Event()}
            hook.answers = [None]
            await bot.set_webhook(url)
            await api.until(lambda: hook.got)
            hook.hold["after the kill"].set()
        await api.until(lambda: len(api.deliveries) > 1)
        async with receiver(int(url.split(":")[2].split("/")[0])) as (hook, _):
            await api.until(lambda: not api.pending)
            assert hook.texts == ["after the kill"]
        await bot.delete_webhook()
    await api.until(lambda: asyncio.all_tasks() <= before)


async def test_nothing_is_left_when_the_server_ends_in_the_middle() -> None:
    before = asyncio.all_tasks()
    async with BotApi() as api:
        api.say("never taken")
        api.retry_delay = 30
        api.on_set_webhook({"url": "http://127.0.0.1:9/"})
        await api.until(lambda: api.deliveries)
        with pytest.raises(AssertionError, match=r"not within 0.1 s; last calls:"):
            await api.until(lambda: False, timeout=0.1)
    assert asyncio.all_tasks() == before
