"""New and edited messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from telegram import Message

from bot.render.views.notices import Unread, view_unread
from bot.telegram.actions import Action, Album, Edit, Effects, Remember, Remembered, Send
from bot.telegram.handlers.context import DecideContext
from bot.telegram.handlers.hearing import has_text, hear
from bot.telegram.handlers.places import destination, memory_key, sender
from bot.telegram.handlers.replies import reply_to, show_help
from bot.telegram.handlers.scene import Reply, Scene

#: What a message holds when it holds no text, by the field of the Bot API.
UNREAD: Final[dict[str, Unread]] = {
    "voice": "sound",
    "audio": "sound",
    "video_note": "sound",
    "photo": "picture",
    "video": "picture",
    "animation": "picture",
    "live_photo": "picture",
    "paid_media": "picture",
    "story": "picture",
    "sticker": "sticker",
    "dice": "sticker",
    "document": "file",
    "contact": "personal",
    "location": "personal",
    "venue": "personal",
    "poll": "other",
    "checklist": "other",
    "game": "other",
    "invoice": "other",
    "giveaway": "other",
    "rich_message": "other",
}


def on_message(message: Message, remembered: Remembered, context: DecideContext) -> Effects:
    """Answer a new message, or follow a group that became a supergroup."""
    if message.migrate_to_chat_id is not None:
        return Effects(moved=(message.chat.id, message.migrate_to_chat_id))
    if message.migrate_from_chat_id is not None:
        return Effects(moved=(message.migrate_from_chat_id, message.chat.id))
    scene = _scene(message, remembered, context)
    reply = _reply(message, scene)
    if reply is None:
        return Effects()
    send = Send(
        place=destination(message, scene.place.user_id),
        html=reply.text.html,
        plain=reply.text.plain,
        reply_to=None if scene.private else message.message_id,
        keyboard=reply.keyboard,
        answers=message.message_id,
        album=_album(message),
    )
    return _effects(send, message, scene, reply)


def on_edited_message(message: Message, remembered: Remembered, context: DecideContext) -> Effects:
    """Correct the answer to a message that was edited.

    Only what was answered is: an edit never makes the bot speak up.  Without a text there is nothing to correct; such
    edits come with every step of a live location.
    """
    if message.message_id not in (remembered.answered or {}) or not has_text(message):
        return Effects()
    scene = _scene(message, _before(message.message_id, remembered), context)
    reply = _reply(message, scene)
    if reply is None:
        return Effects()
    edit = Edit(
        place=destination(message, scene.place.user_id),
        message_id=None,
        html=reply.text.html,
        plain=reply.text.plain,
        keyboard=reply.keyboard,
        answers=message.message_id,
    )
    return _effects(edit, message, scene, reply, edited=True)


def _scene(message: Message, remembered: Remembered, context: DecideContext) -> Scene:
    user = message.from_user
    return Scene(
        place=memory_key(destination(message, sender(message))),
        remembered=remembered,
        # In reply to an answer, what its asker had asked until then: in a group that may be somebody else.
        history=remembered.questions if remembered.quoted is None else remembered.quoted,
        context=context,
        telegram_language=user.language_code if user is not None else None,
    )


def _before(message_id: int, remembered: Remembered) -> Remembered:
    """What was known before a message: its edit is read with the memory that it was first read with."""
    ids = remembered.question_ids or (None,) * len(remembered.questions)
    asked = [
        (question, asked_in)
        for question, asked_in in zip(remembered.questions, ids, strict=True)
        if asked_in is None or asked_in < message_id
    ]
    return replace(
        remembered,
        watches=tuple(one for one in remembered.watches if one.message_id != message_id),
        questions=tuple(question for question, _id in asked),
        question_ids=tuple(asked_in for _question, asked_in in asked),
    )


def _reply(message: Message, scene: Scene) -> Reply | None:
    heard = hear(message, scene.context)
    if heard is None:
        return None
    if heard.text or heard.command is not None:
        return reply_to(heard, scene)
    if not scene.private:
        return show_help("", scene)
    unread = _unread(message)
    return None if unread is None else Reply(text=view_unread(scene.locale, unread))


def _unread(message: Message) -> Unread | None:
    """What kind of content the bot cannot read, or None for service messages."""
    if has_text(message):
        return "nothing"
    # What python-telegram-bot does not know yet stands in api_kwargs.
    return next(
        (kind for name, kind in UNREAD.items() if getattr(message, name, None) or name in message.api_kwargs), None
    )


def _album(message: Message) -> Album | None:
    if message.media_group_id is None:
        return None
    return Album(id=message.media_group_id[:40], fallback=not has_text(message))


def _effects(action: Action, message: Message, scene: Scene, reply: Reply, *, edited: bool = False) -> Effects:
    """What a reply leads to.  An edited message takes back the watch that it set, whatever it says now."""
    changes = (reply.question, reply.settings, reply.watch, reply.unwatch)
    if not edited and all(change is None for change in changes):
        return Effects(actions=(action,), wanted=reply.wanted)
    remember = Remember(
        place=scene.place,
        question=reply.question,
        message_id=message.message_id,
        settings=reply.settings,
        watch=reply.watch,
        unwatch=reply.unwatch,
    )
    return Effects(actions=(action,), remember=(remember,), wanted=reply.wanted)
