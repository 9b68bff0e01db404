"""What a model's weights are made of, matrix by matrix, and how many parameters that makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Traits:
    """A row of data/architectures.toml, where its fields are described."""

    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012

    matrices: int = 3
    norms: int = 2
    norm_bias: bool = False
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    output_bias: bool = False
    expert_bias: bool = False
    router_bias: bool = False
    qk_norm: Literal["", "head", "full"] = ""
    positions: int | None = None
    tied: bool = False
    width: int | None = None
    moe: bool = False
    latent: bool = False
    linear: bool = False
    window: Literal["", "all", "pattern"] = ""
    pattern: int | None = None
    attention_gate: bool = False
    shared_gate: bool = False
    embedding_norm: bool = False
    defaults: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latent:
    """Multi-head latent attention: ranks and head dimensions; ``q_rank`` 0: queries are made in one step.

    ``indexer``: heads and dimension of what picks the tokens that are looked at, where there is one.
    """

    kv_rank: int
    q_rank: int
    nope: int
    rope: int
    value: int
    indexer: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaNet:
    """Layers of linear attention (gated delta nets): how many, the width of their keys and values, the heads that the
    values are of, and the tokens that a convolution looks at."""

    layers: int
    keys: int
    values: int
    heads: int
    kernel: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """A mixture of experts: how many there are and how many a token uses, their width, the width of those that every
    token uses, and how many layers have none, with the width of those layers' feed-forward."""

    count: int
    used: int
    width: int
    shared: int
    dense_layers: int
    dense_width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A text model: ``width`` of its feed-forward, ``positions`` learned; all in elements."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    width: int
    tied: bool
    traits: Traits
    positions: int = 0
    latent: Latent | None = None
    experts: Experts | None = None
    delta: DeltaNet | None = None


def count(model: Layout) -> tuple[int, int]:
    """Parameters in all, and those that a token passes through.  No vision tower, no multi-token prediction layers."""
    traits, hidden = model.traits, model.hidden
    norm = hidden * (2 if traits.norm_bias else 1)
    embeddings = model.vocab * hidden * (1 if model.tied else 2) + model.positions * hidden
    last = (norm if traits.norms else 0) + (norm if traits.embedding_norm else 0)
    last += model.vocab if traits.output_bias else 0
    attention = _attention(model) if model.latent is None else _latent(model, model.latent)
    linear = model.delta.layers if model.delta is not None else 0
    total = embeddings + last + model.layers * traits.norms * norm + (model.layers - linear) * attention
    if model.delta is not None:
        total += linear * _delta(model.hidden, model.delta)
    if model.experts is None:
        total += model.layers * _feed_forward(model, model.width)
        return total, total
    experts, idle = _experts(model, model.experts)
    return total + experts, total + experts - idle


def _attention(model: Layout) -> int:
    traits = model.traits
    queries, keys = model.heads * model.head_dim, model.kv_heads * model.head_dim
    found = model.hidden * (2 * queries + 2 * keys)
    found += queries + 2 * keys if traits.qkv_bias else 0
    found += model.hidden if traits.o_bias else 0
    found += model.hidden * queries if traits.attention_gate else 0
    if traits.qk_norm:
        found += queries + keys if traits.qk_norm == "full" else 2 * model.head_dim
    return found


def _latent(model: Layout, latent: Latent) -> int:
    hidden, heads = model.hidden, model.heads
    queries = heads * (latent.nope + latent.rope)
    found = latent.q_rank * (hidden + 1 + queries) if latent.q_rank else hidden * queries
    found += hidden * (latent.kv_rank + latent.rope) + latent.kv_rank
    found += latent.kv_rank * heads * (latent.nope + latent.value)
    found += heads * latent.value * hidden
    if latent.indexer is not None:
        count, dimension = latent.indexer
        found += (latent.q_rank or hidden) * count * dimension + hidden * (dimension + count) + 2 * dimension
    return found


def _delta(hidden: int, net: DeltaNet) -> int:
    mixed = 2 * net.keys + net.values
    projections = hidden * (mixed + net.values + 2 * net.heads) + net.values * hidden
    return projections + mixed * net.kernel + 2 * net.heads + net.values // net.heads


def _feed_forward(model: Layout, width: int) -> int:
    biases = width + model.hidden if model.traits.mlp_bias else 0
    return model.traits.matrices * model.hidden * width + biases


def _experts(model: Layout, experts: Experts) -> tuple[int, int]:
    """The feed-forwards of all layers, and what a token leaves out of them."""
    traits, hidden = model.traits, model.hidden
    one = 3 * hidden * experts.width + (2 * experts.width + hidden if traits.expert_bias else 0)
    each = experts.count * (one + hidden) + 3 * hidden * experts.shared
    each += experts.count if traits.router_bias else 0
    each += hidden if traits.shared_gate else 0
    with_experts = model.layers - experts.dense_layers
    total = with_experts * each + experts.dense_layers * _feed_forward(model, experts.dense_width)
    return total, with_experts * (experts.count - experts.used) * one
