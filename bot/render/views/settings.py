"""What a user can choose, and what is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from bot.reader.preferences import Preferences
from bot.render.document import Builder
from bot.render.i18n import LANGUAGE_NAMES, SHIPPED, Speaker, _, speaker
from bot.render.text import Text
from bot.render.views.commands import finished

Setting = Literal["language", "coin", "currency", "method", "detail"]
#: (value kept, what the button says); the first one leaves it to the bot.
Labels = tuple[tuple[str | None, str], ...]

_NAMES: Final[dict[Setting, str]] = {
    "language": _("Language: {value}"),
    "coin": _("Coin: {value}"),
    "currency": _("Currency beside dollars: {value}"),
    "method": _("Method where I name none: {value}"),
    "detail": _("Answers: {value}"),
}
_METHODS: Final = ("qlora", "lora", "full_8bit", "full", "inference")


def view_settings(locale: str) -> Text:
    """What the buttons below are for."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("<b>Settings</b>")))
    build.line(say.line(_("They hold in this chat. Tap one to change it.")))
    return finished(build)


def view_setting(locale: str, name: Setting) -> Text:
    """What a setting changes, above its choices."""
    say, build = speaker(locale), Builder()
    said = {
        "language": _("In which language shall I answer?"),
        "coin": _("In which coin shall I show amounts?"),
        "currency": _("In which currency shall I show amounts beside dollars?"),
        "method": _("Which method shall I plan where a question names none?"),
        "detail": _("Simple: the arithmetic is behind a tap. Expert: terms, ranges and sources are shown at once."),
    }
    build.line(say.line(said[name]))
    return finished(build)


def view_names(
    locale: str, language: str | None, chosen: Preferences, offered: Mapping[Setting, Sequence[str]]
) -> list[tuple[str, str]]:
    """Each setting with its value."""
    say = speaker(locale)
    found: list[tuple[str, str]] = []
    for name, label in _NAMES.items():
        values = dict(_labels(say, name, offered[name]))
        kept = current(name, language, chosen)
        found.append((name, say.text(label, value=values.get(kept, values[None]))))
    return found


def view_choices(locale: str, name: Setting, kept: str | None, offered: Sequence[str]) -> Labels:
    """The values of a setting; the one in force is marked."""
    labels = _labels(speaker(locale), name, offered)
    known = kept if kept in dict(labels) else None
    return tuple((value, f"✓ {label}" if value == known else label) for value, label in labels)


def view_back(locale: str) -> str:
    """The button that leads back."""
    return speaker(locale).text(_("‹ Back"))


def current(name: Setting, language: str | None, chosen: Preferences) -> str | None:
    """The value kept of a setting; None where it is left to the bot."""
    match name:
        case "language":
            return language
        case "coin":
            return chosen.coin
        case "currency":
            return chosen.currency
        case "method":
            return chosen.method
        case "detail":
            return "expert" if chosen.expert else None


def options(coins: Sequence[str], currencies: Sequence[str]) -> dict[Setting, Sequence[str]]:
    """The values that each setting can have."""
    return {"language": SHIPPED, "coin": coins, "currency": currencies, "method": _METHODS, "detail": ("expert",)}


def _labels(say: Speaker, name: Setting, offered: Sequence[str]) -> Labels:
    unset = {
        "language": _("like my messages"),
        "coin": _("the shop's first"),
        "currency": _("none"),
        "method": _("all of them"),
        "detail": _("simple"),
    }
    named: dict[Setting, Callable[[str], str]] = {
        "language": lambda value: LANGUAGE_NAMES[value],
        "method": say.method,
        "detail": lambda _value: say.text(_("expert")),
    }
    label = named.get(name, str)
    return ((None, say.text(unset[name])), *((value, label(value)) for value in offered))
