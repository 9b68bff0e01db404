"""Where a message comes from, where its answer goes, and under which key its conversation is kept."""

from __future__ import annotations

from typing import Final

from telegram import Chat, MaybeInaccessibleMessage, Message, Update

from bot.telegram.actions import Place

#: Telegram's stand-ins for senders that are not shown: the admin of a group, and a channel that writes in one.
ANONYMOUS_ADMIN: Final = 1087968824
CHANNEL_SENDER: Final = 136817688
#: Telegram itself: posts of a linked channel, copied into its group.
TELEGRAM: Final = 777000
STAND_INS: Final = (ANONYMOUS_ADMIN, CHANNEL_SENDER, TELEGRAM)


def place_of(update: Update) -> Place | None:
    """The key of the memory that an update's handling reads, or None when it needs none.

    An inline query, and a press on a message sent through one, share the memory of the user's private chat.
    """
    if update.inline_query is not None:
        return home(update.inline_query.from_user.id)
    query = update.callback_query
    if query is not None:
        user = query.from_user.id
        return home(user) if query.message is None else memory_key(destination(query.message, user))
    message = update.message or update.edited_message
    if message is None or message.chat.type == Chat.CHANNEL:
        return None
    return memory_key(destination(message, sender(message)))


def home(user_id: int) -> Place:
    """A user's private chat with the bot, whose id is the user's."""
    return Place(user_id, None, user_id)


def memory_key(place: Place) -> Place:
    """The key of a place's memory: a private chat has one (ids of all other chats are negative), a group one for each
    topic and user."""
    return place if place.chat_id < 0 else home(place.chat_id)


def destination(message: MaybeInaccessibleMessage, user_id: int | None) -> Place:
    """Where an answer to a message goes.

    Replies outside topics and in the General topic carry a thread id that sends refuse: only ``is_topic_message``
    tells a topic.
    """
    topic = message.message_thread_id if isinstance(message, Message) and message.is_topic_message else None
    return Place(message.chat.id, topic, user_id)


def sender(message: Message) -> int | None:
    """The user who wrote a message, or None for an anonymous sender (an admin as the group, a channel)."""
    user = message.from_user
    return None if user is None or user.id in STAND_INS or message.sender_chat is not None else user.id
