"""gpubot: the command line.

Exit codes: 0 answered, 2 the operator's input or setting is wrong (one line says what to mend), 1 a fault of ours.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Final

import click

from planner.errors import OperatorError

#: Command -> the module that holds it; imported only when it is run, so that an answer starts fast.
_COMMANDS: Final = {
    "run": "bot.cli.run",
    "chat": "bot.cli.run",
    "ask": "bot.cli.ask",
    "estimate": "bot.cli.estimate",
    "prices": "bot.cli.prices",
    "faq": "bot.cli.faq",
    "rates": "bot.cli.rates",
    "questions": "bot.cli.questions",
    "settings": "bot.cli.settings",
}
_SHORT: Final = {
    "run": "Start the bot on Telegram; without GPUBOT_TOKEN, talk to it here.",
    "chat": "Talk to the bot in this terminal.",
    "ask": "Answer one question, or many as JSON lines.",
    "estimate": "Estimate GPU memory for described runs, as JSON lines.",
    "prices": "Show the price list, or import a new one.",
    "faq": "Show the shop's own texts for frequent questions, or import them.",
    "rates": "Show exchange rates, set one by hand, or ask the sources.",
    "questions": "Score how well annotated messages are understood.",
    "settings": "List every setting and its default.",
}


class Lazy(click.Group):
    """A group whose commands live in modules of their own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = getattr(import_module(module), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _SHORT[name]) for name in _COMMANDS])


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="gpubot")
def cli() -> None:
    """Which GPU fits, how much memory it takes, what it costs.

    \b
    Try:
      gpubot ask "70B with LoRA?"
      gpubot chat
      gpubot prices show
    """


def main() -> None:
    """Entry point of the ``gpubot`` command."""
    try:
        code = cli.main(standalone_mode=False)
    except click.ClickException as error:
        _fail(error.format_message().replace("\n", " "))
    except click.Abort:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has gone; nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OperatorError as error:
        _fail(str(error))
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _fail(line: str) -> None:
    print(f"gpubot: {line}", file=sys.stderr)
    sys.exit(2)
