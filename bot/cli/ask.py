"""gpubot ask: one question, or many as JSON lines."""

from __future__ import annotations

import json
import sys
from datetime import date, datetime
from typing import Any

import click

from bot.chat import LookUp, Voice, take_turn
from bot.cli.common import Day, load_rates, load_shop, look_up, moment
from bot.rates.values import Rates
from bot.reader.question import Question
from bot.render.contract import to_contract
from bot.render.i18n import SHIPPED, negotiate
from bot.settings import load_settings
from bot.shop.shop import Shop


class Language(click.ParamType[str]):
    """A shipped locale by any of its usual spellings."""

    name = "language"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        found = negotiate(str(value))
        if found is None:
            self.fail(f"{value!r} is not shipped; choose one of {', '.join(SHIPPED)}", param, ctx)
        return found


# A question may begin with a dash ("-70B"): what is no option is the text.
@click.command(
    short_help="Answer one question, or many as JSON lines.", context_settings={"ignore_unknown_options": True}
)
@click.argument("text", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option("--stdin", "many", is_flag=True, help="Read JSON lines; needs --json.")
@click.option("--lang", type=Language(), help=f"Language for texts that show none: {', '.join(SHIPPED)}.")
@click.option("--as-of", type=Day(), help="Answer as on that day (YYYY-MM-DD), with that day's prices.")
@click.option("--explain", is_flag=True, help="Show how the text was read, instead of an answer.")
def ask(text: str | None, as_json: bool, many: bool, lang: str | None, as_of: date | None, explain: bool) -> None:
    """Answer TEXT as the chat would.

    \b
    gpubot ask "70B com LoRA?"
    gpubot ask --json "does Llama 3.1 8B fit on an L40S?"
    echo '{"text": "e com QLoRA?", "context": ["70B com LoRA?"]}' | gpubot ask --stdin --json

    With --stdin every line is {"text", "context": [earlier messages, oldest first], "lang"?} and
    gives one object, in order; a line that can't be read gives {"error": {...}}.
    """
    if text is not None and text.startswith("--"):
        raise click.UsageError(f"no such option: {text}")
    settings = load_settings()
    now = moment(as_of)
    shop = load_shop(settings, now.date())
    rates = load_rates(settings, now)
    default = lang or settings.lang
    if many:
        if text is not None or not as_json:
            raise click.UsageError("--stdin reads the questions: give --json and no TEXT")
        _answer_lines(shop, rates, now, default, look_up(settings))
        return
    if text is None:
        raise click.UsageError('give a text: gpubot ask "70B with LoRA?"')
    if explain:
        from bot.reader.explain import explanation

        click.echo(explanation(text))
        return
    voice, found = Voice(default=default), look_up(settings)
    turn = take_turn(_sane(text), history=(), shop=shop, now=now, voice=voice, rates=rates, look_up=found)
    said = turn.text().plain
    click.echo(_dump(to_contract(turn.answer, turn.locale, said)) if as_json else said)


def _sane(text: str) -> str:
    """Bytes of the command line that are no UTF-8 arrive as lone surrogates: they carry nothing."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _answer_lines(shop: Shop, rates: Rates, now: datetime, default: str | None, hub: LookUp) -> None:
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if line.strip():
            click.echo(_dump(_answer_line(line, number, shop, rates, now, default, hub)))
            sys.stdout.flush()


def _answer_line(
    line: bytes, number: int, shop: Shop, rates: Rates, now: datetime, default: str | None, hub: LookUp
) -> dict[str, Any]:
    try:
        raw = json.loads(line)
        text, context, lang = raw["text"], raw.get("context") or [], raw.get("lang")
        if not isinstance(text, str) or not all(isinstance(earlier, str) for earlier in context):
            raise TypeError
        if lang is not None and not isinstance(lang, str):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        allowed = '{"text": string, "context": [string], "lang": string}'
        return {"error": {"code": "bad_line", "field": f"line {number}", "allowed": allowed, "nearest": None}}
    voice = Voice(default=negotiate(lang) or default)
    history: list[Question] = []
    for earlier in context:
        history.append(take_turn(_sane(earlier), history=history, shop=shop, now=now, voice=voice).question)
    turn = take_turn(_sane(text), history=history, shop=shop, now=now, voice=voice, rates=rates, look_up=hub)
    return to_contract(turn.answer, turn.locale, turn.text().plain)


def _dump(found: dict[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False)
