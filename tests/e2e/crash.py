"""Kill -9 under load, again and again, and then count: nothing may be lost or out of order."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from sqlalchemy import URL, func, select

from bot.store.engine import make_engines
from bot.store.tables import outbox
from peer import BotApi
from process import Bot, Mode, receiving

CHATS = range(1, 21)
#: Seconds a process lives at most: kills hit the start, the first poll and full load alike.
LONGEST_LIFE = 1.6
SIZE = re.compile(r"^(\d+)B\b")


@dataclass
class Report:
    """``uncertain``: tries that the bot itself counts as perhaps arrived; no more doubles can come than those."""

    kills: int = 0
    asked: int = 0
    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0
    uncertain: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, {self.asked} questions: {self.lost} lost, {self.doubled} answered twice "
            f"({self.uncertain} sends of unknown outcome), {self.out_of_order} out of order"
        )


async def crash(api: BotApi, home: Path, mode: Mode, database: URL, kills: int, seed: int) -> Report:
    """Ask in many chats while the bot is killed ``kills`` times; then let it finish, and count."""
    chance = random.Random(seed)
    settings = receiving(mode)
    address = database.render_as_string(hide_password=False)
    asked = dict.fromkeys(CHATS, 0)

    async def load() -> None:
        while True:
            chat = chance.choice(CHATS)
            asked[chat] += 1
            api.say(f"{asked[chat]}B", chat=chat)
            await asyncio.sleep(chance.uniform(0, 0.02))

    def bot() -> Bot:
        return Bot(api.url, home, **settings, database_url=address, log_level="INFO", lease_seconds="3")

    loading = asyncio.create_task(load())
    report = Report(kills=kills)
    try:
        for _ in range(kills):
            one = bot()
            await one.start()
            await asyncio.sleep(chance.uniform(0.3, LONGEST_LIFE))
            await one.kill()
    finally:
        loading.cancel()
    last = bot()
    await last.start()
    try:
        await api.until(lambda: all(_answers(api, chat)[-1:] == [asked[chat]] for chat in CHATS if asked[chat]), 90)
        await api.until(lambda: not api.pending)
    finally:
        code = await last.stop()
    if code or "Traceback" in last.lines():
        report.faults.append(f"exit {code}\n{last.lines()[-2000:]}")
    for chat in CHATS:
        seen = _answers(api, chat)
        report.asked += asked[chat]
        report.lost += len(set(range(1, asked[chat] + 1)) - set(seen))
        report.doubled += len(seen) - len(set(seen))
        report.out_of_order += sum(later < sooner for sooner, later in pairwise(seen))
    report.uncertain = await _uncertain(database)
    return report


def _answers(api: BotApi, chat: int) -> list[int]:
    found = (SIZE.match(message["text"]) for message in api.chat(chat))
    return [int(match[1]) for match in found if match]


async def _uncertain(database: URL) -> int:
    engines = make_engines(database)
    try:
        async with engines[1].connect() as connection:
            return int((await connection.execute(select(func.sum(outbox.c.uncertain)))).scalar() or 0)
    finally:
        for engine in set(engines):
            await engine.dispose()
