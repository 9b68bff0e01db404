"""/settings: one message whose buttons show and change what a user chose."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, get_args

from bot.rates.values import FIAT
from bot.render.views import settings as views
from bot.render.views.settings import Setting
from bot.telegram import keyboards
from bot.telegram.handlers.scene import Reply, Scene
from planner.query import METHODS

_SETTINGS: Final[tuple[Setting, ...]] = get_args(Setting)


def show_settings(_arguments: str, scene: Scene) -> Reply:
    """Every setting and its value."""
    return _overview(scene, scene.place.user_id)


def open_setting(name: str | None, owner: int | None, scene: Scene) -> Reply:
    """The choices of a setting; every setting for none, or one that there no longer is."""
    setting = next((one for one in _SETTINGS if one == name), None)
    if setting is None:
        return _overview(scene, owner)
    chosen = scene.remembered
    kept = views.current(setting, chosen.language, chosen.preferences)
    labels = views.view_choices(scene.locale, setting, kept, _offered(scene)[setting])
    return Reply(
        text=views.view_setting(scene.locale, setting), keyboard=keyboards.choices(scene.locale, setting, labels, owner)
    )


def choose_setting(name: str, value: str | None, owner: int | None, scene: Scene) -> Reply:
    """Keep a value and show the settings with it; for a value that there no longer is, nothing to keep."""
    offered = _offered(scene)
    setting = next((one for one in _SETTINGS if one == name), None)
    if setting is None or (value is not None and value not in offered[setting]):
        return _overview(scene, owner)
    was = scene.remembered
    wishes = was.preferences
    match setting:
        case "language":
            was = replace(was, language=value)
        case "coin":
            wishes = replace(wishes, coin=value)
        case "currency":
            wishes = replace(wishes, currency=value)
        case "method":
            wishes = replace(wishes, method=next((method for method in METHODS if method == value), None))
        case _:
            wishes = replace(wishes, expert=value is not None)
    changed = replace(scene, remembered=replace(was, preferences=wishes))
    return replace(_overview(changed, owner), settings={setting: value})


def _overview(scene: Scene, owner: int | None) -> Reply:
    chosen = scene.remembered
    labels = views.view_names(scene.locale, chosen.language, chosen.preferences, _offered(scene))
    return Reply(text=views.view_settings(scene.locale), keyboard=keyboards.settings(labels, owner))


def _offered(scene: Scene) -> dict[Setting, tuple[str, ...]]:
    return {name: tuple(values) for name, values in views.options(scene.context.shop.coins, FIAT).items()}
