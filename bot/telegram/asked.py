"""A Question in the few bytes that a button carries, and back.

Fields are a letter and a value each, in any order; a model is named by the start of a digest of its id, since ids are
longer than a button is.  What a Question holds beside (mentions, notes) is of the text, not of what is asked.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from decimal import Decimal
from functools import cache
from hashlib import sha256
from typing import Any, Final, get_args

from bot.hub.values import parse_id
from bot.reader.question import Coin, Intent, Question, Slots, Task, Topic
from planner.catalog import load_catalog
from planner.query import METHODS

_INTENTS: Final[dict[str, Intent]] = {"p": "plan", "k": "check", "m": "compare", "r": "price", "c": "cost", "t": "time",
                                      "v": "reverse", "x": "convert", "f": "faq", "h": "human"}  # fmt: skip
_METHODS: Final = {"q": "qlora", "l": "lora", "8": "full_8bit", "f": "full", "i": "inference"}
#: Letter -> slot.  Slots without a letter make a question that no button carries.
_LETTERS: Final = {"m": "model", "p": "params_b", "a": "active_b", "t": "method", "T": "methods", "b": "bits",
                   "g": "gpu", "G": "gpus", "n": "count", "N": "counts", "v": "vram_gb", "x": "context", "z": "batch",
                   "r": "lora_rank", "h": "hours", "H": "gpu_hours", "s": "steps", "S": "steps_per_hour", "k": "tokens",
                   "e": "examples", "E": "epochs", "d": "budget_usd", "D": "budget", "c": "currency", "C": "coin",
                   "u": "users", "o": "topic"}  # fmt: skip
_SLOTS: Final = {name: letter for letter, name in _LETTERS.items()}
_INTEGERS: Final = frozenset({"count", "context", "batch", "lora_rank", "steps", "tokens", "examples", "users"})
_MONEY: Final = frozenset({"hours", "gpu_hours", "budget_usd", "budget"})
_FLOATS: Final = frozenset({"params_b", "active_b", "bits", "vram_gb", "steps_per_hour", "epochs"})
_CODES: Final = {"coin": frozenset(get_args(Coin)), "topic": frozenset(get_args(Topic))}
_DIGEST: Final = 5
_NUMBER: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,10})?", re.ASCII)
_LANG: Final = re.compile(r"(?:[a-z]{2,3}(?:-[a-z]{2})?)?")


def write(question: Question) -> str | None:
    """The question as text, or None where it holds what a button can't say."""
    letter = next((letter for letter, intent in _INTENTS.items() if intent == question.intent), None)
    if letter is None or question.also or question.problem is not None:
        return None
    stated = {name: value for name, value in question.slots.stated().items() if name != "software"}
    parts = [f"{question.lang or ''}.{letter}"]
    for name, value in stated.items():
        written = _written(name, value) if name in _SLOTS else None
        if written is None:
            return None
        parts.append(f"{_SLOTS[name]}{written}")
    beside = (("K", question.task), ("A", question.algo), ("w", question.weights), ("@", question.hub))
    parts.extend(f"{key}{value}" for key, value in beside if value is not None)
    return ";".join(parts)


def read_back(text: str) -> Question | None:
    """The question that was written, or None where this version did not write it or no longer knows what it names."""
    head, *parts = text.split(";")
    lang, _, letter = head.partition(".")
    intent = _INTENTS.get(letter)
    if intent is None or not _LANG.fullmatch(lang):
        return None
    slots: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    for part in parts:
        key, value = part[:1], part[1:]
        name = _LETTERS.get(key) or {"K": "task", "A": "algo", "w": "weights", "@": "hub"}.get(key)
        found = _value(name, value) if name is not None else None
        if found is None or name is None:
            return None
        (slots if key in _LETTERS else beside)[name] = found
    return Question(intent=intent, slots=Slots(**slots), lang=lang or None, **beside)


def bare(question: Question) -> Question | None:
    """The question as a button carries it; None where none can."""
    text = write(question)
    return read_back(text) if text is not None else None


def _written(name: str, value: Any) -> str | None:
    if name == "model":
        return digest(value) if value in load_catalog().models else None
    if name == "method":
        return next(letter for letter, method in _METHODS.items() if method == value)
    if name == "methods":
        return "".join(letter for one in value for letter, method in _METHODS.items() if method == one)
    if name in {"gpus", "counts"}:
        return "+".join(map(str, value))
    if name in _MONEY:
        return _plain(Decimal(value))
    if name in _FLOATS:
        return _plain(Decimal(repr(value)))
    return str(value)


def _plain(value: Decimal) -> str | None:
    text = f"{value.normalize():f}"
    return text if _NUMBER.fullmatch(text) else None


def _value(name: str | None, text: str) -> Any:
    if name == "model":
        return _by_digest().get(text)
    if name == "method":
        return _METHODS.get(text)
    if name == "methods":
        found = tuple(_METHODS.get(letter) for letter in text)
        return found if found and all(one in METHODS for one in found) else None
    if name == "gpu":
        return text if text in load_catalog().gpus else None
    if name == "gpus":
        gpus = tuple(text.split("+"))
        return gpus if all(gpu in load_catalog().gpus for gpu in gpus) else None
    if name == "counts":
        counts = text.split("+")
        return tuple(map(int, counts)) if all(re.fullmatch("[1-9][0-9]?", one, re.ASCII) for one in counts) else None
    return _plain_value(name, text)


def _plain_value(name: str | None, text: str) -> Any:
    if name in _CODES:
        return text if text in _CODES[name] else None
    if name == "currency":
        return text if re.fullmatch("[A-Z]{3,5}", text) else None
    if name == "task":
        return text if text in get_args(Task) else None
    if name == "algo":
        return text if re.fullmatch("[a-z]{2,6}", text) else None
    if name == "hub":
        return text if parse_id(text) is not None else None
    if name == "weights":
        return text if text in load_catalog().formats else None
    if not _NUMBER.fullmatch(text):
        return None
    if name in _INTEGERS:
        return int(text) if text.isdigit() else None
    return Decimal(text) if name in _MONEY else float(text)


def digest(model: str) -> str:
    """What stands for a model's id: 30 bits of a hash, which no two models of the catalogue share."""
    return urlsafe_b64encode(sha256(model.encode()).digest())[:_DIGEST].decode()


@cache
def _by_digest() -> dict[str, str]:
    return {digest(model): model for model in load_catalog().models}
