"""Receiving: nothing is confirmed before it is kept, nothing is handled twice, nobody else gets in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

import telegram_updates as tg
from bot.store.records import Found, Lookup
from bot.store.store import Store
from bot.telegram import polling as polling_module
from bot.telegram import sender as sender_module
from bot.telegram import turns as turns_module
from bot.telegram.api import Api, make_api
from bot.telegram.handlers import DecideContext
from bot.telegram.polling import Polling
from bot.telegram.sender import Sender
from bot.telegram.turns import Turns
from bot.telegram.webhook import MAX_BODY, SECRET_HEADER, Webhook, announce, default_secret, listen
from peer import PHOTO, TOKEN, BotApi, error, hang, http
from planner.errors import OperatorError

SECRET = "a" * 64
BAD = {"callback_query": {"id": "1", "from": tg.ANA, "data": "x"}}  # without chat_instance it can't be parsed


@asynccontextmanager
async def polled(client: Api, turns: Turns) -> AsyncIterator[asyncio.Task[None]]:
    polling = Polling(client, turns)
    task = asyncio.create_task(polling.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await turns.drain(2)
        await polling.confirm()


@pytest.fixture
async def hook(turns: Turns) -> AsyncIterator[str]:
    async with listen(Webhook(turns, SECRET), "127.0.0.1", 0) as port:
        yield f"http://127.0.0.1:{port}/hook"


def raw(update_id: int, text: str = "70B com LoRA?", chat: int = 7) -> dict[str, Any]:
    user = {"id": chat, "is_bot": False, "first_name": "U"}
    message = {"message_id": update_id, "date": 1, "chat": {"id": chat, "type": "private"}, "from": user, "text": text}
    return {"update_id": update_id, "message": message}


async def deliver(url: str, body: bytes, secret: str | None = SECRET, **headers: str) -> int:
    given = {"Content-Type": "application/json", **headers}
    if secret is not None:
        given[SECRET_HEADER] = secret
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=given) as answer:
        return answer.status


class TestPolling:
    async def test_pitfall_29_one_bad_update_stops_no_other(self, api: BotApi, client: Api, turns: Turns) -> None:
        api.say("70B", chat=1)
        api.push(BAD)
        api.say("13B", chat=2)
        async with polled(client, turns):
            await api.until(lambda: api.chat(1) and api.chat(2) and not api.pending)
        assert turns.counts == {"handled": 2, "unreadable": 1}

    @pytest.mark.parametrize(
        "beside",
        [
            {"reply_to_message": {**tg.message("hi"), "gift": {"gift": {"id": "new"}}}},
            {"quote": {"text": "without a position"}},
            {"external_reply": {"origin": {"type": "user"}}},
            {"entities": [{"type": "bold", "offset": 0}]},
            {"photo": [{"file_id": "x"}]},
        ],
    )
    async def test_a_question_is_answered_though_what_stands_beside_it_can_not_be_read(
        self, api: BotApi, client: Api, turns: Turns, beside: dict[str, Any]
    ) -> None:
        update = raw(5, chat=1)
        update["message"] |= beside
        await turns.take(update)
        await api.until(lambda: api.chat(1))
        assert "168" in api.chat(1)[0]["text"]

    async def test_pitfall_28_what_comes_again_is_answered_once(
        self, api: BotApi, client: Api, turns: Turns, store: Store
    ) -> None:
        update_id = api.say("70B", chat=1)
        async with polled(client, turns):
            await api.until(lambda: api.chat(1))
        await turns.take(raw(update_id, chat=1))
        await asyncio.sleep(0.1)
        assert turns.counts["repeated"] == 1
        assert len(api.chat(1)) == 1

    async def test_nothing_is_confirmed_while_the_database_is_away(
        self, api: BotApi, client: Api, turns: Turns, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(turns_module, "_FIRST_PAUSE", 0.05)
        keep, down = store.commit, True

        async def commit(item: Any) -> Any:
            if down:
                raise OperationalError("INSERT", {}, Exception("database is away"))
            return await keep(item)

        monkeypatch.setattr(store, "commit", commit)
        monkeypatch.setattr(store, "park", commit)
        api.say("70B", chat=1)
        api.say("13B", chat=1)
        async with polled(client, turns):
            await asyncio.sleep(1.5)
            assert len(api.pending) == 2
            assert not api.chat(1)
            down = False
            await api.until(lambda: len(api.chat(1)) == 2 and not api.pending)
        assert "13B" in api.chat(1)[1]["text"]

    async def test_pitfall_31_pending_updates_are_kept_and_a_webhook_is_turned_off(
        self, api: BotApi, client: Api, turns: Turns
    ) -> None:
        await client.call("setWebhook", {"url": "http://127.0.0.1:9/"})
        api.say("70B", chat=1)
        async with polled(client, turns):
            await api.until(lambda: api.chat(1))
        assert api.called("deleteWebhook")[0].params["drop_pending_updates"] is False

    async def test_pitfall_23_a_conflict_that_stays_ends_with_what_to_do(
        self, api: BotApi, client: Api, turns: Turns, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(polling_module, "FIRST_PAUSE", 0.02)
        monkeypatch.setattr(polling_module, "_CONFLICT", 0.2)
        api.script("getUpdates", error(409, "Conflict: terminated by other getUpdates request"), times=100)
        async with polled(client, turns) as task:
            with pytest.raises(OperatorError, match="another program"):
                await asyncio.wait_for(task, 5)

    async def test_pitfall_23_a_conflict_that_passes_is_lived_through(
        self, api: BotApi, client: Api, turns: Turns
    ) -> None:
        api.script("getUpdates", error(409, "Conflict: terminated by other getUpdates request"))
        api.say("70B", chat=1)
        async with polled(client, turns):
            await api.until(lambda: api.chat(1))

    async def test_pitfall_24_a_poll_that_died_without_a_word_is_noticed(
        self, api: BotApi, client: Api, turns: Turns, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(polling_module, "HOLD", 0)
        monkeypatch.setattr(polling_module, "SLACK", 0.3)
        monkeypatch.setattr(polling_module, "FIRST_PAUSE", 0.02)
        api.script("getUpdates", hang(30))
        api.say("70B", chat=1)
        async with polled(client, turns):
            await api.until(lambda: api.chat(1), 5)

    async def test_pitfall_24_calls_go_through_the_proxy_of_the_environment(
        self, api: BotApi, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("http_proxy", "no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HTTP_PROXY", api.url)
        async with make_api(TOKEN, "http://telegram.invalid", connections=1) as client:  # a name that nobody resolves
            await client.call("getUpdates", {"timeout": 0}, wait=5)
        assert api.called("getMe")
        assert api.called("getUpdates")

    @pytest.mark.parametrize(
        "fault", [http(502, b"<html>"), http(200, b"<html>a proxy's page</html>"), error(500, "Internal Server Error")]
    )
    async def test_a_server_that_fails_is_asked_again(
        self, api: BotApi, client: Api, turns: Turns, fault: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(polling_module, "FIRST_PAUSE", 0.02)
        api.script("getUpdates", fault, times=3)
        api.say("70B", chat=1)
        async with polled(client, turns):
            await api.until(lambda: api.chat(1))

    async def test_pitfall_32_the_list_of_updates_is_always_given(self, api: BotApi, client: Api, turns: Turns) -> None:
        await client.call("getUpdates", {"allowed_updates": ["poll"], "timeout": 0})
        async with polled(client, turns):
            await api.until(lambda: len(api.called("getUpdates")) > 1)
            api.say("70B", chat=1)
            await api.until(lambda: api.chat(1))

    async def test_pitfall_30_a_chat_is_answered_in_order_while_two_hundred_others_write(
        self, api: BotApi, client: Api, turns: Turns
    ) -> None:
        for n in range(3):
            api.say(f"{7 + n}B", chat=1)
            for chat in range(2, 202):
                api.say("/privacy", chat=chat)
        async with polled(client, turns):
            await api.until(lambda: sum(len(api.chat(chat)) for chat in range(1, 202)) == 603, 20)
        assert [message["text"].split("B")[0] for message in api.chat(1)] == ["7", "8", "9"]

    async def test_pitfall_30_a_slow_message_holds_back_its_own_chat_alone(
        self, api: BotApi, client: Api, turns: Turns, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        look_up, released = store.look_up, asyncio.Event()
        slow, others = api.say("7B", chat=1), range(2, 202)
        api.say("8B", chat=1)
        for chat in others:
            api.say("/privacy", chat=chat)

        async def look_up_slowly(asked: Lookup) -> Found:
            if asked.update_id == slow:
                await released.wait()
            return await look_up(asked)

        monkeypatch.setattr(store, "look_up", look_up_slowly)
        async with polled(client, turns):
            await api.until(lambda: all(api.chat(chat) for chat in others), 20)
            assert not api.chat(1)
            released.set()
            await api.until(lambda: len(api.chat(1)) == 2)
        assert [message["text"].split("B")[0] for message in api.chat(1)] == ["7", "8"]

    async def test_a_chat_that_floods_delays_no_other(self, api: BotApi, client: Api, turns: Turns) -> None:
        """Telegram gives no more than 100 updates past the first that is not confirmed."""
        for n in range(250):
            api.say(f"{n + 1}B", chat=1)
        api.say("/privacy", chat=2)
        async with polled(client, turns):
            await api.until(lambda: api.chat(2))
            assert len(api.chat(1)) < 100
            await api.until(lambda: len(api.chat(1)) == 250, 30)
        assert [message["text"].split("B")[0] for message in api.chat(1)] == [str(n + 1) for n in range(250)]
        assert turns.counts["handled"] == 251

    async def test_what_was_parked_is_answered_in_order_after_a_restart(
        self,
        api: BotApi,
        client: Api,
        sender: Sender,
        turns: Turns,
        store: Store,
        context: DecideContext,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        keep, texts = store.commit, [f"{n}B" for n in range(1, 9)]
        monkeypatch.setattr(store, "commit", lambda _item: asyncio.Event().wait())
        for text in texts:
            api.say(text, chat=1)
        async with polled(client, turns):
            await api.until(lambda: not api.pending)  # confirmed, though none is handled
        monkeypatch.setattr(store, "commit", keep)
        again = Turns(client, store, sender, lambda: context)
        await again.resume(started=True)
        again.take(raw(10**6, "9B", chat=1))
        await api.until(lambda: len(api.chat(1)) == 9)
        assert [message["text"].split(":")[0] for message in api.chat(1)] == [*texts, "9B"]
        assert await store.take_up(started=True) == []

    async def test_what_can_not_be_kept_is_given_up_and_holds_nobody_up(
        self, api: BotApi, client: Api, turns: Turns, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        keep = store.commit

        async def commit(item: Any) -> Any:
            if item.remember:
                raise IntegrityError("INSERT", {}, Exception("a fault of ours"))
            return await keep(item)

        monkeypatch.setattr(store, "commit", commit)
        api.say("70B", chat=1)
        api.say("/help", chat=1)
        async with polled(client, turns):
            await api.until(lambda: len(api.chat(1)) == 2 and not api.pending)
        assert "falha minha" in api.chat(1)[0]["text"]
        assert turns.counts == {"failed": 1, "handled": 1}

    @pytest.mark.parametrize("captions", [(None, "70B QLoRA", None), (None, None, None), ("70B QLoRA", "13B", None)])
    async def test_pitfall_37_an_album_is_answered_once(
        self,
        api: BotApi,
        client: Api,
        turns: Turns,
        captions: tuple[str | None, ...],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(sender_module, "ALBUM_PAUSE", 0.1)
        for caption in captions:
            api.say(None, chat=1, photo=PHOTO, caption=caption, media_group_id="9")
        async with polled(client, turns):
            await api.until(lambda: api.chat(1) and not api.pending)
            await asyncio.sleep(0.3)
        (answer,) = api.chat(1)
        assert ("52,5" if any(captions) else "legenda") in answer["text"]

    async def test_pitfall_45_a_press_that_is_too_old_to_be_answered_still_gets_its_message(
        self, api: BotApi, client: Api, turns: Turns
    ) -> None:
        api.say("/start", chat=1)
        async with polled(client, turns):
            await api.until(lambda: api.chat(1))
            (start,) = api.chat(1)
            old = "Bad Request: query is too old and response timeout expired or query ID is invalid"
            api.script("answerCallbackQuery", error(400, old))
            api.press(1, start["message_id"], start["reply_markup"]["inline_keyboard"][0][0]["callback_data"])
            await api.until(lambda: len(api.chat(1)) == 2 and not api.pending)
        assert len(api.called("answerCallbackQuery")) == 1
        assert turns.counts == {"handled": 2}

    async def test_pitfall_26_a_fault_of_ours_is_said_without_its_details_and_not_repeated(
        self, api: BotApi, client: Api, turns: Turns, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_args: object) -> None:
            raise RuntimeError("<secret> " * 2000)

        monkeypatch.setattr(turns_module, "decide", broken)
        api.say("70B", chat=1)
        async with polled(client, turns):
            await api.until(lambda: api.chat(1) and not api.pending)
        assert "falha minha" in api.chat(1)[0]["text"]
        assert "secret" not in api.chat(1)[0]["text"]
        assert turns.counts == {"failed": 1}


class TestWebhook:
    async def test_pitfall_46_only_who_knows_the_secret_gets_in(self, api: BotApi, hook: str, turns: Turns) -> None:
        body = json.dumps(raw(1)).encode()
        for secret in (None, "", "b" * 64, SECRET[:-1], "é"):
            assert await deliver(hook, body, secret) == 403
        assert not turns.counts
        assert await deliver(hook, body) == 200
        assert await deliver(hook, body, **{"Content-Type": "application/json; charset=utf-8"}) == 200
        assert turns.counts == {"handled": 1, "repeated": 1}

    async def test_pitfall_46_a_stranger_is_turned_away_before_the_body_is_read(self, hook: str) -> None:
        host, port = hook.split("/")[2].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{")
        assert b"403" in await asyncio.wait_for(reader.readline(), 5)
        writer.close()

    async def test_pitfall_46_a_body_over_the_limit_is_refused(self, hook: str) -> None:
        assert await deliver(hook, b" " * (MAX_BODY + 1)) == 413

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b'{"update_id": true}', b"{}", b"[" * 100_000, b"\xff"])
    async def test_what_is_no_update_is_refused(self, hook: str, turns: Turns, body: bytes) -> None:
        assert await deliver(hook, body) == 400
        assert not turns.counts

    async def test_pitfall_29_an_update_that_cannot_be_parsed_is_not_asked_for_again(
        self, hook: str, turns: Turns
    ) -> None:
        assert await deliver(hook, json.dumps({"update_id": 5, **BAD}).encode()) == 200
        assert turns.counts == {"unreadable": 1}

    async def test_pitfall_28_the_same_update_twice_at_once_is_answered_once(
        self, api: BotApi, hook: str, turns: Turns
    ) -> None:
        body = json.dumps(raw(9, chat=1)).encode()
        assert await asyncio.gather(*(deliver(hook, body) for _ in range(5))) == [200] * 5
        await api.until(lambda: api.chat(1))
        await asyncio.sleep(0.1)
        assert len(api.chat(1)) == 1

    async def test_a_database_that_is_away_makes_telegram_come_again(
        self, api: BotApi, hook: str, turns: Turns, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from bot.telegram import webhook as webhook_module

        monkeypatch.setattr(turns_module, "_FIRST_PAUSE", 0.02)

        async def commit(_item: Any) -> Any:
            raise OperationalError("INSERT", {}, Exception("database is away"))

        with monkeypatch.context() as patched:
            patched.setattr(webhook_module, "_HANDLE_WAIT", 0.1)
            patched.setattr(store, "commit", commit)
            assert await deliver(hook, json.dumps(raw(9, chat=1)).encode()) == 503
        assert await deliver(hook, json.dumps(raw(9, chat=1)).encode()) == 200
        await api.until(lambda: len(api.chat(1)) == 1)

    async def test_telegram_is_told_where_to_deliver_and_keeps_what_it_has(
        self, api: BotApi, client: Api, hook: str
    ) -> None:
        api.say("70B", chat=1)
        api.say("13B", chat=1)
        await announce(client, hook, SECRET)
        await api.until(lambda: len(api.chat(1)) == 2 and not api.pending)
        assert api.called("setWebhook")[0].params["drop_pending_updates"] is False

    async def test_an_address_that_telegram_refuses_ends_in_one_line(self, api: BotApi, client: Api) -> None:
        api.script("setWebhook", error(400, "Bad Request: bad webhook: HTTPS url must be provided for webhook"))
        with pytest.raises(OperatorError, match="GPUBOT_WEBHOOK_URL"):
            await announce(client, "http://x", SECRET)

    def test_the_default_secret_is_not_the_token_and_telegram_takes_it(self) -> None:
        token = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        assert default_secret(token) == default_secret(token)
        assert len(default_secret(token)) == 64
        assert "AAAA" not in default_secret(token)
