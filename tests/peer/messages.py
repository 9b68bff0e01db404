"""Methods that send, change and delete messages."""

from __future__ import annotations

import time
from typing import Any

from .chats import Chats, Stored
from .markup import MarkupError, Parsed, parse, trimmed, utf16
from .spec import Upload
from .updates import Json

_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF8")
_MEDIA = ("photo", "document")
_NOT_COPIED = {"message_id", "date", "edit_date", "chat", "from", "sender_chat", "reply_to_message", "reply_markup"} | {
    "message_thread_id",
    "is_topic_message",
    "media_group_id",
}


class ApiError(Exception):
    """The server refuses."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters


def bad(description: str) -> ApiError:
    """A 400."""
    return ApiError(400, f"Bad Request: {description}")


def formatted(text: object, mode: object, entities: object = None) -> Parsed:
    """A text as it will be seen."""
    if not isinstance(text, str):
        text = "" if text is None else str(text)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise bad("strings must be encoded in UTF-8") from None
    if size > 1 << 15:
        raise bad("text is too long")
    if isinstance(mode, str) and mode.lower() == "html":
        try:
            return trimmed(parse(text))
        except MarkupError as problem:
            raise bad(f"can't parse entities: {problem}") from None
    return trimmed(Parsed(text, tuple(entities) if isinstance(entities, list) else ()))


def without_nested_reply(wire: Json) -> Json:
    """A replied message shows no further reply."""
    return {name: value for name, value in wire.items() if name != "reply_to_message"}


class Messages:
    """The messages of one bot."""

    def __init__(self, me: Json) -> None:
        self.me = me
        self.chats = Chats()
        self.inline_messages: dict[str, Stored] = {}
        self.blocked: set[int] = set()
        self.unknown_chats: set[int] = set()
        self.missing_threads: set[tuple[int, int]] = set()
        self.topics: dict[tuple[int, int], str] = {}
        self._files = 0

    # Checks

    def _readable(self, chat_id: object) -> int:
        if not chat_id:
            raise bad("chat_id is empty")
        if not isinstance(chat_id, int) or chat_id in self.unknown_chats:
            raise bad("chat not found")
        return chat_id

    def _writable(self, chat_id: object) -> int:
        chat_id = self._readable(chat_id)
        if chat_id in self.blocked:
            private = self.chats.chat(chat_id)["type"] == "private"
            reason = "bot was blocked by the user" if private else "bot was kicked from the supergroup chat"
            raise ApiError(403, f"Forbidden: {reason}")
        return chat_id

    def _thread(self, chat_id: int, thread: Any) -> int | None:
        if not thread:
            return None
        # In a forum only topics that exist are threads; General, number 1, is addressed by no thread at all.
        forum = self.chats.chat(chat_id).get("is_forum")
        if (chat_id, thread) in self.missing_threads or (forum and (chat_id, thread) not in self.topics):
            raise bad("message thread not found")
        return int(thread)

    def _replied(self, chat_id: int, params: Json) -> Json | None:
        reply = params.get("reply_parameters")
        if not isinstance(reply, dict):
            return None
        found = self.chats.find(reply.get("chat_id", chat_id), reply.get("message_id"))
        if found is None and not reply.get("allow_sending_without_reply"):
            raise bad("message to be replied not found")
        return without_nested_reply(found.wire) if found else None

    def _found(self, params: Json, purpose: str) -> Stored:
        stored = self.chats.find(self._readable(params.get("chat_id")), params.get("message_id"))
        if stored is None:
            raise bad(f"message to {purpose} not found")
        return stored

    # Sending

    def _new(self, params: Json, content: Json, html: str | None = None, uploads: Json | None = None) -> Json:
        chat_id = self._writable(params.get("chat_id"))
        thread = self._thread(chat_id, params.get("message_thread_id"))
        reply = self._replied(chat_id, params)
        wire = self.chats.blank(chat_id, self.me) | content
        if thread is not None:
            wire |= {"message_thread_id": thread, "is_topic_message": True}
        if reply is not None:
            wire["reply_to_message"] = reply
        markup = params.get("reply_markup")
        stored = Stored(wire, mine=True, html=html, uploads=uploads or {})
        if isinstance(markup, dict):
            wire["reply_markup"] = markup
        self.chats.keep(stored)
        # Only inline keyboards come back in answers.
        return wire if not markup or "inline_keyboard" in markup else _without(wire, "reply_markup")

    def _text(self, params: Json) -> Json:
        parsed = formatted(params.get("text"), params.get("parse_mode"), params.get("entities"))
        if not parsed.text:
            raise bad("message text is empty")
        return {"text": parsed.text} | ({"entities": list(parsed.entities)} if parsed.entities else {})

    def _caption(self, params: Json) -> Json:
        parsed = formatted(params.get("caption"), params.get("parse_mode"), params.get("caption_entities"))
        if utf16(parsed.text) > 1024:
            raise bad("message caption is too long")
        if not parsed.text:
            return {}
        return {"caption": parsed.text} | ({"caption_entities": list(parsed.entities)} if parsed.entities else {})

    def on_send_message(self, params: Json) -> Json:
        """sendMessage."""
        content = self._text(params)
        if utf16(content["text"]) > 4096:
            raise bad("message is too long")
        return self._new(params, content, params["text"])

    def _file(self, params: Json, name: str) -> tuple[Json, Upload | None]:
        value = params.get(name)
        if isinstance(value, str) and value.startswith("attach://"):
            value = params.get(value.removeprefix("attach://"))
        if isinstance(value, str) and value:
            return {"file_id": value, "file_unique_id": value}, None
        if not isinstance(value, Upload):
            raise bad(f"there is no {name} in the request")
        if not value.data:
            raise bad("file must be non-empty")
        self._files += 1
        number = f"{name}-of-bot-{self._files}"
        return {"file_id": number, "file_unique_id": number, "file_size": len(value.data)}, value

    def on_send_photo(self, params: Json) -> Json:
        """sendPhoto."""
        caption = self._caption(params)
        file, upload = self._file(params, "photo")
        if upload and not upload.data.startswith(_IMAGES):
            raise bad("IMAGE_PROCESS_FAILED")
        content = {"photo": [file | {"width": 90, "height": 90}]} | caption
        return self._new(params, content, params.get("caption"), {"photo": upload})

    def on_send_document(self, params: Json) -> Json:
        """sendDocument."""
        caption = self._caption(params)
        file, upload = self._file(params, "document")
        named = {"file_name": upload.filename, "mime_type": upload.content_type} if upload else {}
        return self._new(params, {"document": file | named} | caption, params.get("caption"), {"document": upload})

    def _copied(self, params: Json, message_id: Any) -> Json:
        source = self.chats.find(self._readable(params.get("from_chat_id")), message_id)
        if source is None:
            raise bad("message to copy not found")
        left_out = (
            "message_id",
            "date",
            "edit_date",
            "chat",
            "from",
            "sender_chat",
            "reply_to_message",
            "reply_markup",
        )
        content = {name: value for name, value in source.wire.items() if name not in left_out}
        for name in ("message_thread_id", "is_topic_message", "media_group_id"):
            content.pop(name, None)
        return content

    def on_copy_message(self, params: Json) -> Json:
        """copyMessage."""
        content = self._copied(params, params.get("message_id"))
        if "caption" in params and any(name in content for name in _MEDIA):
            content = _without(_without(content, "caption"), "caption_entities") | self._caption(params)
        return {"message_id": self._new(params, content)["message_id"]}

    def on_copy_messages(self, params: Json) -> list[Json]:
        """copyMessages; messages that are gone are skipped."""
        self._writable(params.get("chat_id"))
        copied = []
        for message_id in sorted(params.get("message_ids") or []):
            if self.chats.find(self._readable(params.get("from_chat_id")), message_id):
                content = self._copied(params, message_id)
                copied.append({"message_id": self._new(params, content)["message_id"]})
        return copied

    def on_forward_message(self, params: Json) -> Json:
        """forwardMessage."""
        source = self.chats.find(self._readable(params.get("from_chat_id")), params.get("message_id"))
        if source is None:
            raise bad("message to forward not found")
        origin = {"type": "user", "date": source.wire["date"], "sender_user": source.wire.get("from", self.me)}
        return self._new(params, self._copied(params, params["message_id"]) | {"forward_origin": origin})

    def on_send_chat_action(self, params: Json) -> bool:
        """sendChatAction."""
        self._thread(self._writable(params.get("chat_id")), params.get("message_thread_id"))
        return True

    # Changing

    def _changed(self, params: Json, change: Json, gone: tuple[str, ...], html: str | None) -> Json | bool:
        if inline_id := params.get("inline_message_id"):
            stored = self.inline_messages.setdefault(inline_id, Stored({}, mine=True))
        else:
            stored = self._found(params, "edit")
            if not stored.mine:
                raise bad("message can't be edited")
        if isinstance(markup := params.get("reply_markup"), dict) and markup.get("inline_keyboard"):
            change["reply_markup"] = markup
        # Telegram takes the keyboard away where an edit brings none.
        after = {name: value for name, value in stored.wire.items() if name not in (*gone, "reply_markup")} | change
        if _without(after, "edit_date") == _without(stored.wire, "edit_date"):
            raise bad(
                "message is not modified: specified new message content and reply markup are exactly the same as a "
                "current content and reply markup of the message"
            )
        stored.wire = after
        stored.edited = True
        stored.html = html if html is not None else stored.html
        if inline_id:
            return True
        after["edit_date"] = int(time.time())
        return after

    def on_edit_message_text(self, params: Json) -> Json | bool:
        """editMessageText."""
        content = self._text(params)
        if not params.get("inline_message_id"):
            stored = self._found(params, "edit")
            if stored.mine and "text" not in stored.wire:
                raise bad("there is no text in the message to edit")
        if utf16(content["text"]) > 4096:
            raise bad("MESSAGE_TOO_LONG")
        return self._changed(params, content, ("text", "entities"), params["text"])

    def on_edit_message_caption(self, params: Json) -> Json | bool:
        """editMessageCaption."""
        content = self._caption(params)
        if not params.get("inline_message_id"):
            stored = self._found(params, "edit")
            if stored.mine and not any(name in stored.wire for name in _MEDIA):
                raise bad("there is no caption in the message to edit")
        return self._changed(params, content, ("caption", "caption_entities"), params.get("caption", ""))

    def on_edit_message_reply_markup(self, params: Json) -> Json | bool:
        """editMessageReplyMarkup."""
        return self._changed(params, {}, (), None)

    def on_set_message_reaction(self, params: Json) -> bool:
        """setMessageReaction."""
        self._writable(params.get("chat_id"))
        self._found(params, "react").reaction = params.get("reaction") or []
        return True

    # Deleting

    def on_delete_message(self, params: Json) -> bool:
        """deleteMessage."""
        self._writable(params.get("chat_id"))
        self._found(params, "delete")
        return self.chats.delete(params["chat_id"], params["message_id"])

    def on_delete_messages(self, params: Json) -> bool:
        """deleteMessages; those that are gone already don't matter."""
        chat_id = self._writable(params.get("chat_id"))
        for message_id in params.get("message_ids") or []:
            self.chats.delete(chat_id, message_id)
        return True


def _without(wire: Json, name: str) -> Json:
    return {known: value for known, value in wire.items() if known != name}
