"""Scan + Reading -> intent, with the evidence for it.

The rules run in order of precedence; each names the cues it rests on, so that a person can see why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.reader.question import Intent, Topic
from bot.reader.reading import Reading
from bot.reader.scan import Scan

_TOPICS: Final[tuple[Topic, ...]] = (
    "expiry",
    "kyc",
    "refund",
    "topup",
    "payment",
    "privacy",
    "hardware",
    "software",
    "start",
    "other",
)


#: Words of a message that is hardly more than the name of a repository.
_ALONE: Final = 4


@dataclass(frozen=True, slots=True)
class Decision:
    """The intent and why: concept names that were found, in the order they were weighed."""

    intent: Intent
    evidence: tuple[str, ...]
    topic: Topic | None = None
    understood: bool = True


@dataclass(frozen=True)
class Case:
    """What the rules look at."""

    scan: Scan
    reading: Reading

    @property
    def sized(self) -> bool:
        """A model or a size is named."""
        return (
            any(name in self.reading.slots for name in ("model", "params_b", "models"))
            or self.reading.problem is not None
            or self.repository
        )

    @property
    def repository(self) -> bool:
        """A model hub's repository is named, and not two words with a stroke between that may be anything."""
        if self.reading.hub is None or self.reading.hub_sure:
            return self.reading.hub is not None
        return self.trains or self.gpu or self.scan.words() <= _ALONE

    @property
    def gpu(self) -> bool:
        return "gpu" in self.reading.slots or "gpus" in self.reading.slots

    @property
    def trains(self) -> bool:
        return "method" in self.reading.slots or "methods" in self.reading.slots or self.reading.task is not None

    @property
    def question(self) -> bool:
        return "?" in self.scan.normal.norm or "？" in self.scan.normal.original

    def has(self, *cues: str) -> bool:
        return self.scan.has(*(f"cue.{cue}" for cue in cues))


def decide(scan: Scan, reading: Reading) -> Decision:
    """The intent of a message on its own (without the chat's memory)."""
    case = Case(scan, reading)
    for rule in _RULES:
        decision = rule(case)
        if decision is not None:
            return decision
    return Decision("unsupported", (), understood=False)


def faq_topic(scan: Scan) -> Topic | None:
    """The FAQ topic with most evidence; earlier ones win ties."""
    scores: dict[Topic, float] = {}
    for topic in _TOPICS:
        for hit in scan.by_concept.get(f"faq.{topic}", ()):
            scores[topic] = scores.get(topic, 0.0) + 1.0 + 0.5 * (hit.end - hit.start - 1)
    if not scores:
        return None
    return max(scores, key=lambda topic: (scores[topic], -_TOPICS.index(topic)))


def _attack(case: Case) -> Decision | None:
    return Decision("unsupported", ("inject",)) if case.has("inject") and not _free_hours(case) else None


def _free_hours(case: Case) -> bool:
    """ "for free" alone is a price question, not an attack."""
    hits = case.scan.by_concept.get("cue.inject", ())
    return (
        len(hits) == 1
        and hits[0].end - hits[0].start <= 2
        and case.scan.tokens[hits[0].start].text in {"de", "for", "gratis"}
    )


def _not_covered(case: Case) -> Decision | None:
    if case.has("not_language") and "model" not in case.reading.slots and not case.scan.has("faq.payment"):
        return Decision("unsupported", ("not_language",))
    if case.has("closed") and not case.sized and faq_topic(case.scan) is None:
        return Decision("unsupported", ("closed",))
    if case.has("mining") and not case.scan.has("faq.payment"):
        return Decision("unsupported", ("mining",))
    if case.has("invest") and not case.sized and "budget_usd" not in case.reading.slots:
        return Decision("unsupported", ("invest",))
    if case.has("chat") and not case.sized and not case.gpu:
        return Decision("unsupported", ("chat",))
    return None


def _human(case: Case) -> Decision | None:
    if case.has("human") and not case.sized and not case.gpu and "budget_usd" not in case.reading.slots:
        return Decision("human", ("human",))
    return None


def _convert(case: Case) -> Decision | None:
    slots = case.reading.slots
    if "coin" not in slots or case.sized or case.trains:
        return None
    if slots.get("currency") == slots["coin"] and case.scan.has("money"):
        return Decision("convert", ("coin", "money"))  # "0.002 btc in dollars"
    amount = "budget_usd" in slots or "budget" in slots
    if amount and slots.get("coin") not in {slots.get("currency")} and _target_named(case):
        return Decision("convert", ("money", "coin"))
    if case.gpu and "hours" in slots:
        return Decision("convert", ("coin", "hours"))
    return None


def _target_named(case: Case) -> bool:
    """The coin is what to convert into, not the money that the user has."""
    priced = [q for role in ("dollars", "money") for q in case.scan.role(role)]
    return any(q.unit not in {"USDT", "USDC", "BTC", "ETH", "SOL", "LTC"} for q in priced) or case.has(
        "convert", "how_much"
    )


def _reverse(case: Case) -> Decision | None:
    slots = case.reading.slots
    means = case.gpu or "vram_gb" in slots or "budget_usd" in slots or "budget" in slots or case.has("own")
    if case.sized or not means:
        return None
    if case.has("reverse", "biggest"):
        return Decision("reverse", ("reverse",))
    money = "budget_usd" in slots or "budget" in slots
    if money and (case.has("have", "can", "which", "fits") or case.trains or case.scan.words() <= 6) and not case.gpu:
        return Decision("reverse", ("money",))
    if money and case.gpu and "hours" not in slots and "coin" not in slots:
        return Decision("reverse", ("money", "gpu"))  # "R$ 500 of H100"
    return None


