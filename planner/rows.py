"""Estimates for rows of run descriptions: what ``gpubot estimate --stdin`` answers (DESIGN "Contracts")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner.catalog import load_catalog
from planner.errors import PlanError
from planner.memory import estimate
from planner.query import METHODS, Method, PlanQuery

#: The rule tier gives no range of its own: peaks were measured up to this much above its plan.
_HIGH: Final = 1.5


def estimate_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Memory for one described run, in GB (10^9 bytes): per GPU and in total, low / expected / high, and its terms.

    Low is the floor, expected the plan, high 1.5 times the plan.  A row that can't be estimated gives
    ``{"error": {"code", "field", "allowed", "nearest"}}``.
    """
    try:
        return _estimate(row)
    except PlanError as error:
        return _error(error.code, error.field, error.allowed, error.nearest)


def _estimate(row: Mapping[str, Any]) -> dict[str, Any]:
    method = _method(row)
    params_b = _params(row)
    bits = row.get("weights_bits")
    if bits is not None and not (isinstance(bits, int | float) and not isinstance(bits, bool)):
        raise PlanError("not_a_number", "weights_bits", "1-32", "16")
    gpus = row.get("gpus", 1)
    gpus = 1 if gpus is None else gpus
    if not isinstance(gpus, int) or isinstance(gpus, bool) or not 1 <= gpus <= 100_000:
        raise PlanError("out_of_range", "gpus", "1-100000", "1")
    query = PlanQuery(
        params_b=params_b, methods=(method,), bits=float(bits) if bits and method == "inference" else None
    )
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
