"""Names of models in normalised text: catalogue names, hub ids, tags, nicknames, typing errors."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from planner.catalog import Model, load_catalog
from planner.resources import folder

_PIECE: Final = re.compile(
    r"\d+x\d+(?:[.,]\d+)?b(?![a-z])"  # 8x7b
    r"|[ae]?\d+(?:[.,]\d+)?[bmt](?![a-z0-9])"  # 70b, a22b, e4b, 350m
    r"|[a-z]+(?![a-z])"
    r"|\d+(?:[.,]\d+)*"
    r"|(?<=[\s\-][a-z])\+(?!\w)"  # command r+
    r"|[^\W\d_a-z]+"  # words of other scripts
)
_UNDERSCORED: Final = re.compile(r"(?<=\d)_(?=\d)")
_LETTER_VERSION: Final = frozenset("krvmh")
_GAP: Final = re.compile(r"[\s\-_:/.()+]{0,3}")
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)([bmt])$")
_SIZE_OR_MOE: Final = re.compile(r"\d+x\d+(?:\.\d+)?b$|\d+(?:\.\d+)?[bmt]$")
_ADDRESS: Final = re.compile(
    r"(?<![\w.\-])(?:https?://)?(?:www\.)?(?:(?:huggingface\.co|hf\.co|ollama\.com/library)/[\w.\-/]++|[\w.\-]++/[\w.\-]++)"
)
_TAIL: Final = re.compile(r"(?:[-_:][a-z0-9._]++)*+")
#: How far an address may reach around a model's name.
_REACH: Final = 120
_MAX_PIECES: Final = 14
#: Digits of a month of release: "2507", "0528".
_RELEASE: Final = 4
_TYPO_SCORE: Final = 84
_TYPO_LENGTH: Final = 5
#: Endings of names in Slavic languages, in Turkish and as plurals; shorter names could be anything.
_CASE_LENGTH: Final = 4
_LATIN_CASES: Final = "a e y i u o em ie om ow ami ach s en yi ya ye da de dan den in nin un nun"
_CYRILLIC_CASES: Final = "а у ы е и о ой ом ем ю я ей ь ям ами ах"


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, number or size of a name, with its span in the normalised text."""

    text: str
    start: int
    end: int


