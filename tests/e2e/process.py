"""The real bot as a process of its own, talking to the tests' Bot API server."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from peer import TOKEN


class Bot:
    """One ``gpubot run``.  Its log goes to a file; it keeps its data in ``home``."""

    def __init__(self, api_url: str, home: Path, **settings: str) -> None:
        self.home = home
        self.log = home / "bot.log"
        self._env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GPUBOT_TOKEN": TOKEN,
            "GPUBOT_API_URL": api_url,
            "GPUBOT_DATA_DIR": str(home / "data"),
            "GPUBOT_LOG_LEVEL": "DEBUG",
            **{f"GPUBOT_{name.upper()}": value for name, value in settings.items()},
        }
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot.cli", "run", cwd=self.home, env=self._env, stdout=log, stderr=log
            )

    async def stop(self) -> int:
        """SIGTERM, and the exit code."""
        return await self._end(signal.SIGTERM)

    async def kill(self) -> int:
        """kill -9."""
        return await self._end(signal.SIGKILL)

    async def exit(self) -> int:
        """The exit code, once it ends by itself."""
        assert self._process is not None
        return await asyncio.wait_for(self._process.wait(), 30)

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def lines(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    async def _end(self, number: int) -> int:
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(number)
        return await asyncio.wait_for(self._process.wait(), 30)
