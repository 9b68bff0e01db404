"""Presses of buttons.  The query is answered first: until then the button shows a spinner, and an answer that comes
late is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from telegram import CallbackQuery

from bot.reader.question import Question, Slots
from bot.render.i18n import SHIPPED
from bot.render.views import notices as view
from bot.render.views.steps import view_thanks
from bot.store.records import NewVote
from bot.telegram import keyboards
from bot.telegram.actions import Action, Call, Edit, Effects, Place, Remember, Remembered, Send
from bot.telegram.callbacks import (
    Ask,
    ChooseCoin,
    ChooseLanguage,
    ChooseSetting,
    Coins,
    Forget,
    OpenSetting,
    Person,
    Show,
    Unwatch,
    Vote,
    decode,
)
from bot.telegram.handlers import settings
from bot.telegram.handlers.context import DecideContext
from bot.telegram.handlers.places import destination, home, memory_key
from bot.telegram.handlers.replies import set_coin
from bot.telegram.handlers.scene import Reply, Scene
from bot.telegram.handlers.watching import remaining
from bot.telegram.markup import only_message


def on_callback_query(query: CallbackQuery, remembered: Remembered, context: DecideContext) -> Effects:
    """Do what a button says, for whoever may press it; say so when it is not ours or no longer known."""
    user = query.from_user
    place = home(user.id) if query.message is None else destination(query.message, user.id)
    scene = Scene(
        place=memory_key(place),
        remembered=remembered,
        history=(),  # a button asks the same whatever was asked before
        context=context,
        telegram_language=user.language_code,
    )
    press = decode(query.data)
    match press:
        case None:
            return _old(query, place, scene)
        case (
            ChooseLanguage(_, owner)
            | Forget(_, owner)
            | ChooseCoin(_, owner)
            | OpenSetting(_, owner)
            | ChooseSetting(_, _, owner)
        ) if owner not in (None, user.id):
            return Effects(actions=(_answer(query, view.view_foreign_button(scene.locale)),))
        case Ask(text):
            return _ask(query, place, scene, text)
        case Show(question, opened, details):
            reply = scene.answer(question, opened=opened, details=details)
            shown, asked = (_answer(query), *_edit(query, place, reply)), _asked(query, scene, reply)
            return Effects(actions=shown, remember=asked, wanted=reply.wanted)
        case Person():
            reply = scene.answer(Question(intent="human"))
            return Effects(actions=(_answer(query), _send(query, place, reply, scene)))
        case Vote(question, helped):
            vote = NewVote(message_id=_message_id(query), helped=helped, question=question)
            notice = _answer(query, view_thanks(scene.locale, helped))
            return Effects(actions=(notice,), remember=(Remember(place=scene.place, vote=vote),))
        case Coins(usd):
            reply = scene.answer(Question(intent="convert", slots=Slots(budget_usd=usd)))
            return Effects(actions=(_answer(query), _send(query, place, reply, scene)))
        case ChooseCoin(coin, _) if coin not in context.shop.coins:
            return _old(query, place, scene)
        case ChooseCoin(coin, owner):
            reply = set_coin(coin, scene)
            chosen = Remember(place=_memory(place, owner), settings=reply.settings)
            return Effects(actions=(_answer(query), *_edit(query, place, reply)), remember=(chosen,))
        case OpenSetting(name, owner):
            reply = settings.open_setting(name, owner, scene)
            return Effects(actions=(_answer(query), *_edit(query, place, reply)))
        case ChooseSetting(name, value, owner):
            reply = settings.choose_setting(name, value, owner, scene)
            if reply.settings is None:
                return _old(query, place, scene)
            chosen = Remember(place=_memory(place, owner), settings=reply.settings)
            return Effects(actions=(_answer(query), *_edit(query, place, reply)), remember=(chosen,))
        case Unwatch():
            reply = remaining(press, scene)
            dropped = (Remember(place=scene.place, unwatch=reply.unwatch),) if reply.unwatch is not None else ()
            return Effects(actions=(_answer(query), *_edit(query, place, reply)), remember=dropped)
        case ChooseLanguage(locale, owner):
            return _choose_language(query, place, scene, locale, owner)
        case Forget(sure, owner):
            return _forget(query, place, scene, sure, owner)


def _ask(query: CallbackQuery, place: Place, scene: Scene, text: str) -> Effects:
    reply = scene.ask(text)
    shown = Reply(text=view.view_asked(text, reply.text), keyboard=reply.keyboard)
    actions = _edit(query, place, shown) if query.message is None else (_send(query, place, shown, scene),)
    return Effects(actions=(_answer(query), *actions), remember=_asked(query, scene, reply), wanted=reply.wanted)


def _asked(query: CallbackQuery, scene: Scene, reply: Reply) -> tuple[Remember, ...]:
    """What was asked by a press goes on the conversation; a reply to the message refers to it."""
    if reply.question is None:
        return ()
    return (Remember(place=scene.place, question=reply.question, message_id=_message_id(query)),)


def _message_id(query: CallbackQuery) -> int | None:
    return None if query.message is None else query.message.message_id


def _choose_language(
    query: CallbackQuery, place: Place, scene: Scene, locale: str | None, owner: int | None
) -> Effects:
    if locale is not None and locale not in SHIPPED:
        return _old(query, place, scene)
    scene = replace(scene, remembered=replace(scene.remembered, language=locale))
    reply = Reply(text=view.view_language_set(scene.locale, locale))
    remember = Remember(place=_memory(place, owner), settings={"language": locale})
    return Effects(actions=(_answer(query), *_edit(query, place, reply)), remember=(remember,))


def _forget(query: CallbackQuery, place: Place, scene: Scene, sure: bool, owner: int | None) -> Effects:
    reply = Reply(text=view.view_forgotten(scene.locale) if sure else view.view_kept(scene.locale))
    remember = (Remember(place=_memory(place, owner), forget=True),) if sure else ()
    return Effects(actions=(_answer(query), *_edit(query, place, reply)), remember=remember)


def _old(query: CallbackQuery, place: Place, scene: Scene) -> Effects:
    """A press that this version does not know: in a private chat with a fresh start beside the notice."""
    notice = _answer(query, view.view_old_button(scene.locale))
    if query.message is None or not scene.private:
        return Effects(actions=(notice,))
    fresh = Reply(text=view.view_fresh_start(scene.locale), keyboard=keyboards.examples(scene.locale))
    return Effects(actions=(notice, _send(query, place, fresh, scene)))


def _memory(place: Place, owner: int | None) -> Place:
    """Whose memory a button changes: its owner's, which for anonymous senders is the one they share."""
    return memory_key(replace(place, user_id=owner))


