"""The schema of a lexicon file: which concepts there are and what each may hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bot.reader.lexicon import LexiconError

Phrases = Annotated[list[str], Field(default_factory=list)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Words(_Strict):
    """Words that give a number its role; see CONTRIBUTING for an example of each."""

    link: Phrases  # small words between a label and its number, or a number and its noun
    gpu: Phrases  # card, placa
    vram: Phrases  # memory of the card
    gigabytes: Phrases
    params: Phrases  # parameters
    context: Phrases  # context, sequence length
    batch: Phrases
    rank: Phrases
    accumulate: Phrases
    users: Phrases
    examples: Phrases  # rows, conversations, images are not
    tokens: Phrases
    epochs: Phrases
    steps: Phrases
    bits: Phrases
    block: Phrases  # block, package of hours
    things: Phrases  # "2 coisas": counts nothing we know
    per: Phrases  # per, por, a
    single: Phrases  # a single, sozinha
    version: Phrases
    optimizer: Phrases
    until: Phrases  # to, às: between two clock times
    workdays: Phrases  # business days, dias úteis
    that: Phrases  # what a negation before it means: "instead of that"


class Methods(_Strict):
    """How methods and tasks are named."""

    qlora: Phrases
    lora: Phrases
    full: Phrases
    full_8bit: Phrases
    inference: Phrases
    train: Phrases
    quantize: Phrases
    merge: Phrases
    from_scratch: Phrases
    rl: Phrases  # dpo, grpo, ppo


class Cues(_Strict):
    """What tells one intent from another."""

    fits: Phrases  # cabe, fits, aguenta
    can: Phrases  # can I, dá pra
    how_many: Phrases
    how_much: Phrases  # quanto (amount or price)
    which: Phrases  # which GPU
    need: Phrases
    price: Phrases
    price_list: Phrases
    cost: Phrases
    time: Phrases
    speed: Phrases  # tokens per second
    compare: Phrases
    versus: Phrases
    either: Phrases  # or
    reverse: Phrases  # what can I train
    biggest: Phrases
    have: Phrases  # I have, tenho
    rent: Phrases
    convert: Phrases
    human: Phrases
    greeting: Phrases
    thanks: Phrases
    about: Phrases  # what do you do
    failed: Phrases  # ran out of memory
    not_: Annotated[list[str], Field(default_factory=list, alias="not")]
    followup: Phrases  # and, what about
    keep: Phrases  # the rest stays as it was
    inject: Phrases
    chat: Phrases  # jokes and other talk
    invest: Phrases
    closed: Phrases  # models whose weights nobody can have
    mining: Phrases
    not_language: Phrases  # image, video, speech, embedding models
    own: Phrases  # my, minha


class Faq(_Strict):
    """What asks for a topic of the shop's terms."""

    payment: Phrases
    expiry: Phrases
    kyc: Phrases
    topup: Phrases
    software: Phrases
    start: Phrases
    hardware: Phrases
    refund: Phrases
    privacy: Phrases
    other: Phrases


#: Codes of ISO 4217 that people of every language write; those that are everyday words somewhere are left out.
CURRENCY_CODES: Final = frozenset(["usd", "eur", "gbp", "brl", "mxn", "cop", "clp", "ars", "uyu", "chf", "cad", "aud",
    "nzd", "jpy", "cny", "inr", "idr", "rub", "uah", "kzt", "pln", "czk", "huf", "sek", "nok", "dkk", "krw", "thb",
    "vnd", "zar", "aed", "ils", "hkd", "sgd", "twd", "ngn", "kes", "pkr"])  # fmt: skip


class LexiconFile(_Strict):
    """One language.  ``locale``: the shipped locale that answers it, or empty."""

    language: str
    locale: Annotated[str | None, BeforeValidator(lambda value: value or None)]
    function_words: list[str]
    numbers: dict[str, float]
    multipliers: dict[str, float]
    units: dict[str, float]  # hours in a unit of time
    weekdays: dict[str, float] = Field(default_factory=dict)  # Monday 0 ... Sunday 6
    money: dict[str, str]  # word -> currency code
    coins: dict[str, str]
    words: Words
    methods: Methods
    cues: Cues
    faq: Faq

    def entries(self) -> Iterator[tuple[str, str, str | float | None]]:
        """(concept, phrase, value) for every phrase of the file."""
        tables = {
            "number": self.numbers,
            "multiplier": self.multipliers,
            "unit": self.units,
            "weekday": self.weekdays,
        }
        for concept, table in tables.items():
            for phrase, amount in table.items():
                yield concept, phrase, float(amount)
        money = {code: code.upper() for code in CURRENCY_CODES} | self.money
        for concept, names in (("money", money), ("coin", self.coins)):
            for phrase, name in names.items():
                yield concept, phrase, name
        for prefix, group in (("", self.words), ("method.", self.methods), ("cue.", self.cues), ("faq.", self.faq)):
            for name in type(group).model_fields:
                for phrase in getattr(group, name):
                    yield prefix + name.rstrip("_"), phrase, None


def parse(language: str, data: bytes) -> LexiconFile:
    """Read one lexicon file.  Raises LexiconError with one line."""
    try:
        # The base loader keeps every scalar a string: "no" and "on" are words here, not booleans.
        raw: Any = yaml.load(data, getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506 (builds strings only)
        file = LexiconFile.model_validate(raw)
    except yaml.YAMLError as error:
        raise LexiconError(f"locales/{language}/lexicon.yaml: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise LexiconError(f"locales/{language}/lexicon.yaml: {where}: {first['msg']}") from None
    if file.language != language:
        raise LexiconError(f"locales/{language}/lexicon.yaml: language is {file.language}")
    return file
