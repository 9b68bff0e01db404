"""Keyboards under messages, as reply_markup objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from bot.answers.answer import Quote
from bot.answers.steps import Group
from bot.chat import Turn
from bot.rates.watch import Watch
from bot.render.views.commands import view_every_coin, view_examples
from bot.render.views.notices import view_forget_choices, view_languages
from bot.render.views.settings import view_back
from bot.render.views.steps import view_details, view_person, view_step, view_why
from bot.render.views.watches import view_remove
from bot.telegram.asked import bare
from bot.telegram.callbacks import (
    MAX_TEXT,
    Ask,
    ChooseCoin,
    ChooseLanguage,
    ChooseSetting,
    Coins,
    Forget,
    OpenSetting,
    Person,
    Press,
    Show,
    Unwatch,
    Vote,
    encode,
)

Keyboard = dict[str, Any]

#: What stands behind the button for the details of a run.
_DETAILS: Final[tuple[Group, ...]] = ("context", "batch")


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


def answer(turn: Turn, *, opened: bool = False, details: bool = False) -> Keyboard | None:
    """What can be done with an answer: readings to choose from, amounts to copy, changes that edit it in place, a word
    of praise or blame.  ``opened``, ``details``: what the message shows now."""
    rows: list[list[dict[str, Any]]] = []
    for part in (asking(turn.offers), quotes(turn.locale, turn.answer.quotes)):
        rows.extend(part["inline_keyboard"] if part is not None else [])
    question = bare(turn.question)
    if question is None or turn.answer.error is not None:
        return {"inline_keyboard": rows} if rows else None
    rows.extend(_changes(turn, opened, details))
    shown = Show(question, opened, details)
    about: list[tuple[str, Press]] = []
    if turn.answer.sources:
        about.append((view_why(turn.locale, opened), replace(shown, opened=not opened)))
    if any(step.group in _DETAILS for step in turn.steps):
        about.append((view_details(turn.locale, details), replace(shown, details=not details)))
    about.extend((view_step(one, turn.locale), Show(one.question)) for one in turn.steps if one.group == "compare")
    last: list[tuple[str, Press]] = [] if question.intent == "human" else [(view_person(turn.locale), Person())]
    votes: list[tuple[str, Press]] = [("👍", Vote(question, True)), ("👎", Vote(question, False))]
    rows.extend(row for row in (_row(about), _row(last + votes)) if row)
    return {"inline_keyboard": rows}


def _changes(turn: Turn, opened: bool, details: bool) -> list[list[dict[str, Any]]]:
    """A row for each kind of change that the message offers now."""
    groups: tuple[Group, ...] = _DETAILS if details else ("method", "gpu", "hours")
    rows = []
    for group in groups:
        row: list[tuple[str, Press]] = [
            (view_step(step, turn.locale), Show(step.question, opened, details))
            for step in turn.steps
            if step.group == group
        ]
        rows.append(_row(row))
    return [row for row in rows if row]


def _row(cells: list[tuple[str, Press]]) -> list[dict[str, Any]]:
    """The buttons of a row, but those whose data no button can carry."""
    row = []
    for label, press in cells:
        try:
            row.append({"text": label, "callback_data": encode(press)})
        except ValueError:
            continue
    return row


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


def settings(labels: Sequence[tuple[str, str]], owner: int | None) -> Keyboard:
    """Each setting with its value, one a row; ``labels``: (name, what the button says)."""
    return _rows([[(label, OpenSetting(name, owner))] for name, label in labels])


def choices(locale: str, name: str, labels: Sequence[tuple[str | None, str]], owner: int | None) -> Keyboard:
    """The values of a setting, two a row, and the way back."""
    cells: list[tuple[str, Press]] = [(label, ChooseSetting(name, value, owner)) for value, label in labels]
    rows = [cells[start : start + 2] for start in range(0, len(cells), 2)]
    return _rows([*rows, [(view_back(locale), OpenSetting(None, owner))]])


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
