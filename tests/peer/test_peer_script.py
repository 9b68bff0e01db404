"""Faults that a test orders happen to the calls it means, once each."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from telegram import Bot
from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, NetworkError, RetryAfter, TimedOut

from peer import BotApi, Outcome, error, hang, http, perform_then_reset, reset, slow


@pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")
@pytest.mark.parametrize(
    ("outcome", "kind", "performed"),
    [
        (error(429, "Too Many Requests: retry after 1", retry_after=1), RetryAfter, False),
        (error(400, "Bad Request: can't parse entities: wrong"), BadRequest, False),
        (error(400, "Bad Request: group chat was upgraded", migrate_to_chat_id=-1001), ChatMigrated, False),
        (error(403, "Forbidden: bot was blocked by the user"), Forbidden, False),
        (error(409, "Conflict: terminated by other getUpdates request"), Conflict, False),
        (http(502, b"<html>Bad Gateway</html>"), NetworkError, False),
        (hang(30), TimedOut, False),
        (reset(), NetworkError, False),
        (perform_then_reset(), NetworkError, True),
        (slow(30), TimedOut, True),
    ],
    ids=lambda value: str(getattr(value, "label", "")),
)
async def test_an_ordered_outcome_happens_once(
    api: BotApi, bot: Bot, client: Callable[..., Bot], outcome: Outcome, kind: type[Exception], performed: bool
) -> None:
    api.script("sendMessage", outcome)
    async with client(read_timeout=0.2 if kind is TimedOut else 5) as impatient:
        with pytest.raises(kind) as caught:
            await impatient.send_message(7, "first")
        assert type(caught.value) is kind
    await bot.send_message(7, "second")
    assert [message["text"] for message in api.chat(7)] == ["first", "second"][not performed :]
    assert [call.answered for call in api.called("sendMessage")] == [outcome.label, "ok"]


async def test_orders_are_kept_for_their_chat_and_number_of_times(api: BotApi, bot: Bot) -> None:
    api.script("sendMessage", error(403, "Forbidden: bot was blocked by the user"), chat=7, times=2)
    api.script("sendMessage", slow(0.2), chat=8)
    await bot.send_message(1, "not meant")
    await bot.edit_message_text("not meant either", 1, 1)
    for _ in range(2):
        with pytest.raises(Forbidden):
            await bot.send_message(7, "x")
    await bot.send_message(7, "y")
    started = time.monotonic()
    await bot.send_message(8, "late")
    assert time.monotonic() - started >= 0.2
    assert [message["text"] for message in api.chat(7)] == ["y"]


async def test_polls_and_webhook_answers_follow_the_script_too(api: BotApi, bot: Bot) -> None:
    api.script("getUpdates", error(409, "Conflict: terminated by other getUpdates request"), times=2)
    api.say("kept")
    for _ in range(2):
        with pytest.raises(Conflict):
            await bot.get_updates()
    assert len(await bot.get_updates()) == 1
    api.script("sendMessage", reset())
    api._perform_in_answer("sendMessage", {"chat_id": "1", "text": "lost"})
    assert api.chat(1) == []
