"""Rates as values, how old they may be, and the arithmetic with them: Decimal, rounded once, to the safe side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Final, Literal

State = Literal["fresh", "ageing", "manual"]
#: Why there is no rate: none was ever given, too old, no source answers, the sources contradict each other.
Fault = Literal["none", "old", "away", "disagree"]

#: Digits that an amount of a coin is shown with, and rounded up at.
COIN_DIGITS: Final[Mapping[str, int]] = {"BTC": 8, "ETH": 6, "SOL": 6, "LTC": 8, "USDT": 2, "USDC": 2}
STABLE: Final = frozenset({"USDT", "USDC"})
#: Currencies that amounts may be stated in, beside the dollar.
FIAT: Final[tuple[str, ...]] = (
    *("BRL", "EUR", "GBP", "ARS", "MXN", "CAD", "INR", "PEN", "COP", "CLP", "CNY"),
    *("RUB", "TRY", "IDR", "PLN", "JPY", "KRW", "SAR", "AED", "EGP"),
)
CODES: Final = frozenset({*COIN_DIGITS, *FIAT})

FRESH: Final = timedelta(minutes=5)
VALID: Final = timedelta(minutes=15)
MANUAL: Final = timedelta(hours=24)
#: A rate from the future was taken by a clock that has been set back since: its age is unknown.
SKEW: Final = timedelta(seconds=5)
#: How far from a dollar a dollar coin may be before it is said.
PEG: Final = Decimal("0.005")

#: Enough digits for any product here to be exact.
_EXACT: Final = Context(prec=80)
_CENT: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Rate:
    """``value``: dollars for one coin, or units of a currency for one dollar.  ``as_of``: the oldest quote it rests on.

    ``dropped`` are sources whose quote was too far from the others'.
    """

    code: str
    value: Decimal
    sources: tuple[str, ...]
    as_of: datetime
    dropped: tuple[str, ...] = ()
    manual: bool = False

    @property
    def valid_until(self) -> datetime:
        """The moment from which no amount is worked out with it."""
        return self.as_of + (MANUAL if self.manual else VALID)

    def state(self, now: datetime) -> State | None:
        """How good it is; None once it may not be used, or where it would be from the future."""
        age = now - self.as_of
        if age < -SKEW or now >= self.valid_until:
            return None
        if self.manual:
            return "manual"
        return "fresh" if age <= FRESH else "ageing"

    @property
    def off_peg(self) -> bool:
        """Whether a dollar coin is worth noticeably more or less than a dollar."""
        return self.code in STABLE and abs(self.value - 1) > PEG


@dataclass(frozen=True, slots=True)
class Rates:
    """What is known: rates that sources agreed on, rates that the operator set, and why a code has none."""

    found: Mapping[str, Rate] = field(default_factory=dict)
    manual: Mapping[str, Rate] = field(default_factory=dict)
    faults: Mapping[str, Fault] = field(default_factory=dict)
    expected: bool = False  # sources are asked, so that a missing rate is worth a word

    def get(self, code: str, now: datetime) -> Rate | None:
        """The rate to use now: what sources agree on, else what the operator set."""
        for rates in (self.found, self.manual):
            rate = rates.get(code)
            if rate is not None and rate.state(now) is not None:
                return rate
        return None

    def missing(self, code: str) -> Fault:
        """Why get() gives none."""
        known = code in self.found or code in self.manual
        return self.faults.get(code) or ("old" if known else "away" if self.expected else "none")

    def last(self, code: str) -> datetime | None:
        """The moment of the newest rate there is, usable or not."""
        found = [rates[code].as_of for rates in (self.found, self.manual) if code in rates]
        return max(found, default=None)


NO_RATES: Final = Rates()


def to_coin(usd: Decimal, rate: Rate) -> Decimal:
    """What pays ``usd`` in a coin, rounded up at the digits shown."""
    return _divided(usd, rate.value, COIN_DIGITS[rate.code], up=True)


def to_usd(amount: Decimal, rate: Rate) -> Decimal:
    """What an amount of a coin or currency is worth, rounded down to the cent: nobody can spend more."""
    if rate.code in COIN_DIGITS:
        return _EXACT.multiply(amount, rate.value).quantize(_CENT, ROUND_FLOOR, _EXACT)
    return _divided(amount, rate.value, 2, up=False)


def to_currency(usd: Decimal, rate: Rate) -> Decimal:
    """Dollars in a currency, rounded up to its hundredth."""
    return _EXACT.multiply(usd, rate.value).quantize(_CENT, ROUND_CEILING, _EXACT)


def _divided(dividend: Decimal, divisor: Decimal, digits: int, *, up: bool) -> Decimal:
    """The quotient rounded at ``digits`` by exact whole-number division: a rounded quotient could hide a remainder."""
    whole, rest = _EXACT.divmod(dividend.scaleb(digits, _EXACT), divisor)
    return (whole + 1 if up and rest else whole).scaleb(-digits, _EXACT)
