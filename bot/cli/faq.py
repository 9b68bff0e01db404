"""gpubot faq: the shop's own texts for frequent questions, per locale, with their history."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import click

from bot.cli.common import faq_imports
from bot.reader.question import Topic
from bot.render.i18n import SHIPPED
from bot.settings import load_settings
from bot.shop.faq import FaqImport, read_faq_file
from bot.shop.files import load_seeds


@click.group(short_help="Show the shop's own texts for frequent questions, or import them.")
def faq() -> None:
    """What the shop says where its page is silent: refunds, regions, networks, SSH, installed tools.

    \b
    gpubot faq import faq.pt.toml
    gpubot faq show pt_BR
    gpubot faq undo pt_BR
    """


@faq.command()
@click.argument("locale", required=False, type=click.Choice(SHIPPED))
def show(locale: str | None) -> None:
    """Show the texts that count, of one LOCALE or of all."""
    counting = {entry.faq.locale: entry for entry in faq_imports(load_settings()) if entry.withdrawn is None}
    shown = [entry for name, entry in counting.items() if locale in (None, name)]
    if not shown:
        click.echo("No texts were imported; the bot says what is not published yet.")
    for entry in shown:
        click.echo(f"{entry.faq.locale}: {entry.faq.source}, {entry.faq.as_of}")
        for one in entry.faq.texts:
            click.echo(f"  {one.topic}.{one.key}: {one.text}")


@faq.command()
def history() -> None:
    """List every import."""
    for entry in faq_imports(load_settings()):
        undone = f"  withdrawn by {entry.withdrawn}" if entry.withdrawn else ""
        click.echo(
            f"{entry.at:%Y-%m-%d %H:%M} UTC  {entry.faq.locale}  {len(entry.faq.texts)} texts of {entry.faq.as_of}"
            f"  by {entry.who}{undone}"
        )


@faq.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Check and show the difference only.")
def import_(file: Path, dry_run: bool) -> None:
    """Check FILE (TOML or JSON, see the README) and let it answer: it replaces all texts of its locale."""
    settings = load_settings()
    now = datetime.now(UTC)
    new = read_faq_file(file, now.date(), SHIPPED, get_args(Topic))
    counting = {entry.faq.locale: entry.faq for entry in faq_imports(settings) if entry.withdrawn is None}
    old = counting.get(new.locale)
    before = {(one.topic, one.key): one.text for one in old.texts} if old else {}
    after = {(one.topic, one.key): one.text for one in new.texts}
    for topic, key in dict.fromkeys((*after, *before)):
        was, is_now = before.get((topic, key)), after.get((topic, key))
        if was != is_now:
            sign = "new" if was is None else "gone" if is_now is None else "changed"
            click.echo(f"  {topic}.{key}: {sign}")
    if dry_run:
        click.echo("Nothing was imported (--dry-run).")
        return
    from bot.store.offline import import_faq

    seeds = load_seeds(settings.links, settings.price_stale_days).prices
    import_faq(settings.database, seeds, FaqImport(now, getpass.getuser(), new))
    click.echo(f"Imported {len(new.texts)} texts for {new.locale}.")


@faq.command()
@click.argument("locale", type=click.Choice(SHIPPED))
def undo(locale: str) -> None:
    """Withdraw the list of LOCALE imported last: the one before counts again."""
    settings = load_settings()
    from bot.store.offline import withdraw_faq

    seeds = load_seeds(settings.links, settings.price_stale_days).prices
    if not withdraw_faq(settings.database, seeds, locale, getpass.getuser(), datetime.now(UTC)):
        raise click.ClickException(f"there is no import for {locale} to undo")
    click.echo(f"Withdrew the texts of {locale} imported last.")
