"""The sender: the one place that sends messages, each recorded before, per chat in order.

A message whose outcome is unknown is sent again, and counted: it may have arrived twice, but none is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from telegram.error import NetworkError, RetryAfter, TelegramError

from bot.store.engine import is_away
from bot.store.leases import Ahead
from bot.store.records import Mark, Recorded
from bot.store.store import Store
from bot.telegram.api import Api
from bot.telegram.faults import Diagnosis, Fault, diagnose
from bot.telegram.lanes import Lanes
from bot.telegram.letters import Message, content, read_letter, sending
from bot.telegram.patience import Pause

log = logging.getLogger(__name__)

Result = TypeVar("Result")

#: Seconds between tries: doubled from the first to the last.
FIRST_PAUSE: Final = 0.5
LAST_PAUSE: Final = 60.0
#: Seconds until another replica's message is looked for again, at first.
_GLANCE: Final = 0.05
#: Seconds in which the parts of an album arrive.
ALBUM_PAUSE: Final = 1.5
#: Tries of unknown outcome after which a message is given up: the server answers, but not to this one.
MOST_UNKNOWN: Final = 25


@dataclass(slots=True)
class _Way:
    """How a message is tried, as its faults have taught so far."""

    pause: Pause
    plain: bool = False
    in_thread: bool = True
    as_reply: bool = True
    unknown: int = 0
    sent: int = 0  # what had been sent to others at the last try of unknown outcome


class TokenRefusedError(Exception):
    """Telegram no longer takes the bot's token."""


