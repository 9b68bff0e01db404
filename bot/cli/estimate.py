"""gpubot estimate: GPU memory for described runs."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from planner.rows import estimate_row


@click.command(short_help="Estimate GPU memory for described runs, as JSON lines.")
@click.option("--stdin", "many", is_flag=True, required=True, help="Read JSON lines from standard input.")
def estimate(many: bool) -> None:
    """Estimate memory for every line of standard input, in GB (10^9 bytes).

    \b
    echo '{"kind": "finetune", "params_b": 70, "method": "lora", "gpus": 4}' | gpubot estimate --stdin

    A line may hold kind, model, params_b, active_params_b, method, weights_bits, optimizer, seq_len,
    batch, grad_ckpt, lora_rank, gpus, sharding, kv_cache_bits, software, packed, fused_loss, compiled.
    The estimate follows the planning rules: low is their floor, expected their plan, high 1.5 x plan.
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
    return estimate_row(row)
