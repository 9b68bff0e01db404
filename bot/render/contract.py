"""The JSON that other programs read: one object per answered text (DESIGN "Contracts").

Money is strings; lists are empty and objects null where a kind of answer has none.
"""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from bot.answers.answer import Answer, PriceLine, Quote
from bot.hub.values import HubModel
from bot.reader.question import Question
from planner.compare import GpuFigures, MethodFigures
from planner.cost import RunCost
from planner.fit import Option
from planner.plan import Asked, MethodPlan
from planner.reverse import Affordable, Largest
from planner.room import PeakOn
from planner.speed import RunTime

#: Slots that are money, written as strings.
_MONEY = frozenset({"budget_usd", "budget"})


def to_contract(answer: Answer, locale: str, text: str) -> dict[str, Any]:
    """The whole object for one answer."""
    question = answer.question
    return {
        "lang": question.lang or locale.split("_")[0],
        "locale": locale,
        "intent": question.intent,
        "query": query(question),
        "also": [{"intent": other.intent, "query": query(other)} for other in question.also],
        "answer": {
            "methods": [_method(plan, answer.peak) for plan in answer.methods],
            "asked": _asked(answer.asked),
            "time": [_time(one) for one in answer.times],
            "run": _run(answer.run),
            "prices": [_price(row) for row in answer.prices],
            "compare": [*map(_gpu, answer.gpu_figures), *map(_compared_method, answer.method_figures)],
            "reverse": [*map(_largest, answer.largest), *map(_affordable, answer.affordable)],
            "topic": answer.topic,
            "quotes": [_quote(quote) for quote in answer.quotes],
            "hub": _hub(answer.hub),
            "assumptions": [note.code for note in answer.assumptions],
            "notes": [note.code for note in answer.notes],
            "links": {name: url for name, url in asdict(answer.links).items() if url},
            "error": None if answer.error is None else asdict(answer.error),
        },
        "prices_as_of": answer.prices_as_of.isoformat() if answer.prices_as_of else None,
        "sources": list(answer.sources),
        "text": text,
    }


def query(question: Question) -> dict[str, Any]:
    """The slots that the text or its context states."""
    return {name: _slot(name, value) for name, value in question.slots.stated().items()}


def _slot(name: str, value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Decimal):
        return money(value) if name in _MONEY else _number(value)
    return _number(value) if isinstance(value, float) else value


def _number(value: float | Decimal) -> float | int:
    return int(value) if value == int(value) else float(value)


def money(value: Decimal) -> str:
    """Money as a plain string, never in exponent form."""
    return f"{value:f}"


def _maybe(value: Decimal | None) -> str | None:
    return None if value is None else money(value)


def _method(plan: MethodPlan, peak: PeakOn | None) -> dict[str, Any]:
    memory, fit = plan.memory, plan.fit
    low, high = memory.low_gb, memory.high_gb
    if peak is not None and low is None:
        low, high = round(peak.low_gb * peak.count, 3), round(peak.high_gb * peak.count, 3)
    return {
        "method": memory.method,
        "tier": memory.tier,
        "basis": memory.basis,
        "floor_gb": memory.floor_gb,
        "plan_gb": memory.plan_gb,
        "low_gb": low,
        "high_gb": high,
        "terms": [{"name": t.name, "gb": t.gb, "formula": t.formula, "source": t.source} for t in memory.terms],
        "options": [_option(option) for option in fit.options],
        "simplest": _choice(fit.simplest),
        "cheapest": _choice(fit.cheapest),
    }


def _option(option: Option) -> dict[str, Any]:
    return {
        "gpu": option.gpu,
        "count": option.count,
        "vram_gb": _number(option.vram_gb),
        "capacity_gb": option.capacity_gb,
        "verdict": option.verdict,
        "spare_gb": round(option.spare_gb, 6),
        "usd_per_hour": _maybe(option.usd_per_hour),
    }


