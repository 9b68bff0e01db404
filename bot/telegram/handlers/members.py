"""Changes of the bot's own standing in a chat."""

from __future__ import annotations

from dataclasses import replace

from telegram import Chat, ChatMember, ChatMemberRestricted, ChatMemberUpdated

from bot.render.i18n import Voice, choose_locale
from bot.render.views.commands import view_group_welcome
from bot.telegram.actions import Effects, Place, Remembered, Send
from bot.telegram.handlers.context import DecideContext

_OUT = (ChatMember.LEFT, ChatMember.BANNED)


def on_my_chat_member(change: ChatMemberUpdated, _remembered: Remembered, context: DecideContext) -> Effects:
    """Note whether messages still reach a chat: a user blocked the bot, or a group put it out or muted it.

    A group that it was put into is told how to ask.
    """
    member = change.new_chat_member
    reachable = member.status not in _OUT
    if isinstance(member, ChatMemberRestricted):
        reachable = member.is_member and member.can_send_messages
    effects = Effects(reachable=(change.chat.id, reachable))
    new = reachable and change.old_chat_member.status in _OUT
    if not new or change.chat.type not in (Chat.GROUP, Chat.SUPERGROUP):
        return effects
    voice = Voice(telegram=change.from_user.language_code, default=context.default_locale)
    text = view_group_welcome(choose_locale(None, voice), context.bot_username)
    return replace(effects, actions=(Send(place=Place(change.chat.id, None, None), html=text.html, plain=text.plain),))
