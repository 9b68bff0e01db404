"""Which messages are meant for the bot, and what they ask."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from telegram import Chat, Message, MessageEntity

from bot.reader.normalise import fold
from bot.telegram.handlers.context import DecideContext
from bot.telegram.handlers.places import STAND_INS, TELEGRAM

# Telegram takes "/prices?" and "/prices@bot, H100" for commands too, but no part of a path.
_COMMAND: Final = re.compile(r"/(\w{1,64})(?:@([A-Za-z0-9_]+))?(?![\w/<>@])[,.:;!?…]*\s*")


@dataclass(frozen=True, slots=True)
class Heard:
    """What a message asks: a command (lower case, without slash) with its arguments, or a text.

    The text is empty for messages without one in a private chat, and for a bare mention in a group.
    """

    text: str
    command: str | None = None


def hear(message: Message, context: DecideContext) -> Heard | None:
    """What a message asks of the bot, or None when the bot has to keep silent.

    In a private chat everything is for the bot but commands to another one; in a group commands, mentions of the
    bot and replies to it.
    """
    if not _from_a_person(message, context):
        return None
    mentions = _mentions(message, context)
    text = unicodedata.normalize("NFC", _without(message, mentions)).strip()
    private = message.chat.type == Chat.PRIVATE
    found = _COMMAND.match(text)
    name = _command_name(found[1], private=private) if found is not None else None
    if found is not None and name is not None:
        if found[2] is not None and found[2].casefold() != context.bot_username.casefold():
            return None
        return Heard(text[found.end() :].strip(), name)
    if private:
        return Heard(text)
    if mentions:
        return Heard(text or _quoted(message))
    return Heard(text) if text and _is_reply_to_bot(message, context) else None


def _command_name(typed: str, *, private: bool) -> str | None:
    """A command's name as it is known, or None where a word behind a slash is no command.

    Accents ("/métodos") end a command for Telegram, and with it in groups; a customer means the command.
    """
    name = fold(typed) if private else typed.lower()
    return name if name.isascii() else None


def has_text(message: Message) -> bool:
    """Whether a message has a text or a caption, be it an empty one."""
    return message.text is not None or message.caption is not None


def _from_a_person(message: Message, context: DecideContext) -> bool:
    """False for channels, other bots, the bot's own inline results and copies of a linked channel's posts."""
    user = message.from_user
    if message.chat.type == Chat.CHANNEL or user is None or message.is_automatic_forward or user.id == TELEGRAM:
        return False
    if message.via_bot is not None and message.via_bot.id == context.bot_id:
        return False
    return not user.is_bot or user.id in STAND_INS


def _is_reply_to_bot(message: Message, context: DecideContext) -> bool:
    replied = message.reply_to_message
    if replied is None or replied.from_user is None or replied.from_user.id != context.bot_id:
        return False
    # Every message of a topic replies to the service message that opened it, which may be the bot's.
    return replied.forum_topic_created is None


def _mentions(message: Message, context: DecideContext) -> list[MessageEntity]:
    name = f"@{context.bot_username}".casefold()
    units = _units(message)
    return [
        entity
        for entity in (message.entities if message.text is not None else message.caption_entities)
        if (entity.type == MessageEntity.MENTION and _text(units[_span(entity)]).casefold() == name)
        or (entity.type == MessageEntity.TEXT_MENTION and entity.user is not None and entity.user.id == context.bot_id)
    ]


def _without(message: Message, entities: list[MessageEntity]) -> str:
    units = _units(message)
    for entity in sorted(entities, key=lambda entity: -entity.offset):
        del units[_span(entity)]
    return _text(units)


# Entities count UTF-16 units.  Message.parse_entity does too, but can't cut text out, nor bear half a surrogate pair.


def _units(message: Message) -> bytearray:
    return bytearray((message.text or message.caption or "").encode("utf-16-le", "surrogatepass"))


def _span(entity: MessageEntity) -> slice:
    return slice(2 * entity.offset, 2 * (entity.offset + entity.length))


def _text(units: bytearray) -> str:
    return units.decode("utf-16-le", "replace")


def _quoted(message: Message) -> str:
    """The text that a bare mention points at: "@bot" in reply to somebody's question asks that question."""
    replied = message.reply_to_message
    if replied is None or (replied.from_user is not None and replied.from_user.is_bot):
        return ""
    return replied.text or replied.caption or ""
