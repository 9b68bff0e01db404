"""The HTTP server: takes the bot's calls, checks them, and plays Telegram's part."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self, TypeVar

from aiohttp import MultipartReader, web
from yarl import URL

from . import spec
from .messages import ApiError
from .script import Outcome, Script, refusal
from .spec import Upload
from .updates import Json
from .users import Users
from .webhook import Delivery, Webhook

TOKEN = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
_PATH = re.compile(r"/bot(?P<token>[^/]+)/(?P<method>[^/]+)/?")
_TERMINATED = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
_WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)
T = TypeVar("T")
_LARGEST_BODY = 64 << 20
# Predicates that look at more than the server's own state (a process, a file) are asked again after this.
_TICK = 0.1


@dataclass(slots=True)
class Call:
    """One request of the bot."""

    method: str
    params: Json
    at: float
    faults: list[str] = field(default_factory=list)
    answered: int | str = "pending"
    in_webhook_answer: bool = False


class BotApi(Users):
    """A Bot API server for one bot, on loopback; `async with BotApi() as api`, then the bot talks to `api.url`."""

    def __init__(self, token: str = TOKEN, username: str = "gpubot_test_bot", bot_id: int = 666) -> None:
        super().__init__(
            {
                "id": bot_id,
                "is_bot": True,
                "first_name": "GPU bot",
                "username": username,
                "can_join_groups": True,
                "can_read_all_group_messages": False,
                "supports_inline_queries": True,
            }
        )
        self.token = token
        self.url = ""
        self.calls: list[Call] = []
        self.faults: list[str] = []
        self.checking = True
        # The real server slows down a bot that asks for the same offset over and over; False turns that off.
        self.damping = True
        self.webhook = Webhook(self.queue, self.changed, self._perform_in_answer)
        self._script = Script()
        self._watchers: list[asyncio.Future[None]] = []
        self._poll: asyncio.Future[str] | None = None
        self._last_poll = (-1, 0.0)
        self._closing = asyncio.Event()
        self._runner: web.ServerRunner | None = None

    async def __aenter__(self) -> Self:
        server = web.Server(
            self._handle,
            request_factory=partial(_request, asyncio.get_running_loop()),
            handler_cancellation=True,
            access_log=None,
        )
        self._runner = web.ServerRunner(server, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        self._end_poll("closing")
        await self.webhook.close()
        if self._runner:
            await self._runner.cleanup()

    # What tests look at

    @property
    def pending(self) -> list[Json]:
        """Updates that the bot has not confirmed (polling) or taken with a 2xx (webhook)."""
        return list(self.queue.waiting.values())

    @property
    def deliveries(self) -> list[Delivery]:
        """Every webhook attempt."""
        return self.webhook.deliveries

    def called(self, method: str) -> list[Call]:
        """The calls of one method."""
        return [call for call in self.calls if call.method == method]

    def chat(self, chat_id: int) -> list[Json]:
        """The bot's messages that are in a chat now, in order."""
        return [stored.view() for stored in self.chats.messages.get(chat_id, {}).values() if stored.mine]

    @property
    def retry_delay(self) -> float:
        """Seconds between webhook attempts."""
        return self.webhook.retry_delay

    @retry_delay.setter
    def retry_delay(self, seconds: float) -> None:
        self.webhook.retry_delay = seconds

    def script(self, method: str, outcome: Outcome, *, chat: int | None = None, times: int = 1) -> None:
        """Order an outcome for the next matching calls."""
        self._script.add(method, outcome, chat, times)

    async def until(self, predicate: Callable[[], T], timeout: float = 10) -> T:  # noqa: ASYNC109
        """Wait until the predicate holds; its value."""
        deadline = time.monotonic() + timeout
        while not (value := predicate()):
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"not within {timeout} s; last calls:\n{self._last_calls()}")
            watcher = asyncio.get_running_loop().create_future()
            self._watchers.append(watcher)
            await asyncio.wait([watcher], timeout=min(left, _TICK))
        return value

    def _last_calls(self) -> str:
        lines = [f"  {call.method} {call.params} -> {call.answered}" for call in self.calls[-20:]]
        return "\n".join([*(line if len(line) < 400 else line[:400] + "..." for line in lines), *self.faults])

    # Called by the rest of the account

    def changed(self) -> None:
        """Wake whoever waits in until()."""
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)

    def _arrived(self, update_id: int) -> None:
        if self.webhook.url:
            self.webhook.arrived(update_id)
        else:
            self._end_poll("updates")

    def _end_poll(self, why: str) -> None:
        if self._poll and not self._poll.done():
            self._poll.set_result(why)

    # Updates

    async def _get_updates(self, params: Json) -> list[Json]:
        if self.webhook.url:
            raise ApiError(409, _WEBHOOK_ACTIVE)
        offset, limit = _whole(params.get("offset"), 0), min(max(_whole(params.get("limit"), 100), 1), 100)
        timeout: float = min(max(_whole(params.get("timeout"), 0), 0), 50)
        self.queue.allow(params.get("allowed_updates"))
        now = time.monotonic()
        if self.damping and offset == self._last_poll[0]:
            if now < self._last_poll[1] + 3:
                timeout = max(timeout, 3)
            if now < self._last_poll[1] + 0.5:
                limit = 1
        self._last_poll = offset, now
        start = self.queue.confirm(offset)
        self.changed()
        found = self.queue.take(start, limit)
        if found or not timeout:
            return found
        self._end_poll("conflict")
        mine = self._poll = asyncio.get_running_loop().create_future()
        try:
            await asyncio.wait([mine], timeout=timeout)
        finally:
            if self._poll is mine:
                self._poll = None
        why = mine.result() if mine.done() else "timeout"
        if why == "conflict":
            raise ApiError(409, _TERMINATED)
        if why == "webhook":
            raise ApiError(409, "Conflict: terminated by setWebhook request")
        return self.queue.take(start, limit)

    def on_set_webhook(self, params: Json) -> bool:
        """setWebhook; without a url it deletes."""
        if params.get("drop_pending_updates"):
            self.queue.waiting.clear()
        if not params.get("url"):
            return self.on_delete_webhook({})
        secret = params.get("secret_token", "")
        if not re.fullmatch(r"[A-Za-z0-9_-]{0,256}", str(secret)):
            raise ApiError(400, "Bad Request: secret token contains unallowed characters")
        if not re.match(r"https?://", params["url"]):
            raise ApiError(400, "Bad Request: invalid webhook URL specified")
        self.queue.allow(params.get("allowed_updates"))
        self._end_poll("webhook")
        self.webhook.set({name: params[name] for name in ("url", "secret_token", "max_connections") if name in params})
        return True

    def on_delete_webhook(self, params: Json) -> bool:
        """deleteWebhook."""
        if params.get("drop_pending_updates"):
            self.queue.waiting.clear()
        self.webhook.stop()
        return True

    def on_get_webhook_info(self, _: Json) -> Json:
        """getWebhookInfo."""
        info: Json = {
            "url": self.webhook.url,
            "has_custom_certificate": False,
            "pending_update_count": len(self.queue.waiting),
        }
        if self.webhook.url:
            info["max_connections"] = self.webhook.params.get("max_connections", 40)
            if self.webhook.last_error:
                info["last_error_date"], info["last_error_message"] = self.webhook.last_error
        if self.queue.allowed is not None:
            info["allowed_updates"] = sorted(self.queue.allowed)
        return info

    # Calls

    def _checked(self, method: str, raw: Json) -> Call:
        call = Call(method, spec.opened(method, raw), time.monotonic())
        self.calls.append(call)
        if self.checking:
            try:
                call.faults = spec.check(method, call.params)
            except Exception:
                # So odd a request that the check itself stumbled.
                call.faults = [f"{method} {call.params}: {traceback.format_exc(limit=-1)}"]
            self.faults += call.faults
        return call

    def _perform(self, call: Call) -> tuple[int, bytes]:
        try:
            result = self.perform(call.method, call.params)
        except ApiError as problem:
            return self._refused(call, problem)
        except Exception:
            # A request that no check foresaw: the test has to fail, the server has to stay.
            return self._broken(call)
        return self._done(call, result)

    def _done(self, call: Call, result: Any) -> tuple[int, bytes]:
        call.answered = "ok"
        return 200, json.dumps({"ok": True, "result": result}).encode()

    def _refused(self, call: Call, problem: ApiError) -> tuple[int, bytes]:
        call.answered = problem.code
        return problem.code, refusal(problem.code, problem.description, problem.parameters)

    def _broken(self, call: Call) -> tuple[int, bytes]:
        self.faults.append(f"{call.method} {call.params}: {traceback.format_exc(limit=-2)}")
        call.answered = 500
        return 500, refusal(500, "Internal Server Error")

    def _perform_in_answer(self, name: str, raw: Json) -> None:
        method = spec.CANONICAL.get(name.lower())
        if method is None:
            self.faults.append(f"{name}: no such method (in a webhook answer)")
            return
        call = self._checked(method, raw)
        call.in_webhook_answer = True
        outcome = self._script.take(method, call.params.get("chat_id"))
        if outcome is None or outcome.performs:
            self._perform(call)
        else:
            call.answered = outcome.label
        self.changed()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        match = _PATH.fullmatch(request.path)
        if match is None:
            return _answer(404, refusal(404, "Not Found"))
        method = spec.CANONICAL.get(match["method"].lower())
        if match["token"] != self.token:
            self.calls.append(Call(method or match["method"], {}, time.monotonic(), answered=401))
            self.changed()
            return _answer(401, refusal(401, "Unauthorized"))
        if method is None:
            self.faults.append(f"{match['method']}: no such method")
            return _answer(404, refusal(404, "Not Found: method not found"))
        try:
            raw = await _params(request)
        except ValueError as problem:
            self.faults.append(f"{method}: unreadable request: {problem}")
            return _answer(400, refusal(400, "Bad Request: can't parse the request"))
        return await self._serve(request, self._checked(method, raw))

    async def _serve(self, request: web.BaseRequest, call: Call) -> web.StreamResponse:
        outcome = self._script.take(call.method, call.params.get("chat_id"))
        status, body, headers = 200, b"", {}
        if outcome is None or outcome.performs:
            if call.method == "getUpdates":
                try:
                    status, body = self._done(call, await self._get_updates(call.params))
                except ApiError as problem:
                    status, body = self._refused(call, problem)
            else:
                status, body = self._perform(call)
        else:
            status, body, headers = outcome.status, outcome.body or b"", outcome.headers
        if outcome is not None:
            call.answered = outcome.label if not outcome.performs or outcome.drops else call.answered
            self.changed()
            if outcome.delay:
                await self._nap(outcome.delay)
            if outcome.drops:
                _drop(request)
        self.changed()
        return _answer(status, body, headers)

    async def _nap(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._closing.wait(), seconds)
        except TimeoutError:
            return


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) else default


