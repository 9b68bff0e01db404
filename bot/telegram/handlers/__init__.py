"""Handlers: pure decisions from an update and what is remembered to the effects it has."""

from bot.telegram.handlers.context import DecideContext
from bot.telegram.handlers.decide import ALLOWED_UPDATES, decide, failure
from bot.telegram.handlers.places import place_of
from bot.telegram.handlers.watching import needs_watches

__all__ = ["ALLOWED_UPDATES", "DecideContext", "decide", "failure", "needs_watches", "place_of"]
