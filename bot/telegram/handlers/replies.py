"""What the bot replies to texts and commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bot.reader.question import COINS, Question, Slots
from bot.reader.read import read
from bot.render.views import commands, notices
from bot.store.records import KEPT_QUESTIONS, KEPT_VOTES_DAYS
from bot.telegram import keyboards
from bot.telegram.handlers import watching
from bot.telegram.handlers.hearing import Heard
from bot.telegram.handlers.scene import Reply, Scene
from bot.telegram.handlers.settings import show_settings

_PAYLOAD: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: Intents of texts that ask for nothing that a link or a command could show.
_NO_QUESTION: Final = ("smalltalk", "unsupported", "human")


def reply_to(heard: Heard, scene: Scene) -> Reply | None:
    """The reply to a text or a command; None for an unknown command in a group, which may be another bot's."""
    if heard.command is None:
        if not heard.text:
            return show_help("", scene)
        return watching.watch_in_words(heard.text, scene) or scene.ask(heard.text)
    command = COMMANDS.get(ALIASES.get(heard.command, heard.command))
    if command is not None:
        return command(heard.text, scene)
    if not scene.private:
        return None
    return Reply(text=commands.view_help(scene.locale, scene.context.bot_username, unknown=heard.command))


def show_help(_arguments: str, scene: Scene) -> Reply:
    """What the bot can do, and how to ask it in a group."""
    return Reply(text=commands.view_help(scene.locale, scene.context.bot_username))


def _start(arguments: str, scene: Scene) -> Reply:
    """Welcome, or the answer to what a start link asks ("70b_lora"), whose characters are few."""
    if _PAYLOAD.fullmatch(arguments):
        question = read(arguments.replace("_", " "))
        if question.understood and question.intent not in _NO_QUESTION:
            # The link's words are not the user's: they don't tell in which language to answer.
            return scene.answer(replace(question, lang=None))
    return Reply(text=commands.view_welcome(scene.locale), keyboard=keyboards.examples(scene.locale))


def _plan(arguments: str, scene: Scene) -> Reply:
    return scene.ask(arguments) if arguments else _usage("plan", scene)


def _prices(arguments: str, scene: Scene) -> Reply:
    """The price list, or one GPU's prices whatever the rest of the text would be taken for; the list, too, where the
    text asks for nothing."""
    if not arguments:
        return scene.answer(Question(intent="price"))
    question = read(arguments)
    gpu = question.slots.gpu
    if gpu is None and not question.slots.gpus:
        asks = question.understood and question.intent not in _NO_QUESTION
        return scene.ask(arguments) if asks else scene.answer(Question(intent="price", lang=question.lang))
    slots = Slots(gpu=gpu, gpus=question.slots.gpus, count=question.slots.count, coin=question.slots.coin)
    return scene.answer(replace(question, intent="price", slots=slots))


def _compare(arguments: str, scene: Scene) -> Reply:
    """Two of anything: configurations, GPUs or methods."""
    if not arguments:
        return _usage("compare", scene)
    # "70B lora qlora" names two methods only to who knows that it compares.
    for question in (read(arguments), read(f"vs {arguments}")):
        if len(question.slots.gpus) > 1 or len(question.slots.methods) > 1:
            return scene.answer(replace(question, intent="compare"))
    return scene.ask(arguments)


def _cost(arguments: str, scene: Scene) -> Reply:
    return scene.ask(arguments) if arguments else _usage("cost", scene)


def _language(arguments: str, scene: Scene) -> Reply:
    """Set a locale by its code or name, or offer those there are."""
    owner = scene.place.user_id
    locale = notices.named_locale(arguments) if arguments else None
    if locale is not None:
        return Reply(text=notices.view_language_set(locale, locale), settings={"language": locale})
    chosen = scene.remembered.language
    return Reply(
        text=notices.view_language(scene.locale, chosen, unknown=bool(arguments)),
        keyboard=keyboards.languages(scene.locale, chosen, owner),
    )


