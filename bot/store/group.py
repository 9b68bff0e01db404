"""Group work: many callers' items in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_GROUP: Final = 256
#: Seconds for what is queued at the end.
_CLOSING: Final = 2.0


class ClosedError(RuntimeError):
    """The store is closed: nothing can be kept any more."""


class Group(Generic[Item, Result]):
    """Runs items in groups: while one group runs, the next one gathers, so that nobody waits for a timer.

    ``work`` takes a group as a whole or raises; when it raises, each item is tried alone, and only the
    callers whose own item fails hear of it.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]], name: str) -> None:
        self._work = work
        self._queue: asyncio.Queue[tuple[Item, asyncio.Future[Result]] | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._run(), name=name)
        self._closed = False

    async def do(self, item: Item) -> Result:
        """An item's result, once its group is through."""
        if self._closed:
            raise ClosedError
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((item, future))
        return await future

    async def close(self) -> None:
        """Finish what was put in, unless that hangs, then stop."""
        if not self._closed:
            self._closed = True
            self._queue.put_nowait(None)
        await asyncio.wait({self._task}, timeout=_CLOSING)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        while not self._queue.empty():
            if (pair := self._queue.get_nowait()) is not None:
                pair[1].cancel()

    async def _run(self) -> None:
        while (first := await self._queue.get()) is not None:
            group = [first]
            while len(group) < MAX_GROUP and not self._queue.empty():
                following = self._queue.get_nowait()
                if following is None:
                    self._queue.put_nowait(None)
                    break
                group.append(following)
            try:
                await self._settle(group)
            except asyncio.CancelledError:
                for _item, future in group:
                    future.cancel()
                raise

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
        for (_item, future), result in zip(group, results, strict=False):
            if not future.done():
                future.set_result(result)


def _fail(future: asyncio.Future[Result], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
