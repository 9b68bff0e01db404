"""What each source is asked, and how its answer is read: into Decimal from the text, checked against what was asked.

The shapes are those of the sources' public documentation; none needs a key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, NoReturn

from bot.rates.agree import Price
from bot.rates.values import COIN_DIGITS, FIAT

_NUMBER: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?", re.ASCII)
_COINS: Final = tuple(COIN_DIGITS)


class UnusableError(ValueError):
    """An answer that gives no price."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call; ``code`` where it is for one coin or currency only."""

    path: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A public source: its base address, its calls, and the reader of their answers."""

    name: str
    base: str
    requests: tuple[Request, ...]
    read: Callable[[Any, Request], list[Price]]


def parse(body: str) -> Any:
    """JSON with every number as Decimal.  Raises UnusableError for what is none, NaN and infinities too."""
    try:
        return json.loads(body, parse_float=Decimal, parse_int=Decimal, parse_constant=_no_number)
    except (ValueError, ArithmeticError, RecursionError):
        raise UnusableError("no JSON") from None


def read_prices(source: Source, request: Request, body: str) -> list[Price]:
    """The prices in an answer.  Raises UnusableError where there are none or not what was asked for."""
    try:
        prices = source.read(parse(body), request)
    except (KeyError, IndexError, TypeError, AttributeError, OverflowError, OSError):
        raise UnusableError("another shape") from None
    if not prices:
        raise UnusableError("no price")
    return prices


def _no_number(_text: str) -> NoReturn:
    raise UnusableError("not a number")


def _decimal(value: object) -> Decimal:
    """A positive number from a JSON number or a string of digits."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = Decimal(value)
    if not isinstance(value, Decimal) or not value.is_finite() or value <= 0:
        raise UnusableError("no price")
    return value


def _middle(bid: object, ask: object) -> Decimal:
    low, high = _decimal(bid), _decimal(ask)
    if low > high:
        raise UnusableError("bid above ask")
    return (low + high) / 2


def _moment(seconds: object) -> datetime:
    return datetime.fromtimestamp(int(_decimal(seconds)), UTC)


def _each(read: Callable[[], Price]) -> list[Price]:
    """One of several prices in an answer: a bad one spoils no other."""
    try:
        return [read()]
    except (UnusableError, KeyError, IndexError, TypeError, AttributeError, OverflowError, OSError):
        return []


# -- Kraken: one call; answers under keys of its own (XXBTZUSD), errors under HTTP 200 --------------------------------

_KRAKEN_NAMES: Final = {"XBT": "BTC", "XXBT": "BTC", "XETH": "ETH", "XLTC": "LTC", "ZEUR": "EUR"}


def _kraken_code(pair: str) -> str | None:
    """The coin of a pair with the dollar, None for any other pair."""
    for dollar in ("ZUSD", "USD"):
        if pair.endswith(dollar):
            base = pair.removesuffix(dollar)
            code = _KRAKEN_NAMES.get(base, base)
            return code if code in COIN_DIGITS or code == "EUR" else None
    return None


def _kraken(answer: Any, _request: Request) -> list[Price]:
    if answer["error"]:
        raise UnusableError("error")
    found: list[Price] = []
    for pair, row in answer["result"].items():
        code = _kraken_code(pair)
        if code is None:
            continue

        def price(code: str = code, row: Any = row) -> Price:
            middle = _middle(row["b"][0], row["a"][0])
            return Price("Kraken", code, 1 / middle if code == "EUR" else middle)

        found.extend(_each(price))
    return found


# -- Coinbase: a call per coin, which names base and currency; one for the currencies ---------------------------------


def _coinbase(answer: Any, request: Request) -> list[Price]:
    data = answer["data"]
    if request.code is None:
        if data["currency"] != "USD":
            raise UnusableError("another currency")
        rates = data["rates"]
        return [price for code in FIAT for price in _each(lambda c=code: Price("Coinbase", c, _decimal(rates[c])))]  # type: ignore[misc]
    if (data["base"], data["currency"]) != (request.code, "USD"):
        raise UnusableError("another pair")
    return [Price("Coinbase", request.code, _decimal(data["amount"]))]


