"""Keyboards under messages, as reply_markup objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.answers.answer import Quote
from bot.rates.watch import Watch
from bot.render.views.commands import view_every_coin, view_examples
from bot.render.views.notices import view_forget_choices, view_languages
from bot.render.views.watches import view_remove
from bot.telegram.callbacks import MAX_TEXT, Ask, ChooseCoin, ChooseLanguage, Coins, Forget, Press, Unwatch, encode

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


def quotes(locale: str, found: Sequence[Quote]) -> Keyboard | None:
    """A button that copies each amount, and one that shows the last amount's dollars in every coin."""
    if not found:
        return None
    copies: list[dict[str, Any]] = [
        {"text": f"📋 {quote.amount:f} {quote.coin}", "copy_text": {"text": f"{quote.amount:f}"}} for quote in found
    ]
    rows = [copies[start : start + 2] for start in range(0, len(copies), 2)]
    if len({quote.coin for quote in found}) == 1:
        rows.append([{"text": view_every_coin(locale), "callback_data": encode(Coins(found[-1].usd))}])
    return {"inline_keyboard": rows}


def coins(names: Sequence[str], chosen: str | None, owner: int | None) -> Keyboard:
    """The coins that the shop takes, three a row."""
    cells: list[tuple[str, Press]] = [
        (f"✓ {name}" if name == chosen else name, ChooseCoin(name, owner)) for name in names
    ]
    return _rows([cells[start : start + 3] for start in range(0, len(cells), 3)])


def watches(locale: str, kept: Sequence[tuple[int, Watch]]) -> Keyboard | None:
    """A button a watch, by its id, that removes it; None where there are none."""
    rows: list[list[tuple[str, Press]]] = [[(view_remove(locale, watch), Unwatch(number))] for number, watch in kept]
    return _rows(rows) if rows else None


def stop_watching(locale: str, watch_id: int) -> Keyboard:
    """The button under an alert."""
    return _rows([[(view_remove(locale), Unwatch(watch_id))]])


def _rows(rows: list[list[tuple[str, Press]]]) -> Keyboard:
    return {
        "inline_keyboard": [[{"text": label, "callback_data": encode(press)} for label, press in row] for row in rows]
    }
