"""What the handling of updates reads, for many updates in a few statements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import and_, bindparam, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.reader.question import Question
from bot.store.records import KEPT_QUESTIONS, Found, KeptWatch, Lookup, Place, Remembered, question_from_json
from bot.store.tables import NONE, chats, outbox, places, questions, updates
from bot.store.watches import kept_watches

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
    threads = {key_of(item.place)[:2] for item in lookups if item.place is not None and item.watches}
    watched = await kept_watches(connection, bot_id, threads) if threads else {}
    return [_found(item, handled, settings, asked, unreachable, answered, watched) for item in lookups]


def _found(
    item: Lookup,
    handled: set[int],
    settings: dict[_Key, dict[str, Any]],
    asked: dict[_Key, list[tuple[Question, int | None]]],
    unreachable: set[int],
    answered: dict[int, dict[int, tuple[int, ...]]],
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
            language=chosen.get("language"),
            coin=chosen.get("coin"),
            reachable=item.place.chat_id not in unreachable,
            watches=watched.get(key[:2], ()),
        ),
    )


async def _answered(
    connection: AsyncConnection, bot_id: int, lookups: Sequence[Lookup]
) -> dict[int, dict[int, tuple[int, ...]]]:
    """Per update that edits or replies: the user's message, and the bot's messages that answered it."""
    found: dict[int, dict[int, tuple[int, ...]]] = {}
    for item in lookups:
        if item.place is None or (item.edited is None and item.replied is None):
            continue
        chat_id = item.place.chat_id
        target = and_(outbox.c.bot_id == bot_id, outbox.c.chat_id == chat_id)
        wanted = []
        if item.edited is not None:
            wanted.append(outbox.c.answers == item.edited)
        if item.replied is not None:
            reply = select(outbox.c.answers).where(target, outbox.c.message_id == item.replied)
            wanted.append(outbox.c.answers.in_(reply))
        rows = await connection.execute(
            select(outbox.c.answers, outbox.c.message_id)
            .where(target, or_(*wanted), outbox.c.state != "failed")
            .order_by(outbox.c.id)
        )
        mine = found.setdefault(item.update_id, {})
        for answers, message_id in rows:
            if answers is not None:
                # A later edit of an answer keeps its message: each id once.
                ids = mine.get(answers, ())
                mine[answers] = ids if message_id is None or message_id in ids else (*ids, message_id)
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
