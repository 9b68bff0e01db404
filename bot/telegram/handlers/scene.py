"""What a reply depends on, and what it is made of, whichever way the question came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.chat import Turn, answer_question, take_turn
from bot.reader.question import Question
from bot.render.i18n import Voice, choose_locale
from bot.render.text import Text
from bot.store.records import NewWatch
from bot.telegram import keyboards
from bot.telegram.actions import Place, Remembered
from bot.telegram.handlers.context import DecideContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply, with what is to be remembered of it: the Question it answers, settings to change, a watch to keep, the
    id of one to remove; ``wanted``: what to look up on a model hub before it is said for good."""

    text: Text
    keyboard: dict[str, Any] | None = None
    question: Question | None = None
    settings: dict[str, str | None] | None = None
    watch: NewWatch | None = None
    unwatch: int | None = None
    wanted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Who asks where: ``place`` is the memory's key, ``history`` what was asked before, oldest first."""

    place: Place
    remembered: Remembered
    history: tuple[Question, ...]
    context: DecideContext
    telegram_language: str | None

    @property
    def private(self) -> bool:
        """Whether the chat is the user's own."""
        return self.place.chat_id > 0

    @property
    def voice(self) -> Voice:
        """What decides the language of an answer beside the question's own."""
        return Voice(
            chosen=self.remembered.language, telegram=self.telegram_language, default=self.context.default_locale
        )

    @property
    def locale(self) -> str:
        """The locale of texts that answer no question."""
        return choose_locale(None, self.voice)

    def ask(self, text: str) -> Reply:
        """The reply to a text in any of the languages."""
        return _reply(
            take_turn(
                text,
                history=self.history,
                shop=self.context.shop,
                now=self.context.now,
                voice=self.voice,
                rates=self.context.rates,
                preferences=self.remembered.preferences,
                hub=self.context.hub,
            ),
            opened=self.remembered.preferences.expert,
        )

    def answer(self, question: Question, *, opened: bool = False, details: bool = False) -> Reply:
        """The reply to a Question that is built already; ``opened`` and ``details`` as in keyboards.answer()."""
        return _reply(
            answer_question(
                question,
                shop=self.context.shop,
                now=self.context.now,
                voice=self.voice,
                rates=self.context.rates,
                preferences=self.remembered.preferences,
                hub=self.context.hub,
            ),
            opened=opened or self.remembered.preferences.expert,
            details=details,
        )


def _reply(turn: Turn, *, opened: bool = False, details: bool = False) -> Reply:
    keyboard = keyboards.answer(turn, opened=opened, details=details)
    return Reply(text=turn.text(opened=opened), question=turn.question, keyboard=keyboard, wanted=turn.wanted)
