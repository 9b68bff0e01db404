"""gpubot rates: what exchange rates are known, setting one by hand, asking the sources once."""

from __future__ import annotations

import getpass
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import click

from bot.cli.common import load_rates
from bot.rates.values import CODES, COIN_DIGITS, MANUAL, SKEW, Rate
from bot.settings import Settings, load_settings
from bot.shop.files import load_seeds, parse_file

_AMOUNT = re.compile(r"[0-9]{1,10}(\.[0-9]{1,12})?", re.ASCII)


@click.group(short_help="Show exchange rates, set one by hand, or ask the sources.")
def rates() -> None:
    """Exchange rates: dollars for one coin, units of a currency for one dollar.

    \b
    gpubot rates set BTC 84000
    gpubot rates set BRL 5.35
    gpubot rates unset BTC
    gpubot rates show
    """


@rates.command()
def show() -> None:
    """Show the rates that may be used now, with their sources and age."""
    now = datetime.now(UTC)
    known = load_rates(load_settings(), now)
    usable = [rate for code in (*COIN_DIGITS, *sorted(CODES - COIN_DIGITS.keys())) if (rate := known.get(code, now))]
    for rate in usable:
        by = "set by hand" if rate.manual else ", ".join(rate.sources)
        click.echo(f"{_pair(rate)}  {rate.as_of:%Y-%m-%d %H:%M} UTC  {rate.state(now)}, {by}")
        other = known.manual.get(rate.code)
        if other is not None and not rate.manual:
            click.echo(f"  set by hand, not used while sources answer: {_pair(other)}")
    if not usable:
        click.echo("No rate may be used now: answers stay in dollars.  Set one: gpubot rates set BTC 84000")


@rates.command(name="set")
@click.argument("code")
@click.argument("amount")
def set_(code: str, amount: str) -> None:
    """Set CODE (BTC, ..., or BRL, EUR, ...) to AMOUNT for 24 hours, used while sources give none."""
    settings, now = load_settings(), datetime.now(UTC)
    rate = _manual(code, amount, now, "manual")
    _keep(settings, [rate], now)
    click.echo(f"{_pair(rate)} until {rate.valid_until:%Y-%m-%d %H:%M} UTC; answers say that it was set by hand.")


@rates.command()
@click.argument("code")
def unset(code: str) -> None:
    """Take back what was set by hand for CODE."""
    settings, now = load_settings(), datetime.now(UTC)
    if code.upper() not in load_rates(settings, now).manual:
        raise click.UsageError(f"no rate of {code.upper()} is set by hand now")
    from bot.store.offline import unset_rate

    seeds = load_seeds(settings.links, settings.price_stale_days).prices
    unset_rate(settings.database, seeds, code.upper(), getpass.getuser(), now)
    click.echo(f"The rate of {code.upper()} that was set by hand is no longer used.")


@rates.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
def import_(file: Path) -> None:
    """Set the rates of FILE, TOML with as_of (a moment) and a table [rates] of strings, for 24 hours from as_of."""
    settings, now = load_settings(), datetime.now(UTC)
    raw = parse_file(file)
    as_of, table = raw.get("as_of"), raw.get("rates")
    if not isinstance(as_of, datetime) or as_of.tzinfo is None or not isinstance(table, dict) or not table:
        raise click.UsageError(f'{file}: needs as_of = 2026-11-20T10:00:00Z and [rates] with BTC = "84000"')
    if as_of > now + SKEW or as_of <= now - MANUAL:
        raise click.UsageError(f"{file}: as_of must be within the last 24 hours")
    found = [_manual(code, amount, as_of, file.name) for code, amount in table.items()]
    _keep(settings, found, now)
    for rate in found:
        click.echo(f"{_pair(rate)} until {rate.valid_until:%Y-%m-%d %H:%M} UTC")


@rates.command()
def fetch() -> None:
    """Ask the sources of GPUBOT_RATES once, and keep what they agree on."""
    import asyncio

    from bot.rates.ask import Sources

    settings = load_settings()
    if not settings.rate_sources:
        raise click.UsageError("GPUBOT_RATES is off: name sources there, or set a rate: gpubot rates set BTC 84000")
    agreed = asyncio.run(Sources(settings.rate_sources, settings.rates_url).ask())
    if agreed.found:
        _keep(settings, list(agreed.found.values()), datetime.now(UTC))
    for rate in agreed.found.values():
        left = f"; left out: {', '.join(rate.dropped)}" if rate.dropped else ""
        click.echo(f"{_pair(rate)}  {', '.join(rate.sources)}{left}")
    for code, fault in agreed.faults.items():
        click.echo(f"{code}: {'the sources contradict each other' if fault == 'disagree' else 'no source answers'}")


def _manual(code: str, amount: object, as_of: datetime, source: str) -> Rate:
    """A rate that a person gives.  Raises UsageError."""
    if code.upper() not in CODES:
        raise click.UsageError(f"{code!r} is no coin or currency known here; known: {', '.join(sorted(CODES))}")
    if not isinstance(amount, str) or not _AMOUNT.fullmatch(amount) or not Decimal(amount) > 0:
        raise click.UsageError(f'{code}: write the amount like "84000" or "5.35"')
    return Rate(code.upper(), Decimal(amount), (source,), as_of, manual=True)


def _keep(settings: Settings, found: Sequence[Rate], now: datetime) -> None:
    from bot.store.offline import keep_rates

    seeds = load_seeds(settings.links, settings.price_stale_days).prices
    keep_rates(settings.database, seeds, found, getpass.getuser(), now)


def _pair(rate: Rate) -> str:
    if rate.code in COIN_DIGITS:
        return f"1 {rate.code} = {rate.value:f} USD"
    return f"1 USD = {rate.value:f} {rate.code}"
