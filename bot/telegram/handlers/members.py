"""Changes of the bot's own standing in a chat."""

from __future__ import annotations

from telegram import ChatMember, ChatMemberRestricted, ChatMemberUpdated

from bot.telegram.actions import Effects, Remembered
from bot.telegram.handlers.context import DecideContext


def on_my_chat_member(change: ChatMemberUpdated, _remembered: Remembered, _context: DecideContext) -> Effects:
    """Note whether messages still reach a chat: a user blocked the bot, or a group put it out or muted it."""
    member = change.new_chat_member
    reachable = member.status not in (ChatMember.LEFT, ChatMember.BANNED)
    if isinstance(member, ChatMemberRestricted):
        reachable = member.is_member and member.can_send_messages
    return Effects(reachable=(change.chat.id, reachable))
