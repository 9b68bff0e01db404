"""Follow-ups: a message that names only what changes is merged with the chat's last question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from bot.reader.intents import Decision
from bot.reader.names import find_models
from bot.reader.question import Intent, Question
from bot.reader.reading import Reading
from bot.reader.scan import Scan
from planner.catalog import load_catalog
from planner.query import MAX_COUNT, MAX_PARAMS_B, MIN_PARAMS_B

#: Slots that replace one another.
_GROUPS: Final[tuple[frozenset[str], ...]] = (
    frozenset({"model", "models", "params_b", "active_b"}),
    frozenset({"method", "methods"}),
    frozenset({"gpu", "gpus", "counts"}),
    frozenset({"budget", "budget_usd", "currency"}),
    frozenset({"hours", "gpu_hours"}),
)
#: Intents whose questions are about something that can be asked on.
_COMPUTED: Final = frozenset({"plan", "check", "compare", "price", "cost", "time", "reverse", "convert"})
_LONG: Final = 9
_WORDY: Final = 22
_SHORT: Final = 3
_SIZE_IN_NAME: Final = re.compile(r"\d+(?:\.\d+)?[BMT]\b")
#: Bits per weight that formats have.
_WIDTHS: Final = (2, 3, 4, 5, 6, 8, 16)
#: Number words below are articles in many languages.
_SPELLED: Final = 2


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged slots and what the question is now."""

    slots: dict[str, Any]
    intent: Intent
    hub: str | None = None


def merge(scan: Scan, reading: Reading, own: Decision, previous: Question | None) -> Merged | None:
    """The follow-up's full question, or None when the message stands alone."""
    computed = previous is not None and (previous.intent in _COMPUTED or previous.slots.gpu is not None)
    if previous is None or not computed or not _is_followup(scan, reading, own, previous):
        return None
    slots = previous.slots.stated()
    changed = dict(reading.slots)
    _resize(changed, previous)
    _bare_number(scan, reading, changed, previous)
    resized = bool(_GROUPS[0] & changed.keys()) or reading.hub is not None
    for group in _GROUPS:
        if group & changed.keys() or (resized and group is _GROUPS[0]):
            for name in group - changed.keys():
                slots.pop(name, None)
    if reading.negative and slots.get("method") in reading.negative:
        slots.pop("method")
    if "count" not in changed and "gpus" in changed:
        slots.pop("count", None)
    slots.pop("topic", None)
    slots.update(changed)
    hub = reading.hub if resized else previous.hub
    return Merged(slots, _intent(scan, reading, own, previous, changed, slots, hub), hub)


def _is_followup(scan: Scan, reading: Reading, own: Decision, previous: Question) -> bool:
    if own.intent in {"human", "smalltalk"} or own.topic is not None:
        return False
    if own.intent == "unsupported" and own.understood:
        return False
    names = set(reading.slots)
    if scan.has("cue.keep"):
        return True
    sized = bool(names & {"model", "params_b", "models"}) or reading.hub is not None
    opener = _opens(scan)
    if sized:
        rest = names & {"method", "methods", "gpu", "gpus", "hours"}
        most = _LONG + 3 if opener else _LONG
        return scan.words() <= most and (opener or (not rest and bool(previous.slots.models))) and len(rest) <= 1
    if scan.has("cue.price_list") and not names and not opener:
        return False
    if scan.has("cue.reverse", "cue.biggest") and not sized and not names & {"gpu", "gpus", "vram_gb", "budget_usd"}:
        return previous.slots.gpu is not None  # "what is the biggest I can train on that?"
    if own.intent == "reverse" or (own.intent == "convert" and names & {"budget", "budget_usd"}):
        return False
    if (
        own.intent in {"price", "compare"}
        and not opener
        and names & {"gpu", "gpus"}
        and scan.has("cue.price", "cue.versus")
    ):
        return False
    if own.intent == "cost" and {"gpu", "hours"} <= names:
        return False
    known = names or reading.negative or own.intent in {"time", "price", "cost", "check"}
    bare = bool(scan.role("bare")) or (opener and any(number.value >= _SPELLED for number in scan.role("spelled")))
    asks_size = scan.has("cue.fits", "cue.how_many", "cue.how_much", "cue.time", "cue.cost")
    # What is asked without anything it could be asked of needs what was said before.
    wordy = own.intent in {"cost", "time"} or "hours" in names
    most = _WORDY if wordy and previous.slots.gpu is not None and not names & {"gpu", "gpus"} else _LONG + 3
    return bool(known or bare or asks_size) and scan.words() <= most


