"""What a message is made of, before it is written as HTML or plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


def visible(text: str) -> str:
    """Text without characters that Telegram refuses, a terminal obeys, or that reorder a line."""
    return "".join(c for c in text if c == "\n" or not (ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or _unsafe(c)))


def _unsafe(char: str) -> bool:
    return (
        "\u202a" <= char <= "\u202e"
        or "\u2066" <= char <= "\u2069"
        or "\ud800" <= char <= "\udfff"
        or char in "\u200e\u200f\ufeff"
    )


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
        widths = [max(len(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        lines = []
        for row in self.rows:
            cells = [
                c.rjust(w) if i in self.right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
            ]
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
