"""A watched price: when it passes its limit, and when the watch is ready again.

A watch tells once.  It is ready again when the price has been back by a margin, so that one that trembles around a
limit tells nobody twice.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from bot.rates.values import COIN_DIGITS, STABLE, Rate, Rates
from bot.reader.watch import Sign
from planner.offer import PriceList

#: Watches of one chat, or of one topic of a group.
MOST: Final = 10
#: How far beyond the limit the price has to go back, as a share of it.  Dollar coins hardly move.
MARGIN: Final = Decimal("0.01")
MARGIN_STABLE: Final = Decimal("0.001")

_PASSED: Final[dict[Sign, Callable[[Decimal, Decimal], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Watch:
    """``subject``: a GPU's id, whose price per GPU-hour is watched, or a coin; ``limit`` in dollars."""

    subject: str
    sign: Sign
    limit: Decimal

    @property
    def is_coin(self) -> bool:
        """Whether a coin is watched, not a GPU."""
        return self.subject in COIN_DIGITS

    @property
    def falls(self) -> bool:
        """Whether the price passes the limit on its way down."""
        return self.sign in {"<", "<="}

    @property
    def margin(self) -> Decimal:
        """The share of the limit by which the price has to go back."""
        return MARGIN_STABLE if self.subject in STABLE else MARGIN

    @property
    def back_at(self) -> Decimal:
        """The price from which on the watch is ready again."""
        return self.limit * (1 + self.margin if self.falls else 1 - self.margin)

    def passed(self, value: Decimal) -> bool:
        """Whether a price is past the limit."""
        return _PASSED[self.sign](value, self.limit)

    def is_back(self, value: Decimal) -> bool:
        """Whether a price is back by the margin."""
        return value >= self.back_at if self.falls else value <= self.back_at


@dataclass(frozen=True, slots=True)
class Seen:
    """A price that counts now, in dollars; ``rate`` where it is a coin's."""

    value: Decimal
    rate: Rate | None = None


def see(subject: str, prices: PriceList, rates: Rates, now: datetime) -> Seen | None:
    """The price of a GPU that is for rent, or a coin's fresh rate; None where there is neither.

    What is old, ageing or set by hand tells nobody anything.
    """
    if subject in COIN_DIGITS:
        rate = rates.get(subject, now)
        return Seen(rate.value, rate) if rate is not None and rate.state(now) == "fresh" else None
    row = prices.row(subject)
    return Seen(row.usd_per_hour) if row is not None and row.available else None


def likeliest(limits: tuple[Decimal, ...], seen: Seen | None) -> Decimal:
    """Of several readings of a limit the one nearest to the price of now, by their ratio; else the first."""
    if seen is None:
        return limits[0]
    value = seen.value
    return min(limits, key=lambda limit: max(limit / value, value / limit))
