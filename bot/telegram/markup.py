"""Long texts in parts that Telegram takes: its HTML subset, cut where a reader would cut it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any, Final

from bot.render.text import Text, units

#: What one message holds, after its markup is read.  Telegram's unit is unsettled (code points or UTF-16 units):
#: UTF-16 units are safe under both readings.
MAX_UNITS: Final = 4096
MAX_ENTITIES: Final = 100

_PIECE: Final = re.compile(r"<(/?)([a-z0-9-]+)([^<>]*)>|&(?:#\d+|#x[0-9a-fA-F]+|[a-z]+);|[^<&]|[<&]", re.DOTALL)
#: Where to cut, best first.
_CUTS: Final = ("\n\n", "\n", " ")


@dataclass(frozen=True, slots=True)
class Part:
    """One message's text, in both forms."""

    html: str
    plain: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """A tag, or one visible character (``shown``) as it stands in the HTML (``raw``)."""

    raw: str
    shown: str
    tag: str = ""
    closes: bool = False

    @property
    def units(self) -> int:
        return 2 if self.shown > "\uffff" else len(self.shown)


def split(html: str, plain: str, limit: int = MAX_UNITS, max_entities: int = MAX_ENTITIES) -> tuple[Part, ...]:
    """A text in parts of at most ``limit`` UTF-16 units of visible text and ``max_entities`` entities.

    Tags that are open at a cut are closed and opened again; blanks at a cut are dropped; no part is empty, unless the
    text shows nothing at all.  One part keeps its ``plain`` form; several have their visible text instead, so that
    parts say the same in both forms.
    """
    if units(html) <= limit and html.count("</") <= max_entities:
        return (Part(html, plain),)
    parts = [Part(raw, shown) for raw, shown in _parts(list(_pieces(html)), limit, max_entities)]
    return tuple(parts) if len(parts) > 1 else (Part(parts[0].html if parts else html, plain),)


def only_message(text: Text, name: str) -> dict[str, Any]:
    """A text that can't be split, as parameters of a call or an inline result: its first part, under ``name``."""
    part = split(text.html, text.plain)[0]
    return {name: part.html, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}


def _pieces(html: str) -> Iterator[_Piece]:
    for match in _PIECE.finditer(html):
        raw = match.group()
        if match.group(2):
            yield _Piece(raw, "", match.group(2), match.group(1) == "/")
        else:
            yield _Piece(raw, unescape(raw) if raw.startswith("&") else raw)


def _parts(pieces: list[_Piece], limit: int, max_entities: int) -> Iterator[tuple[str, str]]:
    start = 0
    carried: list[_Piece] = []
    while start < len(pieces):
        end = _reach(pieces, start, len(carried), limit, max_entities)
        if end < len(pieces):
            end = _cut(pieces, start, end)
        opened = list(carried)
        raw, shown = "".join(tag.raw for tag in opened), ""
        for piece in pieces[start:end]:
            if piece.closes:
                opened = opened[:-1]
            elif piece.tag:
                opened.append(piece)
            raw += piece.raw
            shown += piece.shown
        raw += "".join(f"</{tag.tag}>" for tag in reversed(opened))
        if shown.strip():
            yield _stripped(raw), shown.strip()
        start, carried = end, opened


def _reach(pieces: list[_Piece], start: int, entities: int, limit: int, max_entities: int) -> int:
    """How far a part can go at most; at least one character."""
    length, seen = 0, False
    for index in range(start, len(pieces)):
        piece = pieces[index]
        length += piece.units
        entities += bool(piece.tag) and not piece.closes
        if (length > limit or entities > max_entities) and seen:
            return index
        seen = seen or bool(piece.shown)
    return len(pieces)


def _cut(pieces: list[_Piece], start: int, end: int) -> int:
    """Where to end a part: after the last paragraph, else line, else word that leaves it at least half full."""
    shown = [(index, piece.shown) for index, piece in enumerate(pieces[start:end], start) if piece.shown]
    text = "".join(char for _index, char in shown)
    for cut in _CUTS:
        found = text.rfind(cut)
        if found > len(text) // 2 and text[:found].strip():
            return shown[min(found + len(cut), len(shown)) - 1][0] + 1
    return end


_EDGES: Final = re.compile(r"^((?:<[^<>]*>)*)\s+|\s+((?:</[^<>]*>)*)$")
_EMPTY: Final = re.compile(r"<([a-z0-9-]+)[^<>]*></\1>")


def _stripped(raw: str) -> str:
    """Without blanks at the edges, within tags too, and without tags around nothing."""
    before = None
    while before != raw:
        before = raw
        raw = _EMPTY.sub("", _EDGES.sub(lambda match: match.group(1) or match.group(2) or "", raw))
    return raw
