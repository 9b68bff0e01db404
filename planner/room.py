"""A run on one configuration: its peak by the model's layers, and the room that is left for context and users."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from planner.architecture import Shape, named_model
from planner.catalog import load_catalog
from planner.change import greatest
from planner.fit import Option, offered_gb
from planner.layers import Layers
from planner.query import Method, PlanQuery
from planner.run import Part

#: Steps of the longest context, tokens, and users beyond which nobody counts.
_STEP: Final = 1024
_USERS: Final = 1024


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


def peak_on(query: PlanQuery, method: Method, option: Option) -> PeakOn | None:
    """The peak of a query's run on a configuration; None for a GPU whose memory is not known.

    Raises PlanError for a LoRA rank above the model's hidden size.
    """
    gpu = load_catalog().gpu(option.gpu)
    if gpu.vram_gb is None:
        return None
    layers = Layers(query, method)
    run, found = layers.run(option.count), layers.peak(option.count)
    return PeakOn(
        gpu=option.gpu,
        count=option.count,
        low_gb=found.low / 1e9,
        expected_gb=found.expected / 1e9,
        high_gb=found.high / 1e9,
        capacity_gb=offered_gb(gpu),
        exact=run.shape.exact,
        described=query.has_run_details,
        seq_len=run.seq_len,
        batch=run.batch,
        parts=found.parts,
        even_split=_even_split(run.shape, method, option.count),
    )


def _even_split(shape: Shape, method: Method, count: int) -> int | None:
    """Engines divide every layer's heads over the GPUs, and refuse a count that does not divide them."""
    if method != "inference" or not shape.exact:
        return None
    even = shape.next_split(count)
    return even if even != count else None


def with_room(found: PeakOn, query: PlanQuery, option: Option) -> PeakOn:
    """The same with the longest context and the most users that still fit, for running a model of the catalogue."""
    model = named_model(query)
    if model is None or model.max_context is None or not found.holds:
        return found

    def holds(tokens: int, users: int) -> bool:
        one = peak_on(replace(query, context=tokens, users=users), "inference", option)
        return one is not None and one.holds

    limit = model.max_context // _STEP
    steps = greatest(limit, lambda n: holds(n * _STEP, found.batch))
    longest = max(steps * _STEP, min(found.seq_len, model.max_context))
    return replace(found, longest=longest, most_users=greatest(_USERS, lambda n: holds(found.seq_len, n)))
