"""What a user chose to be answered with, where a question does not say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from planner.query import Method


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """``coin``: the one that amounts are shown in (None: the shop's first); ``currency``: one that dollars are shown in
    as well; ``method``: the one that is planned where none is named (None: all); ``expert``: terms and ranges are not
    behind a tap."""

    coin: str | None = None
    currency: str | None = None
    method: Method | None = None
    expert: bool = False


NO_PREFERENCES: Final = Preferences()
