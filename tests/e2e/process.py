"""The real bot as a process of its own, talking to a Bot API server by polling or by webhook."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, Protocol

from peer import TOKEN

Mode = Literal["polling", "webhook"]


class Server(Protocol):
    """A Bot API server, this project's or another."""

    @property
    def url(self) -> str: ...


class Bot:
    """One ``gpubot run``.  Its log goes to a file; it keeps its data in ``home``."""

    def __init__(self, api_url: str, home: Path, **settings: str) -> None:
        self.home = home
        self.log = home / "bot.log"
        self._env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GPUBOT_TOKEN": TOKEN,
            "GPUBOT_RATES": "off",
            "GPUBOT_HUB_URL": "",
            "GPUBOT_API_URL": api_url,
            "GPUBOT_DATA_DIR": str(home / "data"),
            "GPUBOT_LOG_LEVEL": "DEBUG",
            **{f"GPUBOT_{name.upper()}": value for name, value in settings.items()},
        }
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, stderr: int | None = None) -> None:
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "bot.cli", "run"),
                cwd=self.home,
                env=self._env,
                stdout=log,
                stderr=log if stderr is None else stderr,
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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def receiving(mode: Mode) -> dict[str, str]:
    """The settings of a way of receiving."""
    if mode == "polling":
        return {}
    address = f"127.0.0.1:{free_port()}"
    return {"webhook_url": f"http://{address}/hook", "webhook_listen": address}


@asynccontextmanager
async def running(api: Server, home: Path, mode: Mode, **settings: str) -> AsyncIterator[Bot]:
    """A bot that runs, and ends well; its log, written at DEBUG, holds no secret and nobody's words."""
    bot = Bot(api.url, home, **receiving(mode), **settings)
    await bot.start()
    try:
        yield bot
    finally:
        if bot.running:
            assert await bot.stop() == 0, bot.lines()
    check_log(bot.lines())


def check_log(log: str) -> None:
    """Pitfall 25."""
    assert TOKEN not in log
    assert TOKEN.split(":")[1] not in log
    assert "Traceback" not in log, log
    for words in ("LoRA", "lora", "prices@", "User 1"):
        assert words not in log, log
