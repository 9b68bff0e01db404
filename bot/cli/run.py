"""gpubot run and gpubot chat."""

from __future__ import annotations

import logging
import os
import sys
from datetime import date, datetime

import click

from bot.cli.ask import Language
from bot.cli.common import Day, load_rates, load_shop, look_up, moment
from bot.rates.values import Rates
from bot.render.i18n import SHIPPED
from bot.settings import Settings, load_settings
from bot.shop.shop import Shop


@click.command(short_help="Start the bot on Telegram; without GPUBOT_TOKEN, talk to it here.")
def run() -> None:
    """Start the bot on Telegram.

    Without GPUBOT_TOKEN the conversation opens in this terminal.
    """
    settings = load_settings()
    if settings.token is None:
        click.echo("No GPUBOT_TOKEN: talking here. For Telegram, get a token from @BotFather and set it.", err=True)
        _talk(settings, None, None)
        return
    os.umask(0o077)  # customers' questions are nobody else's to read
    import asyncio

    from bot.logs import set_up_logs
    from bot.telegram.service import serve

    secrets = [settings.token, settings.webhook_secret]
    set_up_logs(settings.log_level, settings.log_format, [one.get_secret_value() for one in secrets if one is not None])
    try:
        asyncio.run(serve(settings))
    finally:
        logging.shutdown()  # what is still said is said last


@click.command(short_help="Talk to the bot in this terminal.")
@click.option("--lang", type=Language(), help=f"Language for texts that show none: {', '.join(SHIPPED)}.")
@click.option("--as-of", type=Day(), help="Answer as on that day (YYYY-MM-DD), with that day's prices.")
def chat(lang: str | None, as_of: date | None) -> None:
    """Talk to the bot: one question a line, follow-ups welcome.  Ctrl-D ends.

    \b
    echo "70B com LoRA?" | gpubot chat
    """
    _talk(load_settings(), lang, as_of)


def _talk(settings: Settings, lang: str | None, as_of: date | None) -> None:
    from bot.terminal import converse, converse_piped

    def counter() -> tuple[Shop, Rates, datetime]:
        now = moment(as_of)
        return load_shop(settings, now.date()), load_rates(settings, now), now

    if sys.stdin.isatty() and sys.stdout.isatty():
        converse(counter, lang or settings.lang, settings.data_dir, look_up(settings))
    else:
        converse_piped(counter, lang or settings.lang, look_up(settings))
