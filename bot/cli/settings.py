"""gpubot settings: what can be set."""

from __future__ import annotations

import click

from bot.settings import describe


@click.command(short_help="List every setting and its default.")
def settings() -> None:
    """List every setting: set them as environment variables or in a file named .env."""
    for name, default, description in describe():
        click.echo(f"{name:<24} {description}{f' (default: {default})' if default else ''}")
