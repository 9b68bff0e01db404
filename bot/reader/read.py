"""text (+ the chat's memory) -> Question: the one entry of the reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.reader.intents import Decision, decide, one_hour_of_a_gpu
from bot.reader.memory import merge
from bot.reader.question import Intent, Question, Slots, Task
from bot.reader.reading import Reading
from bot.reader.scan import Scan, scan
from bot.reader.several import MAX_ALSO, is_another, is_pasted, split_questions
from bot.reader.slots import read_slots

#: Slots that an intent does not carry.
_IRRELEVANT: dict[str, frozenset[str]] = {
    "human": frozenset(Slots.__dataclass_fields__),
    "smalltalk": frozenset(Slots.__dataclass_fields__),
    "unsupported": frozenset(Slots.__dataclass_fields__) - {"gpu", "count"},
    "faq": frozenset(Slots.__dataclass_fields__) - {"topic", "gpu", "coin", "software"},
}


@dataclass(frozen=True)
class Trace:
    """How a message was read, stage by stage: for explanation and tests."""

    scan: Scan
    reading: Reading
    decision: Decision
    question: Question


def read(text: str, history: Sequence[Question] = ()) -> Question:
    """What ``text`` asks, merged with the latest question of ``history`` (oldest first) where it only changes that.

    Never raises, whatever the text holds.
    """
    whole = trace(text, history).question
    parts = split_questions(text)
    return whole if len(parts) < 2 else _several(text, parts, whole, history)


def _several(text: str, parts: Sequence[tuple[int, int]], whole: Question, history: Sequence[Question]) -> Question:
    """The first question of several, with the others beside; the message as a whole where it is only one.

    What is said before the first question belongs to it.
    """
    alone = [trace(text[start:end]) for start, end in parts]
    asking = (n for n, one in enumerate(alone) if one.question.intent != "smalltalk" and one.question.understood)
    begin = next(asking, None)
    if begin is None:
        return whole
    later = [one.question for one in alone[begin + 1 :]]
    sizes = any(one.slots.model or one.slots.params_b or one.hub for one in later)
    if is_pasted(text[slice(*parts[begin])]) and not sizes:
        return whole  # a command or a configuration, and what is asked about it
    first = trace(text[: parts[begin][1]], history).question
    also: list[Question] = []
    for (start, end), one in zip(parts[begin + 1 :], alone[begin + 1 :], strict=True):
        # The shop's terms and a wish for a person stand for themselves; the rest may build on the first question.
        stands = one.question.intent in {"faq", "human"}
        question = one.question if stands else trace(text[start:end], [first]).question
        if is_another(question, one.question, first, wants_list=one.scan.has("cue.price_list")):
            moved = (replace(one, start=one.start + start, end=one.end + start) for one in question.mentions)
            also.append(replace(question, mentions=tuple(moved)))
    return replace(first, also=tuple(also[:MAX_ALSO])) if also else whole


def trace(text: str, history: Sequence[Question] = ()) -> Trace:
    """read(), with every stage's result."""
    scanned = scan(text)
    reading = read_slots(scanned)
    decision = decide(scanned, reading)
    previous = history[-1] if history else None
    merged = merge(scanned, reading, decision, previous)
    if merged is not None:
        slots, intent, hub = merged.slots, merged.intent, merged.hub
    else:
        slots, intent, hub = reading.slots, decision.intent, reading.hub
    task = reading.task or (previous.task if merged is not None and previous else None)
    hub = None if intent in _IRRELEVANT else hub
    slots = _settled(slots, intent, decision, task, sized=hub is not None)
    notes = list(reading.notes)
    understood = decision.understood or merged is not None
    if not understood:
        notes.append("not_understood")
    elif intent == "unsupported":
        notes.extend(decision.evidence)  # why it is not covered
    question = Question(
        intent=intent,
        slots=Slots(**slots),
        lang=_language(scanned, previous, followup=merged is not None),
        task=task,
        algo=reading.algo or (previous.algo if merged is not None and previous and task == "train" else None),
        failed_gpu=reading.failed_gpu,
        weights=reading.weights or _kept_format(previous if merged is not None else None, reading, slots),
        hub=hub,
        model_text=_foreign_model(scanned) if intent == "unsupported" else None,
        mentions=tuple(reading.mentions),
        problem=reading.problem,
        understood=understood,
        followup=merged is not None,
        notes=tuple(notes),
    )
    return Trace(scanned, reading, decision, question)


def _kept_format(previous: Question | None, reading: Reading, slots: dict[str, Any]) -> str | None:
    """A follow-up runs the format named before, where it changes neither the bits nor what is done."""
    if previous is None or "bits" in reading.slots or slots.get("method") != "inference":
        return None
    return previous.weights


def _language(scanned: Scan, previous: Question | None, *, followup: bool) -> str | None:
    """The message's language; a follow-up that may be in the language spoken before, is: "e a h200?"."""
    spoken = previous.lang if previous is not None else None
    if scanned.lang is None or (followup and spoken in scanned.langs):
        return spoken
    return scanned.lang


def _settled(
    slots: dict[str, Any], intent: Intent, decision: Decision, task: Task | None, *, sized: bool
) -> dict[str, Any]:
    """The slots an intent carries, with what the intent itself settles.  ``sized``: a model is named beside them."""
    sized = sized or bool(slots.keys() & {"model", "params_b"})
    if decision.evidence == ("inject",):
        return {}
    kept = {name: value for name, value in slots.items() if name not in _IRRELEVANT.get(intent, frozenset())}
    if intent == "unsupported" and "gpu" not in kept:
        kept.pop("count", None)
    if intent == "price" and one_hour_of_a_gpu(kept):
        del kept["hours"]
    machine = intent in {"price", "cost", "convert"} and not sized and "models" not in kept
    if machine and kept.get("method") == "inference":
        del kept["method"]  # "B200 running for two days" runs the machine
    if decision.topic is not None and intent == "faq":
        kept["topic"] = decision.topic
    if intent == "reverse" and "method" not in kept and task == "run":
        kept["method"] = "inference"
    trains = task == "train" or "methods" in kept
    if intent == "check" and "method" not in kept and not trains and sized:
        kept["method"] = "inference"
    return kept


def _foreign_model(scanned: Scan) -> str | None:
    hit = scanned.first("cue.not_language")
    if hit is None:
        return None
    start, end = scanned.normal.span(scanned.tokens[hit.start].start, scanned.tokens[hit.end - 1].end)
    return scanned.normal.original[start:end]
