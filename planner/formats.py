"""Weight formats: which one a name or a tool means, and the bytes that a model's weights take in it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final

from planner.architecture import Shape
from planner.catalog import Format, load_catalog

#: What tools load where only "4 bits" and the like is said: (part of the tool's name, bits, format).
_HABITS: Final = (
    ("llama.cpp", 4, "gguf-q4_k_m"),
    ("ollama", 4, "gguf-q4_k_m"),
    ("llama.cpp", 8, "gguf-q8_0"),
    ("ollama", 8, "gguf-q8_0"),
    ("bitsandbytes", 4, "nf4"),
    ("awq", 4, "awq"),
    ("lmdeploy", 4, "awq"),
    ("gptq", 4, "gptq-4"),
    ("gptq", 8, "gptq-8"),
)
#: ExLlama's formats take the bits stated, scales included, with a 6-bit output matrix and embeddings in main memory.
_EXL: Final = re.compile(r"exl(?:lama)?v?[23]")
_EXL_OUTPUT_BITS: Final = 6.0
#: A group format nobody named: a 16-bit scale and a 4-bit zero point for every 128 weights.
_GROUP_BITS: Final = 20 / 128


@cache
def _spellings() -> tuple[tuple[str, str], ...]:
    """(word, format id), longest first, so that "gptq-int8" is not read as "gptq"."""
    pairs = [(word, name) for name, row in load_catalog().formats.items() for word in row.words]
    return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))


@lru_cache(maxsize=1024)
def format_named(text: str) -> str | None:
    """The id of the format that a model's name (or a tool's) states: "Qwen3-8B-AWQ", "llama Q4_K_M"."""
    said = text.lower()
    for word, name in _spellings():
        if re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", said):
            return name
    return None


@lru_cache(maxsize=1024)
def format_of(name: str | None, bits: float | None, tool: str) -> Format | None:
    """The format to weigh: a named one if its bits are those stated, else the tool's habit; None if unknown."""
    formats = load_catalog().formats
    found = formats.get(name or "")
    if found is not None and (bits is None or abs(found.bits - bits) <= 1):
        return found
    if bits is None or bits >= 16:
        return None
    if "exllama" in tool and not _EXL.search(tool) and bits == 4:  # its first version runs GPTQ files
        return replace(formats["gptq-4"], input_bits=0)
    if _EXL.search(tool):
        return Format(name="EXL", bits=bits, source="group-layout", input_bits=0, output_bits=_EXL_OUTPUT_BITS)
    return next((formats[row] for part, of, row in _HABITS if part in tool and of == bits), None)


def effective_bits(bits: float) -> float:
    """Bits a quantised weight takes with its scales: whole numbers below 16 with groups of 128; others as stated."""
    return bits + _GROUP_BITS if bits in (2, 3, 4, 5, 6, 8) else bits


def weight_bytes(shape: Shape, bits: float, form: Format | None = None) -> float:
    """Bytes of the weights.  Embeddings and output matrix stay in 16 bits where the format does not say otherwise."""
    if form is None:
        if bits >= 16:
            return shape.params * bits / 8
        return (shape.params - shape.embedding) * effective_bits(bits) / 8 + shape.embedding * 2
    if form.whole is not None:
        return shape.params * form.whole / 8
    one = shape.embedding if shape.tied else shape.embedding / 2
    outputs = one * form.output_bits if not shape.tied or form.own_output or not form.input_bits else 0.0
    return ((shape.params - shape.embedding) * form.bits + one * form.input_bits + outputs) / 8
