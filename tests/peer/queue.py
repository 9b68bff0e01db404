"""The updates that wait for the bot, with tdlib's rules of confirming and filtering."""

from __future__ import annotations

import itertools
from collections import Counter

from .updates import Json, kind

_NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
# tdlib takes an offset further ahead than this for one of another time and starts from the head.
_AHEAD = 10


class UpdateQueue:
    """Updates in order, until confirmed."""

    def __init__(self, first_id: int = 700_000_001) -> None:
        self.next_id = first_id
        self.waiting: dict[int, Json] = {}
        self.handed: Counter[int] = Counter()
        self.allowed: frozenset[str] | None = None

    def push(self, update: Json) -> tuple[int, bool]:
        """Give the update its id; False where the bot did not ask for its kind (then it is never delivered)."""
        update_id, self.next_id = self.next_id, self.next_id + 1
        name = kind(update)
        wanted = name not in _NOT_BY_DEFAULT if self.allowed is None else name in self.allowed
        if wanted:
            self.waiting[update_id] = {"update_id": update_id} | update
        return update_id, wanted

    def allow(self, kinds: object) -> None:
        """Remember a list of kinds; an absent one changes nothing, an empty one means the default."""
        if isinstance(kinds, list):
            self.allowed = frozenset(kinds) or None

    def confirm(self, offset: int) -> int:
        """Forget what the offset says is done; the id to read on from."""
        if offset < 0:
            for update_id in list(self.waiting)[:offset]:
                del self.waiting[update_id]
        elif 0 < offset <= self.next_id + _AHEAD:
            for update_id in list(itertools.takewhile(offset.__gt__, self.waiting)):
                del self.waiting[update_id]
            return offset
        return 0

    def take(self, start: int, limit: int) -> list[Json]:
        """The next updates from an id on; they stay until confirmed."""
        found = []
        for update_id, update in self.waiting.items():
            if update_id >= start:
                found.append(update)
                self.handed[update_id] += 1
                if len(found) == limit:
                    break
        return found
