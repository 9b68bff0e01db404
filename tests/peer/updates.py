"""What users do, as the updates that Telegram would make of it."""

from __future__ import annotations

import re
import time
from typing import Any

from .markup import utf16

Json = dict[str, Any]

PRIVATE: Json = {"id": 1, "type": "private", "first_name": "User 1"}
GROUP: Json = {"id": -1001, "type": "supergroup", "title": "Group"}
FORUM: Json = {"id": -1002, "type": "supergroup", "title": "Forum", "is_forum": True}
PHOTO: list[Json] = [{"file_id": "photo-1", "file_unique_id": "p1", "width": 90, "height": 90, "file_size": 1000}]

# The neighbours that tdlib allows around a command and a mention.
_COMMAND = re.compile(r"(?<![\w/<>])/([A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]{3,32}))?(?![\w/<>])")
_MENTION = re.compile(r"(?<!\w)@([A-Za-z0-9_]{2,32})(?!\w)")


def person(user: int | Json = 1) -> Json:
    """A user by id, or by the fields that differ from the usual; one that is None is left out."""
    fields = {"id": user} if isinstance(user, int) else dict(user)
    number = fields.setdefault("id", 1)
    made = {"is_bot": False, "first_name": f"User {number}", "language_code": "pt-br"} | fields
    return {name: value for name, value in made.items() if value is not None}


def place(chat: int | Json) -> Json:
    """A chat by id: above zero the private chat of that user, below zero a supergroup."""
    if isinstance(chat, dict):
        return dict(chat)
    if chat > 0:
        return {"id": chat, "type": "private", "first_name": f"User {chat}"}
    return {"id": chat, "type": "supergroup", "title": "Group"}


def entities(text: str) -> list[Json]:
    """Commands and mentions in a text, with Telegram's UTF-16 offsets."""
    commands = list(_COMMAND.finditer(text))
    inside = [match.span() for match in commands]
    mentions = [
        match
        for match in _MENTION.finditer(text)
        if not any(start <= match.start() and match.end() <= end for start, end in inside)
    ]
    found = [("bot_command", match) for match in commands] + [("mention", match) for match in mentions]
    return [
        {"type": kind, "offset": utf16(text[: match.start()]), "length": utf16(match[0])}
        for kind, match in sorted(found, key=lambda pair: pair[1].start())
    ]


def message(text: str | None, message_id: int, chat: Json, user: Json, fields: Json) -> Json:
    """A user's message; a field that is None is left out."""
    made: Json = {"message_id": message_id, "date": int(time.time()), "chat": chat, "from": user}
    if chat.get("type") == "channel":
        del made["from"]
    if text is not None:
        made["text"] = text
        if found := entities(text):
            made["entities"] = found
    if isinstance(caption := fields.get("caption"), str) and (found := entities(caption)):
        made["caption_entities"] = found
    return {name: value for name, value in (made | fields).items() if value is not None}


def kind(update: Json) -> str:
    """The update's one field beside its id."""
    return next(name for name in update if name != "update_id")


def queue_of(update: Json) -> tuple[str, int]:
    """The webhook queue: messages and edits by chat, everything else by kind and user (or chat)."""
    name = kind(update)
    inner = update[name]
    if name in ("message", "edited_message", "channel_post", "edited_channel_post"):
        return "message", inner["chat"]["id"]
    if name in ("business_message", "edited_business_message", "deleted_business_messages"):
        return "business", inner["chat"]["id"]
    if name in ("chat_member", "chat_join_request"):
        return "member", inner["from"]["id"]
    if name in ("my_chat_member", "message_reaction", "message_reaction_count", "chat_boost", "removed_chat_boost"):
        return name, inner["chat"]["id"]
    if name == "poll":
        return name, int(inner["id"])
    return name, (inner.get("from") or inner.get("user") or {"id": 0})["id"]
