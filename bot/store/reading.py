"""What the handling of updates reads, for many updates in a few statements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import bindparam, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.reader.preferences import Preferences
from bot.reader.question import Question
from bot.store.records import KEPT_QUESTIONS, Found, KeptWatch, Lookup, Place, Remembered, question_from_json
from bot.store.tables import NONE, chats, outbox, places, questions, updates
from bot.store.watches import kept_watches
from planner.query import METHODS

_Key = tuple[int, int, int]

_HANDLED: Final = select(updates.c.update_id).where(
    updates.c.bot_id == bindparam("bot"), updates.c.update_id.in_(bindparam("ids", expanding=True))
)
_SETTINGS: Final = select(places).where(
    tuple_(places.c.chat_id, places.c.thread_id, places.c.user_id).in_(bindparam("keys", expanding=True))
)
_QUESTIONS: Final = (
    select(questions)
    .where(
        tuple_(questions.c.chat_id, questions.c.thread_id, questions.c.user_id).in_(bindparam("keys", expanding=True)),
        questions.c.asked_at > bindparam("since"),
    )
    .order_by(questions.c.id)
)
#: The latest question that came from a message, or that the message answers.
_ANCHOR: Final = (
    select(questions.c.id, questions.c.thread_id, questions.c.user_id)
    .where(
        questions.c.chat_id == bindparam("chat"),
        questions.c.asked_at > bindparam("since"),
        or_(
            questions.c.message_id == bindparam("replied"),
            questions.c.message_id.in_(
                select(outbox.c.answers).where(
                    outbox.c.bot_id == bindparam("bot"),
                    outbox.c.chat_id == bindparam("chat"),
                    outbox.c.message_id == bindparam("replied"),
                )
            ),
        ),
    )
    .order_by(questions.c.id.desc())
    .limit(1)
)
_UP_TO: Final = (
    select(questions.c.question)
    .where(
        questions.c.chat_id == bindparam("chat"),
        questions.c.thread_id == bindparam("thread"),
        questions.c.user_id == bindparam("user"),
        questions.c.id <= bindparam("last"),
        questions.c.asked_at > bindparam("since"),
    )
    .order_by(questions.c.id.desc())
    .limit(KEPT_QUESTIONS)
)
_UNREACHABLE: Final = select(chats.c.chat_id).where(
    chats.c.chat_id.in_(bindparam("ids", expanding=True)), chats.c.reachable.is_(False)
)


def key_of(place: Place) -> _Key:
    """A place as the tables hold it."""
    return place.chat_id, place.thread_id or NONE, place.user_id or NONE


async def look_up(connection: AsyncConnection, bot_id: int, lookups: Sequence[Lookup], since: datetime) -> list[Found]:
    """What is known for each update; questions asked before ``since`` have expired."""
    keys = list({key_of(item.place) for item in lookups if item.place is not None})
    ids = [item.update_id for item in lookups]
    handled = set((await connection.execute(_HANDLED, {"bot": bot_id, "ids": ids})).scalars())
    settings: dict[_Key, dict[str, Any]] = {}
    asked: dict[_Key, list[tuple[Question, int | None]]] = {}
    unreachable: set[int] = set()
    if keys:
        for row in await connection.execute(_SETTINGS, {"keys": keys}):
            settings[(row.chat_id, row.thread_id, row.user_id)] = json.loads(row.settings)
        for row in await connection.execute(_QUESTIONS, {"keys": keys, "since": since}):
            question = question_from_json(row.question)
            if question is not None:
                asked.setdefault((row.chat_id, row.thread_id, row.user_id), []).append((question, row.message_id))
        unreachable.update((await connection.execute(_UNREACHABLE, {"ids": list({key[0] for key in keys})})).scalars())
    answered = await _answered(connection, bot_id, lookups)
    quoted = await _quoted(connection, bot_id, lookups, since)
    threads = {key_of(item.place)[:2] for item in lookups if item.place is not None and item.watches}
    watched = await kept_watches(connection, bot_id, threads) if threads else {}
    return [_found(item, handled, settings, asked, unreachable, answered, quoted, watched) for item in lookups]


def _found(
    item: Lookup,
    handled: set[int],
    settings: dict[_Key, dict[str, Any]],
    asked: dict[_Key, list[tuple[Question, int | None]]],
    unreachable: set[int],
    answered: dict[int, dict[int, tuple[int, ...]]],
    quoted: dict[int, tuple[Question, ...]],
    watched: dict[tuple[int, int], tuple[KeptWatch, ...]],
) -> Found:
    if item.place is None:
        return Found(item.update_id in handled, Remembered())
    key = key_of(item.place)
    chosen = settings.get(key, {})
    kept = asked.get(key, [])[-KEPT_QUESTIONS:]
    return Found(
        item.update_id in handled,
        Remembered(
            questions=tuple(question for question, _id in kept),
            question_ids=tuple(message_id for _question, message_id in kept),
            answered=answered.get(item.update_id),
            quoted=quoted.get(item.update_id),
            language=chosen.get("language"),
            preferences=_preferences(chosen),
            reachable=item.place.chat_id not in unreachable,
            watches=watched.get(key[:2], ()),
        ),
    )


def _preferences(chosen: dict[str, Any]) -> Preferences:
    """What was chosen; a value that an older version kept and this one does not know is as good as none."""
    method = chosen.get("method")
    return Preferences(
        coin=chosen.get("coin"),
        currency=chosen.get("currency"),
        method=method if method in METHODS else None,
        expert=chosen.get("detail") == "expert",
    )


async def _answered(
    connection: AsyncConnection, bot_id: int, lookups: Sequence[Lookup]
) -> dict[int, dict[int, tuple[int, ...]]]:
    """Per update that edits: the user's message, and the bot's messages that answered it."""
    found: dict[int, dict[int, tuple[int, ...]]] = {}
    for item in lookups:
        if item.place is None or item.edited is None:
            continue
        rows = await connection.execute(
            select(outbox.c.answers, outbox.c.message_id)
            .where(
                outbox.c.bot_id == bot_id,
                outbox.c.chat_id == item.place.chat_id,
                outbox.c.answers == item.edited,
                outbox.c.state != "failed",
            )
            .order_by(outbox.c.id)
        )
        mine = found.setdefault(item.update_id, {})
        for answers, message_id in rows:
            # A later edit of an answer keeps its message: each id once.
            ids = mine.get(answers, ())
            mine[answers] = ids if message_id is None or message_id in ids else (*ids, message_id)
    return found


async def _quoted(
    connection: AsyncConnection, bot_id: int, lookups: Sequence[Lookup], since: datetime
) -> dict[int, tuple[Question, ...]]:
    """Per update that replies to a question or its answer: the asking user's questions up to it, oldest first.

    A press of a button asks too: its question came from the message with the button.
    """
    found: dict[int, tuple[Question, ...]] = {}
    for item in lookups:
        if item.place is None or item.replied is None:
            continue
        values = {"bot": bot_id, "chat": item.place.chat_id, "replied": item.replied, "since": since}
        anchor = (await connection.execute(_ANCHOR, values)).first()
        if anchor is None:
            continue
        same = {"chat": item.place.chat_id, "thread": anchor.thread_id, "user": anchor.user_id, "last": anchor.id}
        rows = (await connection.execute(_UP_TO, {**same, "since": since})).scalars()
        known = [question_from_json(row) for row in rows]
        found[item.update_id] = tuple(question for question in reversed(known) if question is not None)
    return found


async def is_recorded(connection: AsyncConnection, bot_id: int, key: str) -> bool:
    """Whether a letter with this key is there."""
    found = await connection.execute(select(outbox.c.id).where(outbox.c.key == f"{bot_id}.{key}"))
    return found.scalar() is not None


async def answers_sent(connection: AsyncConnection, bot_id: int, chat_id: int, answers: int, before: int) -> list[int]:
    """The bot's messages that answer a user's message, as sent by letters older than ``before``, oldest first."""
    rows = await connection.execute(
        select(func.min(outbox.c.id).label("first"), outbox.c.message_id)
        .where(
            outbox.c.bot_id == bot_id,
            outbox.c.chat_id == chat_id,
            outbox.c.answers == answers,
            outbox.c.id < before,
            outbox.c.message_id.is_not(None),
        )
        .group_by(outbox.c.message_id)
        .order_by("first")
    )
    return [row.message_id for row in rows]
