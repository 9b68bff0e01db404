"""One turn of a conversation, whoever carries it: Telegram, the terminal and JSON all call this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.answers.answer import Answer
from bot.answers.build import answer
from bot.answers.offers import offers
from bot.answers.steps import Step, steps
from bot.hub.values import NO_HUB, HubModels
from bot.rates.values import NO_RATES, Rates
from bot.reader.preferences import NO_PREFERENCES, Preferences
from bot.reader.question import Question
from bot.reader.read import read
from bot.render.i18n import Voice as Voice
from bot.render.i18n import choose_locale
from bot.render.message import render_text
from bot.render.text import Text
from bot.shop.shop import Shop

#: Asks a model hub for repositories, and waits for it.
LookUp = Callable[[Sequence[str]], HubModels]
#: How many earlier questions a chat remembers.
MEMORY: Final = 10


@dataclass(frozen=True, slots=True)
class Turn:
    """What was asked, what is answered, and in which locale."""

    question: Question
    answer: Answer
    locale: str
    wanted: tuple[str, ...] = ()  # repositories of a model hub to be looked up, and the turn taken again with them

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
    hub: HubModels = NO_HUB,
    look_up: LookUp | None = None,
) -> Turn:
    """Answer a text.  ``history``: the chat's earlier questions, oldest first; ``now`` an aware moment.

    ``hub``: the repositories of a model hub that were looked up for it (see Turn.wanted); ``look_up`` does it here.
    """
    question = read(text, history[-MEMORY:])

    def answered(found: HubModels) -> Turn:
        return answer_question(
            question, shop=shop, now=now, voice=voice, rates=rates, preferences=preferences, hub=found
        )

    turn = answered(hub)
    return turn if look_up is None or not turn.wanted else answered({**hub, **look_up(turn.wanted)})


def answer_question(
    question: Question,
    *,
    shop: Shop,
    now: datetime,
    voice: Voice,
    rates: Rates = NO_RATES,
    preferences: Preferences = NO_PREFERENCES,
    hub: HubModels = NO_HUB,
) -> Turn:
    """Answer a Question that is built already."""
    named = (one.hub for one in (question, *question.also) if one.hub is not None)
    wanted = tuple(dict.fromkeys(one for one in named if one not in hub))
    found = answer(question, shop, now, rates, preferences, hub)
    return Turn(question, found, choose_locale(question.lang, voice), wanted)
