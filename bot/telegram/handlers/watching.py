"""Watches: set, listed and removed, by command, in free words and by button.

A watch belongs to its chat, in a forum to its topic; in a group anybody may remove it, as everybody reads it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Final

from telegram import Update

from bot.rates.watch import MOST, Seen, Watch, likeliest, see
from bot.reader.watch import ASKS, Sign, Wish, asks_to_be_told, read_wish
from bot.render.i18n import choose_locale
from bot.render.views import watches as views
from bot.render.views.watches import Lack, Row
from bot.store.records import KeptWatch, NewWatch
from bot.telegram import keyboards
from bot.telegram.callbacks import Unwatch, decode
from bot.telegram.handlers.scene import Reply, Scene

#: What customers type for the commands in the languages of the shop.
ALIASES: Final[dict[str, str]] = {
    "alerta": "watch", "alert": "watch", "avisar": "watch", "vigiar": "watch", "vigilar": "watch",
    "alerte": "watch", "surveiller": "watch",
    "alarm": "watch", "preisalarm": "watch", "avviso": "watch", "avvisi": "watches",
    "alertas": "watches", "alerts": "watches", "alertes": "watches",
    "unalert": "unwatch", "removeralerta": "unwatch", "quitaralerta": "unwatch",
}  # fmt: skip
_COMMAND: Final = re.compile(rf"/(?:watch|watches|unwatch|{'|'.join(ALIASES)})(?![a-z0-9_])", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[#№]?\s*([0-9]{1,6})", re.ASCII)


def needs_watches(update: Update) -> bool:
    """Whether what an update asks depends on the watches there are."""
    if update.callback_query is not None:
        return isinstance(decode(update.callback_query.data), Unwatch)
    message = update.message or update.edited_message
    text = (message.text or message.caption or "") if message is not None else ""
    return _COMMAND.search(text) is not None or ASKS.search(text) is not None


def watch(arguments: str, scene: Scene) -> Reply:
    """Set a watch, or say what it lacks."""
    if not arguments:
        return _lacking("subject", scene, scene.locale)
    wish = read_wish(arguments)
    return _set(wish, scene, choose_locale(wish.lang, scene.voice))


def watch_in_words(text: str, scene: Scene) -> Reply | None:
    """Set the watch that a free text asks for; None where it asks for none."""
    wish = asks_to_be_told(text)
    return None if wish is None else _set(wish, scene, choose_locale(wish.lang, scene.voice))


def watches(_arguments: str, scene: Scene) -> Reply:
    """The watches there are, each with a button that removes it."""
    return _list(scene)


def unwatch(arguments: str, scene: Scene) -> Reply:
    """Remove a watch by its number, or show the list."""
    found = _NUMBER.fullmatch(arguments.strip().rstrip("."))
    kept = next((one for one in scene.remembered.watches if found and one.number == int(found[1])), None)
    if kept is None:
        return _list(scene, missing=found[1] if found else None)
    return removed(kept, scene)


def removed(kept: KeptWatch, scene: Scene) -> Reply:
    """The reply to the removal of a watch."""
    return Reply(text=views.view_removed(scene.locale, kept.watch), unwatch=kept.id)


def remaining(press: Unwatch, scene: Scene) -> Reply:
    """The reply to a button that removes a watch: what is left, whether or not it was there."""
    gone = any(one.id == press.watch for one in scene.remembered.watches)
    left = tuple(one for one in scene.remembered.watches if one.id != press.watch)
    reply = _list(replace(scene, remembered=replace(scene.remembered, watches=left)))
    return replace(reply, unwatch=press.watch if gone else None)


def _set(wish: Wish, scene: Scene, locale: str) -> Reply:
    context = scene.context
    names = (*wish.gpus, *wish.coins)
    if len(names) != 1:
        return _lacking("several" if names else "subject", scene, locale)
    subject = names[0]
    if wish.gpus and context.shop.prices.row(subject) is None:
        return _lacking("not_rented", scene, locale, gpu=subject)
    if wish.count != 1:
        return _lacking("count", scene, locale)
    if wish.currency is not None:
        return _lacking("currency", scene, locale, currency=wish.currency)
    if not wish.limits:
        return _lacking("limit", scene, locale)
    seen = see(subject, context.shop.prices, context.rates, context.now)
    limit = likeliest(wish.limits, seen)
    sign = wish.sign or _towards(limit, seen, either=wish.either)
    if sign is None:
        return _lacking("sign", scene, locale)
    return _keep(Watch(subject, sign, limit), seen, scene, locale)


def _towards(limit: Decimal, seen: Seen | None, *, either: bool) -> Sign | None:
    """Which way a price has to go to reach a limit, where the text does not say: "hits 60000", "h100 2"."""
    if seen is None or seen.value == limit:
        return None
    falls = limit < seen.value
    if either:
        return "<=" if falls else ">="
    return "<" if falls else ">"


def _keep(watch: Watch, seen: Seen | None, scene: Scene, locale: str) -> Reply:
    there = scene.remembered.watches
    if any(one.watch == watch for one in there):
        return Reply(text=views.view_watch_known(locale, watch))
    if len(there) >= MOST:
        return _list(scene, full=True)
    new = NewWatch(watch=watch, locale=locale, armed=seen is None or not watch.passed(seen.value))
    return Reply(text=views.view_watch_set(locale, watch, seen), watch=new)


def _list(scene: Scene, *, missing: str | None = None, full: bool = False) -> Reply:
    context = scene.context
    kept = scene.remembered.watches
    rows = [
        Row(one.number, one.watch, one.armed, see(one.watch.subject, context.shop.prices, context.rates, context.now))
        for one in kept
    ]
    return Reply(
        text=views.view_watches(scene.locale, rows, missing=missing, full=full),
        keyboard=keyboards.watches(scene.locale, [(one.id, one.watch) for one in kept]),
    )


def _lacking(lack: Lack, scene: Scene, locale: str, **values: str) -> Reply:
    return Reply(text=views.view_watch_lack(locale, lack, scene.context.shop, **values))
