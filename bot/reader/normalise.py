"""Text -> normalised text with a way back: every normalised character knows where it came from.

Compatibility forms are folded (full-width, superscripts), digits of any script become ASCII, Latin accents
are dropped ("não" = "nao"), invisible and control characters vanish, letters are lower case.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

#: Longer messages are read up to here: no question needs more, and time stays bounded.
MAX_CHARS: Final = 5_000

_PLAIN: Final = ["i", "l", "o", "d", "ae", "oe", "ss", "btc", "x", "x", "-", "-", "-", "'", "'", "'", '"', '"']
_LETTERS: Final = dict(zip("ıłøđæœß₿×✕–—−’‘`“”", _PLAIN, strict=True)) | {
    # Arabic: one form of alef, yeh and teh marbuta; no stretching; its decimal and thousands marks.
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ـ": "", "٫": ".", "٬": ",",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Normal:
    """``norm`` is what is parsed; norm[i] comes from original[starts[i]:ends[i]]."""

    original: str
    norm: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the original text of norm[start:end]."""
        if start >= end:
            return (0, 0)
        return (self.starts[start], self.ends[end - 1])

    def without(self, start: int, end: int) -> Normal:
        """The same without norm[start:end], a line break in its place."""
        gap = (self.starts[start],)
        return Normal(
            self.original,
            f"{self.norm[:start]}\n{self.norm[end:]}",
            self.starts[:start] + gap + self.starts[end:],
            self.ends[:start] + gap + self.ends[end:],
        )


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    """What one character becomes."""
    if char in "\n\t\r":
        return " " if char != "\n" else "\n"
    category = unicodedata.category(char)
    if category in {"Cf", "Cs", "Co", "Cn"} or category == "Cc":
        return " " if category == "Cc" else ""
    if category[0] == "Z":
        return " "
    if category == "Nd":
        return str(unicodedata.digit(char))
    folded = _LETTERS.get(char)
    if folded is not None:
        return folded
    pieces = []
    for piece in unicodedata.normalize("NFKC", char).casefold():
        base = unicodedata.normalize("NFD", piece)
        if len(base) > 1 and base[0].isascii():  # Latin with accents; Cyrillic й and kana voicing stay whole
            pieces.append(base[0])
        elif unicodedata.category(piece) != "Mn":
            pieces.append(_LETTERS.get(piece, piece))
    return "".join(pieces)


#: GPUs and number formats typed with Cyrillic letters, by look or by sound: "а100", "х100", "л40с", "фп16".
_CYRILLIC_CODE: Final = re.compile(
    r"(?<![^\W_])(?:[ахнв]100|[хн]200|[бв][23]00|л40с?|(?:фп|бф|инт)[ -]?(?:4|8|16|32))(?![^\W_])", re.IGNORECASE
)
_CYRILLIC_LETTERS: Final = str.maketrans("ахнвблсфпинт", "ahhbblsfpint")


def _latin_code(match: re.Match[str]) -> str:
    code = match.group().lower()
    return f"v{code[1:]}" if code == "в100" else code.translate(_CYRILLIC_LETTERS)


def normalise(text: str) -> Normal:
    """Normalise a message.  Never raises, whatever the text holds."""
    original = text = text[:MAX_CHARS]
    text = _CYRILLIC_CODE.sub(_latin_code, text)  # as long as before
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for index, char in enumerate(text):
        folded = char.lower() if char.isascii() and char.isalnum() else _fold(char)
        if not folded:
            if ends and unicodedata.category(char) == "Mn":
                ends[-1] = index + 1
            continue
        for piece in folded:
            out.append(piece)
            starts.append(index)
            ends.append(index + 1)
    return Normal(original, "".join(out), tuple(starts), tuple(ends))


def fold(text: str) -> str:
    """The normalised form alone: how lexicon entries and names are written inside."""
    return normalise(text).norm.strip()
