"""The shop's own texts for frequent questions, per locale: what the shop tells where its page is silent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from bot.shop.files import ShopFileError, parse_file
from bot.shop.shop import Fact, Shop
from planner.catalog import nearest

#: Characters of one text, and texts of one file: an answer has to stay one message.
MOST_TEXT: Final = 600
MOST_TEXTS: Final = 60
_HEAD: Final = ("locale", "as_of", "source")


@dataclass(frozen=True, slots=True)
class FaqText:
    """One text under a topic; ``key`` names it, and replaces the seeds' fact of that name."""

    topic: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class FaqList:
    """All of a locale's texts as of a day.  ``source``: who says so, as shown to customers."""

    locale: str
    as_of: date
    source: str
    texts: tuple[FaqText, ...]


@dataclass(frozen=True, slots=True)
class FaqImport:
    """An imported list; ``at`` in UTC.  ``withdrawn``: by whom it was undone, None while it counts."""

    at: datetime
    who: str
    faq: FaqList
    withdrawn: str | None = None


def read_faq_file(path: Path, today: date, locales: Sequence[str], topics: Sequence[str]) -> FaqList:
    """An operator's file of texts (TOML or JSON; see the README).

    Raises ShopFileError with one line: not readable, an unknown locale or topic (with the nearest), a text that is
    empty or too long, a date after ``today``.
    """
    raw = parse_file(path)
    locale, day, source = (raw.pop(name, None) for name in _HEAD)
    if locale not in locales:
        raise ShopFileError(f"{path.name}: locale has to be one of {', '.join(locales)}")
    if isinstance(day, str):
        try:
            day = date.fromisoformat(day)
        except ValueError:
            day = None
    if isinstance(day, datetime) or not isinstance(day, date):
        raise ShopFileError(f"{path.name}: as_of has to be the day the texts were written, e.g. 2026-10-29")
    if day > today:
        raise ShopFileError(f"{path.name}: as_of {day} is in the future; write the day the texts were written")
    if not isinstance(source, str) or not 0 < len(source.strip()) <= 80:
        raise ShopFileError(f"{path.name}: source has to say in 1 to 80 characters who says so")
    texts = tuple(_texts(path.name, raw, topics))
    if not 0 < len(texts) <= MOST_TEXTS:
        raise ShopFileError(f"{path.name}: holds {len(texts)} texts; write 1 to {MOST_TEXTS}")
    return FaqList(str(locale), day, source.strip(), texts)


def _texts(name: str, raw: dict[str, Any], topics: Sequence[str]) -> Iterable[FaqText]:
    for topic, section in raw.items():
        if topic not in topics:
            near = nearest(topic, topics)
            hint = f"did you mean {near}?" if near else f"topics are {', '.join(topics)}"
            raise ShopFileError(f"{name}: {topic} is not a topic; {hint}")
        if not isinstance(section, dict):
            raise ShopFileError(f"{name}: {topic} must be a [section] of texts")
        for key, text in section.items():
            if not isinstance(text, str) or not text.strip():
                raise ShopFileError(f"{name}: {topic}.{key} has to be a text in quotes")
            if len(text) > MOST_TEXT or not key.isidentifier() or len(key) > 40:
                raise ShopFileError(f"{name}: {topic}.{key}: a name of letters, and at most {MOST_TEXT} characters")
            yield FaqText(topic, key, " ".join(text.split()))


def with_texts(shop: Shop, lists: Iterable[FaqList]) -> Shop:
    """The shop with the texts that count: of each locale the list imported last."""
    newest = {faq.locale: faq for faq in lists}
    texts = [
        Fact(one.topic, one.key, one.text, faq.as_of, faq.source, faq.locale)
        for faq in newest.values()
        for one in faq.texts
    ]
    told = {(fact.topic, fact.key) for fact in texts}
    kept = [fact for fact in shop.facts if (fact.topic, fact.key) not in told]
    return replace(shop, facts=(*kept, *texts))


def faq_to_json(faq: FaqList) -> dict[str, Any]:
    """A list as a JSON object."""
    texts = [{"topic": one.topic, "key": one.key, "text": one.text} for one in faq.texts]
    return {"locale": faq.locale, "as_of": faq.as_of.isoformat(), "source": faq.source, "texts": texts}


def faq_from_json(raw: dict[str, Any]) -> FaqList:
    """A list from its JSON object.  Raises KeyError, TypeError or ValueError for any other."""
    texts = tuple(FaqText(**one) for one in raw["texts"])
    return FaqList(raw["locale"], date.fromisoformat(raw["as_of"]), raw["source"], texts)
