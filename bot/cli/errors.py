"""Which exceptions are an operator's mistake."""

from __future__ import annotations

import sys


def operator_errors() -> tuple[type[Exception], ...]:
    """The error types that end a command with one line; only of modules that were imported at all."""
    found: list[type[Exception]] = []
    for module, name in (
        ("bot.settings", "SettingsError"),
        ("bot.shop.history", "NoPricesError"),
        ("bot.reader.lexicon", "LexiconError"),
    ):
        if module in sys.modules:
            found.append(getattr(sys.modules[module], name))
    return tuple(found)
