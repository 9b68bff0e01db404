"""Updates as the Bot API sends them, for tests of handlers."""

from __future__ import annotations

import itertools
from typing import Any

from telegram import Update

BOT_ID = 700
BOT = {"id": BOT_ID, "is_bot": True, "first_name": "GPU", "username": "shop_bot"}
OTHER_BOT = {"id": 701, "is_bot": True, "first_name": "Other", "username": "other_bot"}
ANA = {"id": 5234567890123, "is_bot": False, "first_name": "Ana", "language_code": "pt-br"}
BO = {"id": 42, "is_bot": False, "first_name": "Bo", "language_code": "en"}
PRIVATE = {"id": ANA["id"], "type": "private", "first_name": "Ana"}
GROUP = {"id": -1001234567890, "type": "supergroup", "title": "GPU talk"}
FORUM = {**GROUP, "is_forum": True}
SMALL_GROUP = {"id": -77, "type": "group", "title": "Friends"}
CHANNEL = {"id": -1009876543210, "type": "channel", "title": "News"}
FILE = {"file_id": "AgAC", "file_unique_id": "AQAD"}
PHOTO = [{**FILE, "width": 90, "height": 60}]

_ids = itertools.count(1)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def entity(kind: str, text: str, piece: str, **fields: Any) -> dict[str, Any]:
    """The entity that covers ``piece`` in ``text``."""
    return {"type": kind, "offset": utf16(text[: text.index(piece)]), "length": utf16(piece), **fields}


def entities(text: str) -> list[dict[str, Any]]:
    """Commands and mentions as Telegram marks them, where words are parted by blanks."""
    found = []
    for word in text.split():
        if word.startswith("/") and len(word) > 1:
            found.append(entity("bot_command", text, word))
        elif word.startswith("@") and len(word) > 1:
            found.append(entity("mention", text, word.rstrip("?,.")))
    return found


def message(text: str | None = None, /, **fields: Any) -> dict[str, Any]:
    content: dict[str, Any] = {"message_id": next(_ids), "date": 1796000000, "from": ANA, "chat": PRIVATE}
    if text is not None:
        content |= {"text": text, "entities": entities(text)}
    if "caption" in fields:
        content["caption_entities"] = entities(fields["caption"])
    content |= fields
    return {name: value for name, value in content.items() if value is not None}


def update(kind: str, content: dict[str, Any]) -> Update:
    return Update.de_json({"update_id": next(_ids), kind: content}, None)


def said(text: str | None = None, /, **fields: Any) -> Update:
    return update("message", message(text, **fields))


def edited(text: str | None = None, /, **fields: Any) -> Update:
    return update("edited_message", message(text, edit_date=1796000060, **fields))


def pressed(data: str | None, /, **fields: Any) -> Update:
    content: dict[str, Any] = {"id": "4382bfdwdsb323b2d9", "from": ANA, "chat_instance": "-3", "data": data}
    content["message"] = message("Hello", **{"from": BOT})
    content |= fields
    return update("callback_query", {name: value for name, value in content.items() if value is not None})


def searched(query: str, **fields: Any) -> Update:
    return update(
        "inline_query", {"id": "139", "from": ANA, "query": query, "offset": "", "chat_type": "sender"} | fields
    )


def member(chat: dict[str, Any], status: str, before: str = "member", **fields: Any) -> Update:
    old = {"user": BOT, "status": before}
    new = {"user": BOT, "status": status} | fields
    return update(
        "my_chat_member", {"chat": chat, "from": ANA, "date": 1, "old_chat_member": old, "new_chat_member": new}
    )
