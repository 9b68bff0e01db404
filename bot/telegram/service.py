"""The running bot: what is opened, in which order, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from telegram.error import TelegramError

from bot.hub.ask import Hub
from bot.rates.ask import Sources
from bot.rates.board import Board
from bot.settings import Settings
from bot.shop.faq import FaqList, with_texts
from bot.shop.files import load_seeds
from bot.shop.history import in_force
from bot.shop.shop import Shop
from bot.store.engine import alone
from bot.store.store import Store, open_store, utc_now
from bot.telegram.alerts import Alerts
from bot.telegram.api import Api, make_api
from bot.telegram.commands import command_calls
from bot.telegram.handlers import DecideContext
from bot.telegram.patience import answered
from bot.telegram.polling import Polling
from bot.telegram.sender import Sender
from bot.telegram.turns import CALLS, Turns
from bot.telegram.webhook import Webhook, announce, default_secret, listen
from planner.errors import OperatorError

log = logging.getLogger(__name__)

#: Messages sent at once.
CONNECTIONS: Final = 32
#: Seconds, beside those for updates and for messages, after which whatever still hangs at the end is left.
_GRACE: Final = 4
#: Seconds to tell other replicas what is left.
_RELEASE: Final = 2.0
_PRICES: Final = 5.0
_SWEEP: Final = 3600.0
_RATES: Final = 60.0
#: Rates this young need no other.
_RECENT: Final = timedelta(seconds=45)


async def serve(settings: Settings) -> None:
    """Run until SIGTERM or SIGINT.  Raises OperatorError for what an operator has to mend."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    running = asyncio.create_task(_run_alone(settings, stop), name="service")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    await asyncio.wait([running, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not stop.is_set():
        await running
        return
    log.info("stopping")
    done, _hanging = await asyncio.wait([running], timeout=2 * settings.drain_seconds + _GRACE)
    if not done:
        log.warning("stopped before everything was finished")
        running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def _run_alone(settings: Settings, stop: asyncio.Event) -> None:
    with alone(settings.database):
        await _run(settings, stop)


async def _run(settings: Settings, stop: asyncio.Event) -> None:
    token = settings.token.get_secret_value() if settings.token is not None else ""
    if not settings.webhook_url and "webhook_listen" in settings.model_fields_set:
        log.warning("GPUBOT_WEBHOOK_LISTEN is set without GPUBOT_WEBHOOK_URL: receiving by polling")
    host, _colon, port = settings.webhook_listen.rpartition(":")
    owner = f"{socket.gethostname()[-50:]}:{port if settings.webhook_url else 'polling'}"
    shop = load_seeds(settings.links, settings.price_stale_days)
    lease = timedelta(seconds=settings.lease_seconds)
    async with (
        open_store(
            settings.database,
            shop.prices,
            bot_id=int(token.partition(":")[0]),
            owner=owner,
            memory=timedelta(days=settings.memory_days),
            lease=lease,
        ) as store,
        _opened(make_api(token, settings.api_url, connections=CONNECTIONS + CALLS), stop, settings.api_url) as api,
    ):
        if stop.is_set():
            log.info("stopped")
            return
        counter = _Counter(store, shop)
        await counter.refresh()
        market = _Market(store, settings)
        await market.read()
        sender = Sender(api, store, CONNECTIONS)

        def context() -> DecideContext:
            return DecideContext(
                shop=counter.shop(),
                now=utc_now(),
                bot_id=api.id,
                bot_username=api.username,
                default_locale=settings.lang or "pt_BR",
                memory_days=settings.memory_days,
                rates=market.board.rates(),
            )

        hub = Hub(settings.hub_url, store)
        turns = Turns(api, store, sender, context, hub.find)
        alerts = Alerts(store, sender, context)
        await sender.take_over()
        await turns.resume(started=True)
        chores = [
            _every(_PRICES, lambda: _look(counter, alerts)),
            market.watch(alerts.check),
            _every(_SWEEP, store.sweep),
            _every(settings.lease_seconds / 3, lambda: _hold(store, sender, turns)),
            _set_commands(api, settings.lang or "pt_BR"),
        ]
        async with _background(chores):
            if settings.webhook_url:
                secret = settings.webhook_secret
                key = secret.get_secret_value() if secret is not None else default_secret(token)
                async with listen(Webhook(turns, key), host.strip("[]"), int(port)):
                    await _until(stop, announce(api, settings.webhook_url, key), _refused(sender))
                    log.info("receiving by webhook", extra={"listen": settings.webhook_listen, "bot": api.username})
                    await _until(stop, _refused(sender))
                await turns.drain(settings.drain_seconds)
            else:
                polling = Polling(api, turns)
                log.info("receiving by polling", extra={"bot": api.username})
                await _until(stop, polling.run(), _refused(sender))
                await turns.drain(settings.drain_seconds)
                await polling.confirm()
            await sender.drain(settings.drain_seconds)
            await hub.close()
        await _tried(lambda: _release(store))
        log.info("stopped", extra={**turns.counts, **sender.counts})


