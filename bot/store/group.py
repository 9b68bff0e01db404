"""Group work: many callers' items in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_GROUP: Final = 256
#: Seconds for what is queued at the end.
_CLOSING: Final = 2.0


class Group(Generic[Item, Result]):
    """Runs items in groups: while one group runs, the next one gathers, so that nobody waits for a timer.

    ``work`` takes a group as a whole or raises; when it raises, each item is tried alone, and only the
    callers whose own item fails hear of it.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]], name: str) -> None:
        self._work = work
        self._queue: asyncio.Queue[tuple[Item, asyncio.Future[Result]]] = asyncio.Queue()
        self._task = asyncio.create_task(self._run(), name=name)

    async def do(self, item: Item) -> Result:
        """An item's result, once its group is through."""
        if self._task.done():
            raise RuntimeError("the store is closed")
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((item, future))
        return await future

    async def close(self) -> None:
        """Finish what is queued, unless that hangs, then stop."""
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._queue.join(), _CLOSING)
        finally:
            self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            group = [await self._queue.get()]
            while len(group) < MAX_GROUP and not self._queue.empty():
                group.append(self._queue.get_nowait())
            try:
                await self._settle(group)
            except asyncio.CancelledError:
                for _item, future in group:
                    future.cancel()
                raise
            for _pair in group:
                self._queue.task_done()

    async def _settle(self, group: list[tuple[Item, asyncio.Future[Result]]]) -> None:
        try:
            results = await self._work([item for item, _future in group])
        except Exception as error:
            if len(group) == 1:
                _fail(group[0][1], error)
                return
            for pair in group:
                await self._settle([pair])
            return
        for (_item, future), result in zip(group, results, strict=True):
            if not future.done():
                future.set_result(result)


def _fail(future: asyncio.Future[Result], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
