"""Answer + locale -> the finished message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.answers.answer import Answer
from bot.reader.question import Intent
from bot.render.document import Block, Builder, Document, Lines, Span, Table
from bot.render.i18n import Speaker, speaker
from bot.render.text import Text, to_text
from bot.render.views.compare import view_compare
from bot.render.views.money import view_convert, view_cost, view_price, view_reverse
from bot.render.views.plan import view_plan
from bot.render.views.talk import view_error, view_faq, view_human, view_smalltalk, view_unsupported
from bot.render.views.time import view_time

_VIEWS: dict[Intent, Callable[[Answer, Speaker, Builder], None]] = {
    "plan": view_plan,
    "check": view_plan,
    "compare": view_compare,
    "price": view_price,
    "cost": view_cost,
    "time": view_time,
    "reverse": view_reverse,
    "convert": view_convert,
    "faq": view_faq,
    "human": view_human,
    "smalltalk": view_smalltalk,
    "unsupported": view_unsupported,
}


#: Lines of a short answer, beside the first question's.
_SHORT: Final = 4


def render(answer: Answer, locale: str) -> Document:
    """The answer as a document in a locale, what else was asked in short at its end."""
    document = _whole(answer, locale)
    if not answer.also:
        return document
    return Document((*document.blocks, *(block for other in answer.also for block in _short(_whole(other, locale)))))


def _whole(answer: Answer, locale: str) -> Document:
    build = Builder()
    say = speaker(locale)
    if answer.error is not None:
        view_error(answer, say, build)
        return build.document()
    view = _VIEWS[answer.question.intent]
    if answer.question.intent in {"cost", "compare", "reverse", "convert"} and not _has_own(answer):
        view = view_plan if answer.methods or answer.candidates else view_price
    view(answer, say, build)
    return build.document()


def _short(document: Document) -> list[Block]:
    """The first lines of a document, or its heading and table."""
    first = document.blocks[0]
    if not isinstance(first, Lines):
        return [first]
    lines = first.lines[:_SHORT]
    head = Lines((((Span("➕ "), *lines[0])), *lines[1:]))
    table = [block for block in document.blocks[1:2] if isinstance(block, Table) and len(first.lines) == 1]
    return [head, *table]


def _has_own(answer: Answer) -> bool:
    """Whether the answer holds what its kind shows; else it fell back to a plan or the price list."""
    kinds = {
        "cost": answer.run is not None and not (answer.methods and answer.question.slots.gpu is None),
        "compare": bool(answer.gpu_figures or answer.method_figures),
        "reverse": not (answer.prices or answer.methods),
        "convert": True,
    }
    return kinds[answer.question.intent]


def render_text(answer: Answer, locale: str, *, opened: bool = False) -> Text:
    """The answer in both forms; ``opened``: its arithmetic and sources are not behind a tap."""
    return to_text(render(answer, locale), opened=opened)