class _Counter:
    """The shop, with the prices that are in force today."""

    def __init__(self, store: Store, shop: Shop) -> None:
        self._store = store
        self._shop = shop
        self._newest: tuple[int, ...] = ()
        self._lists = [shop.prices]
        self._texts: list[FaqList] = []

    async def refresh(self) -> bool:
        """Read the price lists when one was imported; whether one was."""
        newest = await self._store.newest_lists()
        if newest == self._newest:
            return False
        self._lists = [one.prices for one in await self._store.price_history() if one.withdrawn is None]
        self._texts = [one.faq for one in await self._store.faq_history() if one.withdrawn is None]
        self._newest = newest
        log.info("prices are read", extra={"as_of": in_force(self._lists, utc_now().date()).as_of})
        return True

    def shop(self) -> Shop:
        """The shop now."""
        return with_texts(replace(self._shop, prices=in_force(self._lists, utc_now().date())), self._texts)


class _Market:
    """Exchange rates: renewed each minute beside the answers, which never wait for a source."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._sources = Sources(settings.rate_sources, settings.rates_url) if settings.rate_sources else None
        self.board = Board(expected=self._sources is not None)

    async def read(self) -> None:
        """Take what is kept: rates of before a start, of another replica, or set by hand."""
        kept = await self._store.usable_rates()
        self.board.forget_manual()
        self.board.adopt(kept)

    async def watch(self, then: Callable[[], Awaitable[None]]) -> None:
        """Renew the rates at once, then each minute; ``then`` do what depends on them."""
        while True:
            await _tried(self.refresh)
            await _tried(then)
            await asyncio.sleep(_RATES)

    async def refresh(self) -> None:
        """Ask the sources, unless another replica just did."""
        await self.read()
        newest = self.board.newest()
        if self._sources is None or (newest is not None and utc_now() - newest < _RECENT):
            return
        agreed = await self._sources.ask()
        self.board.take(agreed)
        if agreed.found:
            await self._store.record_rates(list(agreed.found.values()))


@asynccontextmanager
async def _opened(api: Api, stop: asyncio.Event, url: str) -> AsyncIterator[Api]:
    """The API, once Telegram has said who the bot is, or ``stop`` was asked for."""
    try:
        await _until(stop, answered(api.initialize, url))
        yield api
    finally:
        await api.shutdown()


async def _until(stop: asyncio.Event, *works: Coroutine[Any, Any, None]) -> None:
    """Wait until the end is asked for, or one of ``works`` ends, whose fault is raised; the rest is cancelled."""
    tasks = [asyncio.create_task(work) for work in (stop.wait(), *works)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks[1:]:
            if task.done():
                await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _refused(sender: Sender) -> None:
    await sender.refused()
    raise OperatorError("GPUBOT_TOKEN: Telegram no longer takes it; get a new one from @BotFather")


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(seconds)
        await _tried(work)


async def _tried(work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except Exception as error:
        log.warning("a chore failed; it is tried again", extra={"fault": type(error).__name__})


async def _look(counter: _Counter, alerts: Alerts) -> None:
    """Look for new prices, and whom to tell of them; also where the replica that tells may have gone silent."""
    if await counter.refresh() or alerts.due:
        await alerts.check()


async def _hold(store: Store, sender: Sender, turns: Turns) -> None:
    await store.renew()
    await sender.take_over()
    await turns.resume()


async def _release(store: Store) -> None:
    async with asyncio.timeout(_RELEASE):
        await store.release()


async def _set_commands(api: Api, locale: str) -> None:
    for call in command_calls(locale):
        try:
            await api.call(call.method, call.params)
        except TelegramError as error:
            log.warning("the menu of commands was not set", extra={"fault": error.message})


@asynccontextmanager
async def _background(works: list[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
