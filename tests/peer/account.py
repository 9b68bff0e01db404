"""One bot's account: every method that answers at once, and what the server remembers for it."""

from __future__ import annotations

import re
from typing import Any

from . import spec
from .messages import ApiError, Messages, bad, formatted
from .updates import Json, person

_ADMIN_RIGHTS = (
    "can_be_edited",
    "is_anonymous",
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
)
_GIFTS = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"


def snake(method: str) -> str:
    """sendMessage -> send_message."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", method).lower()


class Account(Messages):
    """The bot as Telegram knows it."""

    def __init__(self, me: Json) -> None:
        super().__init__(me)
        self.queries: set[str] = set()
        self.commands: dict[tuple[str, str], list[Json]] = {}
        self.texts: dict[tuple[str, str], str] = {}
        self.members: dict[tuple[int, int], str] = {}
        self._handlers = {
            method: getattr(self, f"on_{snake(method)}")
            for method in spec.CANONICAL.values()
            if hasattr(self, f"on_{snake(method)}")
        }

    def perform(self, method: str, params: Json) -> Any:
        """The method's result, or ApiError."""
        if handler := self._handlers.get(method):
            return handler(params)
        if spec.returns_true(method):
            return True
        raise NotImplementedError(f"{method} is not imitated")

    def on_get_me(self, _: Json) -> Json:
        """getMe."""
        return self.me

    # Answers to what users press and type

    def on_answer_callback_query(self, params: Json) -> bool:
        """answerCallbackQuery; a second answer is taken."""
        if str(params.get("callback_query_id")) not in self.queries:
            raise bad(_TOO_OLD)
        return True

    def on_answer_inline_query(self, params: Json) -> bool:
        """answerInlineQuery."""
        for result in params.get("results") or []:
            content = result.get("input_message_content") or {}
            try:
                formatted(content.get("message_text"), content.get("parse_mode"))
                formatted(result.get("caption"), result.get("parse_mode"))
            except ApiError as problem:
                reason = problem.description.removeprefix("Bad Request: ")
                raise bad(f"can't parse inline query result: {reason}") from None
        if str(params.get("inline_query_id")) not in self.queries:
            raise bad(_TOO_OLD)
        return True

    # Commands and profile

    @staticmethod
    def _scope(params: Json) -> tuple[str, str]:
        scope = params.get("scope") or {"type": "default"}
        language = params.get("language_code") or ""
        if language and not re.fullmatch(r"[a-z]{2}", language):
            raise bad("invalid language code specified")
        return ":".join(str(scope[name]) for name in ("type", "chat_id", "user_id") if name in scope), language

    def on_set_my_commands(self, params: Json) -> bool:
        """setMyCommands."""
        scope = self._scope(params)
        commands = params.get("commands") or []
        if not all(re.fullmatch(r"[a-z0-9_]{1,32}", str(command.get("command"))) for command in commands):
            raise bad("BOT_COMMAND_INVALID")
        if commands:
            self.commands[scope] = commands
        else:
            self.commands.pop(scope, None)
        return True

    def on_get_my_commands(self, params: Json) -> list[Json]:
        """getMyCommands: this scope and language only."""
        return self.commands.get(self._scope(params), [])

    def on_delete_my_commands(self, params: Json) -> bool:
        """deleteMyCommands."""
        self.commands.pop(self._scope(params), None)
        return True

    def _set_text(self, name: str, params: Json) -> bool:
        _, language = self._scope({"language_code": params.get("language_code")})
        self.texts[name, language] = params.get(name) or ""
        return True

    def _get_text(self, name: str, params: Json) -> Json:
        language = params.get("language_code") or ""
        return {name: self.texts.get((name, language), self.texts.get((name, ""), ""))}

    def on_set_my_description(self, params: Json) -> bool:
        """setMyDescription."""
        return self._set_text("description", params)

    def on_get_my_description(self, params: Json) -> Json:
        """getMyDescription."""
        return self._get_text("description", params)

    def on_set_my_short_description(self, params: Json) -> bool:
        """setMyShortDescription."""
        return self._set_text("short_description", params)

    def on_get_my_short_description(self, params: Json) -> Json:
        """getMyShortDescription."""
        return self._get_text("short_description", params)

    def on_set_my_name(self, params: Json) -> bool:
        """setMyName."""
        return self._set_text("name", params)

    def on_get_my_name(self, params: Json) -> Json:
        """getMyName."""
        return {"name": self._get_text("name", params)["name"] or self.me["first_name"]}

    def on_get_chat_menu_button(self, _: Json) -> Json:
        """getChatMenuButton."""
        return {"type": "commands"}

    # Chats, members, topics

    def on_get_chat(self, params: Json) -> Json:
        """getChat."""
        chat = self.chats.chat(self._readable(params.get("chat_id")))
        gifts = dict.fromkeys(_GIFTS, False)
        return chat | {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": gifts}

    def _member(self, chat_id: int, user_id: int) -> Json:
        status = self.members.get((chat_id, user_id), "member")
        user = self.me if user_id == self.me["id"] else person(user_id)
        rights = {"administrator": dict.fromkeys(_ADMIN_RIGHTS, False), "creator": {"is_anonymous": False}}
        banned = {"until_date": 0} if status == "kicked" else {}
        return {"status": status, "user": user} | rights.get(status, {}) | banned

    def on_get_chat_member(self, params: Json) -> Json:
        """getChatMember."""
        chat_id = self._readable(params.get("chat_id"))
        return self._member(chat_id, params["user_id"])

    def on_get_chat_administrators(self, params: Json) -> list[Json]:
        """getChatAdministrators."""
        chat_id = self._readable(params.get("chat_id"))
        return [
            self._member(chat_id, user_id)
            for (chat, user_id), status in self.members.items()
            if chat == chat_id and status in ("administrator", "creator")
        ]

    def on_get_chat_member_count(self, params: Json) -> int:
        """getChatMemberCount."""
        chat_id = self._readable(params.get("chat_id"))
        return 2 + sum(chat == chat_id for chat, _ in self.members)

    def on_create_forum_topic(self, params: Json) -> Json:
        """createForumTopic."""
        chat_id = self._writable(params.get("chat_id"))
        chat = self.chats.chat(chat_id)
        if chat["type"] == "supergroup":
            chat["is_forum"] = True
        thread = self.chats.next_id(chat_id)
        self.topics[chat_id, thread] = params["name"]
        return {"message_thread_id": thread, "name": params["name"], "icon_color": params.get("icon_color", 7322096)}

    def _topic(self, params: Json) -> tuple[int, int]:
        chat_id, thread = self._writable(params.get("chat_id")), params.get("message_thread_id")
        if not isinstance(thread, int) or (chat_id, thread) in self.missing_threads:
            raise bad("TOPIC_ID_INVALID")
        return chat_id, thread

    def on_edit_forum_topic(self, params: Json) -> bool:
        """editForumTopic."""
        topic = self._topic(params)
        self.topics[topic] = params.get("name") or self.topics.get(topic, "")
        return True

    def on_close_forum_topic(self, params: Json) -> bool:
        """closeForumTopic."""
        self._topic(params)
        return True

    def on_reopen_forum_topic(self, params: Json) -> bool:
        """reopenForumTopic."""
        self._topic(params)
        return True

    def on_delete_forum_topic(self, params: Json) -> bool:
        """deleteForumTopic: the thread and its messages are gone."""
        chat_id, thread = self._topic(params)
        self.missing_threads.add((chat_id, thread))
        self.topics.pop((chat_id, thread), None)
        for message_id, stored in list(self.chats.messages.get(chat_id, {}).items()):
            if stored.wire.get("message_thread_id") == thread:
                self.chats.delete(chat_id, message_id)
        return True
