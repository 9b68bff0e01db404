"""What commands share: settings, the shop as of a day, the moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

import click

from bot.chat import LookUp
from bot.hub.values import HubModels
from bot.rates.values import NO_RATES, Rates
from bot.settings import DATABASE, Settings
from bot.shop.faq import FaqImport, with_texts
from bot.shop.files import load_seeds
from bot.shop.history import Import, in_force
from bot.shop.shop import Shop

if TYPE_CHECKING:
    from bot.store.librarian import Librarian


class Day(click.ParamType[date]):
    """A day as YYYY-MM-DD."""

    name = "date"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a day; write it like 2026-10-29", param, ctx)


def moment(as_of: date | None) -> datetime:
    """Now, or noon of the day asked for, in UTC."""
    return datetime.now(UTC) if as_of is None else datetime.combine(as_of, time(12), UTC)


def load_shop(settings: Settings, day: date) -> Shop:
    """The shop with the price list in force on a day.  Raises NoPricesError, ShopFileError, StoreError."""
    shop = load_seeds(settings.links, settings.price_stale_days)
    history = [entry.prices for entry in imports(settings) if entry.withdrawn is None] or [shop.prices]
    texts = [entry.faq for entry in faq_imports(settings) if entry.withdrawn is None and entry.faq.as_of <= day]
    return with_texts(replace(shop, prices=in_force(history, day)), texts)


def load_rates(settings: Settings, now: datetime) -> Rates:
    """The rates that are kept and may be used now; nothing is asked of any source, nothing created."""
    if settings.database_url is None and not (settings.data_dir / DATABASE).is_file():
        return NO_RATES
    from bot.store.offline import read_rates

    kept = read_rates(settings.database, now)
    found, manual = ({rate.code: rate for rate in kept if rate.manual is by_hand} for by_hand in (False, True))
    return Rates(found, manual)


def imports(settings: Settings) -> list[Import]:
    """Every price list in the database, oldest import first; none where there is no database yet."""
    if settings.database_url is None and not (settings.data_dir / DATABASE).is_file():
        return []  # nothing of the database is loaded: a first answer comes fast
    from bot.store.offline import read_prices

    return read_prices(settings.database)


def faq_imports(settings: Settings) -> list[FaqImport]:
    """Every list of the shop's texts in the database, oldest import first; none where there is no database yet."""
    if settings.database_url is None and not (settings.data_dir / DATABASE).is_file():
        return []
    from bot.store.offline import read_faq

    return read_faq(settings.database)


def look_up(settings: Settings) -> LookUp:
    """What asks the model hub, and keeps its answers in the database where there is one.

    Nothing of either is loaded before a repository is named.
    """
    opened: list[Librarian] = []

    def find(ids: Sequence[str]) -> HubModels:
        if not opened:
            from bot.store.librarian import Librarian

            there = settings.database_url is not None or (settings.data_dir / DATABASE).is_file()
            opened.append(Librarian(settings.hub_url, settings.database if there else None))
        return opened[0].find(ids)

    return find
