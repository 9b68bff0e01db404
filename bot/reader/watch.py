"""What a wish to be told of a price names: a GPU or a coin, which way it has to pass a limit, and the limit.

The words stand here and not in the lexicons: they mean this only in a watch, and must not change how questions are
read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from bot.reader.numerals import Numeral, decimal_reading
from bot.reader.quantities import Quantity
from bot.reader.scan import Scan, scan

Sign = Literal["<", "<=", ">", ">="]

#: Words in which people ask to be told.  They are looked for in every message, before it is read in full.
ASKS: Final = re.compile(
    r"\b(?:av[ií]s[ae](?:[rn]?(?:[- ]?me|me)?|-nos|nos)?|me (?:avis[ae]|alert[ae]|notifi(?:ca|que))"
    r"|alert[ae](?:r?[- ]?me| me|-me|nos)"
    r"|not[ií]f[iy](?:ca(?:me|r)?|que(?:-me|me)?|e| me| us)?|alert (?:me|us)|let (?:me|us) know|tell (?:me|us) when"
    r"|ping me|warn me|message me when|watch for)\b",
    re.IGNORECASE,
)

_SIGNS: Final[dict[str, Sign]] = {
    "<": "<", "<=": "<=", "=<": "<=", "≤": "<=", ">": ">", ">=": ">=", "=>": ">=", "≥": ">=",
}  # fmt: skip

#: Normalised words (no accents), by what they mean; "" where only the price of now tells which way it is.
_WORDS: Final[dict[Sign | Literal[""], str]] = {
    "": r"hits?|reach(?:es)?|chegar? (?:a|em|ate)|chegue (?:a|em)|ating(?:ir|e)|atinja|bat(?:er|e|a) (?:em|os)|"
    r"llegu?[ea]r? (?:a|hasta)|alcan[cz][ea]r?",
    "<=": r"at or (?:below|under)|at most|no more than|(?:falls?|drops?|goes|comes|gets) (?:down )?to|down to|"
    r"no maximo|ate|(?:cair|caia|cai|baixar|baixe|baixa|descer|desca) (?:para|a|ate)|"
    r"como maximo|hasta|(?:caiga|cae|caer|baje|baja|bajar) (?:a|hasta)",
    ">=": r"at or (?:above|over)|at least|no less than|(?:rises?|climbs?|goes) (?:up )?to|up to|"
    r"pelo menos|(?:subir|suba|sobe) (?:para|a|ate)|al menos|como minimo|(?:suba|sube|subir) (?:a|hasta)",
    "<": r"below|under|beneath|less than|lower than|cheaper than|abaixo|debajo|"
    r"(?:menos|menor|inferior|ma[i]?s barat[oa]s?) (?:do que|de|que|a)|"
    r"(?:cair|caia|cai|baixar|baixe|baixa|caiga|cae|baje|baja|bajar) de|unter|sous|sotto|ниже|меньше|低于",
    ">": r"above|over|more than|higher than|exceeds?|acima|encima|"
    r"(?:mais|mas|maior|mayor|superior) (?:do que|de|que|a)|pass(?:ar|e|a) d[eo]s?|super(?:ar|e|a)|"
    r"(?:suba|sube|subir) de|uber|au-dessus|sopra|выше|больше|高于",
}
_SIGN: Final = re.compile(r"<=|>=|=<|=>|[<>≤≥]")
_WORD: Final = re.compile(
    "|".join(f"(?P<s{number}>{words})" for number, words in enumerate(_WORDS.values())).join(
        (r"(?<!\w)(?:", r")(?!\w)")
    )
)
_MOST: Final = Decimal("1e9")
_MILLION: Final = 6
_ENGLISH: Final = re.compile(r"alert (?:me|us)|let|tell|ping|warn|message|watch|notify", re.IGNORECASE)
_DIGITS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a text names.  ``gpus`` and ``coins`` without doubles; ``limits`` in dollars, the likelier reading first
    ("60.000" is sixty thousand or sixty); empty where there is none that can be."""

    gpus: tuple[str, ...]
    coins: tuple[str, ...]
    sign: Sign | None
    limits: tuple[Decimal, ...]
    currency: str | None = None  # money that is not the dollar
    count: int = 1
    either: bool = False  # "hits 60000": the price of now tells which way
    lang: str | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is missing or doubtful."""
        one = len(self.gpus) + len(self.coins) == 1
        return (
            one
            and (self.sign is not None or self.either)
            and bool(self.limits)
            and self.currency is None
            and self.count == 1
        )


def read_wish(text: str) -> Wish:
    """What a text names of a watch.  Never raises."""
    scanned = scan(text)
    sign, end = _sign(scanned.normal.norm)
    either = sign is None and end > 0
    figure = _figure(scanned, end)
    priced = [q for q in scanned.quantities if q.role in {"dollars", "money"}]
    own = next((q for q in priced if figure is not None and q.start <= figure.start < q.end), None)
    return Wish(
        gpus=tuple(dict.fromkeys(gpu.gpu for gpu in scanned.gpus)),
        coins=_coins(scanned, priced),
        sign=sign,
        limits=_limits(figure, scanned),
        either=either,
        currency=own.unit if own is not None and own.role == "money" else None,
        count=max((round(q.value) for q in scanned.role("count")), default=1),
        lang=_lang(scanned.lang, text),
    )


def asks_to_be_told(text: str) -> Wish | None:
    """The wish in a free text that asks to be told of a price and names all that it takes; None for any other."""
    if ASKS.search(text) is None:
        return None
    wish = read_wish(text)
    scanned = scan(text)
    return None if not wish.complete or scanned.models or scanned.role("params") else wish


def _sign(norm: str) -> tuple[Sign | None, int]:
    """Which way, and where in the text the word for it ends; a sign counts before any word."""
    found = _SIGN.search(norm)
    if found is not None:
        return _SIGNS[found[0]], found.end()
    found = _WORD.search(norm)
    if found is None:
        return None, 0
    number = next(index for index in range(len(_WORDS)) if found[f"s{index}"] is not None)
    return tuple(_WORDS)[number] or None, found.end()


def _figure(scanned: Scan, after: int) -> Numeral | None:
    """The first number after the sign; without a sign, the only number that counts no GPUs."""
    counts = {quantity.start for quantity in scanned.role("count")}
    found = [
        numeral
        for numeral in scanned.numerals
        if scanned.tokens[numeral.start].start >= after and numeral.start not in counts
    ]
    if not found or (not after and len(found) > 1):
        return None
    return found[0]


def _coins(scanned: Scan, priced: list[Quantity]) -> tuple[str, ...]:
    """The coins that are named, but for those that money is counted in ("< 150 usdt")."""
    hits = scanned.by_concept.get("coin", [])
    free = [hit for hit in hits if not any(q.start < hit.start < q.end for q in priced)]
    return tuple(dict.fromkeys(str(hit.value) for hit in free))


def _limits(figure: Numeral | None, scanned: Scan) -> tuple[Decimal, ...]:
    following = scanned.tokens[figure.end].text if figure is not None and figure.end < len(scanned.tokens) else ""
    if figure is None or figure.negative or following == "%":
        return ()
    readings = [figure.value]
    other = decimal_reading(figure.raw) if not figure.suffix and not figure.spelled else None
    if other is not None:
        readings.append(other)
    if scanned.tokens[figure.end - 1].text == "mil" and figure.suffix == _MILLION:
        readings.append(figure.value / 1000)  # a thousand, but to who writes English
    found = (Decimal(f"{Decimal(repr(value)):f}") for value in dict.fromkeys(readings))
    whole = (value.quantize(Decimal(1)) if value == value.to_integral_value() else value for value in found)
    return tuple(value for value in whole if 0 < value <= _MOST and -int(value.as_tuple().exponent) <= _DIGITS)


def _lang(lang: str | None, text: str) -> str | None:
    """The text's language; unknown where what asks to be told is said in another ("avise-me ... 60 mil")."""
    asks = ASKS.search(text)
    return None if asks is not None and lang == "en" and _ENGLISH.match(asks[0]) is None else lang
