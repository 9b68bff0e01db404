"""One update's way: read what is known, decide, commit, hand over to the sender.  Confirmed only after the commit."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from telegram import Update
from telegram.error import TelegramError

from bot.hub.values import HubModels
from bot.logs import request_id
from bot.store.engine import is_away
from bot.store.group import ClosedError
from bot.store.inbox import Before
from bot.store.records import Handled, Letter, Lookup, Remembered, Waiting
from bot.store.store import Store
from bot.telegram.actions import Call, Effects, Send
from bot.telegram.api import Api
from bot.telegram.bare import bare
from bot.telegram.handlers import DecideContext, decide, failure, needs_watches, place_of
from bot.telegram.lanes import Lanes
from bot.telegram.letters import write_letters
from bot.telegram.patience import Pause
from bot.telegram.sender import Sender

log = logging.getLogger(__name__)

#: Seconds between tries while the database is away.
_FIRST_PAUSE: Final = 0.2
_LAST_PAUSE: Final = 5.0
#: Tries after which an update is given up that meets a fault of ours, not of the database's.
_MOST_FAULTS: Final = 3
#: Calls made beside messages at once, and seconds after which one that still waits is worthless.
CALLS: Final = 6
_LATE: Final = 30.0


#: Updates of one chat that wait until they are parked, and seconds after which any is.
_DEPTH: Final = 3
_PATIENCE: Final = 1.0
#: Updates parked at most: each takes some 10 KB of memory.
_MOST_PARKED: Final = 5_000


class UnidentifiedError(ValueError):
    """What came is no update: it has no id."""


class RefusedError(Exception):
    """The database does not take what an update leads to."""


@dataclass(slots=True)
class _Taken:
    raw: dict[str, Any]
    lane: Hashable
    task: asyncio.Task[None]
    since: float
    parked: bool = False


class Turns:
    """Handles updates: one chat's in order, different chats' side by side, each update once."""

    def __init__(
        self,
        api: Api,
        store: Store,
        sender: Sender,
        context: Callable[[], DecideContext],
        look_up: Callable[[Sequence[str]], Awaitable[HubModels]] | None = None,
    ) -> None:
        self._api = api
        self._store = store
        self._sender = sender
        self._context = context
        self._look_up = look_up
        self._lanes = Lanes("turn")
        self._open: dict[int, _Taken] = {}
        self._calls: set[asyncio.Task[None]] = set()
        self._call_slots = asyncio.Semaphore(CALLS)
        self._held: Counter[int] = Counter()  # lanes in which an update waits for another replica's
        self.counts: Counter[str] = Counter()

    def take(self, raw: dict[str, Any]) -> asyncio.Task[None]:
        """Handle an update; the task is over once its effects are committed.

        It waits while the database is away.  An update that is being handled already gets the same task.  Raises
        UnidentifiedError.
        """
        update_id = raw.get("update_id") if isinstance(raw, dict) else None
        if not isinstance(update_id, int) or isinstance(update_id, bool):
            raise UnidentifiedError
        if update_id in self._open:
            return self._open[update_id].task
        update, lane = self._parse(raw, update_id)
        task = self._lanes.put(lane, lambda: self._handle(update_id, update))
        self._open[update_id] = _Taken(raw, lane, task, asyncio.get_running_loop().time())
        task.add_done_callback(lambda _done: self._open.pop(update_id, None))
        return task

    async def park(self) -> frozenset[int]:
        """Keep, in the store, the updates of chats that are behind, and give the ids of those that are kept now.

        Telegram gives no more than 100 updates past the first that is not confirmed: those of a chat that writes
        faster than it is answered would hold up all others.  A chat's are kept from its oldest on, so that after a
        restart none comes before an older one.
        """
        now = asyncio.get_running_loop().time()
        depth = Counter(taken.lane for taken in self._open.values())
        behind = {
            taken.lane for taken in self._open.values() if depth[taken.lane] > _DEPTH or now - taken.since > _PATIENCE
        }
        room = _MOST_PARKED - sum(taken.parked for taken in self._open.values())
        chosen = [taken for taken in self._open.values() if taken.lane in behind and not taken.parked][: max(room, 0)]
        if not chosen:
            return frozenset()
        try:
            await self._store.park([Waiting(taken.raw, _kept_lane(taken.lane)) for taken in chosen])
        except Exception as error:
            log.warning("updates could not be parked; they stay with Telegram", extra={"fault": type(error).__name__})
            return frozenset()
        for taken in chosen:
            taken.parked = True
        log.info("a chat is behind; its updates are parked", extra={"updates": len(chosen)})
        return frozenset(taken.raw["update_id"] for taken in chosen)

    async def resume(self, *, started: bool = False) -> None:
        """Take up the updates that a replica parked which has gone silent; those of this one when it has
        ``started``."""
        raws = await self._store.take_up(started=started, lanes=self._held)
        if raws:
            log.info("taking up what waited", extra={"updates": len(raws)})
        for raw in raws:
            self.take(raw)
            self._open[raw["update_id"]].parked = True

    async def drain(self, deadline: float) -> None:
        """Finish what was taken, within a deadline in seconds; the rest stays with Telegram, or parked."""
        await self._lanes.drain(deadline)
        if self._calls:
            await asyncio.wait(self._calls, timeout=max(deadline, 0.1))
        for task in list(self._calls):
            task.cancel()

    def _parse(self, raw: dict[str, Any], update_id: int) -> tuple[Update | None, Hashable]:
        """An update, None where it can't be read, and its lane.

        Whatever Telegram sends: one update that can't be read must not stop the others.  And a question must not be
        lost for what stands beside it, such as a gift of a new kind in the message that it replies to.
        """
        for found in (raw, bare(raw)):
            try:
                update = Update.de_json(found, None)
                lane = _lane(update, update_id)
                hash(lane)
            except Exception as error:
                log.error("an update could not be read", extra={"update": update_id, "fault": type(error).__name__})
            else:
                return update, lane
        return None, _lane(None, update_id)

    async def _handle(self, update_id: int, update: Update | None) -> None:
        """Handle an update, however long the database is away; give it up only for a fault of ours."""
        token = request_id.set(f"u{update_id}")
        pause, faults, tried = Pause(_FIRST_PAUSE, _LAST_PAUSE), 0, False
        try:
            while True:
                try:
                    if faults < _MOST_FAULTS:
                        return await self._turn(update_id, update, tried)
                    return await self._give_up(update_id, update)
                except ClosedError:
                    # The bot ends: the update stays with Telegram.
                    raise asyncio.CancelledError from None
                except Exception as error:
                    # What the database will never take is a fault of ours too: it would hold up everybody.
                    if is_away(error):
                        log.warning("the database is away; the update waits", extra={"fault": type(error).__name__})
                    elif faults >= _MOST_FAULTS:
                        raise RefusedError(type(error).__name__) from None
                    else:
                        faults += 1
                        log.error("an update could not be kept", extra={"fault": type(error).__name__})
                tried = True
                await pause.wait()
        finally:
            request_id.reset(token)

    async def _give_up(self, update_id: int, update: Update | None) -> None:
        """Close an update that we can't handle, and say so where somebody waits."""
        letters: tuple[Letter, ...] = ()
        if update is not None:
            letters = write_letters(update_id, failure(update, Remembered(), self._context()).actions)
        committed = await self._store.commit(Handled(update_id=update_id, outcome="failed", letters=letters))
        self.counts["failed"] += 1
        self._sender.accept(committed.recorded)

    async def _turn(self, update_id: int, update: Update | None, tried: bool) -> None:
        if update is None:
            self.counts["unreadable"] += 1
            await self._store.commit(Handled(update_id=update_id, outcome="unreadable"))
            return
        found = await self._store.look_up(_lookup(update_id, update))
        if found.held and not found.handled:
            await self._let_pass(Before(_kept_lane(_lane(update, update_id)) or 0, update_id))
            found = await self._store.look_up(_lookup(update_id, update))
        if found.handled:
            self.counts["repeated"] += 1
            if tried:
                await self._sender.take_over()
            return
        context = self._context()
        outcome: Any = "handled"
        try:
            effects = decide(update, found.remembered, context)
            if effects.wanted and self._look_up is not None:
                # This chat waits for the model hub, two seconds at most; the others go on.
                context = replace(context, hub=await self._look_up(effects.wanted))
                effects = decide(update, found.remembered, context)
            letters = write_letters(update_id, effects.actions)
        except Exception:
            log.exception("an update could not be handled")
            outcome = "failed"
            effects = failure(update, found.remembered, context)
            letters = write_letters(update_id, effects.actions)
        self._call(action for action in effects.actions if isinstance(action, Call))
        committed = await self._store.commit(
            Handled(
                update_id=update_id,
                outcome=outcome,
                edited=update.edited_message is not None,
                remember=effects.remember,
                letters=letters,
                moved=effects.moved,
                reachable=effects.reachable,
            )
        )
        self.counts[outcome if committed.fresh else "repeated"] += 1
        self._sender.accept(committed.recorded)
        if not committed.fresh:
            # Perhaps kept by a commit whose outcome was unknown: nothing of the chat may be sent before it.
            await self._sender.take_over()
        log.debug("handled", extra=_summary(update, effects))

    async def _let_pass(self, ahead: Before) -> None:
        """Wait until another replica has handled the older updates of the lane; handle them where it has gone
        silent."""
        pause = Pause(_FIRST_PAUSE, _LAST_PAUSE)
        self._held[ahead.lane] += 1
        try:
            while await self._store.others_handle(ahead):
                for raw in await self._store.take_up(ahead=ahead):
                    update, _its_lane = self._parse(raw, raw["update_id"])
                    with suppress(RefusedError):
                        await self._handle(raw["update_id"], update)
                await pause.wait()
        finally:
            self._held[ahead.lane] -= 1
            self._held += Counter()  # drops what is back at zero

    def _call(self, calls: Iterable[Call]) -> None:
        for call in calls:
            task = asyncio.create_task(self._call_once(call), name="call")
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)

    async def _call_once(self, call: Call) -> None:
        try:
            async with asyncio.timeout(_LATE), self._call_slots:
                await self._api.call(call.method, call.params)
        except (TelegramError, TimeoutError) as error:
            # Late ones are refused ("query is too old"); nothing is lost but a spinner.
            fault = error.message if isinstance(error, TelegramError) else "too late"
            log.info("a call failed", extra={"method": call.method, "fault": fault})


