"""What users say, per language, as data: locales/<language>/lexicon.yaml.

A lexicon maps concepts (names that the code knows) to phrases.  A phrase is a run of words; a word that
ends in "*" matches any word with that beginning.  All languages are matched at once, since customers mix
them; every hit knows which languages it speaks for.

The compiled form is kept in locales/lexicon.json (made by ``python -m bot.reader.compile``) under the hash of
the YAML files; where it is missing or of another hash, the YAML is read instead, so it is never stale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from bot.reader.normalise import fold
from bot.reader.tokens import Token, tokenise
from planner.errors import OperatorError
from planner.resources import folder

COMPILED: Final = "lexicon.json"
_FORMAT: Final = 4
_MAX_PREFIX: Final = 12
_MIN_PREFIX: Final = 2


class LexiconError(OperatorError):
    """A lexicon file that does not follow the schema: one line naming file and entry."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found: tokens[start:end] speak for ``concept`` in ``langs``; ``value`` for numbers and units."""

    concept: str
    start: int
    end: int
    value: str | float | None
    langs: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Entry:
    concept: str
    words: tuple[str, ...]  # "*" at the end of a word: prefix
    value: str | float | None
    langs: frozenset[str]


class Lexicon:
    """All languages' phrases, indexed by their first word."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.locales: dict[str, str | None] = raw["locales"]
        self.function_words: dict[str, frozenset[str]] = {
            word: frozenset(langs) for word, langs in raw["function_words"].items()
        }
        self._exact: dict[str, list[_Entry]] = {}
        self._prefix: dict[str, list[_Entry]] = {}
        for concept, phrase, value, langs in raw["entries"]:
            words = tuple(phrase)
            entry = _Entry(concept, words, value, frozenset(langs))
            head = words[0]
            if head.endswith("*"):
                self._prefix.setdefault(head[:-1][:_MAX_PREFIX], []).append(entry)
            else:
                self._exact.setdefault(head, []).append(entry)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have a lexicon."""
        return tuple(self.locales)

    def find(self, tokens: Sequence[Token]) -> list[Hit]:
        """Every phrase found, at each place the longest of each concept."""
        hits: list[Hit] = []
        for start, token in enumerate(tokens):
            if token.kind != "mark" or token.text in self._exact:
                hits.extend(self._at(tokens, start))
        return hits

    def _at(self, tokens: Sequence[Token], start: int) -> Iterable[Hit]:
        word = tokens[start].text
        entries = list(self._exact.get(word, ()))
        for length in range(min(len(word), _MAX_PREFIX), _MIN_PREFIX - 1, -1):
            entries.extend(self._prefix.get(word[:length], ()))
        best: dict[tuple[str, str | float | None], tuple[int, frozenset[str]]] = {}
        for entry in entries:
            end = start + len(entry.words)
            if end > len(tokens) or not all(map(_fits, entry.words, (t.text for t in tokens[start:end]))):
                continue
            key = (entry.concept, entry.value)
            longest = best.get(key)
            if longest is None or end > longest[0]:
                best[key] = (end, entry.langs)
            elif end == longest[0]:
                best[key] = (end, longest[1] | entry.langs)
        for (concept, value), (end, langs) in best.items():
            yield Hit(concept, start, end, value, langs)


def _fits(pattern: str, word: str) -> bool:
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern


@cache
def load_lexicon() -> Lexicon:
    """The compiled lexicon of this installation.  Raises LexiconError for a file that breaks the schema."""
    root = folder("locales")
    sources = _sources(root)
    digest = _digest(sources)
    compiled = root / COMPILED
    if compiled.is_file():
        raw = json.loads(compiled.read_text(encoding="utf-8"))
        if raw.get("digest") == digest:
            return Lexicon(raw)
    return Lexicon(compile_sources(sources))


def write_compiled() -> Path:
    """Compile the YAML files into the file that load_lexicon() prefers; returns its path."""
    root = folder("locales")
    sources = _sources(root)
    raw = compile_sources(sources)
    raw["digest"] = _digest(sources)
    path = root / COMPILED
    path.write_text(json.dumps(raw, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return path


def _sources(root: Path) -> list[tuple[str, bytes]]:
    return [(path.parent.name, path.read_bytes()) for path in sorted(root.glob("*/lexicon.yaml"))]


def _digest(sources: list[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256(str(_FORMAT).encode())
    for language, data in sources:
        digest.update(language.encode() + b"\0" + data + b"\0")
    return digest.hexdigest()


def compile_sources(sources: list[tuple[str, bytes]]) -> dict[str, Any]:
    """Merge the languages' files into the form that Lexicon takes."""
    from bot.reader.lexicon_schema import parse  # pydantic and YAML only when a file changed

    merged: dict[tuple[str, tuple[str, ...], str | float | None], list[str]] = {}
    words: dict[str, list[str]] = {}
    locales: dict[str, str | None] = {}
    for language, data in sources:
        file = parse(language, data)
        locales[language] = file.locale
        for word in file.function_words:
            words.setdefault(fold(word), []).append(language)
        for concept, phrase, value in file.entries():
            merged.setdefault((concept, phrase_words(phrase), value), []).append(language)
    entries = [[concept, list(phrase), value, langs] for (concept, phrase, value), langs in merged.items() if phrase]
    return {"locales": locales, "function_words": words, "entries": entries}


def phrase_words(phrase: str) -> tuple[str, ...]:
    """A phrase as the tokens a message would give, with "*" kept at the end of its word."""
    found: list[str] = []
    for token in tokenise(fold(phrase)):
        if token.text == "*" and token.glued and found:
            found[-1] += "*"
        else:
            found.append(token.text)
    return tuple(found)
