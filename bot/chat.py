"""One turn of a conversation, whoever carries it: Telegram, the terminal and JSON all call this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.answers.answer import Answer
from bot.answers.build import answer
from bot.answers.offers import offers
from bot.answers.steps import Step, steps
from bot.rates.values import NO_RATES, Rates
from bot.reader.preferences import NO_PREFERENCES, Preferences
from bot.reader.question import Question
from bot.reader.read import read
from bot.render.i18n import Voice as Voice
from bot.render.i18n import choose_locale
from bot.render.message import render_text
from bot.render.text import Text
from bot.shop.shop import Shop

#: How many earlier questions a chat remembers.
MEMORY: Final = 10


@dataclass(frozen=True, slots=True)
class Turn:
    """What was asked, what is answered, and in which locale."""

    question: Question
    answer: Answer
    locale: str

    @property
    def offers(self) -> tuple[str, ...]:
        """What can be asked next, as texts."""
        return offers(self.answer)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What can be changed about the answer."""
        return steps(self.answer)

    def text(self, *, opened: bool = False) -> Text:
        """The answer as Telegram HTML and as plain text; ``opened``: its arithmetic is not behind a tap."""
        return render_text(self.answer, self.locale, opened=opened)


def take_turn(
    text: str,
    *,
    history: Sequence[Question],
    shop: Shop,
    now: datetime,
    voice: Voice,
    rates: Rates = NO_RATES,
    preferences: Preferences = NO_PREFERENCES,
) -> Turn:
    """Answer a text.  ``history``: the chat's earlier questions, oldest first; ``now`` an aware moment."""
    return answer_question(
        read(text, history[-MEMORY:]), shop=shop, now=now, voice=voice, rates=rates, preferences=preferences
    )


def answer_question(
    question: Question,
    *,
    shop: Shop,
    now: datetime,
    voice: Voice,
    rates: Rates = NO_RATES,
    preferences: Preferences = NO_PREFERENCES,
) -> Turn:
    """Answer a Question that is built already."""
    return Turn(question, answer(question, shop, now, rates, preferences), choose_locale(question.lang, voice))