def _request(loop: asyncio.AbstractEventLoop, *parts: Any) -> web.BaseRequest:
    message, payload, protocol, writer, task = parts
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=_LARGEST_BODY)


def _answer(status: int, body: bytes, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=status, body=body, headers={"Content-Type": "application/json"} | (headers or {}))


def _drop(request: web.BaseRequest) -> None:
    transport = request.transport
    if transport is None:
        return
    # Lingering for zero seconds sends a reset instead of a polite end.
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


async def _params(request: web.BaseRequest) -> Json:
    params: Json = dict(request.query) if request.query_string else {}
    if request.method == "GET" or not request.can_read_body:
        return params
    kind = request.content_type
    if kind == "multipart/form-data":
        return params | await _parts(request)
    body = await request.read()
    if kind == "application/json":
        given = json.loads(body)
        if not isinstance(given, dict):
            raise ValueError("the JSON body is no object")
        return params | given
    # yarl's reader is written in C, forty times quicker than urllib's.
    return params | dict(URL.build(path="/", query_string=body.decode(), encoded=True).query)


async def _parts(request: web.BaseRequest) -> Json:
    params: Json = {}
    reader = await request.multipart()
    while (part := await reader.next()) is not None:
        if isinstance(part, MultipartReader) or not part.name:
            raise ValueError("a part without a name")
        data = bytes(await part.read(decode=True))
        if part.filename is None:
            params[part.name] = data.decode()
        else:
            kind = part.headers.get("Content-Type", "application/octet-stream")
            params[part.name] = Upload(part.filename, kind, data)
    return params
