"""The real process against a public Bot API emulator that others wrote: a second judge beside tests/peer.

The emulator gives every update once, whatever the offset, and does not deliver again what a webhook refused: what
depends on that is tests/e2e's to prove.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.render.views.commands import MENU
from peer import TOKEN
from process import Mode, running

pytestmark = pytest.mark.second

HERE = Path(__file__).parent
USER = {"id": 1, "is_bot": False, "first_name": "User 1", "language_code": "pt-br"}
CHAT = {"id": 1, "type": "private", "first_name": "User 1"}
BY_USER = {"from": USER, "chat": CHAT, "date": 1796000000}
FILE = {"file_id": "f", "file_unique_id": "u"}
STICKER = {**FILE, "type": "regular", "width": 1, "height": 1, "is_animated": False, "is_video": False}
SECRET = "X-Telegram-Bot-Api-Secret-Token"
PATIENCE = 15


class Emulator:
    """telegram-test-api, as one of its users and whoever looks over its shoulder."""

    def __init__(self, url: str, http: aiohttp.ClientSession) -> None:
        self.url = url
        self._http = http

    async def post(self, path: str, **body: Any) -> Any:
        async with self._http.post(f"{self.url}/{path}", json=body) as answer:
            assert answer.status == 200, await answer.text()
            return (await answer.json())["result"]

    async def says(self, text: str | None, **content: Any) -> dict[str, Any]:
        """The answer to a user's message."""
        body = {"botToken": TOKEN, **BY_USER, **content}
        if text is not None:
            body["text"] = text
        if text is None or not text.startswith("/"):
            return await self.answer_to("sendMessage", **body)
        command = {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
        return await self.answer_to("sendCommand", **body, entities=[command])

    async def answer_to(self, path: str, **body: Any) -> dict[str, Any]:
        """The bot's next message after a request of the user's."""
        before = len(await self.messages())
        await self.post(path, **body)
        new = await until(lambda: self._after(before))
        assert len(new) == 1
        answer: dict[str, Any] = new[0]
        return answer

    async def update(self, **update: Any) -> None:
        await self.post("rawUpdate", botToken=TOKEN, update=update)

    async def history(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self.post("getUpdatesHistory", token=TOKEN)
        return found

    async def messages(self) -> list[dict[str, Any]]:
        """The bot's messages in the user's chat, as they read now."""
        sent = [one for one in await self.history() if str(one.get("message", {}).get("chat_id")) == str(CHAT["id"])]
        return [{**one["message"], "message_id": one["messageId"]} for one in sent]

    async def called(self, method: str) -> list[dict[str, Any]]:
        """The parameters of the bot's calls of a method."""
        return [call["params"] for call in await self.post("calls") if call["method"] == method]

    async def _after(self, before: int) -> list[dict[str, Any]]:
        return (await self.messages())[before:]


async def until(look: Callable[[], Awaitable[Any]]) -> Any:
    """What is seen once there is something."""
    end = asyncio.get_running_loop().time() + PATIENCE
    while True:
        if seen := await look():
            return seen
        assert asyncio.get_running_loop().time() < end, f"nothing came in {PATIENCE} s"
        await asyncio.sleep(0.02)


def show_logs(home: Path) -> None:
    """Print the logs, which pytest shows of a test that failed."""
    for log in sorted(home.glob("*.log")):
        print(f"--- {log}\n{log.read_text()}")


@pytest.fixture
async def emulator(tmp_path: Path) -> AsyncIterator[Emulator]:
    log = tmp_path / "emulator.log"
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            "node", str(HERE / "server.js"), env={"PATH": os.environ["PATH"]}, stdout=PIPE, stderr=errors
        )
    try:
        assert process.stdout is not None
        port = (await asyncio.wait_for(process.stdout.readline(), PATIENCE)).decode().strip()
        assert port, log.read_text()
        async with aiohttp.ClientSession() as http:
            yield Emulator(f"http://127.0.0.1:{port}", http)
        assert process.returncode is None, "the emulator ended by itself"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()
        show_logs(tmp_path)


@asynccontextmanager
async def receives(emulator: Emulator, home: Path, mode: Mode, **settings: str) -> AsyncIterator[None]:
    """The bot, once messages reach it; SIGTERM ends it with exit code 0."""
    async with running(emulator, home, mode, **settings):
        # Before it is told of a webhook, the emulator keeps updates for polling.
        await until(lambda: emulator.called("setWebhook" if mode == "webhook" else "deleteWebhook"))
        yield


@pytest.mark.parametrize("mode", ["polling", "webhook"])
async def test_a_conversation_from_start_to_end(emulator: Emulator, tmp_path: Path, mode: Mode) -> None:
    async with receives(emulator, tmp_path, mode):
        await questions(emulator)
        await button(emulator)
        await edited_question(emulator)
        await other_content(emulator)
        await inline(emulator)
        await menus(emulator)
    assert len(await emulator.messages()) == 8
    # The poll that SIGTERM broke off has no status.
    assert {call["status"] for call in await emulator.post("calls")} <= {200, None}
    if mode == "polling":
        newest = max(one["updateId"] for one in await emulator.history() if "chat_id" not in one.get("message", {}))
        assert (await emulator.called("getUpdates"))[-1]["offset"] == newest + 1


async def questions(emulator: Emulator) -> None:
    first = await emulator.says("70B com LoRA?")
    assert "168" in first["text"]
    assert "B200" in first["text"]
    assert "52,5" in (await emulator.says("e com QLoRA?"))["text"]
    assert "4,61" in (await emulator.says("/prices"))["text"]


async def button(emulator: Emulator) -> None:
    start = await emulator.says("/start")
    rows = start["reply_markup"]["inline_keyboard"]
    assert len(rows) == 3
    bot = {"id": 666, "is_bot": True, "first_name": "Test First name"}
    under = {"message_id": start["message_id"], "date": 1796000000, "chat": CHAT, "from": bot, "text": start["text"]}
    data = rows[0][0]["callback_data"]
    answer = await emulator.answer_to("sendCallback", botToken=TOKEN, data=data, message=under, **{"from": USER})
    assert rows[0][0]["text"] in answer["text"]
    (answered,) = await until(lambda: emulator.called("answerCallbackQuery"))
    assert answered["callback_query_id"] == "1"


async def edited_question(emulator: Emulator) -> None:
    question = {**BY_USER, "message_id": 1000}
    answer = await emulator.answer_to(
        "rawUpdate", botToken=TOKEN, update={"message": {**question, "text": "7B com LoRA?"}}
    )
    assert "7B" in answer["text"]
    await emulator.update(edited_message={**question, "edit_date": 1796000060, "text": "13B com LoRA?"})
    (edit,) = await until(lambda: emulator.called("editMessageText"))
    assert int(edit["message_id"]) == answer["message_id"]
    last = (await emulator.messages())[-1]
    assert last["message_id"] == answer["message_id"]
    assert "13B" in last["text"]


async def other_content(emulator: Emulator) -> None:
    for content in ({"sticker": STICKER}, {"voice": {**FILE, "duration": 3}}):
        assert "pergunta" in (await emulator.says(None, **content))["text"]


async def inline(emulator: Emulator) -> None:
    for number, query in enumerate(("", "70b lora"), 1):
        await emulator.update(inline_query={"id": f"q{number}", "from": USER, "query": query, "offset": ""})
    answers = await until(lambda: _both(emulator))
    answered = {one["inline_query_id"]: one["results"] for one in answers}
    assert set(answered) == {"q1", "q2"}
    assert "168" in answered["q2"][0]["input_message_content"]["message_text"]
    assert {result["type"] for results in answered.values() for result in results} == {"article"}


async def _both(emulator: Emulator) -> list[dict[str, Any]] | None:
    answers = await emulator.called("answerInlineQuery")
    return answers if len(answers) == 2 else None


async def menus(emulator: Emulator) -> None:
    sizes = {
        (menu["scope"]["type"], menu.get("language_code")): len(menu["commands"])
        for menu in await emulator.called("setMyCommands")
    }
    assert sizes["all_private_chats", "pt"] == len(MENU)
    assert sizes["all_group_chats", None] == len(MENU) - 1


async def test_a_delivery_without_the_secret_is_refused(emulator: Emulator, tmp_path: Path) -> None:
    async with receives(emulator, tmp_path, "webhook", webhook_secret="Sesame-1"):
        (hook,) = await emulator.called("setWebhook")
        forged = {"update_id": 900, "message": {**BY_USER, "message_id": 900, "text": "13B com LoRA?"}}
        async with aiohttp.ClientSession() as http:
            for headers in ({}, {SECRET: ""}, {SECRET: "sesame-1"}):
                async with http.post(hook["url"], json=forged, headers=headers) as refused:
                    assert refused.status == 403
        # A chat's messages are answered in order: had one of them been taken, its answer would come first.
        assert "168" in (await emulator.says("70B com LoRA?"))["text"]
    assert len(await emulator.messages()) == 1
