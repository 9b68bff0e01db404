"""What users do: messages, edits, presses, inline queries."""

from __future__ import annotations

import time
from typing import Any

from . import updates
from .account import Account
from .chats import Stored
from .messages import without_nested_reply
from .queue import UpdateQueue
from .updates import PRIVATE, Json, person

_MESSAGES = ("message", "edited_message", "channel_post", "edited_channel_post")


class Users(Account):
    """The users' side of the account: everything here ends in an update for the bot."""

    def __init__(self, me: Json) -> None:
        super().__init__(me)
        self.queue = UpdateQueue()
        self._queries = 4_000_000_000_000

    def push(self, update: Json) -> int:
        """Any update, without its id; the id it got."""
        name = updates.kind(update)
        if name in _MESSAGES:
            message = update[name]
            self.chats.keep(Stored(message, edited=name.startswith("edited")))
            if message.get("is_topic_message"):
                self.topics.setdefault((message["chat"]["id"], message["message_thread_id"]), "")
        elif name in ("callback_query", "inline_query"):
            self.queries.add(str(update[name]["id"]))
        update_id, wanted = self.queue.push(update)
        if wanted:
            self._arrived(update_id)
        self.changed()
        return update_id

    def changed(self) -> None:
        """Something that a test may wait for has happened."""

    def _arrived(self, update_id: int) -> None:
        """A new update waits."""

    def say(self, text: str | None, chat: int | Json = PRIVATE, user: int | Json | None = None, **fields: Any) -> int:
        """A user's message. Fields override and add; a field that is None is left out; `text` may be None."""
        room, sender = self._where(chat, user)
        if fields.get("is_topic_message") and room["type"] == "supergroup":
            room["is_forum"] = True
        if isinstance(number := fields.get("reply_to_message"), int):
            replied = self.chats.find(room["id"], number)
            if replied is None:
                raise LookupError(f"no message {number} in chat {room['id']} to reply to")
            fields["reply_to_message"] = without_nested_reply(replied.wire)
        message = updates.message(text, self.chats.next_id(room["id"]), room, sender, fields)
        return self.push({"channel_post" if room["type"] == "channel" else "message": message})

    def edit(self, chat: int | Json, message_id: int, text: str | None, **fields: Any) -> int:
        """A user edits a message of theirs."""
        stored = self.chats.find(self._where(chat, None)[0]["id"], message_id)
        if stored is None or stored.mine:
            raise LookupError(f"no user's message {message_id} to edit")
        kept = {name: value for name, value in stored.wire.items() if name not in ("entities", "caption_entities")}
        changes = {"edit_date": int(time.time())} | fields
        message = updates.message(text, message_id, kept["chat"], kept.get("from", {}), kept | changes)
        if text is not None:
            message["text"] = text
        return self.push({"edited_channel_post" if kept["chat"]["type"] == "channel" else "edited_message": message})

    def press(
        self,
        chat: int | Json | None,
        message_id: int | None,
        data: str,
        user: int | Json | None = None,
        **fields: Any,
    ) -> int:
        """A press on a button; chat None with inline_message_id=... for a message sent through inline mode."""
        query: Json = {"id": self._query_id(), "from": person(user or 1), "chat_instance": "1", "data": data} | fields
        if chat is not None:
            room, query["from"] = self._where(chat, user)
            stored = self.chats.find(room["id"], message_id)
            # Telegram tells no more than this of a message that is gone.
            query["message"] = stored.wire if stored else {"chat": room, "message_id": message_id, "date": 0}
        return self.push({"callback_query": query})

    def inline(self, query: str, user: int | Json | None = None, **fields: Any) -> int:
        """Something typed after the bot's name in any chat; the client cuts it at 256 characters."""
        asked = {"id": self._query_id(), "from": person(user or 1), "query": query[:256], "offset": ""}
        return self.push({"inline_query": asked | {"chat_type": "sender"} | fields})

    def _query_id(self) -> str:
        self._queries += 1
        return str(self._queries)

    def _where(self, chat: int | Json, user: int | Json | None) -> tuple[Json, Json]:
        room = self.chats.chat(chat) if isinstance(chat, int) else self.chats.chat(chat["id"]) | chat
        if user is None:
            user = room["id"] if room["type"] == "private" else 1
        return room, person(user)
