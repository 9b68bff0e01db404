"""Asking again until there is an answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from telegram.error import InvalidToken, TelegramError

from planner.errors import OperatorError

log = logging.getLogger(__name__)

Result = TypeVar("Result")

TELEGRAM: Final = "https://api.telegram.org"
#: Seconds between questions to Telegram.
FIRST_PAUSE: Final = 0.5
LAST_PAUSE: Final = 30.0


class Pause:
    """Seconds between tries, doubled from ``first`` to ``last``."""

    def __init__(self, first: float, last: float) -> None:
        self.seconds = first
        self._last = last

    async def wait(self) -> None:
        """Wait; the next time for longer."""
        await asyncio.sleep(self.seconds)
        self.seconds = min(self.seconds * 2, self._last)


def token_refused(url: str = TELEGRAM) -> OperatorError:
    """What an operator hears when the Bot API at ``url`` knows no bot with the token."""
    if url != TELEGRAM:
        return OperatorError("GPUBOT_TOKEN, GPUBOT_API_URL: the Bot API at that address does not know this token")
    return OperatorError("GPUBOT_TOKEN: Telegram refuses it; get a new one from @BotFather")


async def answered(ask: Callable[[], Awaitable[Result]], url: str = TELEGRAM) -> Result:
    """Telegram's answer, however long it is away; ``url`` is the address of the Bot API that is asked.

    Raises OperatorError when it refuses the token, and whatever else ``ask`` raises but for Telegram's errors.
    """
    pause = Pause(FIRST_PAUSE, LAST_PAUSE)
    while True:
        try:
            return await ask()
        except InvalidToken:
            raise token_refused(url) from None
        except TelegramError as error:
            log.warning("Telegram does not answer", extra={"fault": error.message, "again_in": pause.seconds})
        await pause.wait()
