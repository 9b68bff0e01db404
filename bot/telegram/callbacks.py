"""What the press of a button carries: typed data of at most 64 bytes, so that nothing is kept for a button.

The first character is the format's version.  A press made with another version, or by another program, decodes
to None: the message may be years old.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from bot.reader.question import Question
from bot.telegram.asked import read_back, write

VERSION: Final = "1"
MAX_BYTES: Final = 64
#: What is left of them for the text of a question.
MAX_TEXT: Final = 61
_ANYBODY: Final = "*"


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask this text, as if it was typed in a fresh chat."""

    text: str


@dataclass(frozen=True, slots=True)
class ChooseLanguage:
    """Choose a locale (None: follow the messages again).  ``owner``: the only user who may, None: anybody."""

    locale: str | None
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Forget:
    """Erase what is kept of the owner, or (``sure`` False) keep it after all."""

    sure: bool
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Coins:
    """Show dollars in every coin."""

    usd: Decimal


@dataclass(frozen=True, slots=True)
class ChooseCoin:
    """Choose the coin that amounts are shown in, as with ChooseLanguage."""

    coin: str
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class OpenSetting:
    """Show the choices of a setting, or (None) all settings.  ``owner`` as with ChooseLanguage."""

    name: str | None
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class ChooseSetting:
    """Set a setting, or (``value`` None) leave it to the bot."""

    name: str
    value: str | None
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Unwatch:
    """Remove the watch with this id, where it is of the chat and topic of the button."""

    watch: int


@dataclass(frozen=True, slots=True)
class Show:
    """Put the answer to this question in the stead of the message: with its arithmetic open, or with the buttons for
    the details of the run."""

    question: Question
    opened: bool = False
    details: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """A person is wanted."""


@dataclass(frozen=True, slots=True)
class Vote:
    """The answer to this question helped, or did not."""

    question: Question
    helped: bool


Press = (
    Show | Person | Vote | Ask | ChooseLanguage | Forget | Coins | ChooseCoin | OpenSetting | ChooseSetting | Unwatch
)


def encode(press: Press) -> str:
    """The callback_data of a button.  Raises ValueError when it takes more than 64 bytes or would not come back."""
    match press:
        case Ask(text):
            data = f"{VERSION}a:{text}"
        case ChooseLanguage(locale, owner):
            data = f"{VERSION}l:{_owner(owner)}:{locale or ''}"
        case Forget(sure, owner):
            data = f"{VERSION}f:{_owner(owner)}:{'yes' if sure else 'no'}"
        case Coins(usd):
            data = f"{VERSION}q:{usd:f}"
        case ChooseCoin(coin, owner):
            data = f"{VERSION}c:{_owner(owner)}:{coin}"
        case OpenSetting(name, owner):
            data = f"{VERSION}e:{_owner(owner)}:{name or ''}"
        case ChooseSetting(name, value, owner):
            data = f"{VERSION}e:{_owner(owner)}:{name}={value or ''}"
        case Unwatch(watch):
            data = f"{VERSION}w:{watch}"
        case Show(question, opened, details):
            data = f"{VERSION}s{'o' * opened}{'d' * details}:{write(question)}"
        case Vote(question, helped):
            data = f"{VERSION}v{'+' if helped else '-'}:{write(question)}"
        case Person():
            data = f"{VERSION}p:"
    size = len(data.encode())
    if size > MAX_BYTES:
        raise ValueError(f"{press!r} takes {size} bytes, a button carries {MAX_BYTES}")
    if decode(data) != press:
        raise ValueError(f"{press!r} would not come back from {data!r}")
    return data


def decode(data: str | None) -> Press | None:
    """What a press carries, or None when this version did not write it."""
    if not data or data[:1] != VERSION:
        return None
    kind, _, rest = data[1:].partition(":")
    if kind == "a":
        return Ask(rest) if rest.strip() else None
    if kind == "q":
        return Coins(Decimal(rest)) if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,6})?", rest, re.ASCII) else None
    if kind == "w":
        return Unwatch(int(rest)) if re.fullmatch(r"[1-9][0-9]{0,17}", rest, re.ASCII) else None
    if kind[:1] in {"s", "v"}:
        return _about(kind, read_back(rest))
    if kind == "p":
        return Person() if not rest else None
    if kind == "e":
        return _setting(rest)
    found = re.fullmatch(r"(\*|[0-9]{1,16}):([A-Za-z_]*)", rest)
    if found is None:
        return None
    owner = None if found[1] == _ANYBODY else int(found[1])
    if kind == "l" and re.fullmatch(r"([a-z]{2,3}(_[A-Z][A-Za-z]{1,3})?)?", found[2]):
        return ChooseLanguage(found[2] or None, owner)
    if kind == "c" and re.fullmatch(r"[A-Z]{3,5}", found[2]):
        return ChooseCoin(found[2], owner)
    if kind == "f" and found[2] in ("yes", "no"):
        return Forget(found[2] == "yes", owner)
    return None


def _about(kind: str, question: Question | None) -> Press | None:
    if question is None:
        return None
    if kind in {"v+", "v-"}:
        return Vote(question, kind == "v+")
    return Show(question, "o" in kind, "d" in kind) if kind in {"s", "so", "sd", "sod"} else None


def _setting(rest: str) -> Press | None:
    found = re.fullmatch(r"(\*|[0-9]{1,16}):([a-z]{0,12})(?:=([A-Za-z0-9_]{0,12}))?", rest, re.ASCII)
    if found is None:
        return None
    owner = None if found[1] == _ANYBODY else int(found[1])
    if found[3] is None:
        return OpenSetting(found[2] or None, owner)
    return ChooseSetting(found[2], found[3] or None, owner) if found[2] else None


def _owner(owner: int | None) -> str:
    return _ANYBODY if owner is None else str(owner)