#: What may follow a number that is a size without its unit.
_SIZE_ENDS: Final = re.compile(r"\s*(?:$|[?!.,;:)\n]|(?:instruct|chat|base|q?lora|full|awq|gptq|gguf|q\d)(?![a-z]))")


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model mention.  ``model`` is None when a family was named without a size (see ``candidates``) or with a
    size that it does not have.  ``params_b`` is the size that the name states, None when it states none."""

    start: int
    end: int
    model: str | None
    params_b: float | None
    candidates: tuple[str, ...] = ()
    version_assumed: bool = False


@dataclass(frozen=True, slots=True)
class _Signature:
    model: str
    pieces: frozenset[str]
    words: frozenset[str]
    versions: frozenset[str]
    size: str | None
    order: int
    noise: frozenset[str] = frozenset()  # words that mostly tell nothing, but stand in this spelling: "thinking"


@dataclass(frozen=True)
class Names:
    """Everything names are looked up in, built once from the catalogue and data/names.toml."""

    spellings: dict[str, tuple[str, ...]]
    nicknames: dict[str, tuple[str, ...]]
    sizes: dict[str, str]
    defaults: dict[str, tuple[str, ...]]
    noise: frozenset[str]
    by_word: dict[str, list[_Signature]] = field(default_factory=dict)
    vocabulary: set[str] = field(default_factory=set)
    heads: set[str] = field(default_factory=set)


def pieces_of(text: str) -> list[Piece]:
    """Split a stretch of normalised text into name pieces; "k2", "r1" and "v3" stay whole."""
    text = _UNDERSCORED.sub(".", text)  # "Llama-3_1": hub ids write a version's point so
    raw = [
        Piece(part, m.start() + offset, m.start() + offset + (1 if m.group() == "+" else len(part)))
        for m in _PIECE.finditer(text)
        for part, offset in _parts("plus" if m.group() == "+" else m.group().replace(",", "."))
    ]
    out: list[Piece] = []
    for piece in raw:
        last = out[-1] if out else None
        joins = last and last.text in _LETTER_VERSION and last.end == piece.start and piece.text[0].isdigit()
        if last and joins and piece.text.replace(".", "").isdigit():
            out[-1] = Piece(last.text + piece.text, last.start, piece.end)
        else:
            out.append(piece)
    return out


def _parts(text: str) -> list[tuple[str, int]]:
    """A name inside a run of characters without spaces stands alone: "想微调千问"."""
    if text[0] < "\u3040":
        return [(text, 0)]
    cuts = [cut for match in _unspaced().finditer(text) for cut in match.span()]
    bounds = sorted({0, *cuts, len(text)})
    return [(text[start:end], start) for start, end in pairwise(bounds)]


@cache
def _unspaced() -> re.Pattern[str]:
    with (folder("data") / "names.toml").open("rb") as file:
        spellings = tomllib.load(file)["spellings"]
    names = sorted((name for name in spellings if name[0] >= "\u3040"), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)))


@cache
def load_names() -> Names:
    """The lookup tables of this installation."""
    with (folder("data") / "names.toml").open("rb") as file:
        raw = tomllib.load(file)
    names = Names(
        spellings={k: tuple(v) for k, v in raw["spellings"].items()},
        nicknames={k: tuple(v) for k, v in raw["nicknames"].items()},
        sizes=raw["sizes"],
        defaults={k: tuple(v) for k, v in raw["defaults"].items()},
        noise=frozenset(raw["noise"]["words"]),
    )
    for order, model in enumerate(load_catalog().models.values()):
        for spelling in dict.fromkeys((model.id, *model.aliases, model.name.lower())):
            _add(names, model, spelling, order)
    return names


def _add(names: Names, model: Model, spelling: str, order: int) -> None:
    texts = [piece.text for piece in pieces_of(spelling.lower())]
    noise = frozenset(text for text in texts[1:] if text in names.noise)
    texts = [text for text in texts if text not in names.noise or text == texts[0]]
    words = frozenset(text for text in texts if not _is_version(text) and not _SIZE_OR_MOE.match(text))
    size = next((text for text in texts if _SIZE_OR_MOE.match(text)), None)
    versions = frozenset(text for text in texts if _is_version(text))
    if not words:
        return
    own = [piece.text for piece in pieces_of(model.id)]
    if texts[0] in names.defaults and size and not versions and any(map(_is_version, own)):
        return  # which version a bare "qwen 32b" means is decided by the defaults
    signature = _Signature(model.id, frozenset(texts), words, versions, size, order, noise)
    head = texts[0]
    names.by_word.setdefault(head, []).append(signature)
    names.heads.add(head)
    names.vocabulary.update(words | versions)


def _is_version(text: str) -> bool:
    return text.replace(".", "").isdigit() or (
        text[0] in _LETTER_VERSION and len(text) > 1 and text[1:].replace(".", "").isdigit()
    )


def _is_release(names: Names, text: str) -> bool:
    """A month of release, which names have after their size: "4b-instruct-2507"."""
    return len(text) == _RELEASE and text in names.vocabulary


def find_models(norm: str, known_word: frozenset[str]) -> list[NamedModel]:
    """Every model mention, left to right.  ``known_word``: words of the lexicons, never taken for typing errors."""
    names = load_names()
    pieces = pieces_of(norm)
    found: list[NamedModel] = []
    index = 0
    while index < len(pieces):
        mention, after = _at(names, norm, pieces, index, known_word)
        if mention is not None:
            found.append(mention)
        index = max(after, index + 1)
    return found


def _at(
    names: Names, norm: str, pieces: Sequence[Piece], index: int, known: frozenset[str]
) -> tuple[NamedModel | None, int]:
    head = _head(names, pieces, index, known)
    if head is None:
        return _by_size(names, norm, pieces, index)
    words, taken = head
    segment = [Piece(word, pieces[index].start, pieces[index].end) for word in words]
    end = index + taken
    while (
        end < len(pieces)
        and end - index < _MAX_PIECES
        and _GAP.fullmatch(norm[pieces[end - 1].end : pieces[end].start])
    ):
        expanded = names.spellings.get(pieces[end].text, (pieces[end].text,))
        piece = pieces[end]
        if _is_bare_size(names, norm, segment, piece):
            expanded = (f"{piece.text}b",)
        if not (_belongs(names, piece.text) or expanded[0] in names.heads):
            break
        segment.extend(Piece(word, piece.start, piece.end) for word in expanded)
        end += 1
    if index and _SIZE.match(pieces[index - 1].text) and not any(_SIZE_OR_MOE.match(p.text) for p in segment):
        before = pieces[index - 1]  # "24B mistral small"
        if _GAP.fullmatch(norm[before.end : pieces[index].start]):
            segment.append(before)
    mention = _resolve(names, segment)
    if mention is None or (pieces[index].text in known and mention.end == pieces[index].end):
        return None, index + 1  # an everyday word alone ("step") names no model
    after = next((i for i in range(index, len(pieces)) if pieces[i].start >= mention.end), len(pieces))
    return _stretch(norm, mention), after


def _is_bare_size(names: Names, norm: str, segment: Sequence[Piece], piece: Piece) -> bool:
    """ "llama 70", "gemma 27 lora": a number that is no version of the family, but a size of it, with nothing after it
    that it could count."""
    if not piece.text.isdigit() or any(_SIZE_OR_MOE.match(before.text) for before in segment):
        return False
    head = segment[0].text
    return (
        piece.text not in _family_versions(head)
        and any(signature.size == f"{piece.text}b" for signature in names.by_word.get(head, ()))
        and _SIZE_ENDS.match(norm, piece.end) is not None
    )


def _belongs(names: Names, text: str) -> bool:
    """Whether a piece can be part of a model's name: a size, a version, an active size, a word that names use."""
    active = text[0] in "ae" and text[1:2].isdigit()
    return (
        bool(_SIZE_OR_MOE.match(text)) or _is_version(text) or active or text in names.vocabulary or text in names.noise
    )


