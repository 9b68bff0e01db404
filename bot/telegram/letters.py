"""Actions as recorded messages, and recorded messages as calls.

A long answer is recorded part by part, so that a crash between two parts repeats one part at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.store.records import Letter, Recorded
from bot.telegram.actions import Action, Edit, Send
from bot.telegram.markup import split


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One part of an answer, as it is sent or put into an earlier message.

    ``edits``: put it into the bot's message ``message_id``, or (None) into the ``index``-th of those that answered the
    same message before; ``last``: those after it are deleted.  ``unless``: not needed once the letter with that key is
    recorded, for which the sender waits a little.
    """

    chat_id: int
    thread_id: int | None
    html: str
    plain: str
    reply_to: int | None = None
    keyboard: dict[str, Any] | None = None
    edits: bool = False
    message_id: int | None = None
    index: int = 0
    last: bool = True
    unless: str | None = None


def write_letters(update_id: int, actions: Sequence[Action]) -> tuple[Letter, ...]:
    """The letters of an update's actions, in order; what is performed at once leaves none."""
    letters: list[Letter] = []
    for number, action in enumerate(actions):
        if not isinstance(action, Send | Edit):
            continue
        parts = split(action.html, action.plain)
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            payload: dict[str, Any] = {"html": part.html, "plain": part.plain}
            if action.place.thread_id is not None:
                payload["thread"] = action.place.thread_id
            if last and action.keyboard is not None:
                payload["keyboard"] = action.keyboard
            if isinstance(action, Edit):
                payload["edit"] = {"message_id": action.message_id, "index": index, "last": last}
            elif index == 0 and action.reply_to is not None:
                payload["reply_to"] = action.reply_to
            key = f"u{update_id}.{number}.{index}"
            album = action.album if isinstance(action, Send) else None
            if album is not None:
                chat_id = action.place.chat_id
                key = f"a{chat_id}.{album.id}.{'fallback' if album.fallback else index}"
                if album.fallback:
                    payload["unless"] = f"a{chat_id}.{album.id}.0"
            letters.append(
                Letter(
                    key=key,
                    chat_id=action.place.chat_id,
                    payload=payload,
                    answers=action.answers,
                )
            )
    return tuple(letters)


def write_letter(key: str, action: Send) -> Letter:
    """The letter of a short message that answers no update, under a key of its own."""
    payload: dict[str, Any] = {"html": action.html, "plain": action.plain}
    if action.place.thread_id is not None:
        payload["thread"] = action.place.thread_id
    if action.keyboard is not None:
        payload["keyboard"] = action.keyboard
    return Letter(key=key, chat_id=action.place.chat_id, payload=payload)


def read_letter(row: Recorded) -> Message:
    """A recorded message."""
    payload = row.payload
    edit = payload.get("edit")
    return Message(
        chat_id=row.chat_id,
        thread_id=payload.get("thread"),
        html=payload["html"],
        plain=payload["plain"],
        reply_to=payload.get("reply_to"),
        keyboard=payload.get("keyboard"),
        edits=edit is not None,
        message_id=edit["message_id"] if edit else None,
        index=edit["index"] if edit else 0,
        last=edit["last"] if edit else True,
        unless=payload.get("unless"),
    )


def content(message: Message, *, plain: bool) -> dict[str, Any]:
    """What a message says, as parameters of sendMessage and editMessageText."""
    params: dict[str, Any] = {"chat_id": message.chat_id, "link_preview_options": {"is_disabled": True}}
    params |= {"text": message.plain} if plain else {"text": message.html, "parse_mode": "HTML"}
    if message.keyboard is not None:
        params["reply_markup"] = message.keyboard
    return params


def sending(message: Message, *, plain: bool, in_thread: bool, as_reply: bool) -> dict[str, Any]:
    """The parameters of sendMessage."""
    params = content(message, plain=plain)
    if in_thread and message.thread_id is not None:
        params["message_thread_id"] = message.thread_id
    if as_reply and message.reply_to is not None:
        params["reply_parameters"] = {"message_id": message.reply_to, "allow_sending_without_reply": True}
    return params
