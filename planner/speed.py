"""Run time: from the user's own measurement, or estimated from tokens; and the bound that memory bandwidth sets."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from math import ceil
from statistics import median, quantiles
from typing import Final

from planner.architecture import named_model
from planner.catalog import Gpu, Throughput, load_catalog
from planner.cost import MAX_HOURS
from planner.errors import PlanError
from planner.fit import Option
from planner.formats import format_of, weight_bytes
from planner.layers import SERVED_TOKENS, shape_for
from planner.memory import Formula
from planner.query import Method, PlanQuery

#: FLOPs a parameter and token take: 2 forward, 2 to carry the error back, 2 for the weights' own gradient, which frozen
#: weights do not need (Kaplan et al., arXiv 2001.08361).
_TRAINED: Final = 6
_FROZEN: Final = 4
#: FLOPs of causal attention for each token: 6 x sequence length x layers x heads x head dimension, forward and back
#: (Korthikanti et al., arXiv 2205.05198, halved for the causal mask).
_ATTENTION: Final = 6
#: Published rows of a kind on one chip that make a range by themselves.
_ENOUGH: Final = 10
SOURCE: Final = "training-flops"


def wall_hours(steps: int, steps_per_hour: float) -> Decimal:
    """Wall-clock hours for ``steps`` at a measured rate.  Raises PlanError for a rate or count that is not positive."""
    if steps <= 0:
        raise PlanError("out_of_range", "steps", ">0", "1")
    if not 0 < steps_per_hour < float("inf"):
        raise PlanError("out_of_range", "steps_per_hour", ">0", "1")
    return Decimal(steps) / Decimal(repr(steps_per_hour))


def steps_of(examples: int, epochs: float, per_step: int) -> int:
    """Optimizer steps for ``examples`` seen ``epochs`` times, ``per_step`` examples at once on all GPUs together.

    Raises PlanError for counts that are not positive.
    """
    for field, value in (("examples", examples), ("epochs", epochs), ("batch", per_step)):
        if value <= 0:
            raise PlanError("out_of_range", field, ">0", "1")
    return ceil(examples * epochs / per_step)


@dataclass(frozen=True, slots=True)
class Utilisation:
    """The share of a GPU's peak that published runs reached: a low, a middle and a high one of ``rows`` rows.

    ``own``: all on that GPU's chip; else of all GPUs.
    """

    low: float
    middle: float
    high: float
    rows: int
    own: bool
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunTime:
    """Estimated wall-clock hours of training on one configuration: ``expected`` between ``short`` and ``long``.

    ``usd`` for the expected hours, rounded up to the cent; None for a GPU that is not rented.
    """

    option: Option
    method: Method
    tokens: int
    short: Decimal
    expected: Decimal
    long: Decimal
    utilisation: Utilisation
    written: Formula
    usd: Decimal | None = None

    @property
    def formula(self) -> str:
        """How the expected hours come about, in neutral text."""
        return str(self.written)


@dataclass(frozen=True, slots=True)
class DecodeBound:
    """Tokens per second that memory bandwidth allows at most: for each user, and for all of them together."""

    option: Option
    each: float
    together: float
    users: int
    written: Formula

    @property
    def formula(self) -> str:
        """Neutral text."""
        return str(self.written)


def _kind(method: Method) -> str:
    return "adapter" if method in ("lora", "qlora") else "full"


def active_params(query: PlanQuery) -> float:
    """Parameters (elements) that a token passes through: of a mixture of experts only the chosen ones."""
    model = named_model(query)
    active = model.active_b if model is not None else None
    return (active or query.active_b or (model.params_b if model is not None else query.params_b)) * 1e9


def flops_per_token(query: PlanQuery, method: Method, seq_len: int) -> float:
    """FLOPs of training on one token of a sequence of ``seq_len`` tokens, without recomputation."""
    shape = shape_for(query)
    attention = _ATTENTION * seq_len * shape.layers * shape.heads * shape.head_dim
    return (_FROZEN if _kind(method) == "adapter" else _TRAINED) * active_params(query) + attention


@lru_cache(maxsize=256)
def utilisation(gpu: str, method: Method) -> Utilisation:
    """What published runs of a kind (all weights trained, or adapters) reached on a GPU's chip, else on any.

    Low and high are the tenth and ninetieth percentile; where a chip has few rows of its own, its median with the
    spread of all.
    """
    catalog = load_catalog()
    card = catalog.gpu(gpu)
    rows = [row for row in catalog.throughput.values() if _kind(row.method) == _kind(method)]
    own = [row for row in rows if _same_chip(catalog.gpu(row.gpu), card)]
    spread = [_share(row) for row in (own if len(own) >= _ENOUGH else rows)]
    taken = own or rows
    middle = median(_share(row) for row in taken)
    tenths = quantiles(spread, n=10, method="inclusive")
    scale = middle / median(spread)
    sources = tuple(dict.fromkeys(row.source for row in taken))
    return Utilisation(tenths[0] * scale, middle, tenths[-1] * scale, len(taken), bool(own), sources)


def _same_chip(one: Gpu, other: Gpu) -> bool:
    """Memory sizes of one chip compute alike."""
    return one.id == other.id or (one.architecture, one.bf16_tflops) == (other.architecture, other.bf16_tflops)


def _share(row: Throughput) -> float:
    peak = load_catalog().gpu(row.gpu).bf16_tflops or 0.0
    if row.tokens_per_s is None:
        return (row.tflops or 0.0) / peak
    rate = _FROZEN if _kind(row.method) == "adapter" else _TRAINED
    return rate * row.params_b * 1e9 * row.tokens_per_s / 1e12 / peak


def training_time(query: PlanQuery, method: Method, option: Option, tokens: int, seq_len: int) -> RunTime | None:
    """Hours to train on ``tokens`` in sequences of ``seq_len``; None for a GPU whose peak is not known.

    Tokens x FLOPs per token / (GPUs x peak BF16 x utilisation).  Raises PlanError for tokens that are not positive or a
    run beyond MAX_HOURS.
    """
    if tokens <= 0:
        raise PlanError("out_of_range", "tokens", ">0", "1000000")
    peak = load_catalog().gpu(option.gpu).bf16_tflops
    if peak is None:
        return None
    flops = flops_per_token(query, method, seq_len)
    used = utilisation(option.gpu, method)

    def hours(share: float) -> Decimal:
        seconds = tokens * flops / (option.count * peak * 1e12 * share)
        return Decimal(repr(seconds)) / 3600

    expected = hours(used.middle)
    if hours(used.low) > MAX_HOURS:
        raise PlanError("out_of_range", "tokens", f"<{MAX_HOURS} h", str(int(tokens * MAX_HOURS / hours(used.low))))
    written = Formula(
        "{} tokens x {} x 10^9 FLOPs / ({} GPU x {} TFLOPS x {}%)",
        (tokens, round(flops / 1e9, 2), option.count, peak, round(used.middle * 100)),
    )
    usd = None
    if option.usd_per_hour is not None:
        usd = (expected * option.usd_per_hour).quantize(Decimal("0.01"), ROUND_CEILING)
    return RunTime(option, method, tokens, hours(used.high), expected, hours(used.low), used, written, usd)


def decode_bound(query: PlanQuery, option: Option) -> DecodeBound | None:
    """Tokens per second at most when generating: each step reads the weights once and every user's KV cache.

    A mixture of experts reads its active parameters for one user, and up to all of them for many.  None for a GPU whose
    bandwidth is not known.
    """
    bandwidth = load_catalog().gpu(option.gpu).bandwidth_gbs
    if bandwidth is None:
        return None
    shape = shape_for(query)
    users = query.users or 1
    context = query.context or SERVED_TOKENS
    weights = weight_bytes(shape, query.bits or 16, format_of(query.weights, query.bits, ""))
    read = weights * min(1.0, users * active_params(query) / shape.params)
    cache = shape.kv_elements(context) * 2
    each = option.count * bandwidth * 1e9 / (read + users * cache)
    written = Formula(
        "{} x {} GB/s / ({} GB + {} x {} GB)",
        (option.count, bandwidth, round(read / 1e9, 2), users, round(cache / 1e9, 3)),
    )
    return DecodeBound(option, each, each * users, users, written)
