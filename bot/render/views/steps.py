"""The words on the buttons that change an answer."""

from __future__ import annotations

from typing import Final

from bot.answers.steps import Step
from bot.render.i18n import _, speaker
from bot.render.views.common import configuration

_THOUSAND: Final = 1024


def view_step(step: Step, locale: str) -> str:
    """What a step changes, marked where it is what is shown."""
    label = _label(step, locale)
    return f"✓ {label}" if step.chosen else label


def _label(step: Step, locale: str) -> str:
    say, slots = speaker(locale), step.question.slots
    match step.group:
        case "method":
            short = {"full": _("Full"), "inference": _("Run")}
            method = slots.method or ""
            return say.text(short[method]) if method in short else say.method(method)
        case "gpu":
            return configuration(slots.gpu or "", slots.count or 1)
        case "hours":
            return say.text(_("{hours} h"), hours=say.number(slots.hours or 0))
        case "context":
            return say.text(_("{n}k tokens"), n=(slots.context or 0) // _THOUSAND)
        case "batch":
            running = slots.method == "inference"
            number = (slots.users if running else slots.batch) or 1
            return say.text(_("users: {n}") if running else _("batch {n}"), n=number)
        case "compare":
            return say.text(_("⇄ Compare"))


def view_why(locale: str, opened: bool) -> str:
    """The button that opens the arithmetic, or closes it."""
    return speaker(locale).text(_("Less") if opened else _("Why?"))


def view_details(locale: str, shown: bool) -> str:
    """The button that leads to context and batch, and back."""
    return speaker(locale).text(_("‹ Back") if shown else _("⚙ Context, batch"))


def view_person(locale: str) -> str:
    """The button that asks for a person."""
    return speaker(locale).text(_("👤 A person"))


def view_thanks(locale: str, helped: bool) -> str:
    """What a vote is answered with, as a notice."""
    say = speaker(locale)
    return say.text(_("Thank you!") if helped else _("Thank you, we will look at it. A person can help too."))
