"""A chat whose question needs a model hub waits for it; the others don't."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hubs import WIDGET
from test_receivers import polled, raw

from bot.hub.values import HubModel, HubModels
from bot.store.store import Store
from bot.telegram.api import Api
from bot.telegram.handlers import DecideContext
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


async def test_a_command_and_an_edit_look_up_too(api: BotApi, client: Api, turns: Turns, librarian: Librarian) -> None:
    librarian.may.set()
    async with polled(client, turns):
        api.say(f"/plan {ID} LoRA", chat=1)
        await api.until(lambda: len(api.chat(1)) == 1)
    assert librarian.asked == [(ID,)]
    assert "config.json" in api.chat(1)[0]["text"]
