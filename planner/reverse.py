"""The other way round: what can be trained or run on these GPUs, or for this money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import floor

from planner.catalog import load_catalog
from planner.change import greatest
from planner.cost import whole_blocks
from planner.errors import PlanError
from planner.fit import judge
from planner.layers import Layers
from planner.memory import estimate
from planner.offer import PriceList
from planner.query import MAX_PARAMS_B, Method, PlanQuery, check_count

#: Models worth naming as examples: common ones of many sizes, present in data/models.
_FAMILIAR = (
    "deepseek-r1", "llama-3.1-405b", "qwen3-235b-a22b", "gpt-oss-120b", "qwen2.5-72b", "llama-3.3-70b", "mixtral-8x7b",
    "qwen3-32b", "gemma-3-27b", "mistral-small-24b", "gpt-oss-20b", "qwen3-14b", "gemma-3-12b", "llama-3.1-8b",
    "mistral-7b", "qwen3-4b", "llama-3.2-3b", "llama-3.2-1b", "qwen3-0.6b",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest size a method fits on a configuration.  ``max_params_b`` in billions, rounded down.

    ``bits``: weight precision the figure is for (inference).  ``models``: well-known model ids at or
    below the size, largest first.
    """

    gpu: str
    count: int
    vram_gb: float
    method: Method
    bits: float
    max_params_b: float
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Affordable:
    """What a budget buys on one GPU model: whole blocks only.  ``gpu_hours`` 0: less than the smallest block."""

    gpu: str
    vram_gb: float
    usd_per_hour: Decimal
    gpu_hours: int
    usd: Decimal
    largest: tuple[Largest, ...]  # per method, on one such GPU


def largest_in(capacity_gb: float, method: Method, gpu: str, count: int, bits: float | None = None) -> Largest | None:
    """The largest size whose plan fits in ``capacity_gb``, in billions rounded down; None below the smallest size."""
    unit = estimate(PlanQuery(params_b=1.0, methods=(method,), bits=bits), method)
    size = capacity_gb / unit.plan_gb
    steps = 1 if size >= 10 else 10
    rounded = min(floor(size * steps + 1e-9) / steps, MAX_PARAMS_B)
    if rounded <= 0:
        return None
    models = load_catalog().models
    known = [models[name] for name in _FAMILIAR if name in models]
    fitting = sorted((m for m in known if m.planned_b <= rounded), key=lambda m: -m.planned_b)
    return Largest(gpu, count, capacity_gb, method, unit.bits, rounded, tuple(m.id for m in fitting[:3]))


def largest_on(gpu: str, count: int, methods: Sequence[Method], bits: float | None = None) -> tuple[Largest, ...]:
    """The largest size per method on ``count`` GPUs of one model, by the rule tier's plan.

    Raises PlanError for an unknown GPU, one without a fixed memory size, or a count outside 1..8.
    """
    card = load_catalog().gpu(gpu)
    if card.vram_gb is None:
        raise PlanError("memory_not_fixed", "gpu", "vram_gb")
    check_count(count)
    capacity = round(card.vram_gb * count, 6)
    found = (largest_in(capacity, method, gpu, count, bits) for method in methods)
    return tuple(largest for largest in found if largest is not None)


def largest_for(query: PlanQuery, gpu: str, count: int, methods: Sequence[Method]) -> tuple[Largest, ...]:
    """The same by the layers of typical models, for a run whose details ``query`` states: what is expected to fit.

    Examples are judged by their own layers.  Raises PlanError as largest_on does.
    """
    return tuple(found for method in methods if (found := _largest_for(query, gpu, count, method)) is not None)


def _largest_for(query: PlanQuery, gpu: str, count: int, method: Method) -> Largest | None:
    def holds(params_b: float, model: str | None = None) -> bool:
        changed = replace(query, params_b=params_b, model=model, methods=(method,))
        return judge(Layers(changed, method), gpu, count, None).spare_gb >= 0

    tenths = greatest(int(MAX_PARAMS_B * 10), lambda n: holds(n / 10))
    if not tenths:
        return None
    size = tenths / 10 if tenths < 100 else float(tenths // 10)
    models = load_catalog().models
    known = [models[name] for name in _FAMILIAR if name in models]
    fitting = sorted((m for m in known if holds(m.planned_b, m.id)), key=lambda m: -m.planned_b)
    bits = (query.bits or 16) if method == "inference" else load_catalog().rules[method].bits
    vram = round((load_catalog().gpu(gpu).vram_gb or 0.0) * count, 6)
    return Largest(gpu, count, vram, method, bits, size, tuple(m.id for m in fitting[:3]))


def affordable(budget_usd: Decimal, prices: PriceList, methods: Sequence[Method]) -> tuple[Affordable, ...]:
    """What a budget buys on each GPU model for rent, in whole blocks, with the largest size per method on one GPU.

    Raises PlanError for a budget that is not positive.
    """
    if not budget_usd > 0:
        raise PlanError("out_of_range", "budget_usd", ">0")
    bought = []
    for row in prices.rows:
        if not row.available:
            continue
        hours = whole_blocks(budget_usd, row, prices.blocks)
        vram = load_catalog().gpu(row.gpu).vram_gb or 0.0
        cost = row.usd_per_hour * hours
        bought.append(
            Affordable(row.gpu, vram, row.usd_per_hour, hours, cost, largest_on(row.gpu, 1, methods) if hours else ())
        )
    return tuple(bought)
