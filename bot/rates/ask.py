"""Asking the sources: all at once, two seconds at most, and none again soon that failed or asked to be left alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import aiohttp
from yarl import URL

from bot.rates.agree import Agreed, Price, agree
from bot.rates.shapes import SOURCES, Request, Source, UnusableError, read_prices

log = logging.getLogger(__name__)

#: Seconds for a source's whole answer.
TIMEOUT: Final = 2
#: Bytes of an answer; Coinbase's list of currencies takes about 20,000.
MAX_BYTES: Final = 1_000_000
_FIRST_WAIT: Final = timedelta(seconds=30)
_LONGEST_WAIT: Final = timedelta(minutes=10)
#: For a source that refuses us (401, 403, 418, 451): asking on makes it worse.
_REFUSED: Final = timedelta(hours=1)
_REFUSALS: Final = frozenset({401, 403, 418, 451})


class _HttpError(Exception):
    def __init__(self, status: int, retry_after: timedelta | None) -> None:
        self.status = status
        self.retry_after = retry_after


@dataclass
class _Waiting:
    failures: int = 0
    until: datetime | None = None


class Sources:
    """The sources that are asked.  ``base`` stands before every path (…/kraken/0/public/…) instead of their own hosts.

    ``clock`` gives aware moments.
    """

    def __init__(
        self, names: Sequence[str], base: str | None = None, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._sources = {name: SOURCES[name] for name in names}
        self._base = base
        self._clock = clock
        self._waiting = {name: _Waiting() for name in names}

    async def ask(self) -> Agreed:
        """What the sources agree on now.  Never raises for anything that a source does."""
        asked_at = self._clock()
        due = [name for name, waiting in self._waiting.items() if waiting.until is None or waiting.until <= asked_at]
        timeout = aiohttp.ClientTimeout(total=TIMEOUT)
        headers = {"Accept": "application/json", "User-Agent": "gpubot"}
        async with aiohttp.ClientSession(timeout=timeout, headers=headers, trust_env=True) as session:
            prices = await asyncio.gather(*(self._source(session, name) for name in due))
        return agree([price for found in prices for price in found], asked_at, self._clock())

    async def _source(self, session: aiohttp.ClientSession, name: str) -> list[Price]:
        source = self._sources[name]
        calls = [self._call(session, name, source, request) for request in source.requests]
        results = await asyncio.gather(*calls, return_exceptions=True)
        faults = [result for result in results if isinstance(result, BaseException)]
        prices = [price for result in results if not isinstance(result, BaseException) for price in result]
        self._note(name, faults, bool(prices))
        return prices

    async def _call(self, session: aiohttp.ClientSession, name: str, source: Source, request: Request) -> list[Price]:
        base = f"{self._base}/{name}" if self._base else source.base
        url = URL(base + request.path, encoded=True)
        async with asyncio.timeout(TIMEOUT), session.get(url, allow_redirects=False) as response:
            if response.status != 200:
                raise _HttpError(response.status, _retry_after(response.headers.get("Retry-After"), self._clock()))
            body = bytearray()
            async for piece in response.content.iter_chunked(65_536):
                body += piece
                if len(body) > MAX_BYTES:
                    raise UnusableError("too long")
        try:
            return read_prices(source, request, body.decode("utf-8"))
        except UnicodeDecodeError:
            raise UnusableError("no text") from None

    def _note(self, name: str, faults: list[BaseException], answered: bool) -> None:
        """Leave a source alone for a while: as long as it asks, an hour when it refuses, else ever longer."""
        waiting = self._waiting[name]
        limits = [fault for fault in faults if isinstance(fault, _HttpError) and fault.status in {429, *_REFUSALS}]
        if answered and not limits:
            waiting.failures, waiting.until = 0, None
            return
        wait = min(_FIRST_WAIT * 2 ** min(waiting.failures, 10), _LONGEST_WAIT)
        for fault in limits:
            refused = _REFUSED if fault.status in _REFUSALS else wait
            wait = max(wait, fault.retry_after or refused)
        waiting.failures += 1
        waiting.until = self._clock() + min(wait, timedelta(days=1))
        level = logging.INFO if waiting.failures == 1 else logging.DEBUG
        kinds = sorted({str(f.status) if isinstance(f, _HttpError) else type(f).__name__ for f in faults})
        log.log(level, "a source of rates gives none", extra={"source": name, "fault": ", ".join(kinds)})


def _retry_after(value: str | None, now: datetime) -> timedelta | None:
    """The header's seconds or date."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return timedelta(seconds=min(int(value.strip()[:9]), 86_400))
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(moment.replace(tzinfo=moment.tzinfo or UTC) - now, timedelta(0))
