"""A finished text in both its forms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """``html`` for Telegram; ``plain`` without markup, for a terminal and for when markup is refused."""

    html: str
    plain: str
