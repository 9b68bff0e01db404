"""What commands show: welcome, help, usage, the rented GPUs, methods, sources."""

from __future__ import annotations

from datetime import date
from typing import Final

from bot.render.document import Builder, Quote, Table
from bot.render.i18n import NBSP, Speaker, _, speaker
from bot.render.text import Text, to_text
from bot.render.views.common import age_line, cited, gpu_name
from bot.render.views.talk import example_lines, examples
from bot.shop.shop import Shop
from planner.catalog import load_catalog
from planner.query import METHODS

#: A command's line in Telegram's menu, and in /help.
MENU: Final = {
    "plan": _("Which GPU fits a model"),
    "prices": _("Prices per hour and per block"),
    "gpus": _("GPUs for rent"),
    "compare": _("Compare GPUs or methods"),
    "cost": _("What a run costs"),
    "convert": _("Dollars in coins, and back"),
    "coin": _("Choose the coin of amounts"),
    "watch": _("Be told when a price passes a limit"),
    "watches": _("The prices I watch here"),
    "unwatch": _("Stop watching a price"),
    "methods": _("QLoRA, LoRA, full: what they need"),
    "sources": _("Where the figures come from"),
    "language": _("Choose the language"),
    "settings": _("Language, coin, currency, method, detail"),
    "person": _("Talk to a person"),
    "privacy": _("What I keep about you"),
    "forget": _("Erase what I keep"),
    "help": _("What I can do"),
}

_USAGE: Final = {
    "plan": (_("Name a model or a size, and how you train or run it."), "/plan 70B LoRA"),
    "compare": (_("Name two GPUs, configurations or methods."), "/compare H100 H200"),
    "cost": (_("Name a GPU and the hours."), "/cost 2x H100 24h"),
    "convert": (_("Name an amount and a coin."), "/convert 50 usd btc"),
}

_METHODS: Final = {
    "qlora": _("Trains a small adapter on a model in 4 bits: the least memory."),
    "lora": _("Trains a small adapter on a model in 16 bits."),
    "full_8bit": _("Trains every parameter, with the optimizer in 8 bits."),
    "full": _("Trains every parameter: the most memory."),
    "inference": _("Answers with a finished model, here in 16 bits."),
}


#: What GPUs and models are described by, and what peaks are estimated with.
_FACTS: Final = ("gpu-facts", "model-cards")
_PEAKS: Final = ("korthikanti", "measured")


def finished(build: Builder) -> Text:
    """What was collected, in both forms."""
    return to_text(build.document())


def view_welcome(locale: str) -> Text:
    """Who this is, and what to type."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("👋 Hello! Type a model and what you want to do with it.")))
    build.line(say.line(_("I answer with the GPU that fits, the memory it takes and what it costs.")))
    build.gap()
    build.line(say.line(_("Try one of these, or /prices for the price list.")))
    return finished(build)


def view_examples(locale: str) -> list[str]:
    """The example questions."""
    return examples(speaker(locale))


def view_help(locale: str, bot_username: str, unknown: str | None = None) -> Text:
    """What can be asked, the commands, and how to ask in a group; below a command that is ``unknown``, if any."""
    say, build = speaker(locale), Builder()
    if unknown is not None:
        build.line(say.line(_("I don't know the command /{command}."), command=unknown))
        build.gap()
    build.line(say.line(_("<b>Ask me in your own words</b>")))
    build.lines(example_lines(say)[1:])
    build.line(say.line(_("A follow-up is enough: “and with QLoRA?”, “on 2x H200?”")))
    build.gap()
    build.line(say.line(_("<b>Commands</b>")))
    for name, what in MENU.items():
        build.line(say.line(_("/{command}: {what}"), command=name, what=say.text(what)))
    build.gap()
    build.line(
        say.line(
            _("In a group I read commands, replies to me and messages that name @{username}."), username=bot_username
        )
    )
    return finished(build)


def view_group_welcome(locale: str, bot_username: str) -> Text:
    """Who this is, to a group that the bot was put into, and how to ask it there."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("👋 Hello! I say which GPU fits a model, the memory it takes and what it costs.")))
    build.line(
        say.line(
            _("In a group I read commands, replies to me and messages that name @{username}."), username=bot_username
        )
    )
    build.line(say.line(_("For example: <code>{example}</code>"), example="/plan 70B LoRA"))
    return finished(build)


