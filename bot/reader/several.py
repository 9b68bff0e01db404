"""Several questions in one message: where one ends and the next begins, and which ask something of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.reader.question import Question

#: More than this is a pasted text, not a list of questions.
MAX_PARTS: Final = 6
#: Answers beside the first.
MAX_ALSO: Final = 3

_ENDS: Final = re.compile(r"(?<=[?？؟])\s*|\n+|(?:(?<=\s)|^)(?=\(?[1-9][).]\s)")
_PASTED: Final = re.compile(r"(?:^|\s)--[a-z]|^\s*[\w.]+\s*[:=]\s*\S", re.IGNORECASE)
_LETTER: Final = re.compile(r"[^\W\d_]")
#: Greetings, thanks and what was not understood add no question.
_SILENT: Final = frozenset({"smalltalk", "unsupported"})
#: What a plan says anyway: the price of what it recommends.
_WITHIN_A_PLAN: Final = frozenset({"price", "cost"})


def split_questions(text: str) -> list[tuple[int, int]]:
    """The spans of a message that may each ask something; one where it does not look like several questions.

    A part ends at a question mark, at the end of a line, or where a list goes on ("2) ...").
    """
    parts = [(start, end) for start, end in _spans(text) if _LETTER.search(text, start, end)]
    asked = sum(_asks(text[start:end]) for start, end in parts)
    if len(parts) < 2 or len(parts) > MAX_PARTS or not asked:
        return [(0, len(text))]
    return parts


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _ENDS.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _asks(part: str) -> bool:
    return part.rstrip()[-1] in "?？؟" or bool(re.match(r"\(?[1-9][).]\s", part))


def is_pasted(part: str) -> bool:
    """Whether a part is no sentence but a command or a configuration: "vllm serve ... --max-model-len 8192"."""
    return not _asks(part) and bool(_PASTED.search(part))


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
    return slots.model or question.hub or slots.params_b, slots.gpus or slots.gpu
