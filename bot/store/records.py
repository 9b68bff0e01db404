"""What goes into the store and comes out of it, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import TypeAdapter, ValidationError

from bot.rates.watch import Watch
from bot.reader.preferences import NO_PREFERENCES, Preferences
from bot.reader.question import Question

#: How many questions of a place are kept.
KEPT_QUESTIONS: Final = 10
#: For how many days votes are kept.
KEPT_VOTES_DAYS: Final = 90


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation happens; memory is kept per place.

    ``thread_id`` is set only for messages of a forum topic; ``user_id`` is None for anonymous senders.
    """

    chat_id: int
    thread_id: int | None
    user_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWatch:
    """A watch to keep; ``armed`` False where the price is past the limit already."""

    watch: Watch
    locale: str
    armed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptWatch:
    """A watch of a chat or topic; ``number`` is what users name it by, ``message_id`` the message that set it."""

    id: int
    number: int
    watch: Watch
    armed: bool
    message_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVote:
    """Whether an answer helped whoever asked; a second vote on the same message takes the first one's place."""

    message_id: int | None  # the bot's message; None where it was sent through inline mode
    question: Question
    helped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """A vote as it is kept, without who gave it."""

    at: datetime
    question: Question
    helped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """A change of what is kept for a place: a Question to add to its memory (in the stead of the one kept from the
    same user message), settings to set (None clears one), a watch to keep, the id of one to remove, a vote on an
    answer, or all of it to erase.

    ``forget`` erases the user's memory, settings, watches and votes in every topic of the chat.
    """

    place: Place
    question: Question | None = None
    message_id: int | None = None  # the user's message that the question came from
    settings: dict[str, str | None] | None = None  # language, coin, ...
    watch: NewWatch | None = None
    unwatch: int | None = None
    vote: NewVote | None = None
    forget: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What is known of a place when its update is handled.

    ``answered`` maps a user message's id, within the chat, to the ids of the bot's answers to it; an empty tuple
    when the answer is recorded but not sent yet.  ``quoted``: where the message replies to one that a question came
    from or that answered one, whoever asked it, that user's questions up to it; None where it does not.
    """

    questions: tuple[Question, ...] = ()  # oldest first, not expired
    question_ids: tuple[int | None, ...] = ()  # the message that each came from: the user's, or the one with a button
    quoted: tuple[Question, ...] | None = None
    answered: dict[int, tuple[int, ...]] | None = None
    language: str | None = None  # chosen locale
    preferences: Preferences = NO_PREFERENCES
    reachable: bool = True  # False: the chat is known to have blocked the bot
    watches: tuple[KeptWatch, ...] = ()  # of the chat and topic, whoever set them; read where they are asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """What one update's handling reads: its place, and the answers that an edit or a reply refers to."""

    update_id: int
    place: Place | None = None
    lane: int | None = None  # what it is handled in order with: a chat's or a user's id
    edited: int | None = None  # the user's message that was edited
    replied: int | None = None  # the message that was replied to
    watches: bool = False  # the watches of the chat and topic are needed


@dataclass(frozen=True, slots=True)
class Found:
    """``handled``: the update's work is done already, and nothing is left to do for it.  ``held``: another replica has
    yet to handle older ones of its lane."""

    handled: bool
    remembered: Remembered
    held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One message to record for sending; ``payload`` a JSON object that the sender understands."""

    key: str
    chat_id: int
    payload: dict[str, Any]
    answers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A recorded message that waits to be sent.

    ``uncertain``: tries so far that may have arrived; ``behind``: the newest of the messages for the chat that other
    replicas had not sent yet when this one was recorded.
    """

    id: int
    chat_id: int
    payload: dict[str, Any]
    answers: int | None
    uncertain: int = 0
    behind: int | None = None


Outcome = Literal["handled", "unreadable", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """One update's handling, committed as a whole or not at all."""

    update_id: int
    outcome: Outcome = "handled"
    edited: bool = False  # its question stands in the stead of the one kept from the same message
    remember: tuple[Remember, ...] = ()
    letters: tuple[Letter, ...] = ()
    moved: tuple[int, int] | None = None  # a group's old and new chat id
    reachable: tuple[int, bool] | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """An update that waits, as it came; ``lane`` is what it is handled in order with: a chat's or a user's id."""

    raw: dict[str, Any]
    lane: int | None


@dataclass(frozen=True, slots=True)
class Park:
    """Updates to keep, whole and in their order, until they are handled."""

    updates: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class Committed:
    """``fresh`` False: the update was handled before, and nothing of this handling was kept."""

    fresh: bool
    recorded: tuple[Recorded, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a recorded message fared.  ``state`` "waiting": a try whose outcome is unknown, to be made again."""

    id: int
    state: Literal["sent", "failed", "waiting"]
    message_id: int | None = None
    fault: str | None = None
    moved: tuple[int, int] | None = None  # found while sending: the group's old and new chat id
    unreachable: int | None = None  # found while sending: the chat that blocked the bot
    replaces: int | None = None  # the bot's message, in the same chat, in whose stead this one stands from now on
    gone: tuple[int, ...] = ()  # the bot's messages, in the same chat, that are no longer there


_QUESTION: Final = TypeAdapter(Question)
#: A question's parts that hold the user's own words, and what was asked beside it.
_WORDS: Final = {"mentions", "model_text", "also"}


def question_to_json(question: Question) -> str:
    """A question without any of the user's words."""
    return _QUESTION.dump_json(question, exclude=_WORDS, exclude_defaults=True).decode()


def question_from_json(raw: str) -> Question | None:
    """A stored question, or None when this version can't read it: it is forgotten, as if it had expired."""
    try:
        return _QUESTION.validate_json(raw)
    except ValidationError:
        return None
