"""Numbers with roles: each number in a message gets one role, by the words and marks around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from bot.reader.lexicon import Hit
from bot.reader.numerals import Numeral
from bot.reader.tokens import Token

#: Nouns that may follow a number, and the role they give it.
_NOUN_ROLES: Final = ("tokens", "examples", "users", "epochs", "steps", "bits", "gigabytes", "unit", "gpu", "params",
                      "things", "money", "coin", "context", "batch")  # fmt: skip
#: Words that stand before a number ("ctx 4096", "batch_size: 2").
_LABEL_ROLES: Final = ("context", "batch", "rank", "accumulate", "epochs", "steps", "users", "block")
_HALF: Final = 0.5
#: What may stand before "half" in "and a half".
_AND_A: Final = frozenset(["e", "y", "et", "and", "und", "en", "i", "и", "с", "a", "une", "un", "una", "um", "uma"])
_SIGNS: Final = {"$": "USD", "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "¥": "CNY", "₺": "TRY"}
_SIGN_WORDS: Final = {
    "us": "USD",
    "u": "USD",
    "r": "BRL",
    "usd": "USD",
    "brl": "BRL",
    "eur": "EUR",
    "a": "AUD",
    "c": "CAD",
    "mx": "MXN",
}
_STABLE: Final = frozenset({"USDT", "USDC"})
_FILLERS: Final = 2
_LABEL_MARKS: Final = frozenset({":", "="})
_COUNT_MARKS: Final = frozenset({"x", "*", "(", "nvidia"})
_TYPICAL_CONTEXT: Final = 300_000
#: The longest context that a model was announced with (10 million tokens); a greater number is none.
_LONGEST_CONTEXT: Final = 10_000_000

_FORMATS: Final = re.compile(
    r"(?<![a-z0-9])(?:(?:iq|q)([2-8])(?:_[a-z0-9]+)*|int([48])|fp(4|8|16|32)|[bf]f?loat16|bf16|(nf4|awq|gptq|mxfp4|exl2)"
    r"|w(4|8)a\d+|(\d(?:[.,]\d+)?)\s?bpw)(?![a-z0-9])"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its role: tokens[start:end].  ``unit``: currency, coin, or the noun's concept."""

    role: str
    value: float
    start: int
    end: int
    unit: str | None = None
    exact: Decimal | None = None


@dataclass(frozen=True, slots=True)
class BitsMention:
    """A weight format: norm[start:end]."""

    bits: float
    start: int
    end: int
    name: str


def find_formats(norm: str) -> Iterator[BitsMention]:
    """Weight formats by name: q4_k_m, int8, fp8, awq, 2.4bpw ..."""
    for match in _FORMATS.finditer(norm):
        stated = next((group for group in match.groups() if group), None)
        text = match.group()
        if stated is None:
            bits = 16.0
        elif stated in {"nf4", "awq", "gptq", "mxfp4", "exl2"}:
            bits = 4.0
        else:
            bits = float(stated.replace(",", "."))
        yield BitsMention(bits, match.start(), match.end(), text)


