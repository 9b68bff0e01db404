"""What a message is made of, before it is written as HTML or plain text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

#: Controls but for the line feed, marks that reorder a line, half surrogate pairs.
_HIDDEN: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    """Text without characters that Telegram refuses, a terminal obeys, or that reorder a line."""
    return _HIDDEN.sub("", text)


def columns(text: str) -> int:
    """How many columns of a fixed-width font a text takes: Chinese, Japanese and Korean characters are two wide."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


Style = Literal["text", "bold", "italic", "code", "link"]


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style; ``url`` for links."""

    text: str
    style: Style = "text"
    url: str | None = None


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that stand on their own."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Details behind a tap (an expandable quote in Telegram), under a heading."""

    heading: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of short cells, aligned; the first row is the heading.  Columns in ``right`` are right-aligned."""

    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()

    def text(self) -> str:
        """The table in a fixed-width font."""
        widths = [max(columns(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        lines = []
        for row in self.rows:
            cells = []
            for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
                gap = " " * (width - columns(cell))
                cells.append(gap + cell if i in self.right else cell + gap)
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)


Block = Lines | Quote | Table


@dataclass(frozen=True, slots=True)
class Document:
    """A whole message."""

    blocks: tuple[Block, ...]


class Builder:
    """Collects lines and blocks in reading order."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._lines: list[Line] = []

    def line(self, *parts: Line | str) -> None:
        """Add a line made of parts."""
        spans: list[Span] = []
        for part in parts:
            spans.extend((Span(part),) if isinstance(part, str) else part)
        if spans:
            self._lines.append(tuple(spans))

    def lines(self, lines: Sequence[Line]) -> None:
        """Add several lines."""
        self._lines.extend(line for line in lines if line)

    def block(self, block: Block) -> None:
        """Close the lines so far and add a block."""
        self.gap()
        if not (isinstance(block, Quote | Lines) and not block.lines):
            self._blocks.append(block)

    def gap(self) -> None:
        """Close the lines so far."""
        if self._lines:
            self._blocks.append(Lines(tuple(self._lines)))
            self._lines = []

    def document(self) -> Document:
        """What was collected."""
        self.gap()
        return Document(tuple(self._blocks))
