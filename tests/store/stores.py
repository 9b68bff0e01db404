"""Stores to test, with a clock of their own, and what is put into them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from sqlalchemy import URL, func, select

from bot.reader.question import Question, Slots
from bot.shop.shop import Shop
from bot.store.records import Handled, Letter, Place, Remember
from bot.store.store import Store, open_store

ANA = Place(5234567890123, None, 5234567890123)
BO = Place(-1001234567890, 7, 42)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
PLAN = Question(intent="plan", slots=Slots(params_b=70, method="lora", hours=Decimal("1.5"), gpus=("h100", "h200")))


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@asynccontextmanager
async def opened(url: URL, shop: Shop, clock: Clock, owner: str = "one") -> AsyncIterator[Store]:
    async with open_store(
        url, shop.prices, bot_id=1, owner=owner, memory=timedelta(days=7), lease=timedelta(seconds=30), clock=clock
    ) as store:
        yield store


def asked(update_id: int, place: Place = ANA, question: Question = PLAN, **fields: object) -> Handled:
    remember = Remember(place=place, question=question, message_id=update_id)
    letter = Letter(key=f"u{update_id}.0", chat_id=place.chat_id, payload={"html": "💬"}, answers=update_id)
    return Handled(update_id=update_id, **{"remember": (remember,), "letters": (letter,), **fields})  # type: ignore[arg-type]


async def count(store: Store, table: object) -> int:
    async with store._reading.begin() as connection:
        return (await connection.execute(select(func.count()).select_from(table))).scalar()  # type: ignore[arg-type]
