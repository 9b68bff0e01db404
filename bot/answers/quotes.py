"""Dollars in coins and back: which rate, which coin, and what to say about it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from bot.answers.answer import Note, Quote, Worth
from bot.rates.values import COIN_DIGITS, FIAT, STABLE, Rate, Rates, to_coin, to_currency, to_usd
from bot.reader.question import Slots


class Teller:
    """The rates as of a moment.  ``coin``: the one named or chosen, ``coins``: what the shop takes, ``currency``: what
    dollars are shown in beside, where none is named."""

    def __init__(
        self, rates: Rates, now: datetime, coin: str | None, coins: Sequence[str], currency: str | None = None
    ) -> None:
        self._currency = currency
        self._rates = rates
        self._now = now
        self._wanted = coin
        self._coins = [one for one in coins if one in COIN_DIGITS]
        self._notes: dict[str, Note] = {}

    def quotes(self, amounts: Sequence[Decimal], every: bool = False) -> tuple[Quote, ...]:
        """Each amount in the coin to show, or in all of them; none, and the reason noted, where there is no rate."""
        shown = self._coins if every else [self._wanted or self._coins[0]]
        return tuple(quote for coin in shown for usd in amounts if (quote := self._quote(usd, coin)) is not None)

    def worth(self, slots: Slots) -> Worth | None:
        """An amount in a coin or currency in dollars; None for dollars, and where there is no rate, which is noted."""
        if slots.budget is not None and slots.currency is not None:
            rate = self._rates.get(slots.currency, self._now)
            if rate is None:
                self._add("no_rate_budget", currency=slots.currency)
                return None
            self._say(rate)
            return Worth(slots.budget, to_usd(slots.budget, rate), slots.currency, rate)
        if slots.budget_usd is None or slots.coin not in STABLE:
            return None
        rate = self._rates.get(slots.coin, self._now)
        if rate is None:
            self._add("at_par", coin=slots.coin)
            return None
        self._say(rate)
        return Worth(slots.budget_usd, to_usd(slots.budget_usd, rate), slots.coin, rate)

    def one(self, coin: str) -> Worth | None:
        """One coin in dollars; None where there is no rate, which is noted."""
        rate = self._rates.get(coin, self._now)
        if rate is None:
            self._missing(coin)
            return None
        self._say(rate)
        return Worth(Decimal(1), to_usd(Decimal(1), rate), coin, rate)

    def local(self, slots: Slots, usd: Decimal) -> Worth | None:
        """Dollars in the currency that is asked for; None for none, and where there is no rate, which is noted."""
        currency = slots.currency or self._currency
        if currency not in FIAT or slots.budget is not None:
            return None
        rate = self._rates.get(currency, self._now)
        if rate is None:
            self._add("no_rate_currency", currency=currency)
            return None
        self._say(rate)
        return Worth(to_currency(usd, rate), usd, currency, rate)

    def notes(self, quotes: Sequence[Quote]) -> list[Note]:
        """What was noted on the way, and that a quote is an estimate."""
        return [*self._notes.values(), *([Note("estimate_pay")] if quotes else [])]

    def _quote(self, usd: Decimal, coin: str) -> Quote | None:
        rate = self._rates.get(coin, self._now)
        if rate is None:
            self._missing(coin)
            return None
        self._say(rate)
        state = rate.state(self._now) or "ageing"
        return Quote(coin, usd, to_coin(usd, rate), rate.value, rate.sources, rate.as_of, rate.valid_until, state)

    def _missing(self, coin: str) -> None:
        """Say why, where a coin was asked for or rates are to be expected."""
        fault = self._rates.missing(coin)
        last = self._rates.last(coin)
        if fault == "none" and self._wanted is None:
            return
        if last is not None and fault != "disagree":
            self._add("rate_old", coin=coin, moment=last)
        else:
            code = {"away": "rate_away", "disagree": "rate_disagree"}.get(fault, "no_rate")
            self._notes.setdefault(code, Note(code, {} if code == "no_rate" else {"coin": coin}))

    def _say(self, rate: Rate) -> None:
        if rate.state(self._now) == "ageing":
            self._notes.setdefault("rate_ageing", Note("rate_ageing"))
        if rate.manual:
            self._notes.setdefault("rate_manual", Note("rate_manual"))
        elif len(rate.sources) == 1:
            self._add("rate_single", source=rate.sources[0])
        if rate.dropped:
            self._add("rate_dropped", source=", ".join(rate.dropped))
        if rate.off_peg:
            self._add("off_peg", coin=rate.code, usd=rate.value)

    def _add(self, code: str, **values: str | Decimal | datetime) -> None:
        self._notes.setdefault(f"{code} {values}", Note(code, dict(values)))
