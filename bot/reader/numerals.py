"""Numbers as people write them: separators of any locale, number words, multipliers, exponents."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.reader.lexicon import Hit
from bot.reader.tokens import Token

_JOINERS = frozenset({"e", "y", "and", "und", "et"})


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in the text: tokens[start:end].  ``value`` includes the multiplier; ``suffix`` is the letter or
    word's power ("k", "m", "b" as 3, 6, 9; 0 none); ``spelled``: written as a word; ``raw`` the bare figure."""

    start: int
    end: int
    value: float
    suffix: int
    spelled: bool
    raw: str
    negative: bool = False


#: Round numbers that are counted by an article.
_DOZENS: Final = frozenset({10.0, 12.0})
#: Larger numbers mean nothing here; they stay finite so that every later stage can count with them.
_HUGE: Final = 1e30


def find_numerals(
    tokens: Sequence[Token], hits: Sequence[Hit], taken: Sequence[bool], langs: frozenset[str]
) -> list[Numeral]:
    """Every number outside the ``taken`` tokens, left to right."""
    words = {hit.start: hit for hit in hits if hit.concept == "number"}
    multipliers: dict[int, list[Hit]] = {}
    for hit in hits:
        if hit.concept == "multiplier":
            multipliers.setdefault(hit.start, []).append(hit)
    found: list[Numeral] = []
    index = 0
    while index < len(tokens):
        numeral = None
        if not taken[index]:
            if tokens[index].kind == "number":
                numeral = _digits(tokens, index, taken)
            elif index in words:
                numeral = _spelled(tokens, index, words, taken)
        if numeral is None:
            index += 1
            continue
        numeral = _multiplied(numeral, tokens, multipliers, taken, langs)
        found.append(numeral if numeral.value < _HUGE else replace(numeral, value=_HUGE))
        index = numeral.end
    return found


def _digits(tokens: Sequence[Token], index: int, taken: Sequence[bool]) -> Numeral:
    token = tokens[index]
    end = index + 1
    value, raw = _parse(token.text), token.text
    if (
        end + 1 < len(tokens)
        and tokens[end].text == "e"
        and tokens[end].glued
        and tokens[end + 1].kind == "number"
        and tokens[end + 1].glued
    ):
        power = int(re.sub(r"\D", "", tokens[end + 1].text)[:6])
        value = min(value, _HUGE) * 10.0 ** min(power, 60)
        end += 2
    minus = index > 0 and tokens[index - 1].text == "-" and token.glued and not taken[index - 1]
    return Numeral(index, end, value, 0, False, raw, minus and (index < 2 or not tokens[index - 1].glued))


def _parse(text: str) -> float:
    """A figure without its unit.  Three digits after a single separator are thousands, unless it starts with 0."""
    text = text.replace(" ", "").replace("'", "")
    marks = [char for char in text if char in ".,"]
    if len(marks) > 1 and len(set(marks)) > 1:  # 1.500,00 or 1,500.00: the last one is the decimal mark
        whole, _, part = text.rpartition(marks[-1])
        return float(re.sub(r"\D", "", whole) + "." + part)
    if len(marks) > 1:
        return float(re.sub(r"\D", "", text)[:300])
    if marks:
        whole, _, part = text.partition(marks[0])
        if len(part) == 3 and not whole.startswith("0"):
            return float(whole + part)
        return float(f"{whole}.{part}"[:300])
    return float(text[:300])


def decimal_reading(raw: str) -> float | None:
    """The other reading of "1.260": 1.26.  None where there is only one."""
    match = re.fullmatch(r"(\d+)[.,](\d{3})", raw)
    return float(f"{match.group(1)}.{match.group(2)}") if match else None


def _spelled(tokens: Sequence[Token], index: int, words: dict[int, Hit], taken: Sequence[bool]) -> Numeral:
    hit = words[index]
    value, end = _amount(hit), hit.end
    while True:
        start = end + 1 if end < len(tokens) and tokens[end].text in _JOINERS else end
        following = words.get(start)
        if following is None or taken[start] or start >= len(tokens):
            break
        more = _amount(following)
        if value == 1 and more in _DOZENS:  # "una decina", "a dozen"
            return Numeral(index, following.end, more, 0, True, tokens[index].text)
        tens = value >= 20 and value % 10 == 0 and 0 < more < 10
        hundreds = value >= 100 and value % 100 == 0 and more < 100
        if not (tens or hundreds):
            break
        value, end = value + more, following.end
    if end - index == 1 and end < len(tokens) and tokens[end].text in {"hundred", "cem"} and value < 10:
        value, end = value * 100, end + 1
    return Numeral(index, end, value, 0, True, tokens[index].text)


def _amount(hit: Hit) -> float:
    return float(hit.value) if hit.value is not None else 0.0


def _multiplied(
    numeral: Numeral,
    tokens: Sequence[Token],
    multipliers: dict[int, list[Hit]],
    taken: Sequence[bool],
    langs: frozenset[str],
) -> Numeral:
    end = numeral.end
    value, suffix = numeral.value, 0
    for _ in range(2):
        found = multipliers.get(end, ())
        fitting = [hit for hit in found if not any(taken[end : hit.end])]
        letters = [hit for hit in fitting if len(tokens[end].text) == 1]
        if letters and numeral.spelled:
            break
        if letters and not tokens[end].glued and tokens[end].text not in {"b", "k"}:
            break
        if not fitting:
            break
        hit = max(fitting, key=lambda h: (h.end, bool(h.langs & langs), -_amount(h)))
        power = round(math.log10(_amount(hit)))
        reading = decimal_reading(numeral.raw) if not suffix and power >= 9 else None
        value = (reading if reading is not None else value) * _amount(hit)
        suffix, end = suffix + power, hit.end
        if letters:
            break
    return Numeral(numeral.start, end, value, suffix, numeral.spelled, numeral.raw, numeral.negative)
