"""The README names every setting."""

from __future__ import annotations

from pathlib import Path

from bot.settings import describe


def test_every_setting_is_in_the_readme() -> None:
    text = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    for name, _default, _description in describe():
        assert name in text
