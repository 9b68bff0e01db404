"""Chats and their messages, as the server keeps them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from .updates import Json, place


@dataclass(slots=True)
class Stored:
    """A message: its JSON, and what the JSON does not say."""

    wire: Json
    mine: bool = False
    html: str | None = None
    edited: bool = False
    uploads: Json = field(default_factory=dict)
    reaction: list[Json] = field(default_factory=list)

    def view(self) -> Json:
        """As tests look at it."""
        wire = self.wire
        return {
            "message_id": wire["message_id"],
            "text": wire.get("text", wire.get("caption", "")),
            "html": self.html,
            "entities": wire.get("entities", wire.get("caption_entities", [])),
            "reply_markup": wire.get("reply_markup"),
            "message_thread_id": wire.get("message_thread_id"),
            "reply_to": wire.get("reply_to_message", {}).get("message_id"),
            "kind": next((name for name in ("photo", "document") if name in wire), "text"),
            "uploads": self.uploads,
            "edited": self.edited,
            "reaction": self.reaction,
        }


class Chats:
    """All chats that the server has seen."""

    def __init__(self) -> None:
        self.info: dict[int, Json] = {}
        self.messages: dict[int, dict[int, Stored]] = {}
        self._last: dict[int, int] = {}

    def chat(self, chat_id: int) -> Json:
        """What is known of a chat, or the usual one of that id."""
        known = self.info.get(chat_id)
        if known is None:
            known = self.info[chat_id] = place(chat_id)
        return known

    def next_id(self, chat_id: int) -> int:
        """Message ids rise within a chat; a group's first message is its own creation."""
        self._last[chat_id] = number = self._last.get(chat_id, 1 if chat_id < 0 else 0) + 1
        return number

    def keep(self, stored: Stored) -> Stored:
        """Put a message into its chat, or in place of its former self."""
        chat, number = stored.wire["chat"], stored.wire["message_id"]
        self.info[chat["id"]] = chat
        self._last[chat["id"]] = max(self._last.get(chat["id"], 0), number)
        self.messages.setdefault(chat["id"], {})[number] = stored
        return stored

    def find(self, chat_id: int, message_id: object) -> Stored | None:
        """A message that is still there."""
        return self.messages.get(chat_id, {}).get(message_id) if isinstance(message_id, int) else None

    def delete(self, chat_id: int, message_id: object) -> bool:
        """Whether there was such a message."""
        return isinstance(message_id, int) and self.messages.get(chat_id, {}).pop(message_id, None) is not None

    def blank(self, chat_id: int, sender: Json) -> Json:
        """The start of a bot's own message."""
        return {
            "message_id": self.next_id(chat_id),
            "date": int(time.time()),
            "chat": self.chat(chat_id),
            "from": sender,
        }
