"""Lanes: work of one key in order, work of different keys side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

Result = TypeVar("Result")


class Lanes:
    """Each key's work waits for what was put in before it, however that ended."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last: dict[Hashable, asyncio.Task[object]] = {}
        self._running: set[asyncio.Task[object]] = set()

    def put(self, key: Hashable, work: Callable[[], Awaitable[Result]]) -> asyncio.Task[Result]:
        """Run work after everything put in for its key."""
        task = asyncio.create_task(_after(self._last.get(key), work), name=self._name)
        self._last[key] = task
        self._running.add(task)
        task.add_done_callback(lambda done: self._leave(key, done))
        return task

    async def drain(self, deadline: float) -> bool:
        """Wait until all lanes are empty, at most ``deadline`` seconds; then stop what is left.

        True when nothing was left.
        """
        end = asyncio.get_running_loop().time() + deadline
        while self._running and (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.wait(self._running, timeout=left)
        stopped = list(self._running)
        for task in stopped:
            task.cancel()
        await asyncio.gather(*stopped, return_exceptions=True)
        return not stopped

    def _leave(self, key: Hashable, task: asyncio.Task[object]) -> None:
        self._running.discard(task)
        if self._last.get(key) is task:
            del self._last[key]


async def _after(before: asyncio.Task[object] | None, work: Callable[[], Awaitable[Result]]) -> Result:
    if before is not None and not before.done():
        await asyncio.wait([before])
    return await work()
