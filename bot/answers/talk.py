"""faq, human, smalltalk, unsupported: answers from the shop's facts, or none to compute."""

from __future__ import annotations

from bot.answers.answer import Answer
from bot.answers.common import Desk

#: Why something is not covered -> the note that says so, by the reader's evidence.
_REASONS = {"mining": "no_mining", "invest": "not_advice", "closed": "closed_model"}


def answer_faq(desk: Desk) -> Answer:
    """The shop's dated facts on a topic; what it has not published is said."""
    topic = desk.slots.topic or "other"
    facts = desk.shop.facts_on(topic)
    desk.cite(*(fact.source for fact in facts))
    if any(fact.value is None for fact in facts):
        desk.note("unpublished")
    if desk.slots.gpu is not None and desk.shop.prices.row(desk.slots.gpu) is None:
        desk.note("not_rented", gpu=desk.slots.gpu)
    return Answer(question=desk.question, topic=topic, facts=facts)


def answer_human(desk: Desk) -> Answer:
    """The support contact, or how to reach one."""
    return Answer(question=desk.question)


def answer_smalltalk(desk: Desk) -> Answer:
    """A short word and what can be asked."""
    return Answer(question=desk.question)


def answer_unsupported(desk: Desk) -> Answer:
    """One honest sentence, and what can be asked instead."""
    question = desk.question
    if not question.understood:
        desk.note("not_understood")
    elif question.model_text is not None:
        desk.note("not_language_model", model=question.model_text)
    else:
        code = next((note for word, note in _REASONS.items() if word in question.notes), "not_covered")
        desk.note(code)
    return Answer(question=question)
