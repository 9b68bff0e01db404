"""Normalised text -> tokens: words, numbers, marks, each with its span and whether it is glued to the one before.

Letters and digits are split where they meet ("70b" is 70 + b, "2xh100" is 2 + x + h + 100); scripts written
without spaces give one token a character.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["word", "number", "mark"]

#: Scripts that stand beside Latin letters without a space: Korean particles, Arabic prefixes.
_HANGUL: Final = "\uac00-\ud7a3\u1100-\u11ff"
_ARABIC: Final = "\u0620-\u065f\u066e-\u06d3\u06fa-\u06ff"
_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_APART: Final = _CJK + _HANGUL + _ARABIC
# "l'a100" is an article and a card.
# A number keeps its separators; "20 000" is joined only where groups of three follow.
_TOKEN: Final = re.compile(
    rf"""(?P<number>(?<![a-z\d.,])\d{{1,3}}(?:\x20\d{{3}})+(?![\d.,]*\d|[a-z])|\d+(?:[.,']\d+)*)
       |(?P<word>[{_CJK}]|[{_HANGUL}]+|[{_ARABIC}]+|[^\W\d_{_APART}]+(?:'(?![^\W\d_]{{1,3}}\d)(?=[^\W\d_])[^\W\d_]+)?)
       |(?P<mark>[^\s])""",
    re.VERBOSE,
)
#: What is read of a long text, in tokens: a pasted file has its question before or after it.
HEAD: Final = 450
TAIL: Final = 150
_ABBREVIATIONS: Final = frozenset(
    [
        "mio",
        "mrd",
        "mln",
        "mld",
        "max",
        "min",
        "ca",
        "ok",
        "tys",
        "approx",
        "std",
        "stk",
        "seq",
        "тыс",
        "млн",
        "млрд",
        "макс",
        "мин",
        "руб",
        "шт",
        "чел",
        "pers",
        "gb",
        "ex",
    ]
)
_DRAWN: Final = re.compile(r"([^\W\d_])\1{2,}")
_MULTIPLY: Final = re.compile(r"x(?=[a-z]{1,5}$)")


@dataclass(frozen=True, slots=True)
class Token:
    """``start``/``end`` are offsets in the normalised text; ``glued``: nothing stands before it but a token."""

    kind: Kind
    text: str
    start: int
    end: int
    glued: bool


def middle(norm: str) -> tuple[int, int] | None:
    """The part of a text between its first HEAD and its last TAIL tokens, where it has more than both together."""
    if len(norm) <= HEAD + TAIL or len(_TOKEN.findall(norm)) <= HEAD + TAIL:
        return None
    starts = [match.start() for match in _TOKEN.finditer(norm)]
    return starts[HEAD], starts[-TAIL]


def tokenise(norm: str) -> list[Token]:
    """Split normalised text.  Spans cover every character that is not white space, in order."""
    tokens: list[Token] = []
    end = -1
    for match in _TOKEN.finditer(norm):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        text, start = match.group(), match.start()
        if kind == "word":
            text = _DRAWN.sub(r"\1", text)  # "diaaaa"
        glued = start == end
        end = match.end()
        after_digit = glued and tokens and tokens[-1].kind == "number"
        if kind == "word" and after_digit and len(text) > 1 and _MULTIPLY.match(text):
            tokens.append(Token("word", "x", start, start + 1, True))
            tokens.append(Token("word", text[1:], start + 1, end, True))
        else:
            tokens.append(Token(kind, text, start, end, glued))
    return _without_joints(tokens)


def _without_joints(tokens: list[Token]) -> list[Token]:
    """Drop hyphens and underscores inside compounds, and the point of an abbreviation: "fine-tuning", "1,5 Mio."."""
    kept: list[Token] = []
    for index, token in enumerate(tokens):
        inner = index + 1 < len(tokens) and tokens[index + 1].glued and token.glued
        joint = token.kind == "mark" and token.text in "-_" and inner
        short = token.text == "." and token.glued and index and tokens[index - 1].text in _ABBREVIATIONS
        if not joint and not short:
            kept.append(token)
    return kept
