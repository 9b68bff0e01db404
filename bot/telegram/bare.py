"""What has to be understood of an update, without all that may change around it."""

from __future__ import annotations

from typing import Any, Final

#: Fields of a message that decide whom it is from, for whom it is, and what it asks.
_MESSAGE: Final = (
    "message_id", "message_thread_id", "is_topic_message", "date", "edit_date", "media_group_id",
    "from", "sender_chat", "chat", "via_bot", "is_automatic_forward",
    "text", "entities", "caption", "caption_entities", "migrate_to_chat_id", "migrate_from_chat_id",
)  # fmt: skip
#: Of the message that it replies to: whose it is.
_REPLIED: Final = ("message_id", "message_thread_id", "date", "from", "chat", "text", "caption")
#: What tells that the message replied to opened a topic, whose every message replies to it.
_OPENED: Final = "forum_topic_created"
_PERSON: Final = ("id", "is_bot", "first_name", "username", "language_code")
_CHAT: Final = ("id", "type", "is_forum")
_ENTITY: Final = ("type", "offset", "length")
_MENTION: Final = ("mention", "bot_command")


def bare(raw: dict[str, Any]) -> dict[str, Any]:
    """An update with messages and the one of a pressed button cut down to what is needed of them."""
    cut = dict(raw)
    for name in ("message", "edited_message"):
        if isinstance(raw.get(name), dict):
            cut[name] = _message(raw[name], _MESSAGE)
    query = raw.get("callback_query")
    if isinstance(query, dict) and isinstance(query.get("message"), dict):
        cut["callback_query"] = {**query, "message": _message(query["message"], _MESSAGE)}
    return cut


def _message(message: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    cut = _only(message, fields)
    for name, kept in (("from", _PERSON), ("via_bot", _PERSON), ("chat", _CHAT), ("sender_chat", _CHAT)):
        if isinstance(cut.get(name), dict):
            cut[name] = _only(cut[name], kept)
    for name in ("entities", "caption_entities"):
        if name in cut:
            cut[name] = _entities(cut[name])
    replied = message.get("reply_to_message")
    if fields is _MESSAGE and isinstance(replied, dict):
        cut["reply_to_message"] = _message(replied, _REPLIED)
        if _OPENED in replied:
            cut["reply_to_message"][_OPENED] = {"name": "", "icon_color": 0}
    return cut


def _entities(entities: Any) -> list[dict[str, Any]]:
    found = [_only(one, _ENTITY) for one in entities if isinstance(one, dict)] if isinstance(entities, list) else []
    return [one for one in found if one.get("type") in _MENTION and len(one) == len(_ENTITY)]


def _only(found: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: found[name] for name in fields if name in found}
