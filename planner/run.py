"""Run: how a model is run or trained, and Part: one term of its memory with a range."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from planner.architecture import Shape
from planner.memory import Formula
from planner.query import Method

Sharding = Literal["none", "split", "zero1", "zero2", "zero3"]

#: NF4 with double quantisation: 8-bit scales for every 64 weights (QLoRA, arXiv 2305.14314: 0.127 bits).
NF4_BITS: Final = 4.127


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """``seq_len`` in tokens: the padded length when training, prompt plus generated when running; ``batch`` per
    device, or concurrent sequences; ``weights`` a format's id in data/formats.toml.  None where nothing is known, which
    widens the range."""

    shape: Shape
    method: Method
    bits: float | None = None
    weights: str | None = None
    seq_len: int
    batch: int = 1
    grad_ckpt: bool | None = None
    lora_rank: int | None = None
    gpus: int = 1
    sharding: str | None = None
    kv_bits: float | None = None
    software: str | None = None
    fused_loss: bool | None = None
    packed: bool | None = None
    optimizer: str | None = None
    algo: str | None = None

    @property
    def tokens(self) -> int:
        """Tokens on one device at once; DPO passes the chosen and the rejected answer together."""
        return self.seq_len * self.batch * (2 if self.algo == "dpo" else 1)

    @property
    def tool(self) -> str:
        """The software's name, lower case."""
        return (self.software or "").lower()


class Part(NamedTuple):
    """Bytes of one term on one GPU: the least, what to expect, the most."""

    name: str
    low: float
    expected: float
    high: float
    written: Formula
    source: str

    @property
    def formula(self) -> str:
        """Neutral text (see planner.memory.Formula)."""
        return str(self.written)


def total(parts: Iterable[Part], spread: tuple[float, float]) -> tuple[float, float, float]:
    """Low, expected and high bytes of a sum.

    What is not stated (each part's own bounds) adds as squares, since parts are off independently; ``spread`` is what
    measurements of fully stated runs scatter around the estimate, as factors below and above it.
    """
    expected = down = up = 0.0
    for one in parts:
        expected += one.expected
        down += (one.expected - one.low) ** 2
        up += (one.high - one.expected) ** 2
    return max(expected - math.sqrt(down), 0.0) * spread[0], expected, (expected + math.sqrt(up)) * spread[1]


@lru_cache(maxsize=1024)
def sharding_of(text: str | None, gpus: int) -> tuple[Sharding, int, bool]:
    """What free text says of sharding: its kind, over how many GPUs the model is split, and CPU offload."""
    said = (text or "").lower()
    offload = "offload" in said
    ways = [int(found) for found in re.findall(r"(?:pp|ep|tp|parallel)\s*(\d+)", said)]
    if ways:
        return "split", min(math.prod(ways), gpus) if gpus > 1 else 1, offload
    if "split" in said or "naive" in said or "auto" in said:
        return "split", gpus, offload
    kinds: tuple[Sharding, ...] = ("zero1", "zero2", "zero3")
    for kind in kinds:
        if kind in said.replace("-", "").replace(" ", ""):
            return kind, gpus, offload
    if "fsdp" in said or "hsdp" in said:
        return "zero3", gpus, offload
    return "none", 1, offload
