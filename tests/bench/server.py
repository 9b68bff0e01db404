"""A lean Bot API on loopback for throughput: hands out a number of updates, counts what is sent.

usage: python server.py PORT UPDATES

Polling: getUpdates in hundreds.  After setWebhook the updates are posted instead, one of a chat at a time, over
QUEUES connections.  GET /stats: how many messages were sent, and the seconds from the first update to the last message.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import aiohttp
from aiohttp import web

PORT, UPDATES = int(sys.argv[1]), int(sys.argv[2])
CHATS = 500
QUEUES = 40
ME = {"id": 666, "is_bot": True, "first_name": "B", "username": "bench_bot"}


class Account:
    """One bot's updates and messages."""

    def __init__(self) -> None:
        self.handed = 0
        self.sent = 0
        self.first = self.last = 0.0
        self.tasks: list[asyncio.Task[None]] = []

    def update(self, number: int) -> dict[str, Any]:
        user = 1000 + number % CHATS
        message = {
            "message_id": number,
            "date": 1764562485,
            "from": {"id": user, "is_bot": False, "first_name": "U", "language_code": "pt-br"},
            "chat": {"id": user, "type": "private", "first_name": "U"},
            "text": "70B com LoRA?",
        }
        return {"update_id": 1000 + number, "message": message}

    async def get_updates(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        offset = int(params.get("offset", 0) or 0)
        # Only what was confirmed is left behind, as the real server does.
        start = max(offset - 1000, 1) if offset else 1
        found = [self.update(number) for number in range(start, min(start + 100, UPDATES + 1))]
        if not found:
            await asyncio.sleep(0.1)
        elif not self.first:
            self.first = time.perf_counter()
        return found

    async def deliver(self, url: str, secret: str) -> None:
        headers = {"Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": secret}
        connector = aiohttp.TCPConnector(limit=QUEUES)
        self.first = time.perf_counter()

        async def queue(mine: int) -> None:
            for number in range(1, UPDATES + 1):
                if number % CHATS % QUEUES == mine:
                    body = json.dumps(self.update(number)).encode()
                    async with session.post(url, data=body, headers=headers) as answer:
                        answer.raise_for_status()

        async with aiohttp.ClientSession(connector=connector) as session:
            await asyncio.gather(*(queue(mine) for mine in range(QUEUES)))

    async def call(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        params: dict[str, Any] = {}
        if request.content_type == "application/json":
            params = await request.json()
        elif request.can_read_body:
            params = dict(await request.post())
        result: Any = True
        if method == "getUpdates":
            result = await self.get_updates(params)
        elif method == "getMe":
            result = ME
        elif method == "setWebhook":
            self.tasks.append(asyncio.create_task(self.deliver(str(params["url"]), str(params["secret_token"]))))
        elif method == "sendMessage":
            self.sent += 1
            self.last = time.perf_counter()
            chat = {"id": int(str(params["chat_id"])), "type": "private", "first_name": "U"}
            result = {"message_id": self.sent, "date": 1764562485, "text": "x", "chat": chat, "from": ME}
        return web.Response(body=json.dumps({"ok": True, "result": result}).encode(), content_type="application/json")

    async def stats(self, _request: web.Request) -> web.Response:
        return web.json_response({"sent": self.sent, "seconds": self.last - self.first})


account = Account()
app = web.Application()
app.router.add_route("*", "/bot{token}/{method}", account.call)
app.router.add_get("/stats", account.stats)
web.run_app(app, host="127.0.0.1", port=PORT, print=None, access_log=None)
