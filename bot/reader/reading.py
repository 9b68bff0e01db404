"""Reading: the slots of one message under construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bot.reader.question import Mention, Problem, Task
from bot.reader.scan import Scan


@dataclass
class Reading:
    """Slots under construction, with what led to them."""

    slots: dict[str, Any] = field(default_factory=dict)
    mentions: list[Mention] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problem: Problem | None = None
    task: Task | None = None
    algo: str | None = None
    failed_at: int | None = None  # the token where it is named
    failed_gpu: str | None = None
    weights: str | None = None
    hub: str | None = None
    hub_sure: bool = False
    count_asked: bool = False
    negative: list[str] = field(default_factory=list)

    def mention(self, scan: Scan, role: str, start: int, end: int, value: object) -> None:
        """Record norm[start:end] as a mention in the original text."""
        first, last = scan.normal.span(start, end)
        self.mentions.append(Mention(role, scan.normal.original[first:last], first, last, value))

    def mention_tokens(self, scan: Scan, role: str, start: int, end: int, value: object) -> None:
        """Record tokens[start:end] as a mention."""
        self.mention(scan, role, scan.tokens[start].start, scan.tokens[end - 1].end, value)
