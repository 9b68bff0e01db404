"""Answers of a Bot API that make no sense: none ends the process, none loses a message."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from telegram.error import NetworkError, RetryAfter, TimedOut

import telegram_updates as tg
from bot.store.records import Handled, Place
from bot.store.store import Store
from bot.telegram import api as api_module
from bot.telegram.actions import Send
from bot.telegram.api import Api, make_api
from bot.telegram.faults import diagnose
from bot.telegram.letters import write_letters
from bot.telegram.polling import Polling
from bot.telegram.sender import Sender
from bot.telegram.turns import Turns
from peer import TOKEN, BotApi, http

TOO_MANY: dict[str, Any] = {"ok": False, "error_code": 429, "description": "Too Many Requests"}
ODD = ({"retry_after": "soon"}, {"retry_after": None}, {"retry_after": 0.5}, {"migrate_to_chat_id": "x"}, [], "x")


def refused(parameters: Any) -> bytes:
    return json.dumps({**TOO_MANY, "parameters": parameters}).encode()


@pytest.mark.parametrize("parameters", ODD)
async def test_a_refusal_with_odd_parameters_loses_no_message(
    api: BotApi, store: Store, sender: Sender, parameters: Any
) -> None:
    api.script("sendMessage", http(429, refused(parameters), "application/json"))
    letters = write_letters(1, [Send(place=Place(7, None, 7), html="x", plain="x")])
    sender.accept((await store.commit(Handled(update_id=1, letters=letters))).recorded)
    await api.until(lambda: api.chat(7), 3)


@pytest.mark.parametrize("parameters", ODD)
async def test_a_poll_that_is_refused_with_odd_parameters_ends_nothing(
    api: BotApi, client: Api, turns: Turns, parameters: Any
) -> None:
    api.script("getUpdates", http(429, refused(parameters), "application/json"))
    api.say("70B", chat=1)
    polling = asyncio.create_task(Polling(client, turns).run())
    try:
        await api.until(lambda: api.chat(1) or polling.done(), 5)
        assert not polling.done(), polling.exception()
    finally:
        polling.cancel()
        await asyncio.gather(polling, return_exceptions=True)


async def test_an_answer_that_trickles_in_does_not_hold_a_call_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_module, "BODY", 0.1)
    monkeypatch.setattr(api_module, "CONNECT", 0.1)

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        with suppress(ConnectionError):
            while not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        writer.close()
        ended.set()

    ended = asyncio.Event()
    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    calling = make_api(TOKEN, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", connections=1)
    await calling._request[0].initialize()
    try:
        with pytest.raises(TimedOut):
            await asyncio.wait_for(calling.call("getUpdates", {}, wait=0.2), 5)
    finally:
        await calling._request[0].shutdown()
        await asyncio.wait_for(ended.wait(), 5)
        server.close()
        await asyncio.sleep(0)  # the connection is closed in the loop's next round


@pytest.mark.parametrize(("asked", "waits"), [(-5, 1), (0, 1), (3, 3), (10**7, 86_400)])
def test_a_wait_is_never_none_nor_years(asked: int, waits: int) -> None:
    assert diagnose(RetryAfter(asked)).wait == timedelta(seconds=waits)


@pytest.mark.parametrize(
    "result", [True, [], {"id": 666}, {**tg.ANA, "id": "x", "username": "shop_bot"}, {**tg.ANA, "username": None}]
)
async def test_a_start_waits_until_telegram_says_who_the_bot_is(api: BotApi, result: Any) -> None:
    api.script("getMe", http(200, json.dumps({"ok": True, "result": result}).encode(), "application/json"))
    starting = make_api(TOKEN, api.url, connections=1)
    with pytest.raises(NetworkError):
        await starting.initialize()
    await starting.initialize()
    assert starting.username == api.me["username"]
    await starting.shutdown()
