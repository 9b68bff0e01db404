"""A whole conversation with the real process, by polling and by webhook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from bot.render.views.commands import MENU
from peer import FORUM, GROUP, PHOTO, BotApi
from process import Mode, running

FILE = {"file_id": "f", "file_unique_id": "u"}
STICKER = {**FILE, "type": "regular", "width": 1, "height": 1, "is_animated": False, "is_video": False}
ANONYMOUS = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
CHANNEL = {"id": -1003, "type": "channel", "title": "News"}
NAME = "gpubot_test_bot"


class Chat:
    """One chat as its user sees it."""

    def __init__(self, api: BotApi, chat: int | dict[str, Any] = 1) -> None:
        self.api = api
        self.where = chat
        self.id = chat if isinstance(chat, int) else int(chat["id"])

    async def says(self, text: str | None, **fields: Any) -> dict[str, Any]:
        """The answer to a message."""
        before = len(self.api.chat(self.id))
        self.api.say(text, chat=self.where, **fields)
        await self.api.until(lambda: len(self.api.chat(self.id)) > before)
        answer: dict[str, Any] = self.api.chat(self.id)[-1]
        return answer

    async def hears_nothing_for(self, text: str | None, **fields: Any) -> None:
        """No answer comes before the answer to the next message of the same chat."""
        before = len(self.api.chat(self.id))
        self.api.say(text, chat=self.where, **fields)
        assert "B200" in (await self.says(f"/prices@{NAME}"))["text"]
        assert len(self.api.chat(self.id)) == before + 1


@pytest.mark.parametrize("mode", ["polling", "webhook"])
async def test_a_conversation_from_start_to_end(api: BotApi, tmp_path: Path, mode: Mode) -> None:
    async with running(api, tmp_path, mode):
        await private_chat(api)
        await other_content(api)
        await groups(api)
        await inline(api)
        await api.until(lambda: not api.pending)
        await api.until(lambda: ("all_private_chats", "pt") in api.commands)
        assert len(api.commands["all_private_chats", "pt"]) == len(MENU)


async def private_chat(api: BotApi) -> None:
    ana = Chat(api)
    start = await ana.says("/start")
    rows = start["reply_markup"]["inline_keyboard"]
    assert len(rows) == 3
    first = await ana.says("70B com LoRA?")
    assert "168" in first["text"]
    assert "B200" in first["text"]
    assert "52,5" in (await ana.says("e com QLoRA?"))["text"]
    assert "4,61" in (await ana.says("/prices"))["text"]
    before = len(api.chat(1))
    api.press(1, start["message_id"], rows[0][0]["callback_data"])
    await api.until(lambda: len(api.chat(1)) > before)
    assert api.called("answerCallbackQuery")
    assert rows[0][0]["text"] in api.chat(1)[-1]["text"]

    asked = api.chats.next_id(1) + 1
    await ana.says("7B com LoRA?")
    answer = api.chat(1)[-1]
    question = answer["message_id"] - 1
    assert question >= asked - 2
    api.edit(1, question, "13B com LoRA?")
    await api.until(lambda: "13B" in api.chat(1)[-1]["text"])
    assert api.chat(1)[-1]["message_id"] == answer["message_id"]


async def other_content(api: BotApi) -> None:
    bo = Chat(api, 2)
    assert "31,2" in (await bo.says(None, photo=PHOTO, caption="13B LoRA"))["text"]
    for fields in ({"sticker": STICKER}, {"voice": {**FILE, "duration": 3}}, {"photo": PHOTO}, {"document": FILE}):
        text = (await bo.says(None, **fields))["text"]
        assert "pergunta" in text
    before = len(api.chat(2))
    for caption in (None, "70B QLoRA", None):
        api.say(None, chat=2, photo=PHOTO, caption=caption, media_group_id="9")
    await api.until(lambda: len(api.chat(2)) == before + 1)
    assert "52,5" in api.chat(2)[-1]["text"]
    assert (await bo.says(""))["text"]
    api.push({"channel_post": {"message_id": 1, "date": 1, "chat": CHANNEL, "text": "70B"}})
    bought = {"message_id": 1, "date": 1, "chat": {"id": 3, "type": "private"}, "business_connection_id": "b"}
    api.push({"business_message": {**bought, "from": {"id": 3, "is_bot": False, "first_name": "U"}, "text": "70B"}})
    assert "US$" in (await bo.says("/prices"))["text"]
    assert not api.chat(-1003)
    assert not api.chat(3)


async def groups(api: BotApi) -> None:
    group = Chat(api, GROUP)
    for text in ("70B com LoRA?", "/prices@other_bot", "olá", "@other_bot 70B"):
        await group.hears_nothing_for(text)
    answer = await group.says(f"😀 @{NAME} 70B com LoRA?")
    assert "168" in answer["text"]
    assert answer["reply_to"] == answer["message_id"] - 1
    assert "168" in (await group.says(f"@{NAME} 70B LoRA", user=ANONYMOUS, sender_chat=GROUP))["text"]
    topic = await Chat(api, FORUM).says(f"@{NAME} 13B LoRA", message_thread_id=7, is_topic_message=True)
    assert topic["message_thread_id"] == 7


async def inline(api: BotApi) -> None:
    for query in ("", "70b lora", "x" * 256):
        api.inline(query)
    await api.until(lambda: len(api.called("answerInlineQuery")) == 3)


async def test_the_same_on_postgresql(api: BotApi, tmp_path: Path, new_database: URL) -> None:
    address = new_database.render_as_string(hide_password=False)
    async with running(api, tmp_path, "webhook", database_url=address):
        await private_chat(api)
    async with running(api, tmp_path, "polling", database_url=address):
        assert "9,75" in (await Chat(api).says("e com QLoRA?"))["text"]


async def test_memory_and_choices_outlive_a_restart_and_forget_erases_them(api: BotApi, tmp_path: Path) -> None:
    ana = Chat(api)
    async with running(api, tmp_path, "polling"):
        await ana.says("13B com LoRA?")
        await ana.says("/language es")
    async with running(api, tmp_path, "polling"):
        assert "9,75" in (await ana.says("QLoRA?"))["text"]
        asked = await ana.says("/forget")
        assert "¿Borrar" in asked["text"]
        api.press(1, asked["message_id"], asked["reply_markup"]["inline_keyboard"][0][0]["callback_data"])
        await api.until(lambda: api.chat(1)[-1]["edited"])
        assert "9,75" not in (await ana.says("e com QLoRA?"))["text"]
