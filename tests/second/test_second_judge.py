"""The real process against a public Bot API emulator that others wrote: a second judge beside tests/peer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from peer import TOKEN
from process import Bot, Mode, check_log, free_port, receiving

pytestmark = pytest.mark.second

HERE = Path(__file__).parent
USER = {"id": 1, "first_name": "T", "is_bot": False, "language_code": "pt-br"}
CHAT = {"id": 1, "type": "private", "first_name": "T"}
FILE = {"file_id": "f", "file_unique_id": "u"}


class Emulator:
    """telegram-test-api, from its users' side."""

    def __init__(self, url: str, http: aiohttp.ClientSession) -> None:
        self.url = url
        self._http = http

    async def post(self, path: str, **body: Any) -> Any:
        async with self._http.post(f"{self.url}{path}", json={"botToken": TOKEN, **body}) as answer:
            return await answer.json()

    async def say(self, text: str) -> None:
        await self.post("/sendMessage", date=1, **{"from": USER}, chat=CHAT, text=text)

    async def command(self, text: str) -> None:
        entities = [{"type": "bot_command", "offset": 0, "length": len(text.split()[0])}]
        await self.post("/sendCommand", date=1, **{"from": USER}, chat=CHAT, text=text, entities=entities)

    async def update(self, **update: Any) -> Any:
        return await self.post("/rawUpdate", update=update)

    async def calls(self) -> list[str]:
        return [call["method"] for call in (await self.post("/calls"))["result"]]

    async def messages(self) -> list[dict[str, Any]]:
        """The bot's messages that were not looked at yet."""
        found = (await self.post("/getUpdates", token=TOKEN, chatId=1))["result"]
        return [{"message_id": one["messageId"], **one["message"]} for one in found]

    async def answer(self) -> dict[str, Any]:
        return await self.until(self.messages)

    async def until(self, look: Callable[[], Any]) -> Any:
        for _ in range(200):
            found = await look()
            if found:
                return found[-1] if isinstance(found, list) else found
            await asyncio.sleep(0.05)
        raise AssertionError("nothing came")


@pytest.fixture
async def emulator(tmp_path: Path) -> AsyncIterator[Emulator]:
    port = free_port()
    log = (tmp_path / "emulator.log").open("wb")
    process = await asyncio.create_subprocess_exec("node", str(HERE / "server.js"), str(port), stdout=log, stderr=log)
    try:
        async with aiohttp.ClientSession() as http:
            made = Emulator(f"http://127.0.0.1:{port}", http)
            for _ in range(100):
                try:
                    await made.calls()
                    break
                except (aiohttp.ClientError, OSError):
                    await asyncio.sleep(0.1)
            yield made
    finally:
        process.terminate()
        await process.wait()
        log.close()


async def started(emulator: Emulator, home: Path, mode: Mode) -> tuple[Bot, dict[str, str]]:
    settings = receiving(mode)
    bot = Bot(emulator.url, home, **settings)
    await bot.start()
    for _ in range(100):
        if "receiving by" in bot.lines():
            return bot, settings
        await asyncio.sleep(0.1)
    raise AssertionError(bot.lines())


async def test_a_conversation_by_polling(emulator: Emulator, tmp_path: Path) -> None:
    bot, _settings = await started(emulator, tmp_path, "polling")
    try:
        await emulator.say("70B com LoRA?")
        assert "168" in (await emulator.answer())["text"]
        await emulator.say("e com QLoRA?")
        assert "52,5" in (await emulator.answer())["text"]
        await emulator.command("/prices")
        assert "4,61" in (await emulator.answer())["text"]
        await emulator.command("/start")
        start = await emulator.answer()
        keyboard = start["reply_markup"]
        assert len(keyboard["inline_keyboard"]) == 3
        pressed = {"message_id": start["message_id"], "date": 1, "chat": CHAT, "text": "x"}
        data = keyboard["inline_keyboard"][0][0]["callback_data"]
        await emulator.post("/sendCallback", **{"from": USER}, data=data, message=pressed)
        assert "168" in (await emulator.answer())["text"]
        await emulator.update(inline_query={"id": "9", "from": USER, "query": "70b", "offset": ""})
        voice = {"message_id": 90, "date": 1, "chat": CHAT, "from": USER, "voice": {**FILE, "duration": 2}}
        await emulator.update(message=voice)
        assert "áudios" in (await emulator.answer())["text"]
        seen = await emulator.calls()
        for method in ("answerCallbackQuery", "answerInlineQuery", "setMyCommands"):
            assert method in seen
    finally:
        assert await bot.stop() == 0
    check_log(bot.lines())


async def test_a_webhook_with_its_secret_and_nobody_without(emulator: Emulator, tmp_path: Path) -> None:
    bot, settings = await started(emulator, tmp_path, "webhook")
    try:
        asked = {"message_id": 5, "date": 1, "chat": CHAT, "from": USER, "text": "70B com LoRA?"}
        assert (await emulator.update(message=asked))["result"] == 200
        assert "168" in (await emulator.answer())["text"]
        # The package's own delivery sends no secret.
        await emulator.say("13B com LoRA?")
        async with aiohttp.ClientSession() as http:
            body = {"update_id": 9, "message": {**asked, "message_id": 6}}
            async with http.post(settings["webhook_url"], json=body) as refused:
                assert refused.status == 403
        await asyncio.sleep(0.3)
        assert await emulator.messages() == []
    finally:
        assert await bot.stop() == 0
    check_log(bot.lines())
