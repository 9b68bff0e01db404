"""The exchanges on loopback: each source's real shape, and every fault that a test names."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

USD = {"BTC": "84000", "ETH": "3000", "SOL": "140", "LTC": "85", "USDT": "1.0002", "USDC": "0.9999"}
KRAKEN = {
    "BTC": "XXBTZUSD",
    "ETH": "XETHZUSD",
    "SOL": "SOLUSD",
    "LTC": "XLTCZUSD",
    "USDT": "USDTZUSD",
    "USDC": "USDCUSD",
}
GECKO = {"BTC": "bitcoin", "ETH": "ethereum", "SOL": "solana", "LTC": "litecoin", "USDT": "tether", "USDC": "usd-coin"}


class Exchanges:
    """What the servers say: ``prices`` per source, ``faults`` (source -> a handler in its stead), times ``late`` by
    seconds, and how often each was asked."""

    def __init__(self) -> None:
        self.prices = {name: dict(USD) for name in ("kraken", "coinbase", "bitstamp", "coingecko", "binance")}
        self.faults: dict[str, Callable[[], Any]] = {}
        self.late = 0
        self.asked: dict[str, int] = {}
        self.url = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        source = request.match_info["source"]
        self.asked[source] = self.asked.get(source, 0) + 1
        if source in self.faults:
            said = self.faults[source]()
            said = await said if asyncio.iscoroutine(said) else said
            return said if isinstance(said, web.StreamResponse) else web.Response(text=said)
        body = getattr(self, f"_{source}")(request, self.prices[source])
        return web.Response(text=body if isinstance(body, str) else json.dumps(body), content_type="application/json")

    def _kraken(self, _request: web.Request, prices: dict[str, str]) -> Any:
        rows = {KRAKEN[code]: {"a": [usd, "1", "1.0"], "b": [usd, "2", "2.0"], "c": [usd, "1"], "t": [1, 2]}
                for code, usd in prices.items()}  # fmt: skip
        return {"error": [], "result": rows}

    def _coinbase(self, request: web.Request, prices: dict[str, str]) -> Any:
        if "exchange-rates" in request.path:
            return {"data": {"currency": "USD", "rates": {"BRL": "5.35", "EUR": "0.86"}}}
        code = request.path.split("/")[-2].split("-")[0]
        return {"data": {"amount": prices[code], "base": code, "currency": "USD"}}

    def _bitstamp(self, request: web.Request, prices: dict[str, str]) -> Any:
        code = request.path.rstrip("/").split("/")[-1].removesuffix("usd").upper()
        usd = prices.get(code, "1.16")
        return {"timestamp": str(int(time.time()) - self.late), "last": usd, "bid": usd, "ask": usd}

    def _coingecko(self, _request: web.Request, prices: dict[str, str]) -> str:
        at = int(time.time()) - self.late
        fiat = '"brl":449400,"eur":72240,' if prices["BTC"] == "84000" else ""
        rows = [
            f'"{GECKO[c]}":{{"usd":{usd},{fiat if c == "BTC" else ""}"last_updated_at":{at}}}'
            for c, usd in prices.items()
        ]
        return "{" + ",".join(rows) + "}"

    def _binance(self, _request: web.Request, prices: dict[str, str]) -> Any:
        return [{"symbol": f"{code}USDT", "price": usd} for code, usd in prices.items() if code != "USDT"]


@asynccontextmanager
async def exchanges() -> AsyncIterator[Exchanges]:
    """Serve on loopback."""
    state = Exchanges()
    app = web.Application()
    app.router.add_get("/{source}/{path:.*}", state.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    state.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield state
    finally:
        await runner.cleanup()
