"""Score the reader on annotated questions: intent, slots, exact parses.

A line holds text, context (earlier messages), intent, query, and optionally intent_any and <slot>_any for other
right values, as in tests/corpus.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from bot.reader.question import Question
from bot.reader.read import read

SCORED: Final = (
    *("model", "params_b", "method", "bits", "gpu", "gpus", "count", "context", "batch", "hours"),
    *("tokens", "examples", "epochs", "budget_usd", "budget", "currency", "coin", "users", "topic"),
)


@dataclass(frozen=True, slots=True)
class Score:
    """Shares from 0 to 1; ``slots`` is F1 over stated and found slots."""

    intent: float
    slots: float
    exact: float
    n: int


def score(rows: Iterable[dict[str, Any]]) -> Score:
    """Read every row and compare."""
    n = intents = exact = hits = missed = invented = 0
    for row in rows:
        history: list[Question] = []
        for earlier in row.get("context", ()):
            history.append(read(earlier, history))
        question = read(row["text"], history)
        hit, miss, extra = compare(row, question)
        right = question.intent in {row["intent"], *row.get("intent_any", ())}
        n, intents = n + 1, intents + right
        hits, missed, invented = hits + hit, missed + miss, invented + extra
        exact += right and not miss and not extra
    found = 2 * hits + missed + invented
    return Score(intents / max(n, 1), 2 * hits / found if found else 1.0, exact / max(n, 1), n)


def compare(row: dict[str, Any], question: Question) -> tuple[int, int, int]:
    """(hit, missed, invented) slots of one row."""
    got = {name: value for name, value in question.slots.stated().items() if name in SCORED}
    want = {name: value for name, value in row["query"].items() if name in SCORED and value is not None}
    hit = sum(name in got and _same(name, value, got[name], row) for name, value in want.items())
    excused = sum(_excused(name, value, got, want) for name, value in want.items())
    extra = sum(not _follows(name, got, want, row) for name in got.keys() - want.keys())
    return hit + excused, len(want) - hit - excused, extra


def _same(name: str, want: Any, got: Any, row: dict[str, Any]) -> bool:
    choices = [want, *row.get(f"{name}_any", ())]
    if name == "gpus":
        return sorted(got) == sorted(want)
    if isinstance(want, int | float) and not isinstance(want, bool):
        slack = 0.10 if name == "params_b" and row["query"].get("model") else 1e-6
        return any(abs(float(got) - choice) <= slack * abs(choice) for choice in choices if choice is not None)
    return got in choices


def _excused(name: str, want: Any, got: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """One GPU is the default; a bare quantised model is run."""
    if name in got:
        return False
    return (name == "count" and want == 1) or (name == "method" and want == "inference" and "bits" in wanted)


def _follows(name: str, got: dict[str, Any], want: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether a slot that is not annotated follows from the rest."""
    runs = (row.get("extra") or {}).get("task") == "run"
    return (
        (name == "count" and got[name] == 1)
        or (name == "params_b" and "model" in got)
        or (name == "method" and got[name] == "inference" and ("bits" in want or runs))
        or (name == "model" and got[name] in row.get("model_any", ()))
    )
