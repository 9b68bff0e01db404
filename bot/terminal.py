"""The conversation in a terminal: line editing and history when a person types, plain answers when piped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import click

from bot.chat import LookUp, Voice, take_turn
from bot.rates.values import Rates
from bot.reader.question import Question
from bot.shop.shop import Shop

#: The shop, exchange rates and the moment, asked anew for every line: a conversation may outlast a price list.
Counter = Callable[[], tuple[Shop, Rates, datetime]]
#: Longer lines are cut: nothing a person asks needs more.
_MAX_LINE = 100_000


class Session:
    """One conversation: it remembers what was asked."""

    def __init__(self, counter: Counter, lang: str | None, look_up: LookUp | None = None) -> None:
        self._counter = counter
        self._look_up = look_up
        self._voice = Voice(default=lang)
        self._history: list[Question] = []

    def answer(self, text: str) -> str:
        """The answer to one line."""
        shop, rates, now = self._counter()
        turn = take_turn(
            text,
            history=self._history,
            shop=shop,
            now=now,
            voice=self._voice,
            rates=rates,
            look_up=self._look_up,
        )
        self._history.append(turn.question)
        return turn.text().plain


def converse_piped(counter: Counter, lang: str | None, look_up: LookUp | None = None) -> None:
    """Answer each line of standard input, then end."""
    session = Session(counter, lang, look_up)
    for index, text in enumerate(_lines()):
        click.echo(("\n" if index else "") + session.answer(text))


def _lines() -> Iterator[str]:
    for line in sys.stdin.buffer:
        text = line[:_MAX_LINE].decode("utf-8", "replace").strip()
        if text:
            yield text


def converse(counter: Counter, lang: str | None, data_dir: Path, look_up: LookUp | None = None) -> None:
    """Talk to a person at a terminal until Ctrl-D; what was typed is kept in ``data_dir``."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory

    history: History = InMemoryHistory()
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        history = FileHistory(str(data_dir / "history"))
    except OSError:
        click.echo("gpubot: the data directory can't be written, so history is not kept", err=True)
    session = Session(counter, lang, look_up)
    prompt: PromptSession[str] = PromptSession(history=history)
    while True:
        try:
            text = prompt.prompt("> ").strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if text:
            click.echo(session.answer(text) + "\n")
