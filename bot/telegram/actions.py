"""What handlers decide: actions to perform and facts to remember, as values that can be stored.

Handlers never talk to Telegram or to the database.  They return Effects; the receiver commits them
together with the update's id (so that a redelivered update finds its work done), and only then does
the sender perform the durable actions, in order per chat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bot.reader.question import Question


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation happens.  ``thread_id`` is set only for messages of a forum topic; ``user_id`` is None
    for anonymous senders.  Memory is kept per place: in a private chat per chat, in a group per chat, topic and user."""

    chat_id: int
    thread_id: int | None
    user_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Send a message.  ``html`` is Telegram HTML, ``plain`` the same without markup (used when entities
    can't be parsed); longer texts are split by the sender.  ``keyboard`` is a reply_markup object."""

    place: Place
    html: str
    plain: str
    reply_to: int | None = None
    keyboard: dict[str, Any] | None = None
    answers: int | None = None  # id of the user's message that this answers: an edit of it edits the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Put a new text into a message of the bot's; sent anew when it is gone.

    ``message_id`` None: the messages that answered the user's message ``answers``, looked up when this is
    performed (so that an answer still waiting to be sent is found too).  Parts of a split answer are
    used again; those left over are deleted.
    """

    place: Place
    message_id: int | None
    html: str
    plain: str
    keyboard: dict[str, Any] | None = None
    answers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that is worthless when late and harmless when lost: answerCallbackQuery, answerInlineQuery.
    Performed at once, never recorded."""

    method: str
    params: dict[str, Any]


Action = Send | Edit | Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """A change of what is kept for a place: a Question to add to its memory (in the stead of the one kept from the
    same user message), settings to set (None clears one), or all of it to erase.

    ``forget`` erases the user's memory and settings in every topic of the chat.
    """

    place: Place
    question: Question | None = None
    message_id: int | None = None  # the user's message that the question came from
    settings: dict[str, str | None] | None = None  # language, coin, ...
    forget: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """Everything that handling one update leads to."""

    actions: tuple[Action, ...] = ()
    remember: tuple[Remember, ...] = ()
    moved: tuple[int, int] | None = None  # a group's old and new chat id
    reachable: tuple[int, bool] | None = None  # a chat id that blocked (False) or unblocked (True) the bot


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What is known of a place when its update is handled, read from the store before.

    ``answered`` maps a user message's id, within the chat, to the ids of the bot's answers to it; an empty tuple
    when the answer is recorded but not sent yet.
    """

    questions: tuple[Question, ...] = ()  # oldest first, not expired
    question_ids: tuple[int | None, ...] = ()  # the user message that each of them came from
    answered: dict[int, tuple[int, ...]] | None = None
    language: str | None = None  # chosen locale
    coin: str | None = None
    reachable: bool = True  # False: the chat is known to have blocked the bot


Kind = Literal["message", "edited_message", "callback_query", "inline_query", "my_chat_member"]
