"""Receiving by long polling.  Telegram keeps every update until it is confirmed, which follows the commit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

from bot.telegram.api import Api
from bot.telegram.faults import diagnose
from bot.telegram.handlers import ALLOWED_UPDATES
from bot.telegram.patience import FIRST_PAUSE, LAST_PAUSE, Pause, answered, token_refused
from bot.telegram.turns import Turns, UnidentifiedError
from planner.errors import OperatorError

log = logging.getLogger(__name__)

#: Seconds Telegram holds a poll that has nothing to give, and how much longer an answer may take: a connection that
#: died without a word is noticed then.
HOLD: Final = 50
SLACK: Final = 10.0
_LIMIT: Final = 100
#: Seconds until more is asked for while some updates are still being handled; Telegram slows down whoever asks for
#: the same in a hurry.
_IMPATIENCE: Final = 1.0
#: Seconds of conflicts before giving up: a replica that is being replaced may still hold its last poll.
_CONFLICT: Final = 75.0


class Polling:
    """Asks for updates and confirms those that are handled or parked, up to the first that is neither.

    ``seen`` is called after each answer of Telegram's.
    """

    def __init__(self, api: Api, turns: Turns, seen: Callable[[], None] = lambda: None) -> None:
        self._api = api
        self._turns = turns
        self._seen = seen
        self._open: dict[int, asyncio.Task[None]] = {}
        self._parked: set[int] = set()  # open, but kept by us
        self._over: set[int] = set()  # handled, but not confirmed: something before them is not handled
        self._asked = 0  # the last offset, which confirmed what is below it
        self._next = 0  # one above the newest update that came

    @property
    def confirmed(self) -> int:
        """The offset that confirms whatever is handled or parked and has nothing else before it."""
        return min(self._unkept, default=self._next)

    @property
    def _unkept(self) -> set[int]:
        return self._open.keys() - self._parked

    async def run(self) -> None:
        """Receive until cancelled.  Raises OperatorError when another program receives the bot's updates."""
        await answered(lambda: self._api.call("deleteWebhook", {"drop_pending_updates": False}))
        pause = Pause(FIRST_PAUSE, LAST_PAUSE)
        conflicts_since: float | None = None
        loop = asyncio.get_running_loop()
        while True:
            try:
                updates = await self._ask(HOLD)
            except Conflict as error:
                conflicts_since = conflicts_since or loop.time()
                log.warning("another program asks for this bot's updates", extra={"fault": error.message})
                if loop.time() - conflicts_since > _CONFLICT:
                    raise OperatorError("another program runs with this GPUBOT_TOKEN: stop it, or this one") from None
            except InvalidToken:
                raise token_refused() from None
            except TelegramError as error:
                if isinstance(error, RetryAfter):
                    pause.seconds = max(pause.seconds, diagnose(error).wait.total_seconds())
                log.warning("Telegram does not answer", extra={"fault": error.message, "again_in": pause.seconds})
            else:
                self._seen()
                conflicts_since, pause = None, Pause(FIRST_PAUSE, LAST_PAUSE)
                await self._take(updates)
                continue
            await pause.wait()

    async def confirm(self) -> None:
        """Tell Telegram what is handled, at the end."""
        self._settle()
        if self.confirmed != self._asked:
            try:
                await self._api.call("getUpdates", {"offset": self.confirmed, "limit": 1, "timeout": 0}, wait=2.0)
            except TelegramError as error:
                log.info("the last updates stay unconfirmed; they are known", extra={"fault": error.message})

    async def _ask(self, hold: int) -> list[Any]:
        self._asked = self.confirmed
        params = {
            "offset": self._asked,
            "limit": _LIMIT,
            "timeout": 0 if self._unkept else hold,
            "allowed_updates": list(ALLOWED_UPDATES),
        }
        updates = await self._api.call("getUpdates", params, wait=hold + SLACK)
        if not isinstance(updates, list):
            raise NetworkError("an answer without updates")
        return updates

    async def _take(self, updates: list[Any]) -> None:
        """Handle what is new, and wait until all is handled, but not for long: a slow chat holds nobody up."""
        for raw in updates:
            update_id = raw.get("update_id") if isinstance(raw, dict) else None
            if isinstance(update_id, int) and (update_id in self._open or update_id in self._over):
                continue
            try:
                task = self._turns.take(raw)
            except UnidentifiedError:
                log.error("Telegram sent something that is no update")
                continue
            self._open[raw["update_id"]] = task
            # Not the greatest: after a quiet week Telegram starts anew from a random id.
            self._next = raw["update_id"] + 1
        self._settle()
        self._parked |= await self._turns.park() & self._open.keys()
        if unkept := self._unkept:
            await asyncio.wait([self._open[update_id] for update_id in unkept], timeout=_IMPATIENCE)
        self._settle()

    def _settle(self) -> None:
        for update_id, task in list(self._open.items()):
            # One that was cancelled, at the end, stays open: it is not committed and has to come again.
            if task.done() and not task.cancelled():
                del self._open[update_id]
                self._parked.discard(update_id)
                self._over.add(update_id)
                if (error := task.exception()) is not None:
                    log.error("an update was given up", extra={"update": update_id}, exc_info=error)
        if not self._unkept:
            self._over.clear()
