"""gpubot questions: how well messages are understood."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from bot.reader.score import Judged, Score, add_up, groups, judge
from bot.settings import load_settings
from planner.errors import OperatorError


@click.group(short_help="Score how well messages are understood; see what customers thought of answers.")
def questions() -> None:
    """Annotated messages, as JSON lines, and customers' 👍 and 👎.

    \b
    gpubot questions score my-log.jsonl --show 10
    gpubot questions votes
    """


@questions.command(name="score")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--show", type=click.IntRange(min=0), default=0, help="Print the first N messages that were misread.")
def score_(file: Path, show: int) -> None:
    """Score FILE: one object a line with "text", "intent", "query" (the slots stated), and optionally "context"
    (earlier messages, oldest first), "lang", "level", "intent_any" and "<slot>_any" (other right values)."""
    judged = [judge(row) for row in _rows(file)]
    for one in [one for one in judged if not one.exact][:show]:
        _show(one)
    by_group: dict[str, list[Judged]] = {}
    for one in judged:
        for name in groups(one.row):
            by_group.setdefault(name, []).append(one)
    click.echo(f"{'group':<20}{'n':>5}{'intent':>9}{'slot F1':>9}{'exact':>8}{'language':>10}")
    for name in sorted(by_group, key=lambda name: (name != "all", name)):
        _line(name, add_up(by_group[name]))


@questions.command()
@click.option("--show", type=click.IntRange(min=0), default=10, help="Print the last N questions that got a 👎.")
def votes(show: int) -> None:
    """Customers' 👍 and 👎 by kind of answer, and what the last 👎 were about."""
    from bot.store.offline import read_votes

    found = read_votes(load_settings().database)
    if not found:
        click.echo("No votes yet.")
        return
    click.echo(f"{'answer':<12}{'👍':>6}{'👎':>6}")
    for intent in sorted({vote.question.intent for vote in found}):
        helped = [vote.helped for vote in found if vote.question.intent == intent]
        click.echo(f"{intent:<12}{helped.count(True):>6}{helped.count(False):>6}")
    for vote in [vote for vote in found if not vote.helped][-show:] if show else []:
        stated = ", ".join(f"{name}={value}" for name, value in vote.question.slots.stated().items())
        click.echo(f"👎 {vote.at:%Y-%m-%d %H:%M} UTC  {vote.question.intent} [{vote.question.lang or '?'}] {stated}")


def _line(name: str, found: Score) -> None:
    click.echo(
        f"{name:<20}{found.n:>5}{found.intent:>9.1%}{found.slots:>9.1%}{found.exact:>8.1%}{found.language:>10.1%}"
    )


def _show(one: Judged) -> None:
    row = one.row
    click.echo(f"{row.get('id', '-')} [{row.get('lang', '?')}] {row.get('context') or ''} {row['text']}")
    click.echo(f"    want {row['intent']} {row['query']}")
    stated = {name: str(value) for name, value in one.question.slots.stated().items()}
    click.echo(f"    got  {one.question.intent} {stated}  missed {one.missed} invented {one.invented}")


def _rows(file: Path) -> list[dict[str, Any]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError(f"{file}: {getattr(error, 'strerror', None) or 'is no UTF-8 text'}") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            sound = isinstance(row["text"], str) and isinstance(row["intent"], str) and isinstance(row["query"], dict)
        except (ValueError, KeyError, TypeError):
            sound = False
        if not sound:
            raise OperatorError(f'{file} line {number}: must be an object with "text", "intent" and "query"')
        rows.append(row)
    if not rows:
        raise OperatorError(f"{file}: holds no lines")
    return rows
