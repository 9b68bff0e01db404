"""gpubot prices: the price list, its history, and importing a new one."""

from __future__ import annotations

import getpass
import json
from datetime import UTC, date, datetime
from pathlib import Path

import click

from bot.cli.common import Day, imports, load_shop, moment
from bot.settings import load_settings
from bot.shop.files import Change, difference, load_seeds, read_price_file
from bot.shop.history import Import
from planner.catalog import load_catalog
from planner.offer import PriceList, PriceRow


@click.group(short_help="Show the price list, or import a new one.")
def prices() -> None:
    """Prices per GPU-hour, with the day they were checked.

    \b
    gpubot prices show
    gpubot prices import new-prices.toml
    gpubot prices undo
    """


@prices.command()
@click.option("--as-of", type=Day(), help="The list in force on that day (YYYY-MM-DD).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--history", is_flag=True, help="List every import instead.")
def show(as_of: date | None, as_json: bool, history: bool) -> None:
    """Show the price list in force."""
    settings = load_settings()
    if history:
        for entry in imports(settings):
            undone = f"  withdrawn by {entry.withdrawn}" if entry.withdrawn else ""
            listed = entry.prices
            since = f", in force from {listed.since} on" if listed.valid_from else ""
            click.echo(f"{entry.at:%Y-%m-%d %H:%M} UTC  prices of {listed.as_of}{since}  by {entry.who}{undone}")
        return
    found = load_shop(settings, moment(as_of).date()).prices
    if as_json:
        rows = [
            {"gpu": row.gpu, "usd_per_hour": f"{row.usd_per_hour:f}", "available": row.available} for row in found.rows
        ]
        click.echo(json.dumps({"as_of": found.as_of.isoformat(), "source": found.source, "prices": rows}))
        return
    click.echo(f"Prices of {found.as_of} (US$ per GPU-hour)")
    for row in found.rows:
        name = load_catalog().gpu(row.gpu).name
        click.echo(f"  {name:<12} {row.usd_per_hour:>8f}{'' if row.available else '  not available'}")
    blocks = ", ".join(map(str, found.blocks))
    click.echo(f"Blocks of {blocks} GPU-hours; smallest top-up US$ {found.topup_usd:f}")


@prices.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Check and show the difference only.")
def import_(file: Path, dry_run: bool) -> None:
    """Check FILE (TOML or JSON, the shape of seeds/prices.toml) and put it in force from its day on.

    Its day is valid_from where the file has one, else as_of.
    """
    settings = load_settings()
    now = datetime.now(UTC)
    new = read_price_file(file, now.date())
    old = load_shop(settings, now.date()).prices
    changes = difference(old, new)
    click.echo(f"{file.name}: prices of {new.as_of}, against those of {old.as_of}")
    for change in changes:
        click.echo(f"  {_describe(change)}")
    for line in _terms(old, new):
        click.echo(f"  {line}")
    if not changes:
        click.echo("  no price differs")
    if new.since < old.since:
        click.echo(f"  older than the list in force: it will answer for {new.since} to {old.since} only")
    if dry_run:
        click.echo("Nothing was imported (--dry-run).")
        return
    from bot.store.offline import import_prices

    seeds = load_seeds(settings.links, settings.price_stale_days).prices
    import_prices(settings.database, seeds, Import(now, getpass.getuser(), new))
    click.echo(f"Imported; in force from {new.since} on.")


@prices.command()
def undo() -> None:
    """Withdraw the list imported last: the one before is in force again.  The withdrawn one stays in the history."""
    settings = load_settings()
    from bot.store.offline import withdraw_prices

    seeds = load_seeds(settings.links, settings.price_stale_days).prices
    gone = withdraw_prices(settings.database, seeds, getpass.getuser(), datetime.now(UTC))
    if gone is None:
        raise click.ClickException("there is no import to undo: only the first list is left")
    now = load_shop(settings, moment(None).date()).prices
    click.echo(f"Withdrew the prices of {gone}; in force now: those of {now.as_of}.")


def _describe(change: Change) -> str:
    old, new = change.old, change.new
    if old is None and new is not None:
        return f"{change.gpu}: new at {new.usd_per_hour:f}"
    if new is None:
        return f"{change.gpu}: no longer in the list"
    if old is not None and old.usd_per_hour != new.usd_per_hour:
        percent = (new.usd_per_hour / old.usd_per_hour - 1) * 100
        return f"{change.gpu}: {old.usd_per_hour:f} -> {new.usd_per_hour:f} ({percent:+.1f} %)"
    return f"{change.gpu}: {_other(old)} -> {_other(new)}"


def _other(row: PriceRow | None) -> str:
    if row is None:
        return "none"
    state = "available" if row.available else "not available"
    return (
        f"{state}, up to {row.max_per_host}, {row.form_factor or 'form unknown'}, {row.interconnect or 'link unknown'}"
    )


def _terms(old: PriceList, new: PriceList) -> list[str]:
    lines = []
    for name in ("counts", "blocks", "topup_usd"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            lines.append(f"{name}: {before} -> {after}")
    return lines