class Sender:
    """Delivers recorded messages with at most ``connections`` calls at once."""

    def __init__(self, api: Api, store: Store, connections: int) -> None:
        self._api = api
        self._store = store
        self._slots = asyncio.Semaphore(connections)
        self._lanes = Lanes("send")
        self._moved: dict[int, int] = {}
        self._open: set[int] = set()
        self._held: Counter[int] = Counter()  # chats for which a message waits for another replica's
        self._refused = asyncio.Event()
        self.counts: Counter[str] = Counter()

    def accept(self, rows: Iterable[Recorded]) -> None:
        """Deliver messages that are recorded, after those accepted before for the same chat."""
        for row in rows:
            if row.id in self._open:
                continue
            self._open.add(row.id)
            chat_id = self._moved.get(row.chat_id, row.chat_id)
            # What may not be needed waits beside the chat's lane, not in it.
            lane = (chat_id, "later") if "unless" in row.payload else chat_id
            self._lanes.put(lane, lambda row=row: self._deliver(row))  # type: ignore[misc]

    async def take_over(self) -> None:
        """Deliver what was recorded before a restart, or by a replica that has gone silent."""
        self.accept(await self._taken(chats=self._held))

    async def _taken(self, **which: Any) -> list[Recorded]:
        rows = await self._store.take_over(self._open, **which)
        if rows:
            log.warning("sending again what may have arrived", extra={"messages": len(rows)})
            self.counts["taken_over"] += len(rows)
        return rows

    async def drain(self, deadline: float) -> None:
        """Finish, within a deadline in seconds; what is left is sent after the next start."""
        if not await self._lanes.drain(deadline):
            log.warning("stopped before everything was sent", extra={"left": len(self._open)})

    async def refused(self) -> None:
        """Wait until Telegram refuses the token."""
        await self._refused.wait()

    async def _deliver(self, row: Recorded) -> None:
        try:
            if row.behind is not None:
                await self._let_pass(Ahead(row.chat_id, row.behind))
            mark = await self._try_until_known(row)
            await self._keep(mark)
            self._open.discard(row.id)
        except TokenRefusedError:
            self._refused.set()
            await asyncio.Event().wait()  # it stays recorded, and nothing after it may go first
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("a message could not be handled")
            self._open.discard(row.id)
            await self._keep(Mark(id=row.id, state="failed", fault="internal fault"))

    async def _let_pass(self, ahead: Ahead) -> None:
        """Wait for another replica's older messages to the chat; send them where it has gone silent."""
        pause = Pause(_GLANCE, LAST_PAUSE)
        self._held[ahead.chat_id] += 1
        try:
            while await _read(self._store.others_send, ahead):
                await pause.wait()
                for row in await _read(self._taken, ahead=ahead):
                    self._open.add(row.id)
                    await self._deliver(row)
        finally:
            self._held[ahead.chat_id] -= 1
            self._held += Counter()  # drops what is back at zero

    async def _try_until_known(self, row: Recorded) -> Mark:
        message = read_letter(row)
        way = _Way(Pause(FIRST_PAUSE, LAST_PAUSE), sent=self.counts["sent"])
        if message.unless is not None:
            await asyncio.sleep(ALBUM_PAUSE)
            if await _read(self._store.is_recorded, message.unless):
                return Mark(id=row.id, state="failed", fault="not needed")
        moved: tuple[int, int] | None = None
        while True:
            chat_id = self._moved.get(message.chat_id, message.chat_id)
            message = replace(message, chat_id=chat_id)
            try:
                async with self._slots:
                    mark = await self._perform(row, message, way)
                self.counts["sent"] += 1
                return replace(mark, moved=moved)
            except TelegramError as error:
                found = diagnose(error)
            if found.fault is Fault.REFUSED:
                raise TokenRefusedError
            if found.moved_to is not None and moved is None:
                moved = (chat_id, found.moved_to)
                self._moved[chat_id] = found.moved_to
                continue
            if not await self._learn(row, way, found):
                return self._give_up(row, message, found, moved)

    async def _learn(self, row: Recorded, way: _Way, found: Diagnosis) -> bool:
        """Change the way of trying, or wait; False when no other way is left."""
        match found.fault:
            case Fault.WAIT:
                self.counts["flood_waits"] += 1
                await asyncio.sleep(found.wait.total_seconds())
            case Fault.UNSENT | Fault.UNKNOWN:
                if found.fault is Fault.UNKNOWN:
                    # An outage is no reason to give up: the others must have got through meanwhile.
                    way.unknown += self.counts["sent"] > way.sent
                    way.sent = self.counts["sent"]
                    self.counts["unknown"] += 1
                    log.warning("outcome unknown, sending again", extra={"row": row.id, "fault": found.text})
                    if way.unknown >= MOST_UNKNOWN:
                        return False
                    await self._keep(Mark(id=row.id, state="waiting"))
                await way.pause.wait()
            case Fault.MARKUP if not way.plain:
                log.error("Telegram could not parse our markup", extra={"row": row.id, "fault": found.text})
                way.plain = True
            case Fault.NO_THREAD if way.in_thread:
                way.in_thread = False
            case Fault.NO_REPLY if way.as_reply:
                way.as_reply = False
            case _:
                return False
        return True

    def _give_up(self, row: Recorded, message: Message, found: Diagnosis, moved: tuple[int, int] | None) -> Mark:
        away = found.fault is Fault.UNREACHABLE
        self.counts["unreachable" if away else "failed"] += 1
        level = logging.INFO if away else logging.ERROR
        log.log(level, "a message was not delivered", extra={"row": row.id, "fault": found.text})
        return Mark(
            id=row.id,
            state="failed",
            fault=found.text,
            moved=moved,
            unreachable=message.chat_id if away else None,
        )

    async def _perform(self, row: Recorded, message: Message, way: _Way) -> Mark:
        if not message.edits:
            return await self._send(row, message, way)
        if message.message_id is not None:
            targets = [message.message_id]
        else:
            targets = await _read(self._store.answers_sent, message.chat_id, row.answers or 0, row.id)
        gone: list[int] = []
        if message.index < len(targets):
            target = targets[message.index]
            if await self._edit(message, target, way):
                mark = Mark(id=row.id, state="sent", message_id=target)
            else:
                mark = replace(await self._send(row, message, way), replaces=target)
        else:
            mark = await self._send(row, message, way)
        if message.last:
            gone += await self._delete(message.chat_id, targets[message.index + 1 :])
        return replace(mark, gone=tuple(gone))

    async def _send(self, row: Recorded, message: Message, way: _Way) -> Mark:
        params = sending(message, plain=way.plain, in_thread=way.in_thread, as_reply=way.as_reply)
        result = await self._api.call("sendMessage", params)
        if not isinstance(result, dict) or not isinstance(result.get("message_id"), int):
            raise NetworkError("an answer without a message")
        return Mark(id=row.id, state="sent", message_id=result["message_id"])

    async def _edit(self, message: Message, target: int, way: _Way) -> bool:
        """Whether the message to edit was there."""
        params = content(message, plain=way.plain) | {"message_id": target}
        try:
            await self._api.call("editMessageText", params)
        except TelegramError as error:
            fault = diagnose(error).fault
            if fault is not Fault.SAME and fault is not Fault.GONE:
                raise
            return fault is Fault.SAME
        return True

    async def _delete(self, chat_id: int, message_ids: list[int]) -> list[int]:
        again = list(message_ids)
        while again:
            message_id = again.pop(0)
            try:
                await self._api.call("deleteMessage", {"chat_id": chat_id, "message_id": message_id})
            except RetryAfter as error:
                await asyncio.sleep(diagnose(error).wait.total_seconds())
                again.append(message_id)
            except TelegramError as error:
                # It is gone already, or too old to be taken back.
                log.info("a message could not be deleted", extra={"fault": error.message})
        return message_ids

    async def _keep(self, mark: Mark) -> None:
        """Commit a mark, however long the database is away: an unmarked message would be sent again."""
        pause = Pause(FIRST_PAUSE, LAST_PAUSE)
        while True:
            try:
                return await self._store.mark(mark)
            except Exception as error:
                log.warning("the database does not take a mark", extra={"fault": type(error).__name__})
            await pause.wait()


async def _read(read: Callable[..., Awaitable[Result]], *args: Any, **kwargs: Any) -> Result:
    """What the database says, however long it is away: the message that needs it is not sent yet."""
    pause = Pause(FIRST_PAUSE, LAST_PAUSE)
    while True:
        try:
            return await read(*args, **kwargs)
        except Exception as error:
            if not is_away(error):
                raise
            log.warning("the database is away; a message waits", extra={"fault": type(error).__name__})
        await pause.wait()
