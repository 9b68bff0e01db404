"""gpubot estimate: GPU memory for described runs."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from bot.reader.names import find_models
from bot.reader.normalise import fold
from planner.formats import format_named
from planner.rows import estimate_row


@click.command(short_help="Estimate GPU memory for described runs, as JSON lines.")
@click.option("--stdin", "many", is_flag=True, required=True, help="Read JSON lines from standard input.")
def estimate(many: bool) -> None:
    """Estimate memory for every line of standard input, in GB (10^9 bytes).

    \b
    echo '{"kind": "finetune", "params_b": 70, "method": "lora", "gpus": 4}' | gpubot estimate --stdin

    A line may hold kind, model, params_b, active_params_b, method, weights_bits, optimizer, seq_len,
    batch, grad_ckpt, lora_rank, gpus, sharding, kv_cache_bits, software, packed, fused_loss, compiled.
    With seq_len the estimate counts the model's own layers, the tokens and the vocabulary, and gives a range
    calibrated on published measurements; without, it follows the planning rules (low is their floor,
    expected their plan, high 1.5 x plan).  model is a name as people write it, or a hub id.
    """
    for line in sys.stdin.buffer:
        if line.strip():
            click.echo(json.dumps(_estimate(line)))
            sys.stdout.flush()


def _estimate(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
        if not isinstance(row, dict):
            raise TypeError
    except (ValueError, TypeError, RecursionError):
        return {"error": {"code": "bad_line", "field": "line", "allowed": "a JSON object", "nearest": None}}
    return estimate_row(resolved(row))


def resolved(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its model's name as an id of the catalogue, and the weight format that the name states."""
    named = row.get("model")
    if not isinstance(named, str):
        return row
    found = find_models(fold(named), frozenset())
    return {"weights_format": format_named(named), **row, "model": found[0].model if found else None}