# -- Bitstamp: a call per pair, with a time ---------------------------------------------------------------------------


def _bitstamp(answer: Any, request: Request) -> list[Price]:
    code = request.code or ""
    if answer.get("pair", "").replace("/", "").upper() not in {"", f"{code}USD"}:
        raise UnusableError("another pair")
    middle = _middle(answer["bid"], answer["ask"])
    return [Price("Bitstamp", code, 1 / middle if code == "EUR" else middle, _moment(answer["timestamp"]))]


# -- CoinGecko: one call by ids, with times; a currency is what Bitcoin costs in it -----------------------------------

_GECKO: Final = {"BTC": "bitcoin", "ETH": "ethereum", "SOL": "solana", "LTC": "litecoin", "USDT": "tether",
                 "USDC": "usd-coin"}  # fmt: skip


def _coingecko(answer: Any, _request: Request) -> list[Price]:
    found: list[Price] = []
    for code, name in _GECKO.items():

        def price(code: str = code, name: str = name) -> Price:
            return Price("CoinGecko", code, _decimal(answer[name]["usd"]), _moment(answer[name]["last_updated_at"]))

        found.extend(_each(price))
    for code in FIAT:

        def currency(code: str = code) -> Price:
            row = answer["bitcoin"]
            value = _decimal(row[code.lower()]) / _decimal(row["usd"])
            return Price("CoinGecko", code, value, _moment(row["last_updated_at"]))

        found.extend(_each(currency))
    return found


# -- Binance: one call; prices in USDT --------------------------------------------------------------------------------


def _binance(answer: Any, _request: Request) -> list[Price]:
    found: list[Price] = []
    for row in answer:
        code = str(row["symbol"]).removesuffix("USDT")
        if f"{code}USDT" == row["symbol"] and code in COIN_DIGITS:
            found.extend(_each(lambda c=code, r=row: Price("Binance", c, _decimal(r["price"]), quote="USDT")))  # type: ignore[misc]
    return found


_KRAKEN_PAIRS: Final = ",".join([*(f"{'XBT' if code == 'BTC' else code}USD" for code in _COINS), "EURUSD"])
_BINANCE_PAIRS: Final = ",".join(f"%22{code}USDT%22" for code in _COINS if code != "USDT")

SOURCES: Final[dict[str, Source]] = {
    "kraken": Source("Kraken", "https://api.kraken.com", (Request(f"/0/public/Ticker?pair={_KRAKEN_PAIRS}"),), _kraken),
    "coinbase": Source(
        "Coinbase",
        "https://api.coinbase.com",
        (
            *(Request(f"/v2/prices/{code}-USD/spot", code) for code in _COINS),
            Request("/v2/exchange-rates?currency=USD"),
        ),
        _coinbase,
    ),
    "bitstamp": Source(
        "Bitstamp",
        "https://www.bitstamp.net",
        tuple(Request(f"/api/v2/ticker/{code.lower()}usd/", code) for code in (*_COINS, "EUR")),
        _bitstamp,
    ),
    "coingecko": Source(
        "CoinGecko",
        "https://api.coingecko.com",
        (
            Request(
                f"/api/v3/simple/price?ids={','.join(_GECKO.values())}&vs_currencies=usd,{','.join(FIAT).lower()}"
                "&include_last_updated_at=true&precision=full"
            ),
        ),
        _coingecko,
    ),
    "binance": Source(
        "Binance",
        "https://api.binance.com",
        (Request(f"/api/v3/ticker/price?symbols=[{_BINANCE_PAIRS}]"),),
        _binance,
    ),
}
#: Asked unless set otherwise: those that quote in dollars.
DEFAULT: Final = ("kraken", "coinbase", "bitstamp", "coingecko")
