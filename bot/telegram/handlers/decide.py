"""The one entry: which handler takes which kind of update."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from telegram import Chat, Update

from bot.render.i18n import Voice, choose_locale
from bot.render.views.notices import shorten, view_failure
from bot.telegram.actions import Call, Effects, Kind, Remembered, Send
from bot.telegram.handlers.buttons import on_callback_query
from bot.telegram.handlers.context import DecideContext
from bot.telegram.handlers.inline import on_inline_query
from bot.telegram.handlers.members import on_my_chat_member
from bot.telegram.handlers.messages import on_edited_message, on_message
from bot.telegram.handlers.places import home, place_of

HANDLERS: Final[dict[Kind, Callable[[Any, Remembered, DecideContext], Effects]]] = {
    "message": on_message,
    "edited_message": on_edited_message,
    "callback_query": on_callback_query,
    "inline_query": on_inline_query,
    "my_chat_member": on_my_chat_member,
}

#: The kinds of update to ask Telegram for, which remembers the last list it was given.
ALLOWED_UPDATES: Final[tuple[Kind, ...]] = tuple(HANDLERS)


def decide(update: Update, remembered: Remembered, context: DecideContext) -> Effects:
    """Everything that an update leads to.  Kinds that no handler takes lead to nothing."""
    for kind, handle in HANDLERS.items():
        content = getattr(update, kind)
        if content is not None:
            return _noting_reach(update, remembered, handle(content, remembered, context))
    return Effects()


def failure(update: Update, remembered: Remembered, context: DecideContext) -> Effects:
    """What is left to say when deciding failed: in a private chat and to a button, that it was our fault."""
    user = update.effective_user
    voice = Voice(
        chosen=remembered.language,
        telegram=user.language_code if user is not None else None,
        default=context.default_locale,
    )
    text = view_failure(choose_locale(None, voice), context.shop.links.support_contact)
    message, query, inline = update.message, update.callback_query, update.inline_query
    if message is not None and message.chat.type == Chat.PRIVATE:
        place = home(message.chat.id)
        return Effects(actions=(Send(place=place, html=text.html, plain=text.plain, answers=message.message_id),))
    if query is not None:
        params = {"callback_query_id": query.id, "text": shorten(text.plain, 200)}
        return Effects(actions=(Call(method="answerCallbackQuery", params=params),))
    if inline is not None:
        nothing = {"inline_query_id": inline.id, "results": [], "cache_time": 0, "is_personal": True}
        return Effects(actions=(Call(method="answerInlineQuery", params=nothing),))
    return Effects()


def _noting_reach(update: Update, remembered: Remembered, effects: Effects) -> Effects:
    """Whoever writes to the bot can be reached again, also when the update that said so was missed."""
    place = place_of(update)
    if remembered.reachable or place is None or update.inline_query is not None:
        return effects
    return replace(effects, reachable=(place.chat_id, True))