def _lane(update: Update | None, update_id: int) -> Hashable:
    """A chat's updates are handled in order; those without a chat, a user's."""
    if update is None:
        return "unreadable", update_id
    if update.effective_chat is not None:
        return update.effective_chat.id
    if update.effective_user is not None:
        return update.effective_user.id
    return "alone", update_id


def _kept_lane(lane: Hashable) -> int | None:
    """A lane as the store knows it: a chat's or a user's; what has neither is in nobody's way."""
    return lane if isinstance(lane, int) else None


def _lookup(update_id: int, update: Update) -> Lookup:
    edited = update.edited_message
    message = update.message or edited
    replied = message.reply_to_message if message is not None else None
    return Lookup(
        update_id=update_id,
        place=place_of(update),
        lane=_kept_lane(_lane(update, update_id)),
        edited=edited.message_id if edited is not None else None,
        replied=replied.message_id if replied is not None else None,
        watches=needs_watches(update),
    )


def _summary(update: Update, effects: Effects) -> dict[str, Any]:
    """What the log says of a turn: no text, no name."""
    kinds = ("message", "edited_message", "callback_query", "inline_query", "my_chat_member")
    question = next((one.question for one in effects.remember if one.question is not None), None)
    return {
        "kind": next((kind for kind in kinds if getattr(update, kind) is not None), "other"),
        "intent": question.intent if question is not None else "-",
        "sends": sum(isinstance(action, Send) for action in effects.actions),
    }
