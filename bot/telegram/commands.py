"""The menus of commands: names, and descriptions per language, for private chats and for groups."""

from __future__ import annotations

from typing import Any, Final

from bot.render.i18n import SHIPPED
from bot.render.views.commands import view_command
from bot.telegram.actions import Call

PRIVATE: Final[tuple[str, ...]] = (
    "plan",
    "prices",
    "gpus",
    "compare",
    "cost",
    "convert",
    "coin",
    "watch",
    "watches",
    "unwatch",
    "methods",
    "sources",
    "language",
    "settings",
    "person",
    "privacy",
    "forget",
    "help",
)
GROUP: Final[tuple[str, ...]] = tuple(name for name in PRIVATE if name != "person")

_SCOPES: Final[dict[str, tuple[str, ...]]] = {"all_private_chats": PRIVATE, "all_group_chats": GROUP}


def command_calls(default_locale: str) -> tuple[Call, ...]:
    """The calls to make at start.  Languages are two letters to Telegram; users of others see the default locale's.

    A list for a narrower scope would hide these from the admins of groups: it is deleted.
    """
    languages: dict[str | None, str] = {None: default_locale, **{locale[:2]: locale for locale in SHIPPED}}
    calls: list[Call] = []
    for language, locale in languages.items():
        spoken: dict[str, Any] = {} if language is None else {"language_code": language}
        for scope, names in _SCOPES.items():
            commands = [{"command": name, "description": view_command(locale, name)} for name in names]
            calls.append(
                Call(method="setMyCommands", params={"commands": commands, "scope": {"type": scope}, **spoken})
            )
        calls.append(Call(method="deleteMyCommands", params={"scope": {"type": "all_chat_administrators"}, **spoken}))
    return tuple(calls)
