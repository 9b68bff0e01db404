"""One turn of a conversation, whoever carries it: Telegram, the terminal and JSON all call this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.answers.answer import Answer
from bot.answers.build import answer
from bot.answers.offers import offers
from bot.hub.values import NO_HUB, HubModels
from bot.rates.values import NO_RATES, Rates
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

    def text(self) -> Text:
        """The answer as Telegram HTML and as plain text."""
        return render_text(self.answer, self.locale)


def take_turn(
    text: str,
    *,
    history: Sequence[Question],
    shop: Shop,
    now: datetime,
    voice: Voice,
    rates: Rates = NO_RATES,
    coin: str | None = None,
    hub: HubModels = NO_HUB,
    look_up: LookUp | None = None,
) -> Turn:
    """Answer a text.  ``history``: the chat's earlier questions, oldest first; ``now`` an aware moment.

    ``hub``: the repositories of a model hub that were looked up for it (see Turn.wanted); ``look_up`` does it here.
    """
    question = read(text, history[-MEMORY:])
    turn = answer_question(question, shop=shop, now=now, voice=voice, rates=rates, coin=coin, hub=hub)
    if look_up is None or not turn.wanted:
        return turn
    hub = {**hub, **look_up(turn.wanted)}
    return answer_question(question, shop=shop, now=now, voice=voice, rates=rates, coin=coin, hub=hub)


def answer_question(
    question: Question,
    *,
    shop: Shop,
    now: datetime,
    voice: Voice,
    rates: Rates = NO_RATES,
    coin: str | None = None,
    hub: HubModels = NO_HUB,
) -> Turn:
    """Answer a Question that is built already."""
    named = (one.hub for one in (question, *question.also) if one.hub is not None)
    wanted = tuple(dict.fromkeys(one for one in named if one not in hub))
    return Turn(question, answer(question, shop, now, rates, coin, hub), choose_locale(question.lang, voice), wanted)