def _answer(query: CallbackQuery, text: str | None = None) -> Call:
    params: dict[str, Any] = {"callback_query_id": query.id}
    if text is not None:
        params["text"] = text
    return Call(method="answerCallbackQuery", params=params)


def _send(query: CallbackQuery, place: Place, reply: Reply, scene: Scene) -> Send:
    reply_to = None if scene.private or query.message is None else query.message.message_id
    return Send(
        place=place,
        html=reply.text.html,
        plain=reply.text.plain,
        reply_to=reply_to,
        keyboard=reply.keyboard,
        # What a reply to this answer refers to was asked by the press.
        answers=_message_id(query),
    )


def _edit(query: CallbackQuery, place: Place, reply: Reply) -> tuple[Action, ...]:
    """Put a reply in the stead of the message with the button, where Telegram still lets the bot change that."""
    message = query.message
    if message is not None and message.is_accessible:
        return (
            Edit(
                place=place,
                message_id=message.message_id,
                html=reply.text.html,
                plain=reply.text.plain,
                keyboard=reply.keyboard,
            ),
        )
    if message is not None:
        return (Send(place=place, html=reply.text.html, plain=reply.text.plain, keyboard=reply.keyboard),)
    if query.inline_message_id is None:
        return ()
    # Sent by a user through inline mode: the chat is not known, the message can only be edited by its own id.
    params: dict[str, Any] = {"inline_message_id": query.inline_message_id, **only_message(reply.text, "text")}
    if reply.keyboard is not None:
        params["reply_markup"] = reply.keyboard
    return (Call(method="editMessageText", params=params),)