class Roles:
    """Gives every numeral of one message its role."""

    def __init__(
        self,
        tokens: Sequence[Token],
        hits: Sequence[Hit],
        taken: Sequence[bool],
        gpus: Sequence[tuple[int, int]],
        lines: Sequence[int],
    ) -> None:
        self.tokens = tokens
        self.lines = lines  # each token's line: what a number means never stands on another one
        self.taken = taken
        self.gpus = gpus
        self.at: dict[int, list[Hit]] = {}
        self.ending: dict[int, list[Hit]] = {}
        for hit in hits:
            self.at.setdefault(hit.start, []).append(hit)
            self.ending.setdefault(hit.end, []).append(hit)

    def assign(self, numerals: Sequence[Numeral]) -> list[Quantity]:
        """A Quantity for every numeral that has a role."""
        found: list[Quantity] = []
        for numeral in numerals:
            if found and numeral.start < found[-1].end:
                continue  # the minutes of "1h40", the half of "a day and a half"
            quantity = self._role(numeral)
            if quantity is not None:
                found.append(quantity)
        return found

    # -- one numeral ------------------------------------------------------------------------------------------------

    def _role(self, n: Numeral) -> Quantity | None:
        if self._is_list_number(n) or self._is_clock(n):
            return None
        money = self._sign_before(n)
        if money is not None:
            return self._money(n, money, n.end)
        after = self.tokens[n.end].text if n.end < len(self.tokens) else ""
        if after in _SIGNS and not self._number(n.end + 1):  # "200 €"
            return self._money(n, _SIGNS[after], n.end + 1)
        if n.spelled and n.value == _HALF and (more := self._unit_and_half(n)) is not None:
            return more
        direct = self._noun(n, limit=0)
        if direct is not None and direct[0] not in {"context", "batch", "gpu"}:
            return self._with_noun(n, *direct)
        label = self._label(n)
        count = self._count(n)
        article = n.spelled and n.value == 1  # "32k de contexto numa L40S"
        if count is not None and (article or label is None or not self._right_after_a_label(n)):
            return count
        if label == "context" and n.suffix == 6 and n.value <= _LONGEST_CONTEXT and self._right_after_a_label(n):
            return Quantity("context", n.value, n.start, n.end)
        if label is not None and n.suffix < 6:
            if label == "block":  # "the block of 168"
                return Quantity("hours", n.value, n.start, n.end, unit="h")
            return None if label == "accumulate" else Quantity(label, n.value, n.start, n.end)
        noun = self._noun(n, limit=_FILLERS)
        if noun is not None:
            return self._with_noun(n, *noun)
        return self._by_suffix(n)

    def _by_suffix(self, n: Numeral) -> Quantity | None:
        if n.suffix >= 9:
            return Quantity("params", n.value / 1e9, n.start, n.end)
        if n.suffix >= 6:
            return Quantity("params", n.value / 1e9, n.start, n.end) if n.value >= 1e7 else None
        letter_k = n.suffix == 3 and self.tokens[n.end - 1].text == "k"
        if letter_k and 500 <= n.value <= 2_000_000:
            return Quantity("context", n.value, n.start, n.end)
        if n.suffix:
            return None
        if n.spelled:
            return Quantity("spelled", n.value, n.start, n.end)
        return Quantity("bare", n.value, n.start, n.end)

    def _with_noun(self, n: Numeral, role: str, hit: Hit) -> Quantity | None:
        end = hit.end
        if role == "gigabytes":
            return Quantity("vram", n.value, n.start, end)
        if role == "unit":
            half = self._half_more(end)
            hours = (n.value + (_HALF if half else 0)) * float(hit.value or 0)
            end = half or end
            if hit.value == 1.0 and (minutes := self._minutes(end)) is not None:
                hours, end = hours + minutes / 60, end + 1
            return Quantity("hours", hours, n.start, end, unit=self.tokens[hit.start].text)
        if role == "money":
            return self._money(n, str(hit.value), end)
        if role == "coin":
            return self._money(n, str(hit.value), end)
        if role == "gpu" and n.suffix:
            return self._by_suffix(n)
        unit = self._hit(end, ("unit",)) if role == "gpu" else None
        if unit is not None and unit.value == 1.0:  # "50 GPU-hours"; "8 GPU semana" are eight for a week
            return Quantity("gpu_hours", n.value * float(unit.value or 0), n.start, unit.end)
        if role == "gpu":
            return Quantity("count", n.value, n.start, end) if self._whole(n) else None
        if role == "params":
            return Quantity("params", n.value / 1e9, n.start, end) if n.value >= 1e6 else None
        if role == "things":
            return None
        if role in {"context", "batch"} and n.spelled and n.value == 1:
            return None  # an article: "um contexto de 32k", "ein Batch von 8"
        if role == "tokens" and (n.value < _TYPICAL_CONTEXT or self._of_context(n, end)):
            return Quantity("context", n.value, n.start, end)
        linked = all(self._hit(index, ("link",)) is not None for index in range(n.end, hit.start))  # "1M de contexto"
        if role == "context" and n.suffix == 6 and linked and n.value <= _LONGEST_CONTEXT:
            return Quantity("context", n.value, n.start, end)
        if role in {"context", "batch"} and n.suffix >= 6:
            return self._by_suffix(n)
        return Quantity(role, n.value, n.start, end)

    def _of_context(self, n: Numeral, end: int) -> bool:
        """ "a context of 1M tokens", "1 million token context"."""
        named = self._label(n) == "context" or self._hit(end, ("context",)) is not None
        return named and n.value <= _LONGEST_CONTEXT

    def _half_more(self, index: int) -> int | None:
        """The end of "and a half" that begins at an index: "两天半", "dois dias e meio", "un jour et demi"."""
        for skipped in range(3):
            at = index + skipped
            if at >= len(self.tokens):
                return None
            hit = self._hit(at, ("number",))
            if hit is not None and hit.value == _HALF:
                return hit.end
            if self.tokens[at].kind != "word" or self.tokens[at].text not in _AND_A:
                return None
        return None

    def _unit_and_half(self, n: Numeral) -> Quantity | None:
        """ "a day and a half", "una semana y media": a unit that is counted by an article at most."""
        index = n.start
        while index and self.tokens[index - 1].text in _AND_A:
            index -= 1
        unit = next((hit for hit in self.ending.get(index, ()) if hit.concept == "unit"), None)
        if unit is None or index == n.start:
            return None
        length = float(unit.value or 0)
        return Quantity("hours", length * (1 + _HALF), unit.start, n.end, unit=self.tokens[unit.start].text)

    def _minutes(self, index: int) -> float | None:
        """The minutes of "1h40"."""
        if index >= len(self.tokens) or self.tokens[index].kind != "number" or not self.tokens[index].glued:
            return None
        text = self.tokens[index].text
        return float(text) if len(text) == 2 and text.isdigit() and int(text) < 60 else None

    def _money(self, n: Numeral, unit: str, end: int) -> Quantity:
        exact = Decimal(repr(n.value)) if n.value < 1e15 else Decimal(0)
        role = "dollars" if unit == "USD" or unit in _STABLE else "money"
        return Quantity(role, n.value, n.start, end, unit=unit, exact=exact)

    # -- the words around -------------------------------------------------------------------------------------------

    def _hit(self, index: int, concepts: Sequence[str]) -> Hit | None:
        hits = [hit for hit in self.at.get(index, ()) if hit.concept in concepts]
        return max(hits, key=lambda hit: (hit.end, -concepts.index(hit.concept)), default=None)

    def _noun(self, n: Numeral, limit: int) -> tuple[str, Hit] | None:
        index = n.end
        for step in range(limit + 1):
            if index >= len(self.tokens) or self.taken[index] or self.lines[index] != self.lines[n.start]:
                return None
            token = self.tokens[index]
            if token.kind == "number" or (token.kind == "mark" and token.text not in {"-", "/"}):
                return None
            if step and self._hit(index - 1, ("cue.how_much",)) is not None:  # "kira2 brp hari": an amount is asked
                return None
            if token.text == "-" and not token.glued:  # " --max-model-len": another option begins
                return None
            hit = self._hit(index, _NOUN_ROLES)
            fillers = all(map(self._filler, range(n.end, index)))
            if hit is not None and not (hit.concept in {"unit", "money", "coin", "bits"} and not fillers):
                if hit.concept == "gigabytes" and not token.glued and len(token.text) == 1:
                    return None
                return hit.concept, hit
            if step == limit:
                return None
            index += 1
        return None

    def _filler(self, index: int) -> bool:
        return len(self.tokens[index].text) <= 3 or self.tokens[index].kind == "mark"

    def _label(self, n: Numeral) -> str | None:
        index = n.start
        for _ in range(4):
            for hit in self.ending.get(index, ()):
                if self.lines[hit.end - 1] != self.lines[n.start]:
                    continue
                if hit.concept in _LABEL_ROLES and not self.taken[hit.start]:
                    if (
                        hit.concept in {"users", "steps"}
                        and index == n.start
                        and self.tokens[n.start - 1].kind == "word"
                    ):
                        continue
                    return hit.concept
            if index == 0 or self.lines[index - 1] != self.lines[n.start]:
                return None
            if not (self.tokens[index - 1].text in _LABEL_MARKS or self._hit(index - 1, ("link",))):
                return None
            index -= 1
        return None

    def _right_after_a_label(self, n: Numeral) -> bool:
        """ "batch 2 na L40S": a number that its label touches counts no GPUs."""
        start = n.start - 1 if n.start and self.tokens[n.start - 1].text in _LABEL_MARKS else n.start
        return any(hit.concept in _LABEL_ROLES for hit in self.ending.get(start, ()))

    def _sign_before(self, n: Numeral) -> str | None:
        before = self.tokens[n.start - 1] if n.start else None
        if before is None or before.text not in _SIGNS:
            return None
        word = self.tokens[n.start - 2].text if n.start >= 2 and before.glued else ""
        return _SIGN_WORDS.get(word, _SIGNS[before.text]) if before.text == "$" else _SIGNS[before.text]

    def _count(self, n: Numeral) -> Quantity | None:
        """A number beside a GPU's name: "2x H100", "4 A100", "H100 x8", "eight cards"."""
        if n.suffix or not self._whole(n):
            return None
        for start, end in self.gpus:
            between = self.tokens[n.end : start] if n.end <= start else None
            if between is not None and len(between) <= 3 and self._bridge(between, n.end):
                return Quantity("count", n.value, n.start, n.end, unit=str(start))
            if (
                end <= n.start <= end + 1
                and (n.start == end + 1)
                and self.tokens[end].text in {"x", "*"}
                and self.tokens[n.start].glued
            ):
                return Quantity("count", n.value, n.start, n.end, unit=str(start))
        direct = self._hit(n.end, ("gpu",)) if n.end < len(self.tokens) else None
        unit = self._hit(direct.end, ("unit",)) if direct is not None else None
        if direct is not None and (unit is None or unit.value != 1.0):
            return Quantity("count", n.value, n.start, direct.end)
        return None

    def _bridge(self, between: Sequence[Token], index: int) -> bool:
        for offset, token in enumerate(between):
            if token.text not in _COUNT_MARKS and self._hit(index + offset, ("gpu", "link")) is None:
                return False
        return True

    def _whole(self, n: Numeral) -> bool:
        return n.value == int(n.value) and 0 <= n.value <= 100_000 if n.value < 1e9 else False

    def _is_list_number(self, n: Numeral) -> bool:
        if n.suffix or n.spelled or n.end >= len(self.tokens) or n.value > 9:
            return False
        mark = self.tokens[n.end].text
        opened = n.start and self.tokens[n.start - 1].text == "("
        return mark == ")" and not opened and self.tokens[n.end].glued

    def _is_clock(self, n: Numeral) -> bool:
        """Parts of 24/7 and 18:30."""
        after = self.tokens[n.end].text if n.end < len(self.tokens) else ""
        before = self.tokens[n.start - 1].text if n.start else ""
        return (after in {"/", ":"} and self._number(n.end + 1)) or (before in {"/", ":"} and self._number(n.start - 2))

    def _number(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "number" and not self.taken[index]
