"""The smallest changes that make a run fit: on the configuration asked about, or on any for rent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from planner.fit import Option, fit, judge
from planner.layers import SERVED_TOKENS, TRAINED_TOKENS
from planner.offer import PriceList
from planner.plan import demand_of
from planner.query import Method, PlanQuery

ChangeKind = Literal["fused_loss", "batch", "users", "context", "bits", "method"]

#: Methods from the heaviest on, and precisions of the weights when running.
_LIGHTER: Final[tuple[Method, ...]] = ("full", "full_8bit", "lora", "qlora")
_BITS: Final = (8.0, 4.0)
#: Steps of a shorter context, in tokens.
_STEP: Final = 512


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a run and the configuration that then holds it.

    ``value``: the greatest batch, users or context (tokens) that fits, the bits of the weights, or the method.
    """

    kind: ChangeKind
    value: int | float | Method | None
    option: Option


def changes(query: PlanQuery, method: Method, prices: PriceList, asked: Option | None = None) -> Iterator[Change]:
    """What makes the run fit, from what costs the user least on: a fused loss, fewer sequences at once, a shorter
    context, fewer bits, a lighter method; each alone.  ``asked``: the configuration to keep; None: any for rent.
    """

    def held(changed: PlanQuery, by: Method = method) -> Option | None:
        demand = demand_of(changed, by)
        if asked is None:
            return fit(demand, prices).simplest
        option = judge(demand, asked.gpu, asked.count, prices)
        return option if option.verdict == "fits" else None

    trains = method != "inference"
    if query.has_run_details:
        if trains and query.fused_loss is None and (option := held(replace(query, fused_loss=True))):
            yield Change("fused_loss", None, option)
        yield from _fewer_sequences(query, trains, held)
        yield from _shorter(query, trains, held)
    if not trains:
        for bits in _BITS:
            if bits < (query.bits or 16) and (option := held(replace(query, bits=bits, weights=None))):
                yield Change("bits", bits, option)
                break
        return
    for lighter in _LIGHTER[_LIGHTER.index(method) + 1 :]:
        if option := held(query, lighter):
            yield Change("method", lighter, option)
            break


def _fewer_sequences(query: PlanQuery, trains: bool, held: Callable[[PlanQuery], Option | None]) -> Iterator[Change]:
    now = (query.batch if trains else query.users or query.batch) or 1
    kind: Literal["batch", "users"] = "batch" if trains else "users"

    def with_fewer(n: int) -> PlanQuery:
        return replace(query, batch=n) if trains else replace(query, users=n)

    most = greatest(now - 1, lambda n: held(with_fewer(n)) is not None)
    if most and (option := held(with_fewer(most))):
        yield Change(kind, most, option)


def _shorter(query: PlanQuery, trains: bool, held: Callable[[PlanQuery], Option | None]) -> Iterator[Change]:
    now = query.context or (TRAINED_TOKENS if trains else SERVED_TOKENS)
    most = greatest((now - 1) // _STEP, lambda n: held(replace(query, context=n * _STEP)) is not None)
    if most and (option := held(replace(query, context=most * _STEP))):
        yield Change("context", most * _STEP, option)


def greatest(limit: int, fits: Callable[[int], bool]) -> int:
    """The greatest whole number up to ``limit`` that fits, where whatever is less fits too; 0 for none."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
