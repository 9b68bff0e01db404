"""Inline queries: the answer to what is typed after the bot's name in any chat, as articles to send there."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from telegram import InlineQuery

from bot.reader.question import Question
from bot.render.text import Text
from bot.render.views import notices as view
from bot.render.views.commands import view_examples
from bot.telegram.actions import Call, Effects, Remembered
from bot.telegram.handlers.context import DecideContext
from bot.telegram.handlers.places import home
from bot.telegram.handlers.scene import Scene
from bot.telegram.markup import only_message

#: Clients cut a query at this length.
MAX_QUERY: Final = 256
#: Seconds for which Telegram may show the same results to the same user.
CACHE_SECONDS: Final = 30


def on_inline_query(query: InlineQuery, remembered: Remembered, context: DecideContext) -> Effects:
    """Answer a query, also an empty one: the spinner stays until it is answered."""
    user = query.from_user
    scene = Scene(
        place=home(user.id),
        remembered=remembered,
        history=(),
        context=context,
        telegram_language=user.language_code,
    )
    articles = [] if query.offset else _articles(query.query.strip(), scene)
    params: dict[str, Any] = {
        "inline_query_id": query.id,
        "results": articles,
        "cache_time": CACHE_SECONDS,
        "is_personal": True,
    }
    if len(query.query) >= MAX_QUERY:
        params["button"] = {"text": view.view_cut_query(scene.locale, MAX_QUERY), "start_parameter": "cut"}
    return Effects(actions=(Call(method="answerInlineQuery", params=params),))


def _articles(text: str, scene: Scene) -> list[dict[str, Any]]:
    """The answer where there is one, then the price list, then the examples where there was none."""
    found: dict[str, dict[str, Any]] = {}

    def add(title: str, answer: Text, asked: str = "") -> None:
        article = _article(title, view.view_asked(asked, answer) if asked else answer, view.summary(answer), scene)
        found.setdefault(article["id"], article)

    asked = scene.ask(text) if text else None
    answered = asked is not None and asked.question is not None and asked.question.understood
    if asked is not None and answered:
        add(text, asked.text, text)
    add(view.view_price_list_title(scene.locale), scene.answer(Question(intent="price")).text)
    if not answered:
        for example in view_examples(scene.locale):
            add(example, scene.ask(example).text, example)
    return list(found.values())


def _article(title: str, content: Text, description: str, scene: Scene) -> dict[str, Any]:
    """One result.  Its id stands for content and prices, so that equal results are one and changed ones are new."""
    version = f"{scene.context.shop.prices.as_of}\n{content.html}"
    return {
        "type": "article",
        "id": hashlib.sha256(version.encode()).hexdigest()[:32],
        "title": view.shorten(title, 100) or "?",
        "description": description,
        "input_message_content": only_message(content, "message_text"),
    }
