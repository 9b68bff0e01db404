"""What watches say: one that is set, those there are, what a wish lacks, and a price that passed its limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from bot.rates.values import Rate
from bot.rates.watch import MOST, Seen, Watch
from bot.render.document import Builder, Line
from bot.render.i18n import Speaker, _, speaker
from bot.render.text import Text
from bot.render.views.commands import finished
from bot.render.views.common import gpu_name, per_hour
from bot.shop.shop import Shop

#: What keeps a wish from being a watch.
Lack = Literal["subject", "not_rented", "several", "count", "currency", "limit", "sign"]

_LACKS: Final[dict[Lack, str]] = {
    "subject": _("Name a GPU or a coin, and a limit in dollars."),
    "not_rented": _("{gpu} is not for rent here, so it has no price that I could watch."),
    "several": _("One GPU or one coin at a time, please: I watch each by itself."),
    "count": _("I watch the price of one GPU per hour: name the limit for one."),
    "currency": _("Limits are in dollars: I can't watch one in {currency}."),
    "limit": _("The limit has to be a number of dollars above zero."),
    "sign": _("Say which way: < when it falls below the limit, > when it rises above it."),
}
_SHOWN: Final = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}


@dataclass(frozen=True, slots=True)
class Row:
    """A watch in a list, with what is seen of its price."""

    number: int
    watch: Watch
    armed: bool
    seen: Seen | None


def view_watch_set(locale: str, watch: Watch, seen: Seen | None) -> Text:
    """That a watch is set, and when it will tell."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("🔔 I watch <b>{watch}</b>."), watch=_title(watch, say)))
    build.line(_now(watch, seen, say))
    if seen is not None and watch.passed(seen.value):
        build.line(say.line(_("It is past the limit already.")))
    else:
        build.line(say.line(_("I write once when it passes the limit.")))
    build.line(_again(watch, say))
    build.line(say.line(_("/watches shows and removes what I watch here.")))
    return finished(build)


def view_watches(locale: str, rows: Sequence[Row], *, missing: str | None = None, full: bool = False) -> Text:
    """The watches of a chat or topic; below that there is none with the number ``missing``, or no room for more."""
    say, build = speaker(locale), Builder()
    if missing is not None:
        build.line(say.line(_("There is no watch {number} here."), number=missing))
    if full:
        build.line(say.many("I watch {n} price here at most.", "I watch {n} prices here at most.", MOST))
        build.line(say.line(_("Remove one to make room.")))
    if not rows:
        build.line(say.line(_("I watch no price here.")))
        _examples(say, build)
        return finished(build)
    build.line(say.line(_("<b>What I watch here</b>")))
    for row in rows:
        build.line(say.line(_("{number}. <b>{watch}</b>"), number=row.number, watch=_title(row.watch, say)))
        build.line(_state(row, say))
    build.gap()
    build.line(say.line(_("To remove one, press its button or send <code>{example}</code>"), example="/unwatch 1"))
    return finished(build)


def view_removed(locale: str, watch: Watch) -> Text:
    """That a watch is removed."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("Removed: I no longer watch <b>{watch}</b>."), watch=_title(watch, say)))
    return finished(build)


def view_watch_known(locale: str, watch: Watch) -> Text:
    """That the same is watched already."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("I watch <b>{watch}</b> here already."), watch=_title(watch, say)))
    build.line(say.line(_("/watches shows and removes what I watch here.")))
    return finished(build)


def view_watch_lack(locale: str, lack: Lack, shop: Shop, *, gpu: str = "", currency: str = "") -> Text:
    """What is missing or can't be, what can be watched, and an example."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_LACKS[lack], gpu=gpu_name(gpu), currency=currency))
    if lack in {"subject", "not_rented"}:
        gpus = ", ".join(gpu_name(row.gpu) for row in shop.prices.rows)
        build.line(say.line(_("GPUs: {gpus}. Coins: {coins}."), gpus=gpus, coins=", ".join(shop.coins)))
    _examples(say, build)
    return finished(build)


def view_alert(locale: str, watch: Watch, seen: Seen, shop: Shop) -> Text:
    """That a price passed its limit: what it is now, and since when."""
    say, build = speaker(locale), Builder()
    build.line(
        say.line(_("🔔 <b>{what}: {price}</b>"), what=_name(watch), price=_price(watch, seen.value, say)),
    )
    build.line(say.line(_("Your limit: {watch}."), watch=_title(watch, say)))
    if seen.rate is not None:
        build.line(_rate(seen.rate, say))
    else:
        build.line(say.line(_("Prices of {date}."), date=say.date(shop.prices.as_of)))
    build.line(_again(watch, say))
    return finished(build)


def view_remove(locale: str, watch: Watch | None = None) -> str:
    """The button that removes a watch: named where there are several."""
    say = speaker(locale)
    if watch is None:
        return say.text(_("Stop watching"))
    return f"✕ {_title(watch, say)}"


def _name(watch: Watch) -> str:
    return watch.subject if watch.is_coin else gpu_name(watch.subject)


def _price(watch: Watch, usd: Decimal, say: Speaker) -> str:
    return say.usd(usd) if watch.is_coin else per_hour(say, usd)


def _title(watch: Watch, say: Speaker) -> str:
    """ "H100 < US$ 2,00/h"."""
    return f"{_name(watch)} {_SHOWN[watch.sign]} {_price(watch, watch.limit, say)}"


def _now(watch: Watch, seen: Seen | None, say: Speaker) -> Line:
    if seen is not None:
        return say.line(_("Now: {price}."), price=_price(watch, seen.value, say))
    if watch.is_coin:
        return say.line(_("There is no fresh rate right now; I wait for one."))
    return say.line(_("It is not for rent right now; its price counts once it is."))


def _state(row: Row, say: Speaker) -> Line:
    now = _now(row.watch, row.seen, say)
    return now if row.armed else (*now, *say.line(" "), *_again(row.watch, say))


def _again(watch: Watch, say: Speaker) -> Line:
    """When a watch that has told tells again."""
    back, margin = _price(watch, watch.back_at, say), say.number(watch.margin * 100)
    if watch.falls:
        return say.line(
            _("I write again only after it was at {back} or more ({margin} % beyond the limit)."),
            back=back,
            margin=margin,
        )
    return say.line(
        _("I write again only after it was at {back} or less ({margin} % beyond the limit)."), back=back, margin=margin
    )


def _rate(rate: Rate, say: Speaker) -> Line:
    return say.line(_("Rate: {sources}, {time}."), sources=", ".join(rate.sources), time=say.time(rate.as_of))


def _examples(say: Speaker, build: Builder) -> None:
    build.line(say.line(_("For example: <code>{example}</code>"), example="/watch h100 < 2.00"))
    build.line(say.line(_("For example: <code>{example}</code>"), example="/watch btc < 60000"))