def view_usage(locale: str, command: str) -> Text:
    """How to use a command that needs more words."""
    say, build = speaker(locale), Builder()
    what, example = _USAGE[command]
    build.line(say.line(what))
    build.line(say.line(_("For example: <code>{example}</code>"), example=example))
    return finished(build)


def view_coin(locale: str, chosen: str | None) -> Text:
    """Which coin amounts are shown in, before others are offered."""
    say, build = speaker(locale), Builder()
    if chosen is not None:
        build.line(say.line(_("Amounts are shown in <b>{coin}</b>."), coin=chosen))
    build.line(say.line(_("Which coin do you pay with?")))
    return finished(build)


def view_coin_set(locale: str, coin: str) -> Text:
    """Which coin amounts are shown in from now on."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("Amounts are shown in <b>{coin}</b>."), coin=coin))
    return finished(build)


def view_every_coin(locale: str) -> str:
    """The button that shows an amount in every coin."""
    return speaker(locale).text(_("In every coin"))


def view_gpus(locale: str, shop: Shop, today: date) -> Text:
    """The rented GPUs, with memory and price."""
    say, build = speaker(locale), Builder()
    rows = [row for row in shop.prices.rows if row.available]
    build.line(say.line(_("<b>GPUs for rent</b>")))
    head = (say.text(_("GPU")), say.text(_("VRAM")), say.text(_("per hour")))
    cells = [
        (
            gpu_name(row.gpu),
            _vram(row.gpu, say),
            say.usd(row.usd_per_hour).replace(NBSP, " "),
        )
        for row in rows
    ]
    build.block(Table((head, *cells), frozenset({1, 2})))
    most = max((row.max_per_host for row in rows if row.max_per_host), default=None)
    if most is not None:
        build.line(say.line(_("An instance has 1 to {n} of them."), n=most))
    build.line(age_line(shop.prices.as_of, shop.stale_after(today), say))
    missing = [gpu_name(row.gpu) for row in shop.prices.rows if not row.available]
    if missing:
        build.line(say.line(_("Not available right now: {gpus}."), gpus=", ".join(missing)))
    return finished(build)


def _vram(gpu: str, say: Speaker) -> str:
    vram_gb = load_catalog().gpu(gpu).vram_gb
    return "" if vram_gb is None else f"{say.number(vram_gb)} {say.gigabytes}"


def view_methods(locale: str) -> Text:
    """The methods, with the gigabytes that each takes per billion parameters."""
    say, build = speaker(locale), Builder()
    rules = load_catalog().rules
    build.line(say.line(_("<b>Methods</b>, and the memory each takes per billion parameters")))
    for method in METHODS:
        build.line(
            say.line(
                _("• <b>{method}</b>: {gb}. {what}"),
                method=say.method(method),
                gb=say.gb(rules[method].plan),
                what=say.text(_METHODS[method]),
            )
        )
    build.gap()
    build.line(say.line(_("These are planning rules, an estimate; /sources says where they come from.")))
    return finished(build)


def view_sources(locale: str, shop: Shop) -> Text:
    """Where rules, prices and other facts come from, with their days; what is long stands behind a tap."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("<b>Where the figures come from</b>")))
    build.line(say.line(_("• Prices: the shop's list of {date}."), date=say.date(shop.prices.as_of)))
    build.line(say.line(_("• Other shops' prices: as of {date}."), date=say.date(shop.market_as_of)))
    build.lines(cited(_FACTS, say))
    rules = [load_catalog().rules[method] for method in METHODS]
    groups = {
        _("Memory rules"): (source for rule in rules for source in (rule.floor_source, rule.plan_source)),
        _("Peaks by a model's layers"): _PEAKS,
        _("Prices"): (shop.prices.source, *(row.source for row in shop.market)),
    }
    for heading, sources in groups.items():
        build.block(Quote(say.text(heading), tuple(cited(sources, say))))
    return finished(build)


def view_command(locale: str, name: str) -> str:
    """A command's line in Telegram's menu."""
    return speaker(locale).text(MENU[name])
