"""Languages of the answers: gettext catalogues, numbers, dates and money through babel.

Messages stand in the code in English, with {fields} and a little markup (<b>, <i>, <code>) that is parsed
before fields are filled in, so that no value can ever become markup.
"""

from __future__ import annotations

import gettext
import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from babel import Locale
from babel.dates import format_date
from babel.numbers import format_decimal, get_currency_precision

from bot.rates.values import COIN_DIGITS
from bot.render.document import Line, Span, Style
from planner.query import Method
from planner.resources import folder

DOMAIN: Final = "gpubot"
#: The locales that answers come in; the first is the last fallback.
SHIPPED: Final[tuple[str, ...]] = ("pt_BR", "en", "es", "fr", "de", "it", "ru", "zh_Hans", "tr", "id")
#: What each calls itself.
LANGUAGE_NAMES: Final = {
    "pt_BR": "Português (Brasil)",
    "en": "English",
    "es": "Español",
    "fr": "Français",
    "de": "Deutsch",
    "it": "Italiano",
    "ru": "Русский",
    "zh_Hans": "简体中文",
    "tr": "Türkçe",
    "id": "Bahasa Indonesia",
}

_TAG: Final = re.compile(r"</?(b|i|code)>")
_STYLES: Final[dict[str, Style]] = {"b": "bold", "i": "italic", "code": "code"}
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
#: Where dollars are not written "US$ 1", with a space that does not break.
_DOLLARS: Final = {
    "en": "${}",
    "fr": "{}\u00a0$US",
    "de": "{}\u00a0$",
    "it": "{}\u00a0$",
    "ru": "{}\u00a0$",
    "zh_Hans": "${}",
    "tr": "{}\u00a0$",
    "id": "US${}",
}
_GIGABYTES: Final = {"fr": "Go", "ru": "ГБ"}  # elsewhere "GB"
_DATES: Final = {
    "pt_BR": "dd/MM/y",
    "es": "dd/MM/y",
    "en": "d MMM y",
    "fr": "dd/MM/y",
    "de": "dd.MM.y",
    "it": "dd/MM/y",
    "ru": "dd.MM.y",
    "zh_Hans": "y年M月d日",
    "tr": "dd.MM.y",
    "id": "d MMM y",
}
NBSP: Final = "\u00a0"


class MarkupError(ValueError):
    """A message whose <b>, <i> or <code> do not pair up."""


def _(message: str) -> str:
    """Mark a message for extraction; it is translated when it is said."""
    return message


@cache
def parse_markup(message: str) -> tuple[tuple[Style, str], ...]:
    """Split a message at its markup.  Raises MarkupError when tags do not pair up."""
    parts: list[tuple[Style, str]] = []
    style: Style = "text"
    position = 0
    for match in _TAG.finditer(message):
        parts.append((style, message[position : match.start()]))
        position = match.end()
        closing = match.group().startswith("</")
        if closing != (style != "text") or (closing and _STYLES[match.group(1)] != style):
            raise MarkupError(message)
        style = "text" if closing else _STYLES[match.group(1)]
    if style != "text":
        raise MarkupError(message)
    parts.append((style, message[position:]))
    return tuple((kind, text) for kind, text in parts if text)


