"""Peak memory of a run by the model's layers: its terms and range, per GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from planner import running, training
from planner.architecture import Shape, shape_of, typical_shape
from planner.catalog import load_catalog
from planner.fit import Option
from planner.query import Method, PlanQuery
from planner.run import Part, Run, total
from planner.running import running_parts
from planner.training import training_parts

#: What a run is taken to be where the user says nothing of it.
TRAINED_TOKENS: Final = 2048
SERVED_TOKENS: Final = 4096
#: Steps of the longest context, tokens, and users beyond which nobody counts.
_STEP: Final = 1024
_USERS: Final = 1024
#: What the driver keeps of a GPU for each process (the CUDA context), bytes.
_CONTEXT_BYTES: Final = 0.6e9


@dataclass(frozen=True, slots=True)
class Peak:
    """Bytes on one GPU: the range's ends, what to expect, and the terms that add up to it."""

    low: float
    expected: float
    high: float
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class PeakOn:
    """The peak per GPU (GB of 10^9 bytes) on ``count`` GPUs, and what one of them offers.

    ``capacity_gb``: what the driver reports, less its context (as sold, where no report is known).  ``exact``: the
    layers are the model's own, else those of a typical model of that size.  ``described``: the user said something of
    the run that the planning rule does not count.  ``even_split``: the next count of GPUs that divides the attention
    heads, where this one does not (running).  ``longest``: the most tokens of a sequence (for as many users) and
    ``most_users`` (with as many tokens each) that the GPUs offer memory for, where asked and they hold the run.
    """

    gpu: str
    count: int
    low_gb: float
    expected_gb: float
    high_gb: float
    capacity_gb: float
    exact: bool
    described: bool
    seq_len: int
    batch: int
    parts: tuple[Part, ...]
    even_split: int | None = None
    longest: int | None = None
    most_users: int | None = None

    @property
    def holds(self) -> bool:
        """Whether one GPU offers what is expected."""
        return self.expected_gb <= self.capacity_gb

    @property
    def sure(self) -> bool:
        """Whether it offers the range's high end too."""
        return self.high_gb <= self.capacity_gb


def peak(run: Run) -> Peak:
    """The peak that the allocator of one GPU reaches (without the driver's own context)."""
    if run.method == "inference":
        parts = running_parts(run)
        spread = running.SPREAD
    else:
        parts = training_parts(run)
        spread = training.SPREAD
    return Peak(*total(parts, spread), parts)


def peak_on(query: PlanQuery, method: Method, option: Option) -> PeakOn | None:
    """The peak of a query's run on a configuration; None for a GPU whose memory is not known.

    Raises PlanError for a LoRA rank above the model's hidden size.  Training over several GPUs is taken to be sharded
    (FSDP, ZeRO-3) with checkpointing, running to be tensor parallel.
    """
    gpu = load_catalog().gpu(option.gpu)
    if gpu.vram_gb is None:
        return None
    shape = shape_of(query.model or "")
    if shape is None:
        shape = typical_shape(query.params_b)
    trains = method != "inference"
    if trains and shape.exact:
        shape.check_rank(query.lora_rank)
    run = Run(
        shape=shape,
        method=method,
        bits=None if trains else query.bits,
        seq_len=query.context or (TRAINED_TOKENS if trains else SERVED_TOKENS),
        batch=(query.batch if trains else query.users) or 1,
        grad_ckpt=True if trains else None,
        lora_rank=query.lora_rank,
        gpus=option.count,
        sharding="fsdp" if trains and option.count > 1 else None,
    )
    found = peak(run)
    reported = gpu.reported_mib * 2**20 if gpu.reported_mib is not None else gpu.vram_gb * 1e9
    return PeakOn(
        gpu=option.gpu,
        count=option.count,
        low_gb=found.low / 1e9,
        expected_gb=found.expected / 1e9,
        high_gb=found.high / 1e9,
        capacity_gb=(reported - _CONTEXT_BYTES) / 1e9,
        exact=shape.exact,
        described=query.has_run_details,
        seq_len=run.seq_len,
        batch=run.batch,
        parts=found.parts,
        even_split=_even_split(shape, method, option.count),
    )


def _even_split(shape: Shape, method: Method, count: int) -> int | None:
    """Engines divide every layer's heads over the GPUs, and refuse a count that does not divide them."""
    if method != "inference" or not shape.exact:
        return None
    even = shape.next_split(count)
    return even if even != count else None


def with_room(found: PeakOn, query: PlanQuery, option: Option) -> PeakOn:
    """The same with the longest context and the most users that still fit, for running a model of the catalogue."""
    model = load_catalog().models.get(query.model or "")
    if model is None or model.max_context is None or not found.holds:
        return found

    def holds(tokens: int, users: int) -> bool:
        one = peak_on(replace(query, context=tokens, users=users), "inference", option)
        return one is not None and one.holds

    limit = model.max_context // _STEP
    steps = _most(limit, lambda n: holds(n * _STEP, found.batch))
    longest = max(steps * _STEP, min(found.seq_len, model.max_context))
    return replace(found, longest=longest, most_users=_most(_USERS, lambda n: holds(found.seq_len, n)))


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """The greatest whole number up to ``limit`` that fits, where whatever is less fits too; 0 for none."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def smallest_holding(query: PlanQuery, method: Method, options: Sequence[Option]) -> Option | None:
    """Of configurations for rent, the one with fewest GPUs, then cheapest, that holds the expected peak.

    Training is not split over GPUs without a fast link.
    """
    trains = method != "inference"
    rented = [one for one in options if one.usd_per_hour is not None and not (one.split_slow and trains)]
    for option in sorted(rented, key=lambda one: (one.count, one.usd_per_hour or 0)):
        found = peak_on(query, method, option)
        if found is not None and found.holds:
            return option
    return None
