"""What an error of the Bot API means for the message that met it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import Final

from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, RetryAfter, TelegramError

from bot.telegram.api import NotSent


class Fault(Enum):
    """Kinds of faults, by what there is left to do."""

    WAIT = auto()  # the chat's limit is reached: again after the time given
    UNSENT = auto()  # the server was not reached: again
    UNKNOWN = auto()  # it may have arrived: again, and counted
    MOVED = auto()  # the group became a supergroup: to the new id
    UNREACHABLE = auto()  # blocked, deactivated, removed: given up, and remembered
    REFUSED = auto()  # the bot's token is no longer valid
    MARKUP = auto()  # entities can't be parsed: as plain text
    SAME = auto()  # an edit that changes nothing: done
    GONE = auto()  # the message to edit is not there: a new one
    NO_THREAD = auto()  # the topic is not there: into the chat
    NO_REPLY = auto()  # the message to reply to is not there: without a reply
    REJECTED = auto()  # anything else that another try won't mend


#: What Telegram says in a 400, lower case, and what it means.
_BAD_REQUESTS: Final = (
    ("message is not modified", Fault.SAME),
    ("can't parse entities", Fault.MARKUP),
    ("can't find end of", Fault.MARKUP),
    ("message to edit not found", Fault.GONE),
    ("message can't be edited", Fault.GONE),
    ("message_id_invalid", Fault.GONE),
    ("message thread not found", Fault.NO_THREAD),
    ("topic_deleted", Fault.NO_THREAD),
    ("message to be replied not found", Fault.NO_REPLY),
    ("message to reply not found", Fault.NO_REPLY),
    ("replied message not found", Fault.NO_REPLY),
    ("chat not found", Fault.UNREACHABLE),
    ("user is deactivated", Fault.UNREACHABLE),
    ("bot was kicked", Fault.UNREACHABLE),
    ("peer_id_invalid", Fault.UNREACHABLE),
    ("chat_write_forbidden", Fault.UNREACHABLE),
)


#: Seconds that a wait lasts, whatever an answer asks for.
_SHORTEST: Final = 1
_LONGEST: Final = 86_400


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A fault, with the wait that the server asks for and the chat's new id where it names them."""

    fault: Fault
    text: str
    wait: timedelta = timedelta()
    moved_to: int | None = None


def _bearable(asked: int | timedelta) -> timedelta:
    """The wait that was asked for, where it can be meant: never none, which would be a flood, nor years."""
    seconds = asked.total_seconds() if isinstance(asked, timedelta) else asked
    return timedelta(seconds=min(max(seconds, _SHORTEST), _LONGEST))


def diagnose(error: TelegramError) -> Diagnosis:
    """What an error means."""
    text = error.message
    match error:
        case RetryAfter():
            return Diagnosis(Fault.WAIT, text, _bearable(error.retry_after))
        case ChatMigrated():
            return Diagnosis(Fault.MOVED, text, moved_to=error.new_chat_id)
        case Forbidden():
            return Diagnosis(Fault.UNREACHABLE, text)
        case InvalidToken():
            return Diagnosis(Fault.REFUSED, text)
        case NotSent():
            return Diagnosis(Fault.UNSENT, text)
        case BadRequest():
            lower = text.lower()
            known = next((fault for phrase, fault in _BAD_REQUESTS if phrase in lower), Fault.REJECTED)
            return Diagnosis(known, text)
    return Diagnosis(Fault.UNKNOWN, text)
