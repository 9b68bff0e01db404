"""Receiving by webhook.  Telegram repeats an update until it gets a 200, which follows the commit."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from aiohttp import web
from telegram.error import BadRequest

from bot.telegram.api import Api
from bot.telegram.handlers import ALLOWED_UPDATES
from bot.telegram.patience import answered
from bot.telegram.turns import Turns
from planner.errors import OperatorError

log = logging.getLogger(__name__)

SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105
#: Telegram's updates are a few kilobytes; messages hold 4,096 characters at most.
MAX_BODY: Final = 512 * 1024
#: Seconds for a body to arrive, and for an update to be handled before Telegram is asked to come again.
_BODY_WAIT: Final = 10.0
_HANDLE_WAIT: Final = 25.0
#: Queues that Telegram delivers at once.
CONNECTIONS: Final = 100


def default_secret(token: str) -> str:
    """A secret that every replica of a bot works out alike; it tells nothing about the token."""
    return hmac.new(token.encode(), b"gpubot webhook secret", hashlib.sha256).hexdigest()


class Webhook:
    """The server's side: who may deliver, and what is answered."""

    def __init__(self, turns: Turns, secret: str) -> None:
        self._turns = turns
        self._secret = secret.encode()

    async def receive(self, request: web.Request) -> web.Response:
        """Take one update: 200 once it is committed, anything else makes Telegram send it again."""
        given = request.headers.get(SECRET_HEADER, "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=403)  # before a byte of the body is read
        try:
            async with asyncio.timeout(_BODY_WAIT):
                raw: Any = json.loads(await request.read())
            task = self._turns.take(raw)
        except TimeoutError:
            return web.Response(status=408)
        except (ValueError, RecursionError) as error:
            log.warning("a delivery holds no update", extra={"fault": type(error).__name__})
            return web.Response(status=400)
        done, _waiting = await asyncio.wait([task], timeout=_HANDLE_WAIT)
        if not done or task.cancelled():
            return web.Response(status=503)
        if (fault := task.exception()) is not None:
            log.error("an update was not handled", extra={"update": raw["update_id"]}, exc_info=fault)
            return web.Response(status=500)
        return web.Response()


@asynccontextmanager
async def listen(webhook: Webhook, host: str, port: int) -> AsyncIterator[int]:
    """Serve; gives the port.  At the end, deliveries under way are answered first.

    Raises OperatorError when the address can't be listened on.
    """
    app = web.Application(client_max_size=MAX_BODY)
    app.router.add_post("/{path:.*}", webhook.receive)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=5.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port, backlog=512)
        try:
            await site.start()
        except OSError as error:
            why = (error.strerror or "cannot be used").lower()
            raise OperatorError(f"GPUBOT_WEBHOOK_LISTEN: {host}:{port}: {why}") from None
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def announce(api: Api, url: str, secret: str) -> None:
    """Tell Telegram where to deliver; what it holds already is kept.

    Raises OperatorError when Telegram refuses the address or the token.
    """
    params = {
        "url": url,
        "secret_token": secret,
        "max_connections": CONNECTIONS,
        "allowed_updates": list(ALLOWED_UPDATES),
        "drop_pending_updates": False,
    }

    async def tell() -> None:
        try:
            await api.call("setWebhook", params)
        except BadRequest as error:
            raise OperatorError(f"GPUBOT_WEBHOOK_URL: Telegram refuses it: {error.message}") from None

    await answered(tell)
