"""Exchange rates: whatever sources do, a shown amount is right or absent with the reason."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from exchanges import Exchanges, exchanges
from hypothesis import given
from hypothesis import strategies as st

from bot.chat import Voice, take_turn
from bot.rates.agree import Agreed
from bot.rates.ask import Sources
from bot.rates.board import Board
from bot.rates.shapes import DEFAULT
from bot.rates.values import COIN_DIGITS, FRESH, VALID, Rate, Rates, to_coin, to_usd
from bot.shop.shop import Shop

ROOT = Path(__file__).resolve().parents[2]

NAMES = {"kraken": "Kraken", "coinbase": "Coinbase", "bitstamp": "Bitstamp", "coingecko": "CoinGecko"}


def _status(status: int, **headers: str) -> Callable[[], web.Response]:
    return lambda: web.Response(status=status, headers=headers, text="{}")


async def _hang() -> web.Response:
    await asyncio.sleep(30)
    return web.Response(text="{}")


def _kraken(price: str) -> Callable[[], str]:
    return lambda: f'{{"error":[],"result":{{"XXBTZUSD":{{"a":[{price}],"b":[{price}]}}}}}}'


FAULTS: dict[str, Callable[[], Any]] = {
    "429": _status(429),
    "429 with Retry-After": _status(429, **{"Retry-After": "120"}),
    "418": _status(418),
    "451": _status(451),
    "500": _status(500),
    "redirect": _status(302, Location="http://127.0.0.1:9/"),
    "hangs": _hang,
    "half a body": lambda: '{"error":[],"result":{"XXBTZUSD":{"a":["84',
    "HTML": lambda: "<html>Just a moment...</html>",
    "null": lambda: "null",
    "error under 200": lambda: '{"error":["EQuery:Unknown asset pair"]}',
    "zero": _kraken('"0.0"'),
    "negative": _kraken('"-84000"'),
    "price null": _kraken("null"),
    "NaN": _kraken("NaN"),
    "NaN in quotes": _kraken('"NaN"'),
    "huge exponent": _kraken("1e999999999"),
    "another key": lambda: '{"error":[],"result":{"XXBTZEUR":{"a":["72000"],"b":["72000"]}}}',
    "bid above ask": lambda: '{"error":[],"result":{"XXBTZUSD":{"a":["84000"],"b":["84001"]}}}',
    "nested without end": lambda: "[" * 100_000,
}


async def _asked(state: Exchanges, names: tuple[str, ...] = DEFAULT) -> Agreed:
    return await Sources(names, state.url).ask()


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_source_at_fault_changes_no_rate_and_is_not_named(fault: str) -> None:
    async with exchanges() as state:
        state.faults["kraken"] = FAULTS[fault]
        found = (await _asked(state)).found["BTC"]
    assert (found.value, found.sources) == (Decimal(84000), ("Coinbase", "Bitstamp", "CoinGecko"))


async def test_all_sources_down_give_no_rate() -> None:
    async with exchanges() as state:
        state.faults = dict.fromkeys(DEFAULT, _status(503))
        agreed = await _asked(state)
    assert agreed.found == {}
    assert agreed.faults["BTC"] == "away"


async def test_a_price_ten_times_the_others_is_dropped_and_named() -> None:
    async with exchanges() as state:
        state.prices["coingecko"]["BTC"] = "840000"
        found = (await _asked(state)).found["BTC"]
    assert (found.value, found.dropped) == (Decimal(84000), ("CoinGecko",))


async def test_two_sources_that_contradict_each_other_give_no_rate() -> None:
    async with exchanges() as state:
        state.faults = dict.fromkeys(("bitstamp", "coingecko"), _status(500))
        state.prices["kraken"]["BTC"] = "8400"
        agreed = await _asked(state)
    assert "BTC" not in agreed.found
    assert agreed.faults["BTC"] == "disagree"
    assert agreed.found["ETH"].sources == ("Kraken", "Coinbase")


async def test_frozen_timestamps_are_refused() -> None:
    async with exchanges() as state:
        state.late = 200
        assert (await _asked(state)).found["BTC"].sources == ("Kraken", "Coinbase")


async def test_another_coin_than_asked_is_refused() -> None:
    async with exchanges() as state:
        state.faults["coinbase"] = lambda: '{"data":{"amount":"84000","base":"BTC","currency":"USD"}}'
        agreed = await _asked(state)
    assert agreed.found["LTC"].value == 85
    assert "Coinbase" not in agreed.found["LTC"].sources


async def test_exponents_are_read_exactly() -> None:
    async with exchanges() as state:
        state.faults["kraken"] = _kraken('"8.4000E+4"')
        assert (await _asked(state, ("kraken",))).found["BTC"].value == 84000


async def test_binance_counts_only_at_the_price_of_usdt() -> None:
    async with exchanges() as state:
        assert (await _asked(state, ("binance",))).found == {}
        for source in ("kraken", "binance"):
            state.prices[source] |= {"USDT": "0.9", "BTC": "84000" if source == "kraken" else "93333"}
        found = (await _asked(state, ("kraken", "binance"))).found["BTC"]
    assert found.sources == ("Kraken", "Binance")
    assert abs(found.value - 84000) < 1


async def test_a_source_that_refuses_is_left_alone() -> None:
    async with exchanges() as state:
        state.faults["kraken"] = FAULTS["418"]
        sources = Sources(("kraken",), state.url)
        await sources.ask()
        await sources.ask()
    assert state.asked["kraken"] == 1


async def test_currencies_come_per_dollar() -> None:
    async with exchanges() as state:
        assert (await _asked(state)).found["BRL"].value == Decimal("5.35")


NOW = datetime(2026, 11, 5, 12, tzinfo=UTC)


def _rates(code: str = "BTC", value: str = "84000", age: timedelta = timedelta(0), **more: Any) -> Rates:
    rate = Rate(code, Decimal(value), more.pop("sources", ("Kraken", "Coinbase")), NOW - age, **more)
    return Rates({code: rate}, expected=True)


def test_an_answer_shows_amount_rate_sources_and_time(shop: Shop) -> None:
    turn = take_turn("2x H100 24h in BTC", history=(), shop=shop, now=NOW, voice=Voice(default="en"), rates=_rates())
    said = turn.text().plain
    assert "0.00132572 BTC for $111.36" in said
    assert "1 BTC = $84,000.00 (Kraken, Coinbase, 5 Nov 2026 12:00 UTC, valid until 5 Nov 2026 12:15 UTC)" in said
    assert "pay the exact amount and address that your dashboard shows" in said


@pytest.mark.parametrize(
    ("age", "shown", "note"), [(FRESH, True, None), (FRESH * 2, True, "rate_ageing"), (VALID, False, "rate_old")]
)
def test_an_old_rate_is_said_to_be_old_and_then_not_used(
    shop: Shop, age: timedelta, shown: bool, note: str | None
) -> None:
    answer = take_turn("2x H100 24h", history=(), shop=shop, now=NOW, voice=Voice(), rates=_rates(age=age)).answer
    codes = [one.code for one in answer.notes]
    assert bool(answer.quotes) is shown
    assert note is None or note in codes


def test_one_source_a_lost_peg_and_a_rate_by_hand_are_said(shop: Shop) -> None:
    def codes(rates: Rates, text: str) -> list[str]:
        answer = take_turn(text, history=(), shop=shop, now=NOW, voice=Voice(), rates=rates).answer
        return [one.code for one in answer.notes]

    assert "rate_single" in codes(_rates(sources=("Kraken",)), "2x H100 24h")
    assert "off_peg" in codes(_rates("USDT", "0.97"), "2x H100 24h in usdt")
    assert "rate_manual" in codes(_rates(manual=True, age=timedelta(hours=2)), "2x H100 24h")


def test_without_a_rate_the_answer_is_in_dollars(shop: Shop) -> None:
    answer = take_turn("2x H100 24h in BTC", history=(), shop=shop, now=NOW, voice=Voice()).answer
    assert answer.quotes == ()
    assert "no_rate" in [one.code for one in answer.notes]


@pytest.mark.parametrize(("text", "rates", "usd"), [
    ("tenho 200 reais", _rates("BRL", "5.35"), "37.38"),
    ("0.002 btc", _rates(), "168.00"),
    ("100 usdt", _rates("USDT", "0.97"), "97.00"),
])  # fmt: skip
def test_a_budget_is_counted_at_its_own_rate(shop: Shop, text: str, rates: Rates, usd: str) -> None:
    answer = take_turn(text, history=(), shop=shop, now=NOW, voice=Voice(), rates=rates).answer
    assert answer.worth is not None
    assert answer.worth.usd == Decimal(usd)
    assert all(row.usd <= Decimal(usd) for row in answer.affordable)


amounts = st.decimals("0.01", "1000000000", places=2)
values = st.decimals("0.000001", "1000000000", places=6)


@given(amounts, values, st.sampled_from(sorted(COIN_DIGITS)))
def test_a_coin_amount_pays_the_dollars_and_hardly_more(usd: Decimal, value: Decimal, coin: str) -> None:
    rate = Rate(coin, value, (), NOW)
    amount = to_coin(usd, rate)
    last = Decimal(1).scaleb(-COIN_DIGITS[coin])
    assert amount * value >= usd > (amount - last) * value
    assert to_usd(amount, rate) <= amount * value


def test_a_clock_that_is_set_back_makes_no_old_rate_fresh() -> None:
    wall, passing = [NOW], [0]
    board = Board(True, lambda: wall[0], lambda: passing[0])
    board.take(Agreed({"BTC": Rate("BTC", Decimal(84000), ("Kraken",), NOW)}, {}))
    passing[0] += 3_600 * 10**9  # an hour passes, and the clock is set back to where it was
    assert board.rates().get("BTC", wall[0]) is None


def test_a_rate_from_the_future_is_not_used() -> None:
    assert _rates(age=timedelta(minutes=-1)).get("BTC", NOW) is None


def test_a_restart_takes_no_rate_that_is_too_old() -> None:
    board = Board(True, lambda: NOW, lambda: 0)
    board.adopt([Rate("BTC", Decimal(84000), ("Kraken",), NOW - VALID)])
    assert board.rates().found == {}


def test_money_never_touches_float() -> None:
    files = [*(ROOT / "bot" / "rates").glob("*.py"), ROOT / "bot/answers/quotes.py", ROOT / "planner/cost.py"]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (file, node.lineno)
            assert not (isinstance(node, ast.Name) and node.id == "float"), (file, node.lineno)


async def test_sources_that_hang_delay_nobody_for_more_than_two_seconds() -> None:
    async with exchanges() as state:
        state.faults = dict.fromkeys(DEFAULT, _hang)
        begun = asyncio.get_running_loop().time()
        assert (await _asked(state)).found == {}
        assert asyncio.get_running_loop().time() - begun < 3
