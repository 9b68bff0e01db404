"""Fit the architecture tier's measured coefficients to published measurements, and predict what the fit has not seen.

    python tests/bench/fit_memory.py [--fit]

Without --fit it scores the coefficients that the planner has.  With it, coordinate descent over COEFFICIENTS gives the
ones that fit all sources best, then those fitted without each source, model and method in turn, and how they predict
the one left out.  Rows: tests/measured/runs.jsonl (published measurements with their sources; duplicates that differ by
what nobody states bound what any estimate can reach).
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from bot.cli.estimate import resolved
from planner import running, training
from planner.rows import estimate_row

ROWS = Path(__file__).parent.parent / "measured" / "runs.jsonl"
#: (module, name, values tried): each is one term's physical factor, see the module for its meaning.
COEFFICIENTS: list[tuple[Any, str, tuple[float, ...]]] = [
    (training, "_LOGIT", (8, 10, 12, 13, 14, 16, 18, 20, 22)),
    (training, "_FULL", (8, 8.5, 9, 9.5, 10, 11)),
    (training, "_FULL_SHARDED", (8, 10, 12, 12.5, 14, 16)),
    (training, "_CHECKPOINTED", (0.5, 0.75, 1, 1.25, 1.5)),
    (training, "_NOT_CHECKPOINTED", (0.5, 0.62, 0.75, 0.9, 1)),
    (training, "_GATHERED", (0.6, 0.9, 1.2, 1.5)),
    (training, "_RESERVE", (0.0, 0.03, 0.05, 0.1)),
    (training, "_RESERVE_TOKENS", (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)),
    (training, "_FIXED", (0.1e9, 0.5e9, 1e9)),
    (running, "_SHARE", (0.4, 0.5, 0.6, 0.7, 0.8)),
    (running, "_SLACK", (0.0, 0.002, 0.005)),
]
Row = dict[str, Any]


def load() -> list[Row]:
    """The measured rows, names resolved as the command line resolves them."""
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["resolved"] = resolved(row["run"])
        row["trains"] = row["run"]["method"] != "inference"
    return rows


def judged(row: Row) -> tuple[float, bool, float]:
    """(log of estimate / measurement, inside the range, high / low)."""
    found = estimate_row(row["resolved"])["per_gpu_gb" if row["per"] == "gpu" else "total_gb"]
    inside = found["low"] * 0.995 <= row["gb"] <= found["high"] * 1.005
    return math.log(found["expected"] / row["gb"]), inside, found["high"] / max(found["low"], 1e-9)


def figures(rows: Sequence[Row]) -> tuple[float, float, float, float, float]:
    """Median error, shares within 10 % and 20 %, share inside, median width; averages over sources."""
    by_source: dict[str, list[tuple[float, bool, float]]] = defaultdict(list)
    for row in rows:
        by_source[row["family"]].append(judged(row))
    each = []
    for got in by_source.values():
        errors = [abs(math.expm1(one[0])) for one in got]
        each.append(
            (
                median(errors),
                mean(e <= 0.1 for e in errors),
                mean(e <= 0.2 for e in errors),
                mean(one[1] for one in got),
                median(one[2] for one in got),
            )
        )
    median_, within10, within20, inside, width = (mean(column) for column in zip(*each, strict=True))
    return median_, within10, within20, inside, width


def loss(rows: Sequence[Row]) -> float:
    """What the fit lessens: mean over sources of the median error and half the share beyond 20 %."""
    found = figures(rows)
    return found[0] + 0.5 * (1 - found[2])


def fit(rows: Sequence[Row], rounds: int = 2) -> None:
    """Set the coefficients that fit ``rows`` best, one after another."""
    for _ in range(rounds):
        for module, name, values in COEFFICIENTS:
            best, least = getattr(module, name), loss(rows)
            for value in values:
                setattr(module, name, value)
                if (found := loss(rows)) < least - 1e-6:
                    best, least = value, found
            setattr(module, name, best)


def said(name: str, rows: Sequence[Row]) -> str:
    """A line of figures."""
    found = figures(rows)
    return (
        f"{name:<40}{len(rows):>4}  median {found[0]:.3f}  within10 {found[1]:.2f}  within20 {found[2]:.2f}  "
        f"inside {found[3]:.2f}  width {found[4]:.2f}"
    )


def _left_out(rows: list[Row], title: str, key: Callable[[Row], str]) -> None:
    start = [getattr(module, name) for module, name, _ in COEFFICIENTS]
    for value in sorted({key(row) for row in rows}):
        for module, name, values in COEFFICIENTS:  # start from nothing that has seen the rows left out
            setattr(module, name, values[len(values) // 2])
        fit([row for row in rows if key(row) != value])
        print(said(f"without {title} {value}", [row for row in rows if key(row) == value]))
        for (module, name, _), old in zip(COEFFICIENTS, start, strict=True):
            setattr(module, name, old)


def main() -> None:
    """Score, or fit and score."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--fit", action="store_true")
    fitting = arguments.parse_args().fit
    rows = load()
    for trains in (True, False):
        kind = [row for row in rows if row["trains"] is trains]
        print(said("fine-tuning" if trains else "inference", kind))
        for family in sorted({row["family"] for row in kind}):
            print(said(f"  {family}", [row for row in kind if row["family"] == family]))
        if fitting:
            fit(kind)
            print(said("  fitted to all", kind))
            _left_out(kind, "source", lambda row: row["family"])
            _left_out(kind, "model", lambda row: str(row["run"]["model"]).split("-")[0])
            _left_out(kind, "method", lambda row: f"{row['run']['method']} {row['run'].get('weights_bits') or ''}")
    print({name: getattr(module, name) for module, name, _ in COEFFICIENTS})


if __name__ == "__main__":
    main()
