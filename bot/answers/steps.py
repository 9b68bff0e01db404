"""What can be changed about an answer with one tap: the same question with another method, GPU, time or context.

A step is a Question, so that a button, a number typed in a terminal and a text all lead through the same door.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Literal

from bot.answers.answer import Answer
from bot.reader.question import Intent, Question, Slots
from planner.catalog import load_catalog
from planner.fit import Option
from planner.query import Method

#: What a step changes.  "batch" is sequences per GPU when training, users at once when running.
Group = Literal["method", "gpu", "hours", "context", "batch", "compare"]

_METHODS: Final[tuple[Method, ...]] = ("qlora", "lora", "full", "inference")
#: Wall-clock hours that are offered: the length of a try, a day, a week, a month.
_HOURS: Final = (10, 24, 168, 720)
_CONTEXTS: Final = (2048, 8192, 32768, 131072)
_BATCHES: Final = (1, 4, 16)
#: Configurations in a row that a phone shows with their names.
_MOST_GPUS: Final = 3
_PLANNED: Final = frozenset({"plan", "check", "cost", "time"})


@dataclass(frozen=True, slots=True)
class Step:
    """One change: the question that it asks; ``chosen`` where it is what the answer shows already."""

    group: Group
    question: Question
    chosen: bool = False


def steps(answer: Answer) -> tuple[Step, ...]:
    """The changes that an answer offers, by group in the order of the type; none where nothing was computed."""
    question = answer.question
    if answer.error is not None or question.also:
        return ()
    if question.intent in _PLANNED and answer.params_b is not None and not question.slots.models:
        return tuple(_of_plan(answer))
    if question.intent in {"price", "cost", "convert"} and question.slots.gpu is not None:
        return tuple(_of_prices(answer))
    return ()


def _of_plan(answer: Answer) -> Iterator[Step]:
    slots = answer.question.slots
    only = answer.methods[0] if len(answer.methods) == 1 else None
    for method in _METHODS:
        yield Step("method", _with_method(answer, method), only is not None and only.method == method)
    if only is None:
        return
    asked = answer.asked.option if answer.asked is not None and answer.asked.rented else None
    priced = answer.run or answer.block
    for option in _configurations(answer, asked):
        on = replace(slots, gpu=option.gpu, count=option.count, gpus=(), counts=())
        yield Step("gpu", _asking("cost" if slots.hours else "check", answer, on), option == asked)
    if priced is not None:
        for hours in _HOURS:
            rented = replace(slots, gpu=priced.gpu, count=priced.count, hours=Decimal(hours), gpu_hours=None)
            yield Step("hours", _asking("cost", answer, rented), slots.hours == hours)
    if only.leading is not None or only.method == "inference":
        yield from _of_run(answer, only.method)
    pair = _configurations(answer, None)[:2]
    if len(pair) > 1:
        both = replace(
            slots, gpu=None, count=None, gpus=tuple(o.gpu for o in pair), counts=tuple(o.count for o in pair)
        )
        yield Step("compare", _asking("compare", answer, both))


def _of_run(answer: Answer, method: Method) -> Iterator[Step]:
    """Context and batch of a run that is counted by the model's layers."""
    slots = answer.question.slots
    found = answer.hub.model if answer.hub is not None else None
    model = found or load_catalog().models.get(slots.model or "")
    most = model.max_context if model is not None and model.max_context else max(_CONTEXTS)
    kept: Intent = answer.question.intent
    for tokens in _CONTEXTS:
        if tokens <= most:
            longer = replace(slots, context=tokens)
            yield Step("context", _asking(kept, answer, longer), slots.context == tokens)
    for number in _BATCHES:
        if method == "inference":
            yield Step("batch", _asking(kept, answer, replace(slots, users=number)), slots.users == number)
        else:
            yield Step("batch", _asking(kept, answer, replace(slots, batch=number)), slots.batch == number)


def _configurations(answer: Answer, asked: Option | None) -> tuple[Option, ...]:
    """The one asked about first, then what the plan names."""
    fit = answer.methods[0].fit
    nearest = answer.asked.nearest if answer.asked is not None else None
    named = (asked, nearest, fit.simplest, fit.cheapest, fit.likely, fit.alternative)
    found = {(option.gpu, option.count): option for option in reversed(named) if option is not None}
    ordered = sorted(found.values(), key=lambda option: next(i for i, one in enumerate(named) if one == option))
    return tuple(ordered[:_MOST_GPUS])


def _with_method(answer: Answer, method: Method) -> Question:
    """The same by another method; what means training does not outlive a change to running, nor the other way."""
    slots = answer.question.slots
    changed = replace(slots, method=method, methods=())
    if method == "inference":
        changed = replace(changed, lora_rank=None, batch=None, epochs=None, examples=None, tokens=None, steps=None,
                          steps_per_hour=None)  # fmt: skip
    else:
        changed = replace(changed, users=None, bits=None, lora_rank=None if method == "full" else slots.lora_rank)
    kept = answer.question.intent
    if kept == "time":
        kept = "check" if slots.gpu is not None else "plan"
    return _asking(kept, answer, changed)


def _of_prices(answer: Answer) -> Iterator[Step]:
    """Another GPU at the same time and count, another time or count on the same GPU."""
    question, slots = answer.question, answer.question.slots
    if slots.gpu not in load_catalog().gpus:
        return
    count = slots.count or 1
    for hours in _HOURS:
        rented = replace(slots, count=count, hours=Decimal(hours), gpu_hours=None)
        yield Step("hours", _asking("cost", answer, rented), slots.hours == hours)
    if question.intent == "price":
        return
    for number in (1, 2, 4, 8):
        yield Step("gpu", _asking(question.intent, answer, replace(slots, count=number)), number == count)


def _asking(intent: Intent, answer: Answer, slots: Slots) -> Question:
    """A question of its own: nothing is left of what the text said but the slots and its language."""
    asked = answer.question
    return Question(intent=intent, slots=slots, lang=asked.lang, task=asked.task, algo=asked.algo, hub=asked.hub,
                    weights=asked.weights if slots.method in (None, "inference") else None)  # fmt: skip
