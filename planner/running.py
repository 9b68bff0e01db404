"""Peak memory of running a model: weights, KV cache, prefill activations, logits of the prompt, the engine's own."""

from __future__ import annotations

import re
from typing import Final

from planner.formats import format_of, weight_bytes
from planner.memory import Formula
from planner.run import Part, Run, sharding_of

#: What prefill holds of a token in the layer at work: the results of the feed-forward's three matrices and four copies
#: of the hidden state (the residual, the norm's and the attention's results), 16 bits each.
_FEED_FORWARD: Final = 3
_HIDDEN: Final = 4
#: The reply's share of the tokens where only their sum is said: half, but no more than 2,048 (what the Qwen speed
#: benchmarks, most of the measurements, generate).
_REPLY_SHARE: Final = 0.5
_REPLY_TOKENS: Final = 2048
#: Engines take a prompt in chunks of this many tokens (vLLM's and SGLang's max_num_batched_tokens: 2,048 to 8,192).
_CHUNK: Final = 2048
_CHUNK_MOST: Final = 8192
#: Of a prompt in one piece, the part of that memory which stands at the peak (measured: nothing to all of it, since
#: what is measured is the peak with one tool and what remains after the prompt with another).
_SHARE: Final = 0.7
#: Bytes of a logit where they are made of the whole prompt: 16 bits and a 32-bit copy.
_LOGIT: Final = 6
#: Plain Transformers makes logits of the last token only since 4.45 (pull request 31292, September 2024).
_LAST_ONLY_VERSION: Final = (4, 45)
_LAST_ONLY_SINCE: Final = "2024-09"
#: Tools that run a model through plain Transformers.
_PLAIN: Final = ("transformers", "autoawq", "autogptq", "gptq-for-llama", "bitsandbytes")
#: A 4-bit cache's share of a 16-bit one, with its scales.
_CACHE_LEAST: Final = 4.5 / 16
#: Workspaces of the matrix library, bytes, and buffers and rounding as a share of the weights.
_WORKSPACE: Final = 0.05e9
_SLACK: Final = 0.002
_WORKSPACE_MOST: Final = 0.4e9
_SLACK_MOST: Final = 0.015
#: How measurements of fully stated runs scatter.
SPREAD: Final = (0.985, 1.015)


def running_parts(run: Run) -> tuple[Part, ...]:
    """The terms on one GPU, in bytes.

    KV cache: 2 x layers x KV heads x head dimension x tokens (grouped queries, latent and windowed attention as the
    architecture has them).  Activations: only the layer at work holds them.
    """
    shape = run.shape
    _kind, ways, _offload = sharding_of(run.sharding, run.gpus)
    split = max(run.gpus, ways)
    cache = run.batch * shape.kv_elements(run.seq_len) * (run.kv_bits or 16) / 8 / split
    weights = _weights(run, split)
    slack = _SLACK * weights.expected + _WORKSPACE
    most = _SLACK_MOST * weights.expected + _WORKSPACE_MOST
    return (
        weights,
        Part(
            "kv_cache",
            cache * _CACHE_LEAST if _may_quantise_cache(run) else cache,
            cache,
            cache,
            Formula("{} x {} tokens / {}", (run.batch, run.seq_len, split)),
            "model-cards",
        ),
        _activations(run),
        *_logits(run, split),
        Part("overhead", 0.0, slack, most, Formula("buffers and rounding"), "measured"),
    )


def _weights(run: Run, split: int) -> Part:
    """Quantised weights in a format that is not known: between the bits stated, with embeddings kept in main
    memory, and groups with their scales."""
    shape, bits = run.shape, run.bits or 16
    form = format_of(run.weights, run.bits, run.tool)
    size = weight_bytes(shape, bits, form) / split
    bare = size
    if form is None and bits < 16 and not _is_plain(run):
        inputs = shape.embedding if shape.tied else shape.embedding / 2
        bare = min(size, (shape.params - inputs) * bits / 8 / split)
    values = (shape.params / 1e9, (form.whole or form.bits) if form else bits, split)
    source = form.source if form else "model-cards"
    return Part("weights", bare, (bare + size) / 2, size, Formula("{} x {} bits / {}", values), source)


def _may_quantise_cache(run: Run) -> bool:
    """Who runs quantised weights with a tool that is not known may keep the cache in 4 bits too."""
    return run.kv_bits is None and not run.software and (run.bits or 16) < 16


def _is_plain(run: Run) -> bool:
    return any(tool in run.tool for tool in _PLAIN)


def prompt_tokens(run: Run) -> float:
    """Tokens of one sequence that are read, not generated."""
    return run.seq_len - min(run.seq_len * _REPLY_SHARE, _REPLY_TOKENS)


def _activations(run: Run) -> Part:
    shape = run.shape
    each = 2 * (_FEED_FORWARD * min(shape.intermediate, 8 * shape.hidden) + _HIDDEN * shape.hidden)
    prompt = prompt_tokens(run) * run.batch
    if _is_plain(run):
        expected, most = _SHARE * prompt, prompt
    else:
        expected, most = min(prompt, _CHUNK), min(prompt, _CHUNK_MOST)
        if not run.software:
            most = max(most, prompt)
    return Part(
        "activations", 0.0, expected * each, most * each, Formula("{} tokens x {} bytes", (expected, each)), "measured"
    )


def _logits(run: Run, split: int) -> tuple[Part, ...]:
    """Plain Transformers before 4.45 made the logits of the whole prompt; an unnamed version is that of its model's
    time."""
    if not _is_plain(run):
        return ()
    version = re.search(r"transformers\D{0,3}(\d+)\.(\d+)", run.tool)
    if version is not None:
        whole = (int(version[1]), int(version[2])) < _LAST_ONLY_VERSION
    else:
        whole = run.shape.released is not None and run.shape.released[:7] < _LAST_ONLY_SINCE
    if not whole:
        return ()
    tokens = prompt_tokens(run) * run.batch
    least = max(run.seq_len - _REPLY_TOKENS, 0) * run.batch
    each = run.shape.vocab * _LOGIT / split
    values = (tokens, run.shape.vocab, _LOGIT, split)
    formula = "{} x {} x {} bytes / {}"
    return (
        Part("logits", least * each, tokens * each, run.tokens * each, Formula(formula, values), "transformers-logits"),
    )