def _convert(arguments: str, scene: Scene) -> Reply:
    """An amount in dollars, a coin or a currency into the coin that is named last, into dollars, or into every coin."""
    question = read(arguments)
    slots = question.slots
    if slots.budget_usd is None and slots.budget is None:
        return _usage("convert", scene)
    last = arguments.upper().split()[-1]
    coin = next((name for name in COINS if name == last), slots.coin)
    money = Slots(budget_usd=slots.budget_usd, budget=slots.budget, currency=slots.currency, coin=coin)
    return scene.answer(replace(question, intent="convert", slots=money))


def _coin(arguments: str, scene: Scene) -> Reply:
    """Choose the coin that amounts are shown in, or offer those that the shop takes."""
    names = scene.context.shop.coins
    wanted = next((name for name in names if name == arguments.strip().upper()), read(arguments).slots.coin)
    if wanted in names:
        return set_coin(str(wanted), scene)
    chosen = scene.remembered.preferences.coin
    return Reply(
        text=commands.view_coin(scene.locale, chosen), keyboard=keyboards.coins(names, chosen, scene.place.user_id)
    )


def set_coin(coin: str, scene: Scene) -> Reply:
    """Keep the coin."""
    return Reply(text=commands.view_coin_set(scene.locale, coin), settings={"coin": coin})


def _usage(command: str, scene: Scene) -> Reply:
    return Reply(text=commands.view_usage(scene.locale, command))


COMMANDS: Final[dict[str, Callable[[str, Scene], Reply]]] = {
    "start": _start,
    "help": show_help,
    "plan": _plan,
    "prices": _prices,
    "gpus": lambda _, scene: Reply(text=commands.view_gpus(scene.locale, scene.context.shop, scene.context.now.date())),
    "compare": _compare,
    "cost": _cost,
    "methods": lambda _, scene: Reply(text=commands.view_methods(scene.locale)),
    "sources": lambda _, scene: Reply(text=commands.view_sources(scene.locale, scene.context.shop)),
    "convert": _convert,
    "coin": _coin,
    "watch": watching.watch,
    "watches": watching.watches,
    "unwatch": watching.unwatch,
    "language": _language,
    "settings": show_settings,
    "privacy": lambda _, scene: Reply(
        text=notices.view_privacy(scene.locale, scene.context.memory_days, KEPT_QUESTIONS, KEPT_VOTES_DAYS)
    ),
    "forget": lambda _, scene: Reply(
        text=notices.view_forget(scene.locale), keyboard=keyboards.forget(scene.locale, scene.place.user_id)
    ),
    "person": lambda _, scene: scene.answer(Question(intent="human")),
}

#: What customers type for them in the languages of the shop, and what Telegram's own menus offer.
ALIASES: Final[dict[str, str]] = {
    **watching.ALIASES,
    "ajustes": "settings", "configuracoes": "settings", "configuracion": "settings",
    "idioma": "language", "lang": "language",
    "ajuda": "help", "ayuda": "help",
    "plano": "plan", "planejar": "plan",
    "precos": "prices", "precios": "prices", "price": "prices",
    "comparar": "compare", "custo": "cost",
    "converter": "convert", "convertir": "convert", "moeda": "coin", "moneda": "coin",
    "costo": "cost",
    "metodos": "methods", "fontes": "sources", "fuentes": "sources",
    "privacidade": "privacy", "privacidad": "privacy",
    "esquecer": "forget", "olvidar": "forget",
    "aide": "help", "prix": "prices", "comparer": "compare", "cout": "cost", "langue": "language",
    "methodes": "methods", "confidentialite": "privacy", "oublier": "forget", "personne": "person",
    "hilfe": "help", "preise": "prices", "vergleich": "compare", "kosten": "cost", "sprache": "language",
    "methoden": "methods", "quellen": "sources", "datenschutz": "privacy", "mensch": "person",
    "aiuto": "help", "prezzi": "prices", "confronta": "compare", "lingua": "language",
    "metodi": "methods", "fonti": "sources", "cancella": "forget",
    "pessoa": "person", "persona": "person", "human": "person", "support": "person",
}  # fmt: skip
