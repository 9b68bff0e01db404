"""Asking a model hub: answers within two seconds, from memory, from what is kept, or from the hub itself."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

import aiohttp

from bot.hub.fetch import HubError, fetch_model
from bot.hub.values import KEEP, HubModel, HubModels, State, parse_id

log = logging.getLogger(__name__)

#: Seconds that an answer waits, and that the hub has in all: what comes later is kept for the next question.
BUDGET: Final = 2.0
TIMEOUT: Final = 8.0
#: Repositories looked up for one message, at once, and in a minute: whoever sends lists of names gets no more.
MOST: Final = 3
_AT_ONCE: Final = 8
_A_MINUTE: Final = 60
_REMEMBERED: Final = 512
#: How long the hub is left alone after a fault, each time twice as long, and after it asked for that.
_FIRST_WAIT: Final = timedelta(seconds=10)
_LONGEST_WAIT: Final = timedelta(minutes=10)
_LIMITED: Final = timedelta(minutes=1)


class Cache(Protocol):
    """What was learnt of repositories, kept from one start to the next."""

    async def hub_model(self, hub_id: str) -> HubModel | None:
        """What is kept of a repository and still believed."""

    async def keep_hub_model(self, found: HubModel, until: datetime) -> None:
        """Keep it until a moment."""


class Hub:
    """A model hub at ``base``; None: nothing is asked.  ``clock`` gives aware moments; ``budget`` and ``timeout``
    in seconds."""

    def __init__(
        self,
        base: str | None,
        cache: Cache | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        budget: float = BUDGET,
        timeout: float = TIMEOUT,
    ) -> None:
        self._base = base
        self._cache = cache
        self._clock = clock
        self._budget = budget
        self._timeout = timeout
        self._known: OrderedDict[str, tuple[HubModel, datetime]] = OrderedDict()
        self._open: dict[str, asyncio.Task[HubModel]] = {}
        self._asked: deque[datetime] = deque()
        self._faults = 0
        self._alone: tuple[State, datetime] | None = None

    async def find(self, ids: Sequence[str]) -> HubModels:
        """Each repository that is asked for, or why nothing is known of it.  Never raises for what a hub does."""
        wanted = list(dict.fromkeys(ids))
        now = self._clock()
        if self._base is None:
            return {one: HubModel(id=one, state="off", read_at=now) for one in wanted}
        tasks = {one: self._task(one) for one in wanted[:MOST]}
        if tasks:
            await asyncio.wait(tasks.values(), timeout=self._budget)
        found = {one: HubModel(id=one, state="busy", read_at=now) for one in wanted[MOST:]}
        for one, task in tasks.items():
            found[one] = _result(task) or HubModel(id=one, state="slow", read_at=now)
        return found

    async def close(self) -> None:
        """End what is still being asked."""
        tasks = list(self._open.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _task(self, one: str) -> asyncio.Task[HubModel]:
        """The look-up of a repository: a single one, however many ask for it."""
        task = self._open.get(one)
        if task is None:
            task = self._open[one] = asyncio.create_task(self._find(one), name="hub")
            task.add_done_callback(lambda _done: self._open.pop(one, None))
        return task

    async def _find(self, one: str) -> HubModel:
        now = self._clock()
        hub_id = parse_id(one)
        if hub_id is None:
            return HubModel(id=one, state="missing", read_at=now)
        kept, until = self._known.get(one, (None, now))
        if kept is not None and until > now:
            self._known.move_to_end(one)
            return kept
        kept = await self._kept(one)
        if kept is not None:
            return self._remember(kept, min(kept.read_at + KEEP[kept.state], now + timedelta(minutes=10)))
        refused = self._refused(now)
        if refused is not None:
            return HubModel(id=one, state=refused, read_at=now)
        try:
            timeout = aiohttp.ClientTimeout(total=self._timeout)
            headers = {"Accept": "application/json", "User-Agent": "gpubot"}
            async with (
                asyncio.timeout(self._timeout),
                aiohttp.ClientSession(timeout=timeout, headers=headers, trust_env=True) as session,
            ):
                found = await fetch_model(session, self._base or "", hub_id, one, now)
        except (HubError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            return HubModel(id=one, state=self._note(error), read_at=now)
        self._faults, self._alone = 0, None
        return await self._keep(found)

    async def _kept(self, one: str) -> HubModel | None:
        try:
            return await self._cache.hub_model(one) if self._cache is not None else None
        except Exception as error:  # a database that is away keeps nobody from an answer
            log.info("what is kept of a model could not be read", extra={"fault": type(error).__name__})
            return None

    async def _keep(self, found: HubModel) -> HubModel:
        until = found.read_at + KEEP[found.state]
        self._remember(found, until)
        try:
            if self._cache is not None:
                await self._cache.keep_hub_model(found, until)
        except Exception as error:
            log.info("a model could not be kept", extra={"fault": type(error).__name__})
        log.info("a model was read", extra={"state": found.state})
        return found

    def _remember(self, found: HubModel, until: datetime) -> HubModel:
        self._known[found.id] = (found, until)
        self._known.move_to_end(found.id)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    def _refused(self, now: datetime) -> State | None:
        """Why the hub is not asked now; else one more question is counted."""
        if self._alone is not None and self._alone[1] > now:
            return self._alone[0]
        while self._asked and self._asked[0] <= now - timedelta(minutes=1):
            self._asked.popleft()
        if len(self._open) > _AT_ONCE or len(self._asked) >= _A_MINUTE:
            return "busy"
        self._asked.append(now)
        return None

    def _note(self, error: Exception) -> State:
        """Leave the hub alone: as long as it asks, else ever longer."""
        state: State = error.state if isinstance(error, HubError) else "away"
        if isinstance(error, TimeoutError):
            state = "slow"
        wait = min(_FIRST_WAIT * 2 ** min(self._faults, 10), _LONGEST_WAIT)
        if isinstance(error, HubError) and error.wait is not None:
            wait = timedelta(seconds=min(max(error.wait, 1), 86_400))
        elif state == "busy":
            wait = max(wait, _LIMITED)
        self._faults += 1
        self._alone = (state, self._clock() + wait)
        log.info("the model hub gives nothing", extra={"state": state, "fault": type(error).__name__})
        return state


def _result(task: asyncio.Task[HubModel]) -> HubModel | None:
    """What was found, None where that takes longer."""
    if not task.done() or task.cancelled():
        return None
    error = task.exception()
    if error is None:
        return task.result()
    log.error("a model could not be looked up", extra={"fault": type(error).__name__})
    return None