def _head(
    names: Names, pieces: Sequence[Piece], index: int, known: frozenset[str]
) -> tuple[tuple[str, ...], int] | None:
    text = pieces[index].text
    nickname = names.nicknames.get(text)
    if nickname:
        return nickname, 1
    if text in names.spellings:
        return names.spellings[text], 1
    if text in names.heads and text not in names.noise:
        return (text,), 1
    if (bare := _without_case(names, text)) is not None and text not in known:
        return bare, 1
    if len(text) >= _TYPO_LENGTH and text.isalpha() and text.isascii() and text not in known:
        from rapidfuzz import fuzz, process

        near = process.extractOne(text, _long_heads(), scorer=fuzz.ratio, score_cutoff=_TYPO_SCORE)
        if near is not None and near[0][0] == text[0]:
            return (near[0],), 1
    return None


def _without_case(names: Names, text: str) -> tuple[str, ...] | None:
    """A common family's name in one of its cases: Polish "llamy", "qwena", Turkish "llama'yi", Russian "мистраля"."""
    family = _cases().get(text.replace("'", ""))
    return None if family is None else names.spellings.get(family, (family,))


@cache
def _cases() -> dict[str, str]:
    """Every case of a common family's name -> the name.  Only of these: French "commande" is no Command."""
    names = load_names()
    latin = [name for name in (*names.defaults, "mistral", "mixtral") if len(name) >= _CASE_LENGTH]
    cyrillic = [name for name in names.spellings if "\u0400" <= name[0] <= "\u04ff"]
    found: dict[str, str] = {}
    for group, endings in ((latin, _LATIN_CASES), (cyrillic, _CYRILLIC_CASES)):
        for name in group:
            for stem in (name, name.rstrip("aаьй")):
                for ending in endings.split():
                    found.setdefault(stem + ending, name)
    return {case: name for case, name in found.items() if case not in names.heads and case not in names.spellings}


@cache
def _long_heads() -> tuple[str, ...]:
    return tuple(sorted(head for head in load_names().heads if len(head) >= _TYPO_LENGTH and head.isalpha()))


