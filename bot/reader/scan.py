"""One message scanned: tokens, lexicon hits, names, numbers with roles.  Everything later stages look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from bot.reader.addresses import Address, find_addresses
from bot.reader.gpus import NamedGpu, find_gpus
from bot.reader.lexicon import Hit, load_lexicon
from bot.reader.names import NamedModel, find_models, overlaps
from bot.reader.normalise import Normal, normalise
from bot.reader.numerals import Numeral, find_numerals
from bot.reader.quantities import BitsMention, Quantity, Roles, find_formats
from bot.reader.tokens import Token, middle, tokenise


@dataclass(frozen=True)
class Scan:
    """What stands in a message.  Token indices throughout; models and formats by offsets in ``normal.norm``."""

    normal: Normal
    tokens: Sequence[Token]
    hits: Sequence[Hit]
    by_concept: dict[str, list[Hit]]
    models: Sequence[NamedModel]
    gpus: Sequence[NamedGpu]
    formats: Sequence[BitsMention]
    numerals: Sequence[Numeral]
    quantities: Sequence[Quantity]
    lang: str | None
    langs: frozenset[str]
    addresses: Sequence[Address] = ()

    def has(self, *concepts: str) -> bool:
        """Whether any of the concepts was found."""
        return any(concept in self.by_concept for concept in concepts)

    def first(self, concept: str) -> Hit | None:
        """The leftmost hit of a concept."""
        hits = self.by_concept.get(concept)
        return hits[0] if hits else None

    def role(self, role: str) -> list[Quantity]:
        """The quantities with a role, left to right."""
        return [quantity for quantity in self.quantities if quantity.role == role]

    def words(self) -> int:
        """How many words there are; where a character is a token, two make one."""
        words = [token.text for token in self.tokens if token.kind == "word"]
        apart = sum(len(word) == 1 and "\u3040" <= word <= "\u9fff" for word in words)
        return len(words) - apart // 2

    def negated(self, start: int, reach: int = 2) -> bool:
        """Whether a negation stands within ``reach`` words before tokens[start], in the same clause."""
        for hit in self.by_concept.get("cue.not", ()):
            gap = start - hit.end
            if not 0 <= gap <= reach or any(self.tokens[i].kind == "mark" for i in range(hit.end, start)):
                continue
            if any(that.start in range(hit.end, start) for that in self.by_concept.get("that", ())):
                continue  # "instead of that, ..." negates what was said before
            return True
        return False


def scan(text: str) -> Scan:
    """Scan a message.  Never raises."""
    normal = normalise(text)
    long = middle(normal.norm)
    if long is not None:
        normal = normal.without(*long)
    tokens = tokenise(normal.norm)
    lexicon = load_lexicon()
    hits = lexicon.find(tokens)
    known = frozenset(tokens[hit.start].text for hit in hits) | lexicon.function_words.keys()
    models = _without_image_models(find_models(normal.norm, frozenset(known)), tokens, hits)
    gpus = find_gpus(tokens)
    formats = list(find_formats(normal.norm))
    addresses = find_addresses(normal, _plain(tokens, hits, gpus, formats))
    own = [(address.start, address.end) for address in addresses]
    models = [model for model in models if not overlaps(own, model.start, model.end)]
    named = own + [(m.start, m.end) for m in models] + [(f.start, f.end) for f in formats]
    covered = bytearray(len(normal.norm))  # a flag a character keeps long messages linear
    for start, end in named:
        covered[start:end] = b"\1" * (end - start)
    taken = [1 in covered[token.start : token.end] for token in tokens]
    gpus = [gpu for gpu in gpus if not any(taken[gpu.start : gpu.end])]
    for gpu in gpus:
        taken[gpu.start : gpu.end] = [True] * (gpu.end - gpu.start)
    hits = [hit for hit in hits if not overlaps(own, tokens[hit.start].start, tokens[hit.end - 1].end)]
    hits = [hit for hit in hits if not any(taken[hit.start : hit.end]) or hit.concept.startswith("method.")]
    lang, langs = language(tokens, hits, taken)
    hits = [hit for hit in hits if _speaks(hit, langs, tokens)]
    if lang is not None:
        hits = _in_its_own_words(hits, lang)
    numerals = find_numerals(tokens, hits, taken, langs)
    lines = list(accumulate(("\n" in between for between in _gaps(normal.norm, tokens)), initial=0))[1:]
    quantities = Roles(tokens, hits, taken, [(gpu.start, gpu.end) for gpu in gpus], lines).assign(numerals)
    by_concept: dict[str, list[Hit]] = {}
    for hit in hits:
        by_concept.setdefault(hit.concept, []).append(hit)
    return Scan(normal, tokens, hits, by_concept, models, gpus, formats, numerals, quantities, lang, langs, addresses)


def _plain(
    tokens: Sequence[Token], hits: Iterable[Hit], gpus: Iterable[NamedGpu], formats: Iterable[BitsMention]
) -> list[tuple[int, int]]:
    """Spans of what means something of its own: words of the lexicons, GPUs, number formats."""
    spans = [(tokens[one.start].start, tokens[one.end - 1].end) for one in gpus]
    spans += [(tokens[hit.start].start, tokens[hit.end - 1].end) for hit in hits if hit.concept not in {"gpu", "link"}]
    return spans + [(one.start, one.end) for one in formats]


def _gaps(norm: str, tokens: Sequence[Token]) -> Iterable[str]:
    """What stands before each token."""
    end = 0
    for token in tokens:
        yield norm[end : token.start]
        end = token.end


#: Names that are no model which could be planned, whatever family they sound like ("gpt 4").
_FOREIGN: Final = frozenset({"cue.not_language", "cue.closed"})


def _without_image_models(models: list[NamedModel], tokens: Sequence[Token], hits: Iterable[Hit]) -> list[NamedModel]:
    """A name inside the name of a model that is not covered ("wan 2.1 14b") is no language model."""
    foreign = [(tokens[h.start].start, tokens[h.end - 1].end) for h in hits if h.concept in _FOREIGN]
    return [model for model in models if not overlaps(foreign, model.start, model.end)]


#: Concepts that are no evidence: names, settings that are typed in English in any language ("lora rank"), and the small
#: words that count as function words already.
_EVERYWHERE: Final = frozenset({"method.lora", "method.qlora", "rank", "batch", "coin", "link", "per", "until"})
#: A word of more languages than this is the trade's.
_SHARED: Final = 4
#: Evidence of about one word.
_WEAK: Final = 1.3


def language(tokens: Sequence[Token], hits: Iterable[Hit], taken: Sequence[bool]) -> tuple[str | None, frozenset[str]]:
    """The message's language by evidence from the lexicons, and every language that is plausible.

    Function words weigh most: they are what languages do not share.  A script of its own decides at once.
    """
    scores: dict[str, float] = {}
    function_words = load_lexicon().function_words
    hits = list(hits)
    jargon = {index for hit in hits if len(hit.langs) > _SHARED for index in range(hit.start, hit.end)}  # "full", "vs"
    for index, token in enumerate(tokens):
        if taken[index] or token.kind != "word" or index in jargon:
            continue
        langs = function_words.get(token.text, ())
        for lang in langs:
            scores[lang] = scores.get(lang, 0.0) + (1.0 if len(token.text) > 1 else 0.5) / len(langs) ** 0.5
        script = _script(token.text)
        if script:
            scores[script] = scores.get(script, 0.0) + 1.0
    for hit in hits:
        if hit.concept in _EVERYWHERE or len(hit.langs) > _SHARED:
            continue
        if hit.concept == "multiplier" and len(tokens[hit.start].text) == 1:
            continue  # 70B, 4k: symbols of every language; a letter of another script has decided already
        weight = 0.8 * (hit.end - hit.start) ** 0.5 / len(hit.langs)
        if len(tokens[hit.start].text) <= 2 and hit.end - hit.start == 1:
            weight *= 0.3
        for lang in hit.langs:
            scores[lang] = scores.get(lang, 0.0) + weight
    if not scores:
        return None, frozenset()
    best = max(scores, key=lambda lang: scores[lang])
    plausible = frozenset(lang for lang, score in scores.items() if score >= 0.45 * scores[best])
    # One short word decides nothing: "na" is Portuguese and Polish, "por" Spanish too.
    margin = 0.75 if scores[best] < _WEAK else 0.999
    tied = sum(score >= margin * scores[best] for score in scores.values()) > 1
    return (None if tied or scores[best] < 0.45 else best), plausible


def _in_its_own_words(hits: list[Hit], lang: str) -> list[Hit]:
    """Where the message's language has a meaning for a word, other languages' meanings of it do not count: Italian
    "serve" is no English "serve".  Numbers and units are every language's."""
    own = {(hit.start, hit.end) for hit in hits if lang in hit.langs and hit.concept.startswith("cue.")}
    return [
        hit
        for hit in hits
        if lang in hit.langs or not hit.concept.startswith("method.") or (hit.start, hit.end) not in own
    ]


