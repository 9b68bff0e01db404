"""Several questions in one message: where one ends and the next begins, and which ask something of their own."""

from __future__ import annotations

import re
from typing import Final

from bot.reader.question import Question

#: More than this is a pasted text, not a list of questions.
MAX_PARTS: Final = 6
#: Answers beside the first.
MAX_ALSO: Final = 3

_ENDS: Final = re.compile(r"(?<=[?？؟])\s*|\n+|(?:(?<=\s)|^)(?=\(?[1-9][).]\s)")
_LETTER: Final = re.compile(r"[^\W\d_]")
#: Greetings, thanks and what was not understood add no question.
_SILENT: Final = frozenset({"smalltalk", "unsupported"})
#: What a plan says anyway: the price of what it recommends.
_WITHIN_A_PLAN: Final = frozenset({"price", "cost"})


def split_questions(text: str) -> list[str]:
    """The parts of a message that may each ask something; one part where it does not look like several questions.

    A part ends at a question mark, at the end of a line, or where a list goes on ("2) ...").  What is said before the
    first question belongs to it.
    """
    parts = [part for part in (piece.strip() for piece in _ENDS.split(text)) if part and _LETTER.search(part)]
    asked = sum(_asks(part) for part in parts)
    if len(parts) < 2 or len(parts) > MAX_PARTS or asked < 2:
        return [text]
    return parts


def _asks(part: str) -> bool:
    return part[-1] in "?？؟" or bool(re.match(r"\(?[1-9][).]\s", part))


def is_another(question: Question, alone: Question, first: Question, *, wants_list: bool) -> bool:
    """Whether a part, read after the first and on its own, asks something that the first does not.

    ``wants_list``: it names the price list.
    """
    if not question.understood or not alone.understood or alone.intent in _SILENT:
        return False
    if question.intent == first.intent:
        return _subject(alone) != (None, None) and _subject(question) != _subject(first) and question.intent != "faq"
    if first.intent in {"plan", "check"} and alone.intent in _WITHIN_A_PLAN and alone.slots.gpu is None:
        return wants_list
    return alone.intent == question.intent


def _subject(question: Question) -> tuple[object, object]:
    slots = question.slots
    return slots.model or slots.params_b, slots.gpus or slots.gpu
