"""Webhook delivery: one update of a queue at a time, queues side by side, again until a 2xx."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import aiohttp

from .queue import UpdateQueue
from .updates import Json, queue_of

_NEVER_IN_AN_ANSWER = ("get", "setwebhook", "deletewebhook", "close", "logout")


class Delivery(NamedTuple):
    """One attempt; status None where there was no answer."""

    update_id: int
    status: int | None
    at: float


class Webhook:
    """The sender of updates to the bot's own server."""

    def __init__(self, queue: UpdateQueue, changed: Callable[[], None], answer: Callable[[str, Json], None]) -> None:
        self.params: Json = {}
        self.deliveries: list[Delivery] = []
        self.retry_delay = 0.2
        self.timeout = 60.0
        self.last_error: tuple[int, str] | None = None
        self._queue = queue
        self._changed = changed
        self._answer = answer
        self._waiting: dict[tuple[str, int], deque[int]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(1)
        self._session: aiohttp.ClientSession | None = None

    @property
    def url(self) -> str:
        """Where updates go; empty while the bot polls."""
        return str(self.params.get("url", ""))

    def set(self, params: Json) -> None:
        """Start anew with these settings; the same settings change nothing."""
        if params == self.params:
            return
        self.stop()
        self.params = params
        if self.url:
            self._slots = asyncio.Semaphore(params.get("max_connections", 40))
            for update_id in self._queue.waiting:
                self.arrived(update_id)

    def arrived(self, update_id: int) -> None:
        """Put an update at the end of its queue."""
        key = queue_of(self._queue.waiting[update_id])
        if key in self._waiting:
            self._waiting[key].append(update_id)
            return
        self._waiting[key] = deque([update_id])
        task = asyncio.get_running_loop().create_task(self._drain(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Let go of every delivery under way."""
        for task in self._tasks:
            task.cancel()
        self._waiting = {}
        self.params = {}

    async def close(self) -> None:
        """Stop and leave nothing behind."""
        tasks = list(self._tasks)
        self.stop()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._session:
            await self._session.close()

    async def _drain(self, key: tuple[str, int]) -> None:
        ids = self._waiting[key]
        while ids:
            update = self._queue.waiting.get(ids[0])
            if update is None:
                ids.popleft()
                continue
            async with self._slots:
                delivered = await self._post(update)
            if delivered:
                self._queue.waiting.pop(ids.popleft(), None)
                self._changed()
            else:
                self._changed()
                await asyncio.sleep(self.retry_delay)
        del self._waiting[key]

    async def _post(self, update: Json) -> bool:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar()
            )
        headers = {"Content-Type": "application/json"}
        if secret := self.params.get("secret_token"):
            headers["X-Telegram-Bot-Api-Secret-Token"] = secret
        update_id = update["update_id"]
        self._queue.handed[update_id] += 1
        status = None
        try:
            async with self._session.post(
                self.url,
                data=json.dumps(update).encode(),
                headers=headers,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(self.timeout),
            ) as response:
                body = await response.read()
                status = response.status
        except (aiohttp.ClientError, TimeoutError, OSError) as problem:
            self.last_error = int(time.time()), f"Webhook connection closed: {type(problem).__name__}"
        self.deliveries.append(Delivery(update_id, status, time.monotonic()))
        if status is None:
            return False
        if not 200 <= status <= 299:
            self.last_error = int(time.time()), f"Wrong response from the webhook: {status} {response.reason}"
            return False
        self._in_answer(body, response.content_type)
        return True

    def _in_answer(self, body: bytes, content_type: str) -> None:
        try:
            params: Any = json.loads(body) if content_type == "application/json" else dict(parse_qsl(body.decode()))
        except ValueError:
            return
        if isinstance(params, dict) and isinstance(method := params.pop("method", None), str):
            if method.lower().startswith(_NEVER_IN_AN_ANSWER):
                return
            self._answer(method, params)
