"""When a watched price tells, and when it is ready again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rates.values import FRESH, Rate, Rates
from bot.rates.watch import Watch, likeliest, see
from bot.reader.watch import Sign
from bot.shop.shop import Shop


@pytest.mark.parametrize(
    ("sign", "passed", "back_at"),
    [("<", ["1.99"], "2.02"), ("<=", ["1.99", "2"], "2.02"), (">", ["2.01"], "1.98"), (">=", ["2", "2.01"], "1.98")],
)
def test_each_sign_passes_on_its_side_and_is_back_one_percent_beyond(
    sign: Sign, passed: list[str], back_at: str
) -> None:
    watch = Watch("h100", sign, Decimal(2))
    assert [value for value in ("1.99", "2", "2.01") if watch.passed(Decimal(value))] == passed
    assert watch.back_at == Decimal(back_at)
    assert watch.is_back(Decimal(back_at))
    assert not watch.is_back(Decimal(2))


def test_a_dollar_coin_is_back_sooner() -> None:
    assert Watch("USDT", "<", Decimal("0.995")).back_at == Decimal("0.995995")
    assert Watch("BTC", "<", Decimal(60000)).back_at == 60600


@given(
    st.sampled_from(["<", "<=", ">", ">="]),
    st.lists(st.decimals("0.01", 10, places=2), max_size=40),
    st.decimals("0.01", 10, places=2),
)
def test_between_two_alerts_the_price_was_back_by_the_margin(sign: Sign, prices: list[Decimal], limit: Decimal) -> None:
    watch = Watch("h100", sign, limit)
    armed, told_at = True, []
    for index, price in enumerate(prices):
        assert not (watch.passed(price) and watch.is_back(price))
        if armed and watch.passed(price):
            armed = False
            told_at.append(index)
        elif not armed and watch.is_back(price):
            armed = True
    for first, second in pairwise(told_at):
        between = prices[first + 1 : second]
        assert max(between) >= watch.back_at if watch.falls else min(between) <= watch.back_at


def test_only_a_fresh_rate_that_sources_agree_on_counts(shop: Shop, now: datetime) -> None:
    rate = Rate("BTC", Decimal(59000), ("Kraken",), now)
    for age, counts in ((timedelta(0), True), (FRESH, True), (FRESH + timedelta(seconds=1), False)):
        aged = replace(rate, as_of=now - age)
        assert (see("BTC", shop.prices, Rates({"BTC": aged}), now) is not None) == counts
    by_hand = replace(rate, manual=True)
    assert see("BTC", shop.prices, Rates(manual={"BTC": by_hand}), now) is None
    assert see("BTC", shop.prices, Rates({"BTC": replace(rate, as_of=now + timedelta(hours=1))}), now) is None


def test_a_gpu_that_is_not_for_rent_has_no_price_that_counts(shop: Shop, now: datetime) -> None:
    prices = shop.prices
    seen = see("h100", prices, Rates(), now)
    assert seen is not None
    assert seen.value == Decimal("2.32")
    rows = tuple(replace(row, available=False) for row in prices.rows)
    assert see("h100", replace(prices, rows=rows), Rates(), now) is None
    assert see("rtx-4090", prices, Rates(), now) is None


def test_of_two_readings_the_one_near_the_price_of_now_is_meant(shop: Shop, now: datetime) -> None:
    both = (Decimal(60000), Decimal(60))
    for value, meant in ((84000, 60000), (85, 60)):
        rates = Rates({"LTC": Rate("LTC", Decimal(value), ("Kraken",), now)})
        assert likeliest(both, see("LTC", shop.prices, rates, now)) == meant
    assert likeliest(both, None) == 60000