def _choice(option: Option | None) -> dict[str, Any] | None:
    if option is None:
        return None
    return {"gpu": option.gpu, "count": option.count, "usd_per_hour": _maybe(option.usd_per_hour)}


def _asked(asked: Asked | None) -> dict[str, Any] | None:
    if asked is None:
        return None
    option = asked.option
    return {
        "gpu": option.gpu,
        "count": option.count,
        "rented": asked.rented,
        "method": asked.method,
        "verdict": option.verdict,
        "spare_gb": round(option.spare_gb, 6),
    }


def _run(run: RunCost | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "gpu": run.gpu,
        "count": run.count,
        "method": run.method,
        "hours": money(run.hours),
        "gpu_hours": money(run.gpu_hours),
        "usd": money(run.usd),
        "blocks": [{"hours": block.hours, "count": block.count} for block in run.basket.blocks],
        "purchase_usd": money(run.basket.usd),
        "left_over_hours": money(run.basket.left_over_hours),
        "topup_usd": f"{run.topup_usd:.2f}",
    }


def _time(one: RunTime) -> dict[str, Any]:
    hours = {"low": one.short, "expected": one.expected, "high": one.long}
    return {
        "gpu": one.option.gpu,
        "count": one.option.count,
        "method": one.method,
        "tokens": one.tokens,
        "hours": {name: money(value.quantize(Decimal("0.01"))) for name, value in hours.items()},
        "usd": _maybe(one.usd),
    }


def _price(row: PriceLine) -> dict[str, Any]:
    return {
        "gpu": row.gpu,
        "vram_gb": _number(row.vram_gb),
        "usd_per_hour": money(row.usd_per_hour),
        "blocks": [{"hours": hours, "usd": money(usd)} for hours, usd in row.blocks],
    }


def _gpu(figures: GpuFigures) -> dict[str, Any]:
    option = figures.option
    return {
        "kind": "gpu",
        "gpu": figures.gpu,
        "count": figures.count,
        "vram_gb": _number(figures.vram_gb),
        "bf16_tflops": figures.bf16_tflops,
        "bandwidth_gbs": figures.bandwidth_gbs,
        "usd_per_hour": _maybe(figures.usd_per_hour),
        "usd_per_tflop_hour": _maybe(figures.usd_per_tflop_hour),
        "verdict": option.verdict if option else None,
        "spare_gb": round(option.spare_gb, 6) if option else None,
    }


def _compared_method(figures: MethodFigures) -> dict[str, Any]:
    return {
        "kind": "method",
        "method": figures.method,
        "floor_gb": figures.floor_gb,
        "plan_gb": figures.plan_gb,
        "cheapest": _choice(figures.cheapest),
    }


def _largest(largest: Largest) -> dict[str, Any]:
    return {
        "kind": "largest",
        "gpu": largest.gpu or None,
        "count": largest.count,
        "vram_gb": _number(largest.vram_gb),
        "method": largest.method,
        "bits": _number(largest.bits),
        "max_params_b": largest.max_params_b,
        "models": list(largest.models),
    }


def _affordable(row: Affordable) -> dict[str, Any]:
    return {
        "kind": "budget",
        "gpu": row.gpu,
        "vram_gb": _number(row.vram_gb),
        "usd_per_hour": money(row.usd_per_hour),
        "gpu_hours": row.gpu_hours,
        "usd": money(row.usd),
        "largest": [_largest(largest) for largest in row.largest],
    }


def _hub(found: HubModel | None) -> dict[str, Any] | None:
    if found is None:
        return None
    size = found.model.params_b if found.model is not None else found.params_b
    return {"id": found.id, "state": found.state, "read_at": found.read_at.isoformat(), "params_b": size}


def _quote(quote: Quote) -> dict[str, Any]:
    return {
        "coin": quote.coin,
        "usd": money(quote.usd),
        "amount": money(quote.amount),
        "usd_rate": money(quote.usd_rate),
        "sources": list(quote.sources),
        "as_of": quote.as_of.isoformat(),
        "valid_until": quote.valid_until.isoformat(),
        "state": quote.state,
    }
