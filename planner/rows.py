"""Estimates for rows of run descriptions: what ``gpubot estimate --stdin`` answers (DESIGN "Contracts")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner.architecture import Shape, shape_of, typical_shape
from planner.catalog import load_catalog
from planner.errors import PlanError
from planner.formats import format_named
from planner.memory import estimate
from planner.peak import peak
from planner.query import METHODS, Method, PlanQuery
from planner.run import Run

#: The rule tier gives no range of its own: peaks were measured up to this much above its plan.
_HIGH: Final = 1.5
#: How far a stated size may be from the named model's for it to be that model.
_SAME_MODEL: Final = 0.25


def estimate_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Memory for one described run, in GB (10^9 bytes): per GPU and in total, low / expected / high, and its terms.

    With a sequence length the architecture tier answers, from the model's layers (``model`` an id of the catalogue) or
    those of a typical model of that size; without, the planning rules: low is their floor, expected their plan, high
    1.5 times the plan.  A row that can't be estimated gives ``{"error": {"code", "field", "allowed", "nearest"}}``.
    """
    try:
        return _by_rule(row) if row.get("seq_len") is None else _by_architecture(row)
    except PlanError as error:
        return _error(error.code, error.field, error.allowed, error.nearest)


def _by_architecture(row: Mapping[str, Any]) -> dict[str, Any]:
    gpus = _whole(row, "gpus", 1, 100_000) or 1
    _flag(row, "compiled")  # checked, but no term depends on it
    run = Run(
        shape=_shape(row),
        method=_method(row),
        bits=_number(row, "weights_bits", 1, 32),
        weights=_text(row, "weights_format") or format_named(str(row.get("model") or "")),
        seq_len=_whole(row, "seq_len", 1, 100_000_000) or 1,
        batch=_whole(row, "batch", 1, 1_000_000) or 1,
        grad_ckpt=_flag(row, "grad_ckpt"),
        lora_rank=_whole(row, "lora_rank", 1, 100_000),
        gpus=gpus,
        sharding=_text(row, "sharding"),
        kv_bits=_number(row, "kv_cache_bits", 1, 32),
        software=_text(row, "software"),
        fused_loss=_flag(row, "fused_loss"),
        packed=_flag(row, "packed"),
        optimizer=_text(row, "optimizer"),
    )
    if run.shape.exact:
        run.shape.check_rank(run.lora_rank)
    found = peak(run)
    per_gpu = {"low": found.low / 1e9, "expected": found.expected / 1e9, "high": found.high / 1e9}
    return {
        "per_gpu_gb": {name: round(gb, 6) for name, gb in per_gpu.items()},
        "total_gb": {name: round(gb * gpus, 6) for name, gb in per_gpu.items()},
        "terms": [
            {"name": one.name, "gb": round(one.expected * gpus / 1e9, 6), "formula": one.formula, "source": one.source}
            for one in found.parts
        ],
    }


def _shape(row: Mapping[str, Any]) -> Shape:
    """The named model's shape, where the size stated is not another one; else that of a typical model."""
    stated = row.get("params_b")
    shape = shape_of(str(row.get("model") or "").lower())
    if shape is not None and (stated is None or abs(shape.params / 1e9 / _params(row) - 1) < _SAME_MODEL):
        return shape
    return typical_shape(PlanQuery(params_b=_params(row)).params_b)


def _number(row: Mapping[str, Any], name: str, low: float, high: float) -> float | None:
    value = row.get(name)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise PlanError("not_a_number", name, f"{low:g}-{high:g}")
    if not low <= value <= high:
        raise PlanError("out_of_range", name, f"{low:g}-{high:g}", f"{min(max(value, low), high):g}")
    return float(value)


def _whole(row: Mapping[str, Any], name: str, low: int, high: int) -> int | None:
    value = _number(row, name, low, high)
    if value is not None and value != int(value):
        raise PlanError("not_a_number", name, f"{low}-{high}", str(round(value)))
    return None if value is None else int(value)


def _flag(row: Mapping[str, Any], name: str) -> bool | None:
    value = row.get(name)
    if value is not None and not isinstance(value, bool):
        raise PlanError("unknown", name, "true, false, null")
    return value


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise PlanError("unknown", name, "a text")
    return value


def _by_rule(row: Mapping[str, Any]) -> dict[str, Any]:
    method = _method(row)
    params_b = _params(row)
    bits = _number(row, "weights_bits", 1, 32)
    gpus = _whole(row, "gpus", 1, 100_000) or 1
    query = PlanQuery(params_b=params_b, methods=(method,), bits=bits if method == "inference" else None)
    memory = estimate(query, method)
    total = {"low": memory.floor_gb, "expected": memory.plan_gb, "high": round(memory.plan_gb * _HIGH, 6)}
    return {
        "per_gpu_gb": {name: round(gb / gpus, 6) for name, gb in total.items()},
        "total_gb": total,
        "terms": [{"name": t.name, "gb": t.gb, "formula": t.formula, "source": t.source} for t in memory.terms],
    }


def _method(row: Mapping[str, Any]) -> Method:
    stated = row.get("method")
    if stated is None and row.get("kind") == "inference":
        return "inference"
    for method in METHODS:
        if stated == method:
            return method
    raise PlanError("unknown", "method", ", ".join(METHODS))


def _params(row: Mapping[str, Any]) -> float:
    stated = row.get("params_b")
    if isinstance(stated, int | float) and not isinstance(stated, bool):
        return float(stated)
    model = load_catalog().models.get(str(row.get("model") or "").lower())
    if stated is not None or model is None:
        raise PlanError("missing" if stated is None else "not_a_number", "params_b", "0.01-10000")
    return model.params_b


def _error(code: str, field: str, allowed: str, nearest: str | None) -> dict[str, Any]:
    return {"error": {"code": code, "field": field, "allowed": allowed, "nearest": nearest}}
