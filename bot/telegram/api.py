"""Calls to the Bot API: python-telegram-bot's requests and errors, over aiohttp.

aiohttp takes half of the processor time an update costs with the default client.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from telegram import Bot, User
from telegram.error import NetworkError, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData

from planner.errors import OperatorError

#: Seconds to connect, and to wait for an answer.
CONNECT: Final = 10.0
ANSWER: Final = 30.0
#: Seconds more for all of an answer to arrive once it has begun.
BODY: Final = 30.0
#: An idle connection is closed before servers and proxies close it under a request.
_KEEP_ALIVE: Final = 15.0
_JSON: Final = {"Content-Type": "application/json"}


class NotSent(NetworkError):
    """The server was not reached: nothing of the call can have happened."""


class Transport(BaseRequest):
    """python-telegram-bot's way out, with ``connections`` at once, through ``proxy`` where there is one."""

    def __init__(self, connections: int, proxy: str | None = None) -> None:
        self._connections = connections
        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        """Seconds to wait for an answer unless a call says otherwise."""
        return ANSWER

    async def initialize(self) -> None:
        """Open the pool of connections."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=_KEEP_ALIVE),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.USER_AGENT},
                proxy=self._proxy,
            )

    async def shutdown(self) -> None:
        """Close it."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Raises NotSent when nothing left, TimedOut or NetworkError when the outcome is unknown.

        Messages name the fault's type alone: aiohttp's own hold the address, and with it the token.
        """
        if self._session is None:
            raise NotSent("the connection pool is closed")
        wait = ANSWER if read_timeout is self.DEFAULT_NONE else read_timeout
        connect = CONNECT if connect_timeout is self.DEFAULT_NONE else connect_timeout
        # The wait for an answer starts anew with each byte: one that trickles in would never end.
        timeout = aiohttp.ClientTimeout(total=connect + wait + BODY, sock_connect=connect, sock_read=wait)
        try:
            async with self._session.request(
                method, url, timeout=timeout, allow_redirects=False, **_body(request_data)
            ) as answer:
                status, body = answer.status, await answer.read()
        except (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError) as error:
            raise NotSent(f"the proxy (HTTPS_PROXY) lets nothing through: {type(error).__name__}") from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise NotSent(type(error).__name__) from None
        except TimeoutError:
            raise TimedOut from None
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(type(error).__name__) from None
        if status >= 300 and not _is_answer(_read(body)):
            # A proxy's 403 is no user's, and its 404 says nothing of the token.
            raise NetworkError(f"HTTP {status}, not from the Bot API")
        return status, body

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """The Bot API's answer.  Raises NetworkError for anything else, which is not logged: it may hold texts."""
        found = _read(payload)
        if not _is_answer(found):
            raise NetworkError("an answer that is not the Bot API's")
        answer: dict[str, Any] = found
        return answer


def _read(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _is_answer(found: Any) -> bool:
    if not isinstance(found, dict):
        return False
    if found.get("ok") is True:
        return "result" in found
    # python-telegram-bot hands on what stands there, and computes with it.
    parameters = found.get("parameters") or {}
    return (
        "error_code" in found
        and isinstance(parameters, dict)
        and all(isinstance(parameters.get(name, 0), int) for name in ("retry_after", "migrate_to_chat_id"))
    )


def _body(data: RequestData | None) -> dict[str, Any]:
    if data is None:
        return {}
    if not data.contains_files:
        # As JSON: a long text as a form would be quoted character by character.
        body = json.dumps(data.parameters, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        return {"data": body, "headers": _JSON}
    form = aiohttp.FormData()
    for name, value in data.json_parameters.items():
        form.add_field(name, value)
    for name, (filename, content, kind) in data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=kind)
    return {"data": form}


class Api(Bot):
    """The Bot API, with the call of any method and its bare result.

    Received updates must not be parsed as a batch (one that can't be would take the others along), and most results
    are never looked at.
    """

    async def get_me(self, *args: Any, **kwargs: Any) -> User:
        """Who the bot is.  Raises telegram.error.TelegramError, also where the answer tells nobody."""
        try:
            me = await super().get_me(*args, **kwargs)
        except TelegramError:
            raise
        except Exception as error:
            raise NetworkError(f"an answer that can't be read: {type(error).__name__}") from None
        if not isinstance(me.id, int) or not isinstance(me.username, str):
            raise NetworkError("an answer without a bot")
        return me

    async def call(self, method: str, params: Mapping[str, Any], *, wait: float = ANSWER) -> Any:
        """Call a method.  Raises telegram.error.TelegramError."""
        try:
            return await self._post(method, dict(params), read_timeout=wait)
        except TelegramError:
            raise
        except Exception as error:
            raise NetworkError(f"an answer that can't be read: {type(error).__name__}") from None


def proxy_for(url: str) -> str | None:
    """The environment's proxy for an address (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), looked up once.

    Raises OperatorError for one of a kind that is not supported.
    """
    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or ""):
        return None
    proxy = getproxies().get(parts.scheme)
    if proxy is None:
        return None
    try:
        usable = urlsplit(proxy).scheme == "http" and urlsplit(proxy).hostname and urlsplit(proxy).port != 0
    except ValueError:
        usable = False
    if not usable:
        raise OperatorError(
            f"{parts.scheme.upper()}_PROXY: must look like http://host:port; no other kind is supported"
        )
    return proxy


def make_api(token: str, api_url: str, *, connections: int) -> Api:
    """The API at ``api_url``; its long polls have a connection of their own."""
    proxy = proxy_for(api_url)
    return Api(
        token,
        base_url=f"{api_url}/bot",
        base_file_url=f"{api_url}/file/bot",
        request=Transport(connections, proxy),
        get_updates_request=Transport(1, proxy),
    )
