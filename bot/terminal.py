"""The conversation in a terminal: line editing and history when a person types, plain answers when piped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date

import click

from bot.chat import Voice, take_turn
from bot.cli.common import load_shop, moment
from bot.reader.question import Question
from bot.settings import Settings

#: Longer lines are cut: nothing a person asks needs more.
_MAX_LINE = 100_000


class Session:
    """One conversation: it remembers what was asked."""

    def __init__(self, settings: Settings, lang: str | None, as_of: date | None) -> None:
        self._settings = settings
        self._voice = Voice(default=lang)
        self._as_of = as_of
        self._history: list[Question] = []

    def answer(self, text: str) -> str:
        """The answer to one line."""
        now = moment(self._as_of)
        shop = load_shop(self._settings, now.date())
        turn = take_turn(text, history=self._history, shop=shop, now=now, voice=self._voice)
        self._history.append(turn.question)
        return turn.text().plain


def converse_piped(settings: Settings, lang: str | None, as_of: date | None) -> None:
    """Answer each line of standard input, then end."""
    session = Session(settings, lang, as_of)
    for index, text in enumerate(_lines()):
        click.echo(("\n" if index else "") + session.answer(text))


def _lines() -> Iterator[str]:
    for line in sys.stdin.buffer:
        text = line[:_MAX_LINE].decode("utf-8", "replace").strip()
        if text:
            yield text


def converse(settings: Settings, lang: str | None, as_of: date | None) -> None:
    """Talk to a person at a terminal until Ctrl-D."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory

    history: History = InMemoryHistory()
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        history = FileHistory(str(settings.data_dir / "history"))
    except OSError:
        click.echo("gpubot: the data directory can't be written, so history is not kept", err=True)
    session = Session(settings, lang, as_of)
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
