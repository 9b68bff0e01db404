"""Repositories of model hubs in a message, by address or id ("owner/name"), whose model is not in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.reader.names import find_models, pieces_of, size_of
from bot.reader.normalise import Normal

_PART: Final = r"[a-z0-9](?:[a-z0-9_.-]{0,94}[a-z0-9_])?"
_REVISION: Final = r"[a-z0-9](?:[a-z0-9_./-]{0,98}[a-z0-9_])?"
#: huggingface.co/owner/name, also as copied from a file's page.
_URL: Final = re.compile(
    rf"(?<![\w.-])(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com)/"
    rf"(?!(?:datasets|spaces|docs|blog|models|papers|collections|api|settings|join|login|pricing)\b/?)"
    rf"({_PART})/({_PART})(?:/(?:tree|blob|raw|resolve|commit)/([a-z0-9][a-z0-9_.-]{{0,99}})(?:/[\w./%-]*)?)?",
    re.ASCII,
)
#: owner/name@revision that stands alone: no part of a path, of an address or of a sum.
_BARE: Final = re.compile(
    rf"(?<![\w./\\~@:$€£%-])({_PART})/({_PART})(?:@({_REVISION}))?(?![\w/\\@%])",
    re.ASCII,
)
#: What repositories of models are not called, and words before a name that is no model's.
_FILES: Final = re.compile(
    r"\.(?:py|jsonl?|csv|tsv|txt|md|sh|ya?ml|toml|parquet|zip|gz|ipynb|log|pt|bin|cfg|html?|pdf|git)$"
)
_DATA: Final = re.compile(r"(?:dataset|data|train_file|dataset_name|dataset_path|datasets?_id)[\"'=:\s]{1,4}$")
#: A size in a name that has no joints.
_SIZED: Final = re.compile(r"[a-z].*?\d(?:\.\d+)?[bmt]$")


@dataclass(frozen=True, slots=True)
class Address:
    """norm[start:end] names the repository ``id`` (with @revision where one is named).  ``params_b``: the size in its
    name; ``sure``: it is written as an address, or names a size."""

    start: int
    end: int
    id: str
    params_b: float | None
    sure: bool


def find_addresses(normal: Normal, plain: Sequence[tuple[int, int]]) -> list[Address]:
    """Repositories whose model the catalogue does not know, left to right.  ``plain``: spans of words and names that
    mean something of their own: an id whose owner is one of them is none ("lora/qlora", "usd/gpu-hour")."""
    norm = normal.norm
    if "/" not in norm:
        return []
    found: list[Address] = []
    for match in _URL.finditer(norm):
        _add(normal, match, found, sure=True)
    for match in _BARE.finditer(norm):
        within = any(one.start <= match.start() < one.end for one in found)
        if not within and _is_id(norm, match, plain):
            _add(normal, match, found, sure=False)
    return sorted(found, key=lambda one: one.start)


def _is_id(norm: str, match: re.Match[str], plain: Sequence[tuple[int, int]]) -> bool:
    owner, name = match[1], match[2]
    lettered = any(char.isalpha() for char in owner) and any(char.isalpha() for char in name)
    if len(owner) < 2 or len(name) < 3 or not lettered or _FILES.search(name):
        return False
    if not re.search(r"[-_]", name) and not _SIZED.match(name):
        return False
    if _DATA.search(norm, max(match.start() - 24, 0), match.start()):
        return False
    # Whole words of the bot's own on either side: a list of choices.
    return not any(start <= match.start(side) and match.end(side) <= end for start, end in plain for side in (1, 2))


def _add(normal: Normal, match: re.Match[str], found: list[Address], *, sure: bool) -> None:
    norm, original = normal.norm, normal.original
    if ".." in match[0] or "--" in f"{match[1]}/{match[2]}":
        return
    named = match[2]
    if any(model.model is not None for model in find_models(named, frozenset())):
        return  # the catalogue's own row says more

    def written(side: int) -> str:
        start, end = normal.span(match.start(side), match.end(side))
        text = original[start:end]
        return text if text.isascii() and text.lower() == match[side] else norm[match.start(side) : match.end(side)]

    revision = f"@{written(3)}" if match[3] and match[3] != "main" else ""
    size = next((value for piece in pieces_of(named) if (value := size_of(piece.text)) is not None), None)
    found.append(
        Address(
            match.start(),
            match.end(),
            f"{written(1)}/{written(2)}{revision}",
            size,
            sure or size is not None,
        )
    )