class Speaker:
    """Says messages in one locale."""

    def __init__(self, locale: str) -> None:
        self.locale = locale if locale in SHIPPED else SHIPPED[0]
        self._babel = Locale.parse(self.locale)
        self._catalogue = _catalogue(self.locale)

    def text(self, message: str, **values: object) -> str:
        """The message without markup, its fields filled in."""
        said = self._catalogue.gettext(message)
        return "".join(part for _style, part in parse_markup(said)).format(**values)

    def line(self, message: str, **values: object) -> Line:
        """The message as a line of spans, its fields filled in."""
        said = self._catalogue.gettext(message)
        return tuple(Span(part.format(**values), style) for style, part in parse_markup(said))

    def many(self, one: str, more: str, n: int, **values: object) -> Line:
        """The message in the form for ``n``, which also fills {n}."""
        said = self._catalogue.ngettext(one, more, n)
        values.setdefault("n", self.number(n))
        return tuple(Span(part.format(**values), style) for style, part in parse_markup(said))

    def many_text(self, one: str, more: str, n: int, **values: object) -> str:
        """many() without markup."""
        return "".join(span.text for span in self.many(one, more, n, **values))

    # -- figures --------------------------------------------------------------------------------------------------

    def number(self, value: float | Decimal, decimals: int = 2) -> str:
        """A number with the locale's separators and no needless zeros."""
        return _formatted(value, f"#,##0.{'#' * decimals}" if decimals else "#,##0", self._babel)

    def gb(self, value: float) -> str:
        """Gigabytes (10^9 bytes): "52,5 GB"."""
        return f"{self.number(value)}{NBSP}{self.gigabytes}"

    @property
    def gigabytes(self) -> str:
        """The unit of 10^9 bytes: "GB", in French "Go"."""
        return _GIGABYTES.get(self.locale, "GB")

    def usd(self, value: Decimal) -> str:
        """Dollars with cents: "US$ 4,61", "$4.61", "4,61 $US"; more decimals where the price has them."""
        return _DOLLARS.get(self.locale, f"US${NBSP}{{}}").format(self.cents(value))

    def cents(self, value: Decimal) -> str:
        """The same without a sign: "4,61"."""
        decimals = max(2, -int(value.normalize().as_tuple().exponent))
        return _formatted(value, f"#,##0.00{'#' * (decimals - 2)}", self._babel)

    def money(self, value: Decimal, code: str) -> str:
        """An amount of a currency: "556.80 BRL", "200 EUR"; of a coin with the digits it has."""
        digits = 0 if value == value.to_integral_value() else get_currency_precision(code)
        fixed = _formatted(value, f"#,##0.{'0' * digits}" if digits else "#,##0", self._babel)
        return f"{self.number(value, 8) if code in COIN_DIGITS else fixed}{NBSP}{code}"

    def params(self, billions: float) -> str:
        """A model size: "70B", "0,5B", "350M"."""
        if billions < 0.1:
            return f"{self.number(billions * 1000)}M"
        return f"{self.number(billions)}B"

    def date(self, day: date) -> str:
        """A day that can't be misread: 29/10/2026, 29 Oct 2026."""
        return str(format_date(day, format=_DATES[self.locale], locale=self._babel))

    def time(self, moment: datetime) -> str:
        """A moment in UTC, and saying so."""
        return f"{self.date(moment.date())} {moment:%H:%M} UTC"

    def formula(self, formula: str) -> str:
        """A neutral formula with the locale's numbers, a multiplication sign and its word for bytes."""
        bytes_word = self.text(_("bytes"))
        said = _NUMBER.sub(lambda m: self.number(Decimal(m.group()), 6), formula)
        return said.replace(" x ", " × ").replace("bytes", bytes_word).replace("GB", self.gigabytes)

    def method(self, method: Method | str) -> str:
        """A method's name."""
        return self.text(METHOD_NAMES[method]) if method in METHOD_NAMES else str(method)


@lru_cache(maxsize=16384)
def _formatted(value: float | Decimal, pattern: str, locale: Locale) -> str:
    """A number as babel writes it; the same prices and sizes come again and again."""
    return str(format_decimal(value, format=pattern, locale=locale))


METHOD_NAMES: Final[dict[str, str]] = {
    "qlora": _("QLoRA"),
    "lora": _("LoRA"),
    "full_8bit": _("Full fine-tuning, 8-bit Adam"),
    "full": _("Full fine-tuning, AdamW"),
    "inference": _("Running it"),
}


@cache
def speaker(locale: str) -> Speaker:
    """The Speaker of a locale, made once."""
    return Speaker(locale)


def _paths(locale: str) -> tuple[Path, Path]:
    root = folder("locales") / locale / "LC_MESSAGES"
    return root / f"{DOMAIN}.po", root / f"{DOMAIN}.mo"


def _catalogue(locale: str) -> gettext.NullTranslations:
    """The compiled catalogue; compiled in memory where the .mo file is missing or older than the .po file."""
    po, mo = _paths(locale)
    if mo.is_file() and (not po.is_file() or mo.stat().st_mtime >= po.stat().st_mtime):
        with mo.open("rb") as file:
            return gettext.GNUTranslations(file)
    import io

    buffer = io.BytesIO(compiled(po))
    return gettext.GNUTranslations(buffer)


def compiled(po: Path) -> bytes:
    """A .po file as .mo bytes."""
    import io

    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with po.open("rb") as file:
        catalogue = read_po(file)
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def write_compiled() -> list[Path]:
    """Write the .mo file beside every .po file; returns the paths."""
    written = []
    for locale in SHIPPED:
        po, mo = _paths(locale)
        mo.write_bytes(compiled(po))
        written.append(mo)
    return written


def negotiate(*wishes: str | None) -> str | None:
    """The first wish that is shipped: "pt", "pt-br", "pt_BR" all give pt_BR.  None when none is."""
    by_language = {locale.split("_")[0].lower(): locale for locale in SHIPPED}
    for wish in wishes:
        name = (wish or "").strip().replace("-", "_").lower()
        exact = next((locale for locale in SHIPPED if locale.lower() == name), None)
        found = exact or by_language.get(name.split("_")[0])
        if found:
            return found
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """What decides the language of an answer beside the message's own: the chat's choice, the language that
    Telegram reports, the default of this installation."""

    chosen: str | None = None
    telegram: str | None = None
    default: str | None = None


def choose_locale(lang: str | None, voice: Voice) -> str:
    """The answer's locale: the message's language when it is shipped; one that is understood but not shipped gives
    the chat's choice, else English; without a clear language the chat's choice, Telegram's, the default, pt_BR."""
    if lang is not None:
        own = negotiate(lang)
        if own is not None:
            return own
        return negotiate(voice.chosen) or "en"
    return negotiate(voice.chosen, voice.telegram, voice.default) or SHIPPED[0]
