"""Faults that a test orders from the server: one-shot outcomes for the next matching calls."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happens to a call instead of the plain answer."""

    label: int | str
    performs: bool = False
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drops: bool = False


def error(code: int, description: str, **parameters: Any) -> Outcome:
    """The Bot API's own refusal; parameters such as retry_after=1, migrate_to_chat_id=-1001."""
    headers = {"Retry-After": str(parameters["retry_after"])} if "retry_after" in parameters else {}
    return Outcome(code, status=code, body=refusal(code, description, parameters), headers=headers)


def http(status: int, body: bytes = b"", content_type: str = "text/html") -> Outcome:
    """An answer of something in between: a proxy's page, an empty 502."""
    return Outcome(status, status=status, body=body, headers={"Content-Type": content_type})


def hang(seconds: float) -> Outcome:
    """Nothing performed, nothing answered; the connection is dropped in the end."""
    return Outcome("hang", delay=seconds, drops=True)


def reset() -> Outcome:
    """The connection is dropped before anything is performed."""
    return Outcome("reset", drops=True)


def perform_then_reset() -> Outcome:
    """Performed, then the connection is dropped: the bot can't know."""
    return Outcome("reset", performs=True, drops=True)


def slow(seconds: float) -> Outcome:
    """Performed at once, answered late."""
    return Outcome("ok", performs=True, delay=seconds)


def refusal(code: int, description: str, parameters: dict[str, Any] | None = None) -> bytes:
    """The body of a refusal."""
    answer: dict[str, Any] = {"ok": False, "error_code": code, "description": description}
    if parameters:
        answer["parameters"] = parameters
    return json.dumps(answer).encode()


@dataclass(slots=True)
class _Order:
    method: str
    outcome: Outcome
    chat: int | None
    times: int


class Script:
    """The orders that are still open."""

    def __init__(self) -> None:
        self.orders: list[_Order] = []

    def add(self, method: str, outcome: Outcome, chat: int | None, times: int) -> None:
        """Keep an order for the next `times` matching calls."""
        self.orders.append(_Order(method, outcome, chat, times))

    def take(self, method: str, chat: int | None) -> Outcome | None:
        """The outcome ordered for this call, if any; each is used once."""
        for order in self.orders:
            if order.method == method and order.chat in (None, chat):
                order.times -= 1
                if order.times <= 0:
                    self.orders.remove(order)
                return order.outcome
        return None
