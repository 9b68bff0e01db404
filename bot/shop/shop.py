"""Shop: everything dated that the shop says about itself, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from planner.compare import MarketPrice
from planner.offer import PriceList

FactValue = bool | int | str | Decimal | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact under an FAQ topic.  ``value`` None: the shop has not published it, and the bot says so.

    ``locale``: of a text in the shop's own words, told as it stands; its ``source`` says who says so.
    """

    topic: str
    key: str
    value: FactValue | None
    as_of: date
    source: str  # id in data/sources
    locale: str | None = None


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses an answer may carry; None (the default) leaves them out."""

    shop_url: str | None = None
    dashboard_url: str | None = None
    support_contact: str | None = None


@dataclass(frozen=True, slots=True)
class Shop:
    """The shop as of a day."""

    prices: PriceList
    facts: tuple[Fact, ...]
    market: tuple[MarketPrice, ...]
    market_as_of: date
    coins: tuple[str, ...]
    links: Links = field(default_factory=Links)
    stale_after_days: int = 30

    def stale_after(self, today: date) -> int | None:
        """The days after which prices are said to be old, where they are; None while they are not."""
        return self.stale_after_days if (today - self.prices.since).days > self.stale_after_days else None

    def facts_on(self, topic: str) -> tuple[Fact, ...]:
        """The facts of one FAQ topic, in file order."""
        return tuple(fact for fact in self.facts if fact.topic == topic)
