"""A chat whose question needs a model hub waits for it; the others don't."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hubs import WIDGET
from test_receivers import polled, raw

from bot.chat import Voice, answer_question
from bot.hub.values import HubModel, HubModels
from bot.reader.question import Question, Slots
from bot.store.store import Store
from bot.telegram.api import Api
from bot.telegram.asked import read_back, write
from bot.telegram.handlers import DecideContext
from bot.telegram.keyboards import answer
from bot.telegram.sender import Sender
from bot.telegram.turns import Turns
from peer import BotApi
from planner.configs import read_config

ID = "acme/widget-one"


@dataclass
class Librarian:
    """Looks up what it is asked for once it may go on."""

    now: Any
    may: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[tuple[str, ...]] = field(default_factory=list)

    async def find(self, ids: Sequence[str]) -> HubModels:
        self.asked.append(tuple(ids))
        await self.may.wait()
        return {
            one: HubModel(id=one, state="read", read_at=self.now, model=read_config(WIDGET, one).model) for one in ids
        }


@pytest.fixture
def librarian(context: DecideContext) -> Librarian:
    return Librarian(context.now)


@pytest.fixture
async def turns(
    client: Api, store: Store, sender: Sender, context: DecideContext, librarian: Librarian
) -> AsyncIterator[Turns]:
    made = Turns(client, store, sender, lambda: context, librarian.find)
    yield made
    await made.drain(1)


async def test_one_chat_waits_while_others_are_answered(
    api: BotApi, client: Api, turns: Turns, librarian: Librarian
) -> None:
    async with polled(client, turns):
        api.say(f"{ID} com LoRA?", chat=1)
        await api.until(lambda: bool(librarian.asked))
        api.say("e com QLoRA?", chat=1)
        for chat in range(2, 12):
            api.say("70B LoRA", chat=chat)
        await api.until(lambda: all(api.chat(chat) for chat in range(2, 12)))
        assert api.chat(1) == []
        librarian.may.set()
        await api.until(lambda: len(api.chat(1)) == 2)
    assert librarian.asked == [(ID,), (ID,)]
    first, second = (message["text"] for message in api.chat(1))
    assert first.startswith("acme/widget-one (6,59B) · LoRA")
    assert second.startswith("acme/widget-one (6,59B) · QLoRA")
    assert "config.json" in first


async def test_nothing_is_looked_up_for_what_the_catalogue_knows(turns: Turns, librarian: Librarian) -> None:
    for number, text in enumerate(("70B LoRA", "meta-llama/Llama-3.3-70B-Instruct", "/help", "USDT/TRC20-net?"), 1):
        await turns.take(raw(number, text))
    assert librarian.asked == []


async def test_an_inline_query_looks_nothing_up(turns: Turns, librarian: Librarian) -> None:
    user = {"id": 7, "is_bot": False, "first_name": "U"}
    await turns.take({"update_id": 1, "inline_query": {"id": "1", "from": user, "query": f"{ID} lora", "offset": ""}})
    assert librarian.asked == []


async def test_a_button_changes_the_answer_about_the_same_repository(
    api: BotApi, client: Api, turns: Turns, librarian: Librarian
) -> None:
    librarian.may.set()
    async with polled(client, turns):
        api.say(f"{ID} LoRA", chat=1)
        await api.until(lambda: len(api.chat(1)) == 1)
        message = api.chat(1)[0]
        buttons = [one for row in message["reply_markup"]["inline_keyboard"] for one in row]
        qlora = next(one for one in buttons if one["text"].startswith("QLoRA"))
        api.press(1, message["message_id"], qlora["callback_data"])
        await api.until(lambda: "QLoRA" in api.chat(1)[0]["text"].splitlines()[0])
    assert api.chat(1)[0]["text"].startswith("acme/widget-one (6,59B) · QLoRA")
    assert librarian.asked == [(ID,), (ID,)]


@pytest.mark.parametrize("name", ["acme/widget-one", "acme/widget-one@v1.0", f"{'a' * 90}/{'b' * 90}"])
async def test_a_button_carries_a_repository_or_is_left_out(name: str, context: DecideContext) -> None:
    question = Question(intent="plan", slots=Slots(method="lora"), hub=name)
    written = write(question)
    assert written is not None
    assert read_back(written) == question
    assert read_back(written.replace("/", "/../")) is None
    found = HubModel(id=name, state="read", read_at=context.now, model=read_config(WIDGET, name).model)
    turn = answer_question(question, shop=context.shop, now=context.now, voice=Voice(), hub={name: found})
    keyboard = answer(turn)
    assert keyboard is not None
    data = [one["callback_data"] for row in keyboard["inline_keyboard"] for one in row if "callback_data" in one]
    assert data
    assert all(len(one.encode()) <= 64 for one in data)


async def test_a_command_and_an_edit_look_up_too(api: BotApi, client: Api, turns: Turns, librarian: Librarian) -> None:
    librarian.may.set()
    async with polled(client, turns):
        api.say(f"/plan {ID} LoRA", chat=1)
        await api.until(lambda: len(api.chat(1)) == 1)
    assert librarian.asked == [(ID,)]
    assert "config.json" in api.chat(1)[0]["text"]
