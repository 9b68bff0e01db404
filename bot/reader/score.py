"""Score the reader on annotated questions: intent, slots, exact parses, language.

A line holds text, context (earlier messages), lang, intent, query, and optionally intent_any and <slot>_any for other
right values, extra and level, as in tests/corpus.
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
#: Languages that a message of four words or more has to be told to be in.
_TOLD: Final = {"pt", "en", "es", "fr", "de", "it", "ru", "zh"}


@dataclass(frozen=True, slots=True)
class Judged:
    """One row: what was right, missed and invented."""

    row: dict[str, Any]
    question: Question
    intent: bool
    hit: tuple[str, ...]
    missed: tuple[str, ...]
    invented: tuple[str, ...]
    language: bool

    @property
    def exact(self) -> bool:
        """The intent and every slot right, nothing invented."""
        return self.intent and not self.missed and not self.invented


@dataclass(frozen=True, slots=True)
class Score:
    """Shares from 0 to 1; ``slots`` is F1 over stated and found slots."""

    intent: float
    slots: float
    exact: float
    language: float
    n: int


def judge(row: dict[str, Any]) -> Judged:
    """Read one row and compare."""
    history: list[Question] = []
    for earlier in row.get("context", ()):
        history.append(read(earlier, history))
    question = read(row["text"], history)
    got = {name: value for name, value in question.slots.stated().items() if name in SCORED}
    want = {name: value for name, value in row["query"].items() if name in SCORED and value is not None}
    hit = tuple(
        name
        for name, value in want.items()
        if (name in got and _same(name, value, got[name], row)) or _excused(name, value, got, want)
    )
    told = row.get("lang") not in _TOLD or len(row["text"].split()) < 4
    return Judged(
        row=row,
        question=question,
        intent=question.intent in {row["intent"], *row.get("intent_any", ())},
        hit=hit,
        missed=tuple(name for name in want if name not in hit),
        invented=tuple(name for name in got.keys() - want.keys() if not _follows(name, got, want, row)),
        language=told or question.lang == row.get("lang"),
    )


def add_up(judged: Iterable[Judged]) -> Score:
    """The score of judged rows."""
    rows = list(judged)
    n = max(len(rows), 1)
    hits = sum(len(one.hit) for one in rows)
    found = 2 * hits + sum(len(one.missed) + len(one.invented) for one in rows)
    return Score(
        intent=sum(one.intent for one in rows) / n,
        slots=2 * hits / found if found else 1.0,
        exact=sum(one.exact for one in rows) / n,
        language=sum(one.language for one in rows) / n,
        n=len(rows),
    )


def score(rows: Iterable[dict[str, Any]]) -> Score:
    """Read every row, compare, add up."""
    return add_up(map(judge, rows))


def groups(row: dict[str, Any]) -> list[str]:
    """The groups that a row counts in."""
    return [
        "all",
        "context" if row.get("context") else "no context",
        f"intent {row['intent']}",
        f"lang {row.get('lang', '?')}",
        *([f"level {row['level']}"] if "level" in row else []),
    ]


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
    extra = row.get("extra") or {}
    return (
        (name == "count" and got[name] == 1)
        or (name == "params_b" and "model" in got)
        or (name == "method" and got[name] == "inference" and ("bits" in want or extra.get("task") == "run"))
        or (name == "model" and got[name] in row.get("model_any", ()))
        or (name == "currency" and got[name] == "USD" and "budget_usd" in got)
        or (name == "gpu" and row["intent"] == "check" and extra.get("failed_gpu") == got[name])
    )
