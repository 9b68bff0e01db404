"""Compile translations and lexicons before the wheel is made, so that an installed bot starts without doing it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileLocales(BuildHookInterface):  # type: ignore[type-arg]
    """Runs the project's own compilers in the source tree; their output travels with locales/."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before a wheel (also an editable one) is built."""
        if self.target_name != "wheel":
            return
        for module in ("bot.reader.compile", "bot.render.compile"):
            subprocess.run([sys.executable, "-m", module], cwd=self.root, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