def _opens(scan: Scan) -> bool:
    """Starts with "and", "what about", "e se", "no," ..., perhaps after a word such as "oops"."""
    polite = {
        index
        for name in ("cue.thanks", "cue.greeting")
        for hit in scan.by_concept.get(name, ())
        for index in range(hit.start, hit.end)
    }
    words = [i for i, token in enumerate(scan.tokens) if token.kind != "mark" and i not in polite]
    if not words:
        return False
    starts = {hit.start for name in ("cue.followup", "cue.not") for hit in scan.by_concept.get(name, ())}
    long = {
        hit.start
        for hit in scan.by_concept.get("cue.followup", ())
        if hit.end - hit.start > 1 or len(scan.tokens[hit.start].text) > _SHORT
    }
    return words[0] in starts or (len(words) > 1 and words[1] in long)


def _resize(changed: dict[str, Any], previous: Question) -> None:
    """ "llama 3?" then "the 70b": a size alone belongs to the family just named."""
    size = changed.get("params_b")
    if not size or "model" in changed:
        return
    catalog = load_catalog().models
    for candidate in previous.slots.models:
        model = catalog.get(candidate)
        if model is not None and abs(model.nominal_b / size - 1) < 0.04:
            changed["model"] = candidate
            return
    if previous.slots.model in catalog and "size_not_in_family" not in previous.notes:
        family = catalog[previous.slots.model]
        for name in (f"{family.family} {size:g}b", _SIZE_IN_NAME.sub(f"{size:g}b", family.name)):
            found = find_models(name.lower(), frozenset())
            if found and found[0].model is not None and catalog[found[0].model].family == family.family:
                changed["model"] = found[0].model
                return


def _bare_number(scan: Scan, reading: Reading, changed: dict[str, Any], previous: Question) -> None:
    """ "4" alone: how many GPUs, or the size where one was asked for."""
    bare = scan.role("bare") or [number for number in scan.role("spelled") if number.value >= _SPELLED]
    if len(bare) == 1 and previous.slots.bits and previous.slots.gpu is None and bare[0].value in _WIDTHS:
        changed.setdefault("bits", bare[0].value)  # "in 4 bits", then "make it 8": no GPU is there to be counted
        return
    if (
        len(bare) == 1
        and "hours" in changed
        and changed.keys() <= {"hours", "method"}
        and previous.slots.gpu is not None
    ):
        if bare[0].value == int(bare[0].value) and 1 <= bare[0].value <= MAX_COUNT:
            changed["count"] = int(bare[0].value)  # "and 5 days with 3?"
        return
    if len(bare) != 1 or changed or scan.words() > 4:
        return
    value = bare[0].value
    is_size = MIN_PARAMS_B <= value <= MAX_PARAMS_B
    if previous.slots.models and not previous.slots.model and is_size:
        changed["params_b"] = value
        _resize(changed, previous)
    elif value == int(value) and 1 <= value <= MAX_COUNT:
        changed["count"] = int(value)
    elif previous.slots.gpu is None and is_size:
        changed["params_b"] = value


def _intent(
    scan: Scan,
    reading: Reading,
    own: Decision,
    previous: Question,
    changed: dict[str, Any],
    slots: dict[str, Any],
    hub: str | None,
) -> Intent:
    is_sized = hub is not None or bool({"params_b", "model"} & slots.keys())
    if scan.has("cue.reverse", "cue.biggest") and not {"model", "params_b", "gpu"} & changed.keys() and "gpu" in slots:
        return "reverse"
    if scan.has("cue.time", "cue.speed") and not (scan.has("cue.cost") and "hours" in changed):
        return "time"
    if (changed.get("coin") or changed.get("currency")) and not {"budget", "budget_usd"} & changed.keys():
        return "convert"
    sized = bool({"model", "params_b"} & changed.keys()) or reading.hub is not None
    if scan.has("cue.keep"):
        return previous.intent
    if sized and previous.intent in {"cost", "time", "price"}:
        return "plan" if "hours" not in slots else previous.intent
    if scan.has("cue.fits", "cue.can") and "gpu" in slots and is_sized and previous.intent != "cost":
        return "check"
    asks_price = scan.has("cue.price", "cue.cost") and not sized
    if asks_price and "gpu" in slots:
        return "cost" if "hours" in slots or is_sized else "price"
    if "hours" in changed and ("gpu" in slots or "method" in slots):
        return "cost"
    if "gpus" in changed:
        return "compare"
    if previous.intent == "compare" and ({"gpu", "method"} & changed.keys()):
        return "plan" if is_sized else "price"
    if previous.intent in {"convert", "reverse"} and sized:
        return "plan"
    if previous.intent == "plan" and "gpu" in changed and not reading.count_asked:
        return "check"
    return previous.intent
