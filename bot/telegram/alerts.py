"""Telling of watched prices that passed their limits: each once, whichever replica looks after them.

What is told is recorded, in the transaction in which the watch is marked as told, before it is sent: a replica that is
killed in between leaves it to another, which sends it again only where nobody can know whether it arrived.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from bot.rates.watch import Seen, see
from bot.render.views.watches import view_alert
from bot.store.records import Letter
from bot.store.store import Store
from bot.store.watches import Standing
from bot.telegram import keyboards
from bot.telegram.actions import Send
from bot.telegram.handlers import DecideContext
from bot.telegram.letters import write_letter
from bot.telegram.sender import Sender

log = logging.getLogger(__name__)

#: Alerts recorded at once, and seconds between: Telegram takes about 30 messages a second, and answers go first.
_AT_ONCE: Final = 20
_PAUSE: Final = 1.0


class Alerts:
    """Looks at every watch whenever prices or rates may have changed."""

    def __init__(self, store: Store, sender: Sender, context: Callable[[], DecideContext]) -> None:
        self._store = store
        self._sender = sender
        self._context = context
        self._looking = asyncio.Lock()
        self.due = False  # another replica looked after them: look again soon whether it still does

    async def check(self) -> None:
        """Tell of what passed its limit since, and make ready again what is back."""
        async with self._looking:
            more = await self._some()
            while more:
                await asyncio.sleep(_PAUSE)
                more = await self._some()

    async def _some(self) -> bool:
        """Settle some of the watches; whether there are more."""
        standing = await self._store.standing_watches()
        self.due = standing is None
        context = self._context()
        passed: list[tuple[Standing, Seen]] = []
        back: list[int] = []
        for one in standing or ():
            seen = see(one.watch.subject, context.shop.prices, context.rates, context.now)
            if seen is None:
                continue
            if one.armed and one.watch.passed(seen.value):
                passed.append((one, seen))
            elif not one.armed and one.watch.is_back(seen.value):
                back.append(one.id)
        now = passed[:_AT_ONCE]
        if not now and not back:
            return False
        recorded = await self._store.settle_watches([(one, _letter(one, seen, context)) for one, seen in now], back)
        if recorded:
            log.info("watched prices passed their limits", extra={"watches": len(recorded)})
            self._sender.counts["alerts"] += len(recorded)
        self._sender.accept(recorded)
        return len(passed) > len(now)


def _letter(one: Standing, seen: Seen, context: DecideContext) -> Letter:
    text = view_alert(one.locale, one.watch, seen, context.shop)
    keyboard = keyboards.stop_watching(one.locale, one.id)
    send = Send(place=one.place, html=text.html, plain=text.plain, keyboard=keyboard)
    return write_letter(f"w{one.id}.{one.fired}", send)
