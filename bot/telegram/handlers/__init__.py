"""Handlers: pure decisions from an update and what is remembered to the effects it has."""

from bot.telegram.handlers.context import DecideContext
from bot.telegram.handlers.decide import ALLOWED_UPDATES, decide, failure
from bot.telegram.handlers.places import place_of

__all__ = ["ALLOWED_UPDATES", "DecideContext", "decide", "failure", "place_of"]
