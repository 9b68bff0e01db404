"""A model's shape: what its weights, KV cache and activations are made of, in elements and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from planner.catalog import Model, load_catalog
from planner.errors import PlanError
from planner.query import PlanQuery

#: Sizes that stand for "a model of that many parameters" where no model is named: plain dense ones of one family,
#: (parameters in billions, layers, hidden, intermediate, heads, KV heads, head dimension).
_TYPICAL: Final = (
    (0.5, 24, 896, 4864, 14, 2, 64),
    (1.2, 16, 2048, 8192, 32, 8, 64),
    (3.2, 28, 3072, 8192, 24, 8, 128),
    (8.0, 32, 4096, 14336, 32, 8, 128),
    (14.8, 48, 5120, 13824, 40, 8, 128),
    (32.8, 64, 5120, 27648, 40, 8, 128),
    (70.6, 80, 8192, 28672, 64, 8, 128),
    (405.9, 126, 16384, 53248, 128, 8, 128),
)
_TYPICAL_VOCAB: Final = 128_256


@dataclass(frozen=True, slots=True)
class Shape:
    """``params`` and ``embedding`` (input and output matrices together) in elements; ``intermediate`` what one token
    passes through (shared and chosen experts of a MoE); ``expert_params`` in experts, of which a token uses some.

    ``kv_per_token``: elements of KV cache a token adds in the layers whose cache grows; ``kv_windows``: (elements a
    token, window in tokens) of sliding-window layers.  ``exact`` False: a typical shape of that size.  ``tied``: one
    matrix serves as embeddings and output.  ``released``: year-month(-day).
    """

    params: float
    embedding: float
    layers: int
    hidden: int
    intermediate: int
    heads: int
    head_dim: int
    vocab: int
    kv_per_token: float
    kv_windows: tuple[tuple[float, int], ...] = ()
    kv_heads: int = 1
    exact: bool = True
    tied: bool = False
    released: str | None = None

    def check_rank(self, rank: int | None) -> None:
        """Raise PlanError for a LoRA rank above the hidden size: the product of its matrices has no more."""
        if rank is not None and rank > self.hidden:
            raise PlanError("out_of_range", "lora_rank", f"1-{self.hidden}", str(self.hidden))

    def next_split(self, gpus: int) -> int:
        """The least number of GPUs from ``gpus`` on that tensor parallelism divides the heads over."""
        return next((n for n in range(gpus, self.heads + 1) if self.heads % n == 0), gpus)

    def kv_elements(self, tokens: float) -> float:
        """Elements of KV cache of one sequence of ``tokens``."""
        windows = sum(elements * min(tokens, window) for elements, window in self.kv_windows)
        return self.kv_per_token * tokens + windows

    @property
    def layer_params(self) -> float:
        """Elements of one layer."""
        return (self.params - self.embedding) / self.layers

    def lora_params(self, rank: int) -> float:
        """Elements of LoRA matrices of a rank on every linear layer: rank x (inputs + outputs) of each.

        Source: Hu et al., LoRA (arXiv 2106.09685).
        """
        h, queries, keys = self.hidden, self.heads * self.head_dim, self.kv_heads * self.head_dim
        attention = (h + queries) + 2 * (h + keys) + (queries + h)
        feed_forward = 3 * (h + self.intermediate)
        return float(rank * self.layers * (attention + feed_forward))


@lru_cache(maxsize=512)
def shape_of(model_id: str) -> Shape | None:
    """A catalogue model's shape, or None where its row does not say enough."""
    model = load_catalog().models.get(model_id)
    return None if model is None else shape_from(model)


def named_model(query: PlanQuery) -> Model | None:
    """The model that a query is about, of the catalogue or brought along."""
    return query.architecture or load_catalog().models.get(query.model or "")


def shape_from(model: Model) -> Shape | None:
    """A model's shape, or None where its row does not say enough."""
    if not (model.layers and model.hidden and model.vocab and model.heads):
        return None
    kv_heads = model.kv_heads or model.heads
    head_dim = model.head_dim or model.hidden // model.heads
    growing, windows = _cache(model, kv_heads, head_dim)
    return Shape(
        params=model.params_b * 1e9,
        embedding=float(model.vocab * model.hidden * (1 if model.tied_embeddings else 2)),
        layers=model.layers,
        hidden=model.hidden,
        intermediate=_intermediate(model),
        heads=model.heads,
        head_dim=head_dim,
        vocab=model.vocab,
        kv_per_token=growing,
        kv_windows=windows,
        kv_heads=kv_heads,
        tied=bool(model.tied_embeddings),
        released=model.release,
    )


def _intermediate(model: Model) -> int:
    if model.experts and model.experts_per_token and model.moe_intermediate:
        return model.experts_per_token * model.moe_intermediate + (model.shared_expert_intermediate or 0)
    return model.intermediate or 4 * (model.hidden or 0)


def _cache(model: Model, kv_heads: int, head_dim: int) -> tuple[float, tuple[tuple[float, int], ...]]:
    """Elements that grow with every token, and those of sliding windows."""
    layers = model.cache_layers or model.layers or 0
    if model.mla is not None:
        latent = (model.mla.get("kv_lora_rank") or 0) + (model.mla.get("qk_rope_head_dim") or 0)
        if latent:
            return float(latent * layers), ()
    each = 2 * kv_heads * head_dim
    full = model.full_attention_layers
    if full is None:
        return float(each * layers), ()
    growing = full * 2 * (model.global_kv_heads or kv_heads) * (model.global_head_dim or head_dim)
    rest = layers - full
    if rest > 0 and model.sliding_window:
        return float(growing), ((float(each * rest), model.sliding_window),)
    return float(growing), ()


@lru_cache(maxsize=512)
def typical_shape(params_b: float) -> Shape:
    """The shape of a plain dense model of ``params_b`` billion parameters: between the nearest of _TYPICAL."""
    sizes = _TYPICAL
    above = next((index for index, row in enumerate(sizes) if row[0] >= params_b), len(sizes) - 1)
    low, high = sizes[max(above - 1, 0)], sizes[above]
    part = 0.0 if high[0] == low[0] else min(max((params_b - low[0]) / (high[0] - low[0]), 0.0), 1.0)
    layers, hidden, intermediate, heads, kv_heads, head_dim = (
        round(a + (b - a) * part) for a, b in zip(low[1:], high[1:], strict=True)
    )
    params = params_b * 1e9
    tied = 1 if params_b < 4 else 2
    return Shape(
        params=params,
        embedding=min(float(_TYPICAL_VOCAB * hidden * tied), 0.4 * params),
        layers=layers,
        hidden=hidden,
        intermediate=intermediate,
        heads=heads,
        head_dim=head_dim,
        vocab=_TYPICAL_VOCAB,
        kv_per_token=float(2 * kv_heads * head_dim * layers),
        kv_heads=kv_heads,
        exact=False,
        tied=tied == 1,
    )
