"""What an answer offers to ask next: texts that every language's reader understands, for buttons."""

from __future__ import annotations

from typing import Final

from bot.answers.answer import Answer
from bot.reader.question import Slots
from planner.catalog import load_catalog

#: As many as a phone shows without scrolling.
MOST: Final = 6
_METHODS: Final = {"qlora": "QLoRA", "lora": "LoRA", "full_8bit": "full 8-bit Adam", "full": "full", "inference": "run"}


def offers(answer: Answer) -> tuple[str, ...]:
    """Readings to choose from: a family's sizes where none was named, the methods that "8 bits" may mean."""
    slots = answer.question.slots
    rest = _rest(slots)
    catalog = load_catalog()
    if answer.candidates:
        names = [catalog.models[model].name for model in answer.candidates if model in catalog.models]
        return tuple(" ".join((name, *rest)) for name in names[:MOST])
    trains = answer.question.task == "train" and slots.method is None and not slots.methods
    if trains and slots.bits == 8 and answer.params_b is not None:
        size = catalog.models[slots.model].name if slots.model in catalog.models else f"{answer.params_b:g}B"
        return tuple(" ".join((size, _METHODS[method], *rest)) for method in ("full_8bit", "qlora"))
    return ()


def _rest(slots: Slots) -> list[str]:
    """What else the question said, in words that come through a button."""
    words = [_METHODS[slots.method]] if slots.method is not None else []
    if slots.gpu is not None and slots.gpu in load_catalog().gpus:
        words.append(f"{slots.count or 1}x {load_catalog().gpus[slots.gpu].name}")
    return words