def _script(text: str) -> str | None:
    char = text[0]
    if "\u0400" <= char <= "\u04ff":
        return "ru"
    if "\u3040" <= char <= "\u30ff":
        return "ja"
    if "\uac00" <= char <= "\ud7af":
        return "ko"
    if "\u0600" <= char <= "\u06ff":
        return "ar"
    if "\u4e00" <= char <= "\u9fff":
        return "zh"
    return None


def _speaks(hit: Hit, langs: frozenset[str], tokens: Sequence[Token]) -> bool:
    """Short everyday words count only in the languages that the message may be in ("as", "a", "no", "in")."""
    if not langs or hit.langs & langs or hit.concept.startswith(("method.", "cue.not_language")):
        return True
    if hit.concept == "coin" and len(tokens[hit.start].text) > 1:
        return True  # "btc" is every language's, Chinese "u" is not
    after_number = hit.start > 0 and tokens[hit.start - 1].kind == "number"
    if after_number and hit.concept in {"multiplier", "unit", "gigabytes", "bits"} and len(tokens[hit.start].text) <= 3:
        return True  # 70B, 70 b, 8k, 24h, 80 GB: symbols of every language
    return sum(len(token.text) for token in tokens[hit.start : hit.end]) > 3 and hit.concept not in {
        "number",
        "cue.either",
    }
