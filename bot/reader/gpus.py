"""Names of GPUs among the tokens: the shop's and everything users own, glued, spaced or mistyped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from bot.reader.tokens import Token
from planner.catalog import load_catalog


@dataclass(frozen=True, slots=True)
class NamedGpu:
    """A GPU mention: tokens[start:end]; ``memory_gb`` where the text states the card's memory."""

    start: int
    end: int
    gpu: str


@cache
def _gpu_keys() -> dict[str, str]:
    keys: dict[str, str] = {}
    for gpu in load_catalog().gpus.values():
        for alias in (gpu.id, gpu.name.lower(), *gpu.aliases):
            compact = re.sub(r"[^a-z0-9]", "", alias.lower())
            keys.setdefault(compact, gpu.id)
            keys.setdefault(compact.removeprefix("nvidia").removeprefix("geforce"), gpu.id)
            series = re.fullmatch(r"(?:rtx|gtx)([1-5]0\d0(?:ti|super|tisuper)?)", compact)
            if series:
                keys.setdefault(series.group(1), gpu.id)
    for ambiguous in ("", *(f"m{n}" for n in range(1, 10))):  # "bge-m3": a chip's name needs more than that
        keys.pop(ambiguous, None)
    return keys


@cache
def _beginnings() -> frozenset[str]:
    """Every beginning of a name: most words are none, and are passed over at once."""
    return frozenset(key[:length] for key in _gpu_keys() for length in range(1, len(key) + 1))


def find_gpus(tokens: Sequence[Token]) -> list[NamedGpu]:
    """Every GPU mention, left to right, the longest name at each place."""
    keys = _gpu_keys()
    found: list[NamedGpu] = []
    index = 0
    while index < len(tokens):
        hit = _gpu_at(keys, tokens, index)
        if hit is None:
            index += 1
        else:
            found.append(hit)
            index = hit.end
    return found


def _gpu_at(keys: dict[str, str], tokens: Sequence[Token], index: int) -> NamedGpu | None:
    first = tokens[index]
    if first.kind == "mark" or (first.glued and index and tokens[index - 1].text in "/_-."):
        return None
    best: NamedGpu | None = None
    beginnings = _beginnings()
    for end, compact in _joins(tokens, index):
        zeros = _zeros(compact) if "o" in compact else compact
        gpu = keys.get(compact) or keys.get(zeros)
        if gpu is None and zeros not in beginnings and compact not in beginnings:
            break
        if gpu is not None and _plausible(tokens, index, end):
            best = NamedGpu(index, end, gpu)
    if best is None:
        return None
    end = best.end
    if end < len(tokens) and tokens[end].glued and tokens[end].text in {"s", "'s"}:
        best = NamedGpu(best.start, end + 1, best.gpu)  # H100s
    return best


def _joins(tokens: Sequence[Token], index: int) -> Iterator[tuple[int, str]]:
    """Growing runs of words and numbers with at most a space or hyphen between them."""
    compact = ""
    for end in range(index, min(index + 7, len(tokens))):
        token = tokens[end]
        if token.kind == "mark":
            if token.text != "-" or end == index:
                return
            continue
        if "." in token.text or "," in token.text or " " in token.text:
            return
        compact += token.text
        yield end + 1, compact


def _zeros(compact: str) -> str:
    """Letters O between digits are zeros: "h1oo"."""
    return re.sub(r"(?<=\d)o+(?=o|\d|$)|(?<=\d)o+", lambda m: "0" * len(m.group()), compact)


def _plausible(tokens: Sequence[Token], start: int, end: int) -> bool:
    run = tokens[start:end]
    if run[0].kind == "number":  # "4090" alone, not "1.4090" or a price
        return not run[0].glued or (start > 0 and tokens[start - 1].text in {"x", "rtx", "gtx", "*"})
    before = tokens[start - 1] if start else None
    clock = len(run) > 1 and run[0].text == "h" and len(run[1].text) == len("20")
    if clock and run[0].glued and before is not None and before.kind == "number":
        return False  # "1h20" is a time
    if run[0].glued and before is not None and before.kind == "number" and any(not token.glued for token in run[1:]):
        return False  # "7b 200" is a size and a number
    after = tokens[end] if end < len(tokens) else None
    if len(run) > 1 and not run[-1].glued and after is not None and after.glued and after.text == "k":
        return False  # "a 16k" is a context
    spaced = [token for token in run[1:] if token.kind == "number" and not token.glued]
    if spaced and len(run[0].text) == 1 and "-" not in [t.text for t in run]:  # "a 100", "h 100"
        return run[0].text != "a" or before is None or before.kind == "number" or len(before.text) != 1
    return True