def _by_size(names: Names, norm: str, pieces: Sequence[Piece], index: int) -> tuple[NamedModel | None, int]:
    """ "8x7b", "30B-A3B": sizes that stand for one model."""
    first = pieces[index]
    if not _SIZE_OR_MOE.match(first.text):
        return None, index + 1
    if index + 1 < len(pieces) and _GAP.fullmatch(norm[first.end : pieces[index + 1].start]):
        second = pieces[index + 1]
        model = names.sizes.get(f"{first.text} {second.text}")
        if model:
            return NamedModel(first.start, second.end, model, _billions(first.text, model)), index + 2
    model = names.sizes.get(first.text)
    if model is None:
        return None, index + 1
    return NamedModel(first.start, first.end, model, _billions(first.text, model)), index + 1


def _resolve(names: Names, segment: Sequence[Piece]) -> NamedModel | None:
    texts = tuple(piece.text for piece in segment)
    size, words, versions, scored = _ranked(texts)
    if not scored:
        return _unknown_size(names, segment, size, versions)
    if size is None and _family_versions(texts[0]).isdisjoint(versions):
        common = _of_common_version(names, texts[0], scored)
        models = tuple(dict.fromkeys(signature.model for _score, signature in common))
        if len(models) > 1:
            return NamedModel(segment[0].start, segment[0].end, None, None, models[:8])
        scored = common or scored
    best_score, best = scored[0]
    used = [piece for piece in segment if piece.text in best.pieces or piece.text in words or piece.text == size]
    start, end = min(piece.start for piece in used), max(piece.end for piece in used)
    if size is None and best.size is not None:
        same = [s.model for score, s in scored if score[:2] == best_score[:2] and s.size is not None]
        candidates = tuple(dict.fromkeys(same))[:8]
        if len(candidates) == 1:
            return NamedModel(start, end, candidates[0], None, version_assumed=bool(best.versions - set(versions)))
        return NamedModel(start, end, None, None, candidates)
    assumed = bool(best.versions - set(versions)) or (not best.versions and _has_versions(names, best, texts))
    return NamedModel(start, end, best.model, _billions(size, best.model) if size else None, version_assumed=assumed)


def _of_common_version(names: Names, head: str, scored: Sequence[_Scored]) -> tuple[_Scored, ...]:
    """Of a family named without version and size, the models of its commonest version, smallest first: "llama"."""
    for version in names.defaults.get(head, ()):
        found = [
            pair
            for pair in scored
            if pair[1].versions == {version} and pair[1].words == {head} and "b-a" not in pair[1].model
        ]
        if found:
            sizes = [pair for pair in found if pair[1].size is not None]
            return tuple(sorted(sizes or found, key=lambda pair: load_catalog().models[pair[1].model].nominal_b))
    return ()


_Scored = tuple[tuple[float, float, float], _Signature]
_Ranked = tuple[str | None, frozenset[str], tuple[str, ...], tuple[_Scored, ...]]


@lru_cache(maxsize=2048)
def _ranked(texts: tuple[str, ...]) -> _Ranked:
    """The size, words and versions in the pieces of a name, and the models that agree with them, best first."""
    names = load_names()
    size = next((text for text in texts if _SIZE_OR_MOE.match(text)), None)
    before_size = texts[: texts.index(size)] if size else texts  # "mistral 7b 2 epochs": 2 is no version
    versions = [
        text
        for text in texts
        if _is_version(text) and (text in before_size or not text[0].isdigit() or _is_release(names, text))
    ]
    words = {text for text in texts if text in names.vocabulary and not _is_version(text)} - names.noise
    words.add(texts[0])
    scored = []
    for signature in _candidates(names, texts):
        score = _score(names, signature, words, versions, size, texts)
        if score is not None:
            scored.append((score, signature))
    said = frozenset(texts)
    scored.sort(key=lambda pair: (pair[0], -len(pair[1].noise & said), len(pair[1].noise - said), pair[1].order))
    return size, frozenset(words), tuple(versions), tuple(scored)


def _has_versions(names: Names, best: _Signature, texts: Sequence[str]) -> bool:
    """Whether the alias that matched leaves out a version that the model's own id has ("llama 70b")."""
    own = {piece.text for piece in pieces_of(best.model)}
    return any(_is_version(text) and text not in texts for text in own)


