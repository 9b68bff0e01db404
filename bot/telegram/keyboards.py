"""Keyboards under messages, as reply_markup objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.render.views.commands import view_examples
from bot.render.views.notices import view_forget_choices, view_languages
from bot.telegram.callbacks import MAX_TEXT, Ask, ChooseLanguage, Forget, Press, encode

Keyboard = dict[str, Any]


def examples(locale: str) -> Keyboard:
    """The example questions, one a row."""
    return _rows([[(text, Ask(text))] for text in view_examples(locale)])


def asking(texts: Sequence[str]) -> Keyboard | None:
    """Questions to choose from, one a row; None where there are none, or none that a button can carry."""
    rows: list[list[tuple[str, Press]]] = [[(text, Ask(text))] for text in texts if len(text.encode()) <= MAX_TEXT]
    return _rows(rows) if rows else None


def languages(locale: str, chosen: str | None, owner: int | None) -> Keyboard:
    """The shipped locales in their own names, and following the messages' language."""
    return _rows([[(label, ChooseLanguage(code, owner))] for code, label in view_languages(locale, chosen)])


def forget(locale: str, owner: int | None) -> Keyboard:
    """Erase or keep."""
    yes, no = view_forget_choices(locale)
    return _rows([[(yes, Forget(True, owner)), (no, Forget(False, owner))]])


def _rows(rows: list[list[tuple[str, Press]]]) -> Keyboard:
    return {
        "inline_keyboard": [[{"text": label, "callback_data": encode(press)} for label, press in row] for row in rows]
    }
