"""A Bot API server of the project's own, for tests: real HTTP on loopback, every request of the bot checked.

async with BotApi() as api:
    api.say("70B com LoRA?")                                   # a user writes
    await api.until(lambda: api.chat(1))                       # the bot has answered
    assert "B200" in api.chat(1)[0]["text"] and api.faults == []
"""

from __future__ import annotations

from .markup import MarkupError, parse
from .script import Outcome, error, hang, http, perform_then_reset, reset, slow
from .server import TOKEN, BotApi, Call
from .spec import Upload
from .updates import FORUM, GROUP, PHOTO, PRIVATE, person, place
from .webhook import Delivery

__all__ = [
    "FORUM",
    "GROUP",
    "PHOTO",
    "PRIVATE",
    "TOKEN",
    "BotApi",
    "Call",
    "Delivery",
    "MarkupError",
    "Outcome",
    "Upload",
    "error",
    "hang",
    "http",
    "parse",
    "perform_then_reset",
    "person",
    "place",
    "reset",
    "slow",
]
