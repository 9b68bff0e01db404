"""Peak memory of running a model: weights, KV cache, prefill activations, the engine's own."""

from __future__ import annotations

from typing import Final

from planner.run import Part, Run, part, sharding_of, weight_bytes

#: Bytes of prefill activations a token takes in one layer: the results of the feed-forward's three matrices and four
#: copies of the hidden state, 16 bits each.
_FEED_FORWARD: Final = 3
_HIDDEN: Final = 4
#: Of them, the share held at the peak: plain Transformers takes the prompt (an unknown part of the context) in one
#: piece; serving engines take it in chunks.
_SHARE: Final = {"transformers": 0.7}
_SHARE_CHUNKED: Final = 0.1
_SHARE_UNKNOWN: Final = 0.3
#: Engines that take the prompt in chunks.
_CHUNKED: Final = ("vllm", "sglang", "exllama", "llama.cpp", "ollama", "lmdeploy", "awq", "tensorrt")
#: Buffers and rounding as a share of the weights.
_SLACK: Final = 0.006
_SLACK_MOST: Final = 0.03
#: How measurements of fully stated runs scatter.
SPREAD: Final = (0.99, 1.03)


def running_parts(run: Run) -> tuple[Part, ...]:
    """The terms on one GPU, in bytes.

    KV cache: 2 x layers x KV heads x head dimension x tokens (grouped queries, latent and windowed attention as the
    architecture has them).  Activations: only the layer at work holds them.
    """
    shape = run.shape
    _kind, ways, _offload = sharding_of(run.sharding, run.gpus)
    split = max(run.gpus, ways)
    bits = run.bits or 16
    weights = weight_bytes(shape, bits) / split
    bare = min(weights, shape.params * bits / 8 / split)  # every weight in that format, embeddings too
    cache = run.batch * shape.kv_elements(run.seq_len) * (run.kv_bits or 16) / 8 / split
    each = 2 * (_FEED_FORWARD * min(shape.intermediate, 8 * shape.hidden) + _HIDDEN * shape.hidden)
    prefill = float(run.seq_len * each)
    share, most = _prefill_share(run)
    return (
        part(
            "weights",
            bare,
            weights,
            weights * 1.01,
            f"{shape.params / 1e9:.4g} x {bits:g} bits / {split}",
            "model-cards",
        ),
        part("kv_cache", cache, cache, cache, f"{run.batch} x {run.seq_len} tokens / {split}", "model-cards"),
        part("activations", 0.0, share * prefill, most * prefill, f"{run.seq_len} tokens x {each} bytes", "measured"),
        part(
            "overhead",
            0.0,
            _SLACK * weights + 0.03e9,
            _SLACK_MOST * weights + 0.2e9,
            "buffers and rounding",
            "measured",
        ),
    )


def _prefill_share(run: Run) -> tuple[float, float]:
    for tool, share in _SHARE.items():
        if tool in run.tool:
            return share, 1.1
    if any(tool in run.tool for tool in _CHUNKED):
        return _SHARE_CHUNKED, 0.4
    return _SHARE_UNKNOWN, 1.1
