"""What handlers decide: actions to perform and facts to remember, as values that can be stored.

Handlers never talk to Telegram or to the database.  They return Effects; the receiver commits them
together with the update's id (so that a redelivered update finds its work done), and only then does
the sender perform the durable actions, in order per chat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bot.store.records import Place, Remember, Remembered

__all__ = ["Action", "Album", "Call", "Edit", "Effects", "Kind", "Place", "Remember", "Remembered", "Send"]


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
    album: Album | None = None  # set for an answer to a part of an album, which is answered once


@dataclass(frozen=True, slots=True, kw_only=True)
class Album:
    """The parts of an album come as messages of their own, and only one may have the text.

    ``fallback``: what is said when none of them has any.
    """

    id: str
    fallback: bool


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
class Effects:
    """Everything that handling one update leads to.

    ``wanted``: repositories of a model hub that have to be looked up first; then the update is decided again.
    """

    actions: tuple[Action, ...] = ()
    remember: tuple[Remember, ...] = ()
    moved: tuple[int, int] | None = None  # a group's old and new chat id
    reachable: tuple[int, bool] | None = None  # a chat id that blocked (False) or unblocked (True) the bot
    wanted: tuple[str, ...] = ()


Kind = Literal["message", "edited_message", "callback_query", "inline_query", "my_chat_member"]
