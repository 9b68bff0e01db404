"""What several sources agree on: the median, without those too far from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from bot.rates.values import CODES, COIN_DIGITS, STABLE, Fault, Rate

#: A quote with a time must be this recent; as far in the future it is as wrong.
MAX_AGE: Final = timedelta(seconds=120)
#: Beyond this share of the median a quote is dropped.
MAX_OFF: Final = Decimal("0.01")
MAX_OFF_STABLE: Final = Decimal("0.005")
#: What one coin may cost, and a dollar in a currency: beyond is a slip of the source.
_LEAST: Final = Decimal("0.000001")
_MOST: Final = Decimal("1e9")
#: A rate is shown with every digit that it is computed with.
_SHOWN: Final = Context(prec=8, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, slots=True)
class Price:
    """One source's quote: dollars (or ``quote``) for a coin, or a currency's units for a dollar; ``at`` as it says."""

    source: str
    code: str
    value: Decimal
    at: datetime | None = None
    quote: str = "USD"


@dataclass(frozen=True, slots=True)
class Agreed:
    """What sources agreed on, and why there is nothing for the other codes."""

    found: dict[str, Rate]
    faults: dict[str, Fault]


def agree(prices: Sequence[Price], asked_at: datetime, now: datetime) -> Agreed:
    """Rates from all that sources quoted between ``asked_at`` and ``now``.

    Quotes in USDT are counted at the rate of USDT that the others agree on, and not at all without one.
    """
    found: dict[str, Rate] = {}
    faults: dict[str, Fault] = {}
    # USDT first: quotes in it need its rate.
    for code in sorted(CODES, key=lambda one: one != "USDT"):
        own = [_in_dollars(price, found.get("USDT")) for price in prices if price.code == code]
        usable = [price for price in own if price is not None and _usable(price, now)]
        rate = _median_rate(code, usable, asked_at)
        if rate is not None:
            found[code] = rate
        elif code in COIN_DIGITS or usable:
            faults[code] = "disagree" if usable else "away"
    return Agreed(found, faults)


def _in_dollars(price: Price, usdt: Rate | None) -> Price | None:
    if price.quote == "USD":
        return price
    if price.quote != "USDT" or usdt is None or not price.value.is_finite():
        return None
    return Price(price.source, price.code, price.value * usdt.value, price.at)


def _usable(price: Price, now: datetime) -> bool:
    if not price.value.is_finite() or not _LEAST <= price.value <= _MOST:
        return False
    return price.at is None or abs(now - price.at) <= MAX_AGE


def _median_rate(code: str, prices: list[Price], asked_at: datetime) -> Rate | None:
    if not prices:
        return None
    most = MAX_OFF_STABLE if code in STABLE else MAX_OFF
    middle = median([price.value for price in prices])
    near = [price for price in prices if abs(price.value - middle) <= middle * most]
    if not near:
        return None
    value = _SHOWN.plus(median([price.value for price in near]))
    return Rate(
        code=code,
        value=Decimal(f"{value.normalize():f}"),
        sources=tuple(dict.fromkeys(price.source for price in near)),
        as_of=min(price.at if price.at is not None and price.at < asked_at else asked_at for price in near),
        dropped=tuple(dict.fromkeys(price.source for price in prices if price not in near)),
    )


def median(values: Sequence[Decimal]) -> Decimal:
    """The middle value, or the mean of the middle two."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
