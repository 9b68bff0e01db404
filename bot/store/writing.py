"""The one writer's transaction: the handling of many updates and the fates of many messages, committed at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import and_, bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store import votes, watches
from bot.store.inbox import Inbox
from bot.store.leases import others_waiting
from bot.store.reading import key_of
from bot.store.records import (
    KEPT_QUESTIONS,
    Committed,
    Handled,
    Letter,
    Mark,
    Park,
    Place,
    Recorded,
    Remember,
    question_to_json,
)
from bot.store.tables import chats, outbox, places, questions, updates

_FAULT_LENGTH: Final = 200

#: What one transaction takes up many of.
Item = Handled | Mark | Park


class Writer:
    """Writes for one bot and one replica (``owner``), whatever the database."""

    def __init__(self, dialect: str, bot_id: int, owner: str) -> None:
        self.bot_id = bot_id
        self.owner = owner
        self.inbox = Inbox(dialect, bot_id, owner)
        self._shared = dialect != "sqlite"  # other replicas may send to the same chats
        insert: Any = sqlite.insert if dialect == "sqlite" else postgresql.insert
        self._claim = insert(updates).on_conflict_do_nothing().returning(updates.c.update_id)
        self._record = (
            insert(outbox).on_conflict_do_nothing(index_elements=[outbox.c.key]).returning(outbox.c.id, outbox.c.key)
        )
        self._ask = insert(questions)
        setting = insert(places)
        self._set = setting.on_conflict_do_update(
            index_elements=[places.c.chat_id, places.c.thread_id, places.c.user_id],
            set_={"settings": setting.excluded.settings, "changed_at": setting.excluded.changed_at},
        )
        chat = insert(chats)
        self._reach = chat.on_conflict_do_update(
            index_elements=[chats.c.chat_id],
            set_={"reachable": chat.excluded.reachable, "changed_at": chat.excluded.changed_at},
        )
        self._move = chat.on_conflict_do_update(
            index_elements=[chats.c.chat_id],
            set_={"moved_to": chat.excluded.moved_to, "changed_at": chat.excluded.changed_at},
        )

    async def write(
        self, connection: AsyncConnection, items: Sequence[Item], now: datetime, lease: datetime
    ) -> list[Committed | None]:
        """Write items in their order of arrival per kind; an update handled before changes nothing."""
        handled = [item for item in items if isinstance(item, Handled)]
        marks = [item for item in items if isinstance(item, Mark)]
        parks = [one for item in items if isinstance(item, Park) for one in item.updates]
        if parks:
            await self.inbox.park(connection, parks, now, lease)
        fresh = await self._claim_updates(connection, handled, now)
        await self.inbox.clear(connection, [item.update_id for item in handled])
        recorded = await self._apply(connection, fresh, now, lease) if fresh else {}
        if marks:
            await self._mark(connection, marks, now)
        first = {id(item) for item in fresh}  # not by its update's id: of two deliveries one counts
        results: list[Committed | None] = []
        for item in items:
            if not isinstance(item, Handled):
                results.append(None)
            elif id(item) in first:
                results.append(Committed(True, tuple(recorded[one.key] for one in item.letters if one.key in recorded)))
            else:
                results.append(Committed(False))
        return results

    async def _claim_updates(
        self, connection: AsyncConnection, handled: Sequence[Handled], now: datetime
    ) -> list[Handled]:
        """Those that nobody handled before; of two with one id, the first."""
        if not handled:
            return []
        first = {item.update_id: item for item in reversed(handled)}
        rows = [
            {"bot_id": self.bot_id, "update_id": item.update_id, "handled_at": now, "outcome": item.outcome}
            for item in first.values()
        ]
        claimed = set((await connection.execute(self._claim, rows)).scalars())
        return [item for item in handled if item.update_id in claimed and first[item.update_id] is item]

    async def _apply(
        self, connection: AsyncConnection, fresh: Sequence[Handled], now: datetime, lease: datetime
    ) -> dict[str, Recorded]:
        for item in fresh:
            if item.moved is not None:
                await self._move_chat(connection, item.moved, now)
        await self._remember(connection, [(one, item.edited) for item in fresh for one in item.remember], now)
        reach = dict(item.reachable for item in fresh if item.reachable is not None)
        if reach:
            rows = [{"chat_id": chat_id, "reachable": ok, "changed_at": now} for chat_id, ok in reach.items()]
            await connection.execute(self._reach, rows)
            if blocked := [chat_id for chat_id, ok in reach.items() if not ok]:
                await watches.drop_watches(connection, self.bot_id, blocked)
        return await self.record_letters(connection, [one for item in fresh for one in item.letters], now, lease)

    async def record_letters(
        self, connection: AsyncConnection, letters: Sequence[Letter], now: datetime, lease: datetime
    ) -> dict[str, Recorded]:
        """Record what is to be sent, by its key; left out is what was recorded before."""
        if not letters:
            return {}
        rows = [
            {
                "key": f"{self.bot_id}.{letter.key}",
                "bot_id": self.bot_id,
                "chat_id": letter.chat_id,
                "payload": json.dumps(letter.payload, ensure_ascii=False, separators=(",", ":")),
                "answers": letter.answers,
                "state": "waiting",
                "owner": self.owner,
                "leased_until": lease,
                "uncertain": 0,
                "recorded_at": now,
            }
            for letter in letters
        ]
        ids = {key: id_ for id_, key in await connection.execute(self._record, rows)}
        chats_ = {letter.chat_id for letter in letters}
        ahead = await others_waiting(connection, self, chats_) if self._shared else {}
        # A key that was there before is left out: that letter is on its way, or has arrived.
        return {
            letter.key: Recorded(
                id=ids[f"{self.bot_id}.{letter.key}"],
                chat_id=letter.chat_id,
                payload=letter.payload,
                answers=letter.answers,
                behind=ahead.get(letter.chat_id),
            )
            for letter in letters
            if f"{self.bot_id}.{letter.key}" in ids
        }

    async def _remember(
        self, connection: AsyncConnection, changes: Sequence[tuple[Remember, bool]], now: datetime
    ) -> None:
        added: list[dict[str, Any]] = []
        for change, edited in changes:
            if change.forget:
                await self._forget(connection, change.place)
                added = [row for row in added if (row["chat_id"], row["user_id"]) != _owner(change.place)]
            if change.settings is not None:
                await self._change_settings(connection, change.place, change.settings, now)
            await self._watch(connection, change, edited, now)
            if change.vote is not None:
                await votes.add_vote(connection, self.bot_id, change.place, change.vote, now)
            if change.question is None:
                continue
            asked = question_to_json(change.question)
            chat_id, thread_id, user_id = key_of(change.place)
            if edited and await self._replace(connection, chat_id, change.message_id, asked):
                continue
            row = {"chat_id": chat_id, "thread_id": thread_id, "user_id": user_id}
            added.append({**row, "message_id": change.message_id, "asked_at": now, "question": asked})
        if added:
            await connection.execute(self._ask, added)
            await connection.execute(_TRIM, [_renamed(row) for row in added])

    async def _watch(self, connection: AsyncConnection, change: Remember, edited: bool, now: datetime) -> None:
        if edited and change.message_id is not None:
            await watches.replace_watch(connection, self.bot_id, change.place, change.message_id)
        if change.unwatch is not None:
            await watches.remove_watch(connection, self.bot_id, change.place, change.unwatch)
        if change.watch is not None:
            await watches.add_watch(connection, self.bot_id, change.place, change.watch, change.message_id, now)

    async def _replace(self, connection: AsyncConnection, chat_id: int, message_id: int | None, asked: str) -> bool:
        """Put an edited message's Question in the stead of the one kept from it; False where none is."""
        result = await connection.execute(
            update(questions)
            .where(questions.c.chat_id == chat_id, questions.c.message_id == message_id)
            .values(question=asked)
        )
        return result.rowcount > 0

    async def _change_settings(
        self, connection: AsyncConnection, place: Place, settings: dict[str, str | None], now: datetime
    ) -> None:
        chat_id, thread_id, user_id = key_of(place)
        here = and_(places.c.chat_id == chat_id, places.c.thread_id == thread_id, places.c.user_id == user_id)
        raw = (await connection.execute(select(places.c.settings).where(here))).scalar()
        merged = {**(json.loads(raw) if raw else {}), **settings}
        kept = {name: value for name, value in merged.items() if value is not None}
        row = {"chat_id": chat_id, "thread_id": thread_id, "user_id": user_id}
        await connection.execute(self._set, {**row, "settings": json.dumps(kept), "changed_at": now})

    async def _forget(self, connection: AsyncConnection, place: Place) -> None:
        """Erase a user's questions and settings in every topic of a chat; in a private chat also the ids of what was
        sent, but for what still waits to be sent."""
        chat_id, user_id = _owner(place)
        for table in (questions, places):
            await connection.execute(delete(table).where(table.c.chat_id == chat_id, table.c.user_id == user_id))
        await watches.forget_watches(connection, self.bot_id, chat_id, user_id)
        await votes.forget_votes(connection, self.bot_id, chat_id, user_id)
        if chat_id > 0:
            await connection.execute(
                delete(outbox).where(
                    outbox.c.bot_id == self.bot_id, outbox.c.chat_id == chat_id, outbox.c.state != "waiting"
                )
            )

    async def _move_chat(self, connection: AsyncConnection, moved: tuple[int, int], now: datetime) -> None:
        """Take everything of a group along to the supergroup that it became."""
        old, new = moved
        row = {"chat_id": old, "reachable": True, "moved_to": new, "changed_at": now}
        await connection.execute(self._move, row)
        await connection.execute(update(questions).where(questions.c.chat_id == old).values(chat_id=new))
        await connection.execute(
            update(outbox)
            .where(outbox.c.bot_id == self.bot_id, outbox.c.chat_id == old, outbox.c.state == "waiting")
            .values(chat_id=new)
        )
        taken = select(places.c.user_id).where(places.c.chat_id == new)
        await connection.execute(
            update(places).where(places.c.chat_id == old, places.c.user_id.not_in(taken)).values(chat_id=new)
        )
        await connection.execute(delete(places).where(places.c.chat_id == old))
        await watches.move_watches(connection, self.bot_id, old, new)

    async def _mark(self, connection: AsyncConnection, marks: Sequence[Mark], now: datetime) -> None:
        over = [mark for mark in marks if mark.state != "waiting"]
        if over:
            await connection.execute(
                _CLOSE,
                [
                    {
                        "row": mark.id,
                        "new_state": mark.state,
                        "sent_as": mark.message_id,
                        "why": mark.fault[:_FAULT_LENGTH] if mark.fault else None,
                    }
                    for mark in over
                ],
            )
        lost = [{"row": mark.id, "lost": one, "instead": None} for mark in marks for one in mark.gone]
        # Its place among the parts of an answer is kept.
        lost += [
            {"row": mark.id, "lost": mark.replaces, "instead": mark.message_id}
            for mark in marks
            if mark.replaces is not None
        ]
        if lost:
            await connection.execute(_LOSE, lost)
        again = [{"row": mark.id} for mark in marks if mark.state == "waiting"]
        if again:
            await connection.execute(_AGAIN, again)
        for mark in marks:
            if mark.moved is not None:
                await self._move_chat(connection, mark.moved, now)
        gone = {mark.unreachable for mark in marks if mark.unreachable is not None}
        if gone:
            rows = [{"chat_id": chat_id, "reachable": False, "changed_at": now} for chat_id in gone]
            await connection.execute(self._reach, rows)
            await watches.drop_watches(connection, self.bot_id, gone)