def _compare(case: Case) -> Decision | None:
    slots = case.reading.slots
    several = (
        len(slots.get("gpus", ())) > 1
        or len(slots.get("methods", ())) > 1
        or (len(slots.get("models", ())) > 1 and "model" in slots)
    )
    asks_terms = faq_topic(case.scan) is not None and not case.sized  # "which software runs QLoRA and LoRA?"
    linked = case.has("versus", "either", "compare") or (case.has("which") and not asks_terms)
    if several and linked:
        return Decision("compare", ("several", "linked"))
    return None


def _time(case: Case) -> Decision | None:
    if (case.scan.has("faq.expiry") and not case.sized) or not (
        case.sized or case.trains or case.gpu or case.has("time")
    ):
        return None
    if {"steps", "steps_per_hour"} <= case.reading.slots.keys():
        return Decision("time", ("steps", "steps_per_hour"))
    if case.has("speed") and (case.sized or case.gpu):
        return Decision("time", ("speed",))
    asks = case.has("time") and not (case.scan.has("faq.start") and not case.sized) and not _asks_price_of_time(case)
    if asks and (case.sized or case.trains or case.gpu or case.scan.words() <= 8):
        return Decision("time", ("time",))
    deadline = "hours" in case.reading.slots and "tokens" in case.reading.slots and case.sized
    return Decision("time", ("deadline",)) if deadline else None


def _asks_price_of_time(case: Case) -> bool:
    return "hours" in case.reading.slots and case.has("cost", "price") and case.gpu


def _faq(case: Case) -> Decision | None:
    topic = faq_topic(case.scan)
    if topic is None or case.sized:
        return None
    slots = case.reading.slots
    strong = sum(len(case.scan.by_concept.get(f"faq.{name}", ())) for name in _TOPICS)
    computable = case.gpu and (case.has("price", "cost") or "hours" in slots) and topic not in {"expiry", "hardware"}
    if computable and strong < 2:
        return None
    if case.reading.task is not None and case.gpu and topic not in {"hardware", "software"}:
        return None
    if case.scan.has("cue.price_list") and strong < 2 and topic not in {"topup", "payment"}:
        return None
    return Decision("faq", (f"faq.{topic}",), topic)


def _cost(case: Case) -> Decision | None:
    slots = case.reading.slots
    hours = "hours" in slots
    fits = case.has("fits") and case.sized and not case.has("cost", "price")
    if one_hour_of_a_gpu(slots) and not case.sized and case.has("price", "how_much", "cost"):
        return None  # "how much is one hour of H100?" asks for the price
    if hours and case.gpu and not fits:
        return Decision("cost", ("hours", "gpu"))
    if hours and case.has("cost") and not case.sized:
        return Decision("cost", ("hours", "cost"))
    return None


def one_hour_of_a_gpu(slots: Mapping[str, Any]) -> bool:
    """Whether the hour named is that of a price: one hour of one GPU."""
    return slots.get("hours") == 1 and slots.get("count") in (None, 1) and "gpu" in slots


def _check(case: Case) -> Decision | None:
    if not case.sized or not case.gpu or case.reading.count_asked:
        return None
    if case.has("fits", "can", "own") or case.question or "count" in case.reading.slots:
        if case.has("which") and not case.has("fits"):
            return None
        return Decision("check", ("fits" if case.has("fits") else "gpu", "size"))
    return None


def _price(case: Case) -> Decision | None:
    if case.sized or (case.trains and not case.gpu):
        return None
    if case.gpu and (case.has("price", "cost", "how_much") or case.scan.words() <= 4):
        return Decision("price", ("gpu", "price"))
    if case.has("price_list", "price") and not case.trains:
        return Decision("price", ("price_list",))
    return None


def _plan(case: Case) -> Decision | None:
    if case.sized:
        return Decision("plan", ("size",))
    if case.trains and (case.has("need", "which", "how_many", "how_much") or case.scan.has("vram")):
        return Decision("plan", ("method",))
    if "method" in case.reading.slots and case.scan.words() <= 4:
        return Decision("plan", ("method",))
    if case.reading.task == "train" or "examples" in case.reading.slots or "tokens" in case.reading.slots:
        return Decision("plan", ("train",))
    return None


def _talk(case: Case) -> Decision | None:
    if case.has("human"):
        return Decision("human", ("human",))
    topic = faq_topic(case.scan)
    if topic is not None:
        return Decision("faq", (f"faq.{topic}",), topic)
    if "software" in case.reading.slots:
        return Decision("faq", ("software",), "software")
    for cue in ("about", "greeting", "thanks"):
        if case.has(cue):
            return Decision("smalltalk", (cue,))
    if case.gpu:
        return Decision("price", ("gpu",))
    if case.has("price", "rent"):
        return Decision("price", ("price",))
    if "coin" in case.reading.slots:
        return Decision("convert", ("coin",))
    return None


_RULES: Final[tuple[Callable[[Case], Decision | None], ...]] = (
    _attack, _not_covered, _human, _convert, _reverse, _compare, _time, _faq, _cost, _check, _price, _plan, _talk,
)  # fmt: skip
