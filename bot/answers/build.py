"""Question -> Answer: picks the module for the intent and turns refusals into answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from bot.answers.answer import Answer
from bot.answers.bounds import refuse_unusable
from bot.answers.check import answer_check
from bot.answers.common import Desk, problem
from bot.answers.compare import answer_compare
from bot.answers.cost import answer_convert, answer_cost
from bot.answers.plan import answer_plan
from bot.answers.price import answer_price
from bot.answers.reverse import answer_reverse
from bot.answers.talk import answer_faq, answer_human, answer_smalltalk, answer_unsupported
from bot.answers.time import answer_time
from bot.hub.values import NO_HUB, HubModels
from bot.rates.values import NO_RATES, Rates
from bot.reader.preferences import NO_PREFERENCES, Preferences
from bot.reader.question import Intent, Question
from bot.shop.shop import Shop
from planner.errors import PlanError

#: Kinds that compute nothing, so that no number in the question can be wrong for them.
_WORDS: frozenset[Intent] = frozenset({"faq", "human", "smalltalk", "unsupported"})

_KINDS: dict[Intent, Callable[[Desk], Answer]] = {
    "plan": answer_plan,
    "check": answer_check,
    "compare": answer_compare,
    "price": answer_price,
    "cost": answer_cost,
    "time": answer_time,
    "reverse": answer_reverse,
    "convert": answer_convert,
    "faq": answer_faq,
    "human": answer_human,
    "smalltalk": answer_smalltalk,
    "unsupported": answer_unsupported,
}


def answer(
    question: Question,
    shop: Shop,
    now: datetime,
    rates: Rates = NO_RATES,
    preferences: Preferences = NO_PREFERENCES,
    hub: HubModels = NO_HUB,
) -> Answer:
    """The answer to a question from the shop's facts as of ``now``, with what a model hub said of the repositories that
    it names.  Never raises for a Question its type allows."""
    first = _one(question, shop, now, rates, preferences, hub)
    if not question.also:
        return first
    also = tuple(_one(other, shop, now, rates, preferences, hub) for other in question.also)
    sources = dict.fromkeys(source for one in (first, *also) for source in one.sources)
    return replace(first, also=also, sources=tuple(sources))


def _one(
    question: Question, shop: Shop, now: datetime, rates: Rates, preferences: Preferences, hub: HubModels
) -> Answer:
    desk = Desk(question, shop, now, rates, preferences, hub)
    if question.problem is not None:
        return desk.finish(Answer(question=question, error=question.problem))
    try:
        if question.intent not in _WORDS:
            refuse_unusable(question)
        return desk.finish(_KINDS[question.intent](desk))
    except PlanError as error:
        return Desk(question, shop, now).finish(Answer(question=question, error=problem(error)))