_same = outbox.alias("same")
_CLOSE: Final = (
    update(outbox)
    .where(outbox.c.id == bindparam("row"))
    .values(state=bindparam("new_state"), message_id=bindparam("sent_as"), fault=bindparam("why"), payload=None)
)
_AGAIN: Final = update(outbox).where(outbox.c.id == bindparam("row")).values(uncertain=outbox.c.uncertain + 1)

#: Messages of the chat of "row" that can no longer be edited.
_LOSE: Final = (
    update(outbox)
    .where(
        outbox.c.chat_id == select(_same.c.chat_id).where(_same.c.id == bindparam("row")).scalar_subquery(),
        outbox.c.message_id == bindparam("lost"),
    )
    .values(message_id=bindparam("instead"))
)

_later = questions.alias("later")
_here: Final = and_(
    questions.c.chat_id == bindparam("chat"),
    questions.c.thread_id == bindparam("thread"),
    questions.c.user_id == bindparam("user"),
)
#: Drops what is older than the last questions that are kept.
_TRIM: Final = delete(questions).where(
    _here,
    questions.c.id
    <= (
        select(_later.c.id)
        .where(
            _later.c.chat_id == bindparam("chat"),
            _later.c.thread_id == bindparam("thread"),
            _later.c.user_id == bindparam("user"),
        )
        .order_by(_later.c.id.desc())
        .offset(KEPT_QUESTIONS)
        .limit(1)
        .scalar_subquery()
    ),
)


def _renamed(row: dict[str, Any]) -> dict[str, Any]:
    return {"chat": row["chat_id"], "thread": row["thread_id"], "user": row["user_id"]}


def _owner(place: Place) -> tuple[int, int]:
    chat_id, _thread, user_id = key_of(place)
    return chat_id, user_id