def _candidates(names: Names, texts: Sequence[str]) -> Iterator[_Signature]:
    seen: set[int] = set()
    for text in dict.fromkeys(texts):
        for signature in names.by_word.get(text, ()):
            if id(signature) not in seen:
                seen.add(id(signature))
                yield signature


def _score(
    names: Names,
    signature: _Signature,
    words: set[str],
    versions: Sequence[str],
    size: str | None,
    texts: Sequence[str],
) -> tuple[float, float, float] | None:
    """Lower is better; None when the signature contradicts the text."""
    if not signature.words & words:
        return None
    if size is not None and not _size_agrees(signature, size):
        return None
    missing_words = len(signature.words - words)
    extra_words = len(words - signature.words)
    stated = [v for v in versions if v in signature.versions]
    first = versions[0] if versions and texts.index(versions[0]) <= 1 + len(words) else None
    if (
        first is not None
        and first not in signature.versions
        and first in names.vocabulary
        and first in _family_versions(texts[0])
    ):
        return None
    missing_versions = len(signature.versions - set(versions))
    rank = _default_rank(names, texts[0], signature) if missing_versions else 0
    sizeless = 0.5 if size is None and signature.size is not None else 0.0
    return (
        2.0 * missing_words + 2.5 * extra_words + sizeless - 0.1 * len(stated),
        float(missing_versions),
        float(rank),
    )


@cache
def _family_versions(head: str) -> frozenset[str]:
    return frozenset(version for signature in load_names().by_word.get(head, ()) for version in signature.versions)


def _default_rank(names: Names, head: str, signature: _Signature) -> int:
    order = names.defaults.get(head, ())
    ranks = [order.index(version) for version in signature.versions if version in order]
    return min(ranks, default=len(order))


def _size_agrees(signature: _Signature, size: str) -> bool:
    if signature.size == size:
        return True
    if signature.size is not None and ("x" in size or "x" in signature.size):
        return False
    model = load_catalog().models[signature.model]
    stated = size_of(size)
    if stated is None:
        return False
    return any(abs(stated / known - 1) < 0.04 for known in (model.nominal_b, model.params_b))


def _unknown_size(
    names: Names, segment: Sequence[Piece], size: str | None, versions: Sequence[str]
) -> NamedModel | None:
    """A known family with a size that it does not have: the size is planned, the model is not named."""
    stated = size_of(size) if size else None
    if stated is None:
        return None
    used = [p for p in segment if p.text == size or p.text in names.heads or (versions and p.text == versions[0])]
    start, end = min(piece.start for piece in used), max(piece.end for piece in used)
    nearby = sorted(
        {
            s.model
            for s in names.by_word.get(segment[0].text, ())
            if s.size and (not versions or versions[0] in s.versions)
        },
        key=lambda model: abs(load_catalog().models[model].nominal_b - stated),
    )
    return NamedModel(start, end, None, stated, tuple(nearby[:3]))


def size_of(size: str) -> float | None:
    """Billions of parameters in a piece such as "70b", None for another piece."""
    match = _SIZE.match(size)
    if match is None:
        return None
    return float(match.group(1)) * {"b": 1.0, "m": 0.001, "t": 1000.0}[match.group(2)]


def _billions(size: str | None, model: str) -> float | None:
    stated = size_of(size) if size else None
    return stated if stated is not None else load_catalog().models[model].nominal_b


def _stretch(norm: str, mention: NamedModel) -> NamedModel:
    """Take in the rest of an address or tag that the name is part of: dates, "-instruct", the hub's host."""
    start = max(0, mention.start - _REACH)
    for match in _ADDRESS.finditer(norm, start, mention.end + _REACH):
        if match.start() <= mention.start and mention.end <= match.end():
            return _moved(mention, match.start(), match.end())
        if match.start() > mention.start:
            break
    tail = _TAIL.match(norm, mention.end, mention.end + _REACH)
    return _moved(mention, mention.start, tail.end() if tail else mention.end)


def _moved(mention: NamedModel, start: int, end: int) -> NamedModel:
    return NamedModel(start, end, mention.model, mention.params_b, mention.candidates, mention.version_assumed)


def overlaps(spans: Iterable[tuple[int, int]], start: int, end: int) -> bool:
    """Whether any of the spans shares a character with [start, end)."""
    return any(a < end and start < b for a, b in spans)
