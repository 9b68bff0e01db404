"""PlanQuery: what is to be planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from planner.errors import PlanError

if TYPE_CHECKING:
    from planner.catalog import Model

Method = Literal["qlora", "lora", "full_8bit", "full", "inference"]

Algo = Literal["dpo", "grpo", "ppo"]

TRAINING: Final[tuple[Method, ...]] = ("qlora", "lora", "full_8bit", "full")
METHODS: Final[tuple[Method, ...]] = (*TRAINING, "inference")

#: Sizes that can be planned, in billions of parameters.
MIN_PARAMS_B: Final = 0.01
MAX_PARAMS_B: Final = 10_000.0
#: Formats that are nothing but their bits.
_PLAIN: Final = ("bf16", "fp8", "int8")
#: GPUs in one instance.
MAX_COUNT: Final = 8


def check_count(count: int) -> None:
    """Raise PlanError for a number of GPUs that no instance has."""
    if not 1 <= count <= MAX_COUNT:
        raise PlanError("out_of_range", "count", f"1-{MAX_COUNT}", "1" if count < 1 else str(MAX_COUNT))


@dataclass(frozen=True, slots=True)
class PlanQuery:
    """A model size, the methods to plan for it, and what the user said about the run.

    ``params_b`` is the nominal size in billions of parameters ("Llama 70B" is 70).  ``bits`` is the
    precision of the weights when running (None: 16).  ``gpu``/``count`` name a configuration the
    user asks about.  The run details (``context`` in tokens, per-device ``batch``, ``lora_rank``,
    concurrent ``users``, a ``fused_loss``) are None where not stated;
    ``algo``: how it learns, where not from examples alone; ``weights``: when running, a format's id in
    data/formats.toml;
    ``active_b``: billions of parameters that a token uses, where that is not all of them; ``architecture``: that of a
    model that is not in data/, instead of ``model``.
    Raises PlanError for a size outside MIN_PARAMS_B..MAX_PARAMS_B or a count outside 1..MAX_COUNT.
    """

    params_b: float
    methods: tuple[Method, ...] = TRAINING
    model: str | None = None
    bits: float | None = None
    gpu: str | None = None
    count: int | None = None
    context: int | None = None
    batch: int | None = None
    lora_rank: int | None = None
    users: int | None = None
    fused_loss: bool | None = None
    weights: str | None = None
    algo: Algo | None = None
    active_b: float | None = None
    architecture: Model | None = None

    def __post_init__(self) -> None:
        if not MIN_PARAMS_B <= self.params_b <= MAX_PARAMS_B:  # also refuses NaN
            nearest = MIN_PARAMS_B if self.params_b < MIN_PARAMS_B else MAX_PARAMS_B
            raise PlanError("out_of_range", "params_b", f"{MIN_PARAMS_B:g}-{MAX_PARAMS_B:.0f}", f"{nearest:g}")
        if self.count is not None:
            check_count(self.count)
        if self.bits is not None and not 1 <= self.bits <= 32:
            raise PlanError("out_of_range", "bits", "1-32", "16")

    @property
    def has_run_details(self) -> bool:
        """Whether the user stated anything that the rule tier does not count: plain bits are its own."""
        stated = (self.context, self.batch, self.lora_rank, self.users, self.fused_loss, self.algo)
        return any(value is not None for value in stated) or self.weights not in (None, *_PLAIN)
