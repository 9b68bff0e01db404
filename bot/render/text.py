"""A finished text in both its forms."""

from __future__ import annotations

from dataclasses import dataclass

from bot.render.document import Document
from bot.render.html import to_html
from bot.render.plain import to_plain


@dataclass(frozen=True, slots=True)
class Text:
    """``html`` for Telegram; ``plain`` without markup, for a terminal and for when markup is refused."""

    html: str
    plain: str


def to_text(document: Document, *, opened: bool = False) -> Text:
    """A document in both forms; ``opened``: nothing is behind a tap."""
    return Text(to_html(document, opened=opened), to_plain(document))


def units(text: str) -> int:
    """The length of a text in UTF-16 units, which Telegram counts in."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
