"""A model's config.json, as model hubs hold it, read into the planner's own record of an architecture.

What a key means depends on the ``model_type``; data/architectures.toml knows the types.  A type that is not there, or a
key that is missing or makes no sense, is refused by name: a wrong guess of a shape is worse than none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from planner.catalog import Model, load_catalog
from planner.config_keys import ConfigError as ConfigError
from planner.config_keys import Keys
from planner.layout import DeltaNet, Experts, Latent, Layout, Traits, count

#: Where a model that sees or hears keeps its language model.
_INSIDE: Final = ("text_config", "llm_config", "language_config", "thinker_config")
_SENSES: Final = ("vision_config", "audio_config", "vision_tower", "mm_vision_tower", "visual", "vit_config")
#: Types whose weights no estimate here is made for: encoders, encoder-decoders, images, sound.
_OTHERS: Final = (
    "albert bart beit bert blip blip-2 clap clip clipseg convnext convnextv2 deberta deberta-v2 deit detr "
    "dinov2 dinov3_vit distilbert dpt electra encodec esm flux hubert layoutlmv3 longformer marian mask2former "
    "mbart modernbert mpnet mt5 musicgen nomic_bert owlvit pegasus rembert resnet roberta sam segformer siglip "
    "siglip2 speecht5 swin swinv2 t5 table-transformer timm_wrapper trocr umt5 unispeech vit vit_mae vits "
    "wav2vec2 wavlm whisper xlm-roberta xlnet yolos"
)
_NOT_LANGUAGE: Final = frozenset(_OTHERS.split())
_FULL: Final = "full_attention"
_LINEAR: Final = "linear_attention"
_WINDOWED: Final = frozenset({"sliding_attention", "chunked_attention"})
_DEEPEST: Final = 3


@dataclass(frozen=True, slots=True)
class ReadConfig:
    """``model``: the architecture, its parameters counted from the layers.  ``bits`` of the weights as they are stored,
    None where they are not quantised.  ``more``: it has a tower for images or sound, which is not counted."""

    model: Model
    bits: float | None = None
    more: bool = False


def read_config(raw: str | bytes | Mapping[str, Any], hub_id: str) -> ReadConfig:
    """The architecture in a config.json of the repository ``hub_id``.  Raises ConfigError."""
    outer = raw if isinstance(raw, Mapping) else _parse(raw)
    if "_class_name" in outer or "_diffusers_version" in outer:
        raise ConfigError("not_language", str(outer.get("_class_name") or "diffusers")[:60])
    inner, path = _text_part(outer)
    kind = _type_of(inner, outer, path)
    config = Keys(inner, path, load_catalog().architectures[kind].defaults if path else {})
    traits = _traits(config, kind)
    layout = _layout(config, kind, traits, _tied(inner, outer, traits))
    total, active = count(layout)
    if not 1e6 <= total <= 1e14:
        raise ConfigError("bad_value", "parameters")
    window, full = _window(config, traits, layout.layers)
    name = hub_id.partition("@")[0].rpartition("/")[2]
    size = total / 1e9
    model = Model(
        id=hub_id,
        name=name,
        family=kind,
        vendor=hub_id.partition("/")[0],
        params_b=size,
        nominal_b=_rounded(size),
        active_b=active / 1e9 if active != total else None,
        layers=layout.layers,
        hidden=layout.hidden,
        intermediate=layout.width,
        heads=layout.heads,
        kv_heads=layout.kv_heads,
        head_dim=layout.head_dim,
        vocab=layout.vocab,
        tied_embeddings=layout.tied,
        experts=layout.experts.count if layout.experts else None,
        experts_per_token=layout.experts.used if layout.experts else None,
        moe_intermediate=layout.experts.width if layout.experts else None,
        shared_expert_intermediate=layout.experts.shared if layout.experts else None,
        attention=_attention_kind(layout, window),
        mla=_mla(layout.latent),
        sliding_window=window,
        full_attention_layers=full,
        max_context=config.number("context", None),
        hub_id=hub_id,
        confidence="config.json",
    )
    return ReadConfig(model, _stored_bits(outer, inner), any(outer.get(key) for key in _SENSES))


def _parse(raw: str | bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise ConfigError("not_json", "config.json") from None
    if not isinstance(found, dict):
        raise ConfigError("not_json", "config.json")
    return found


def _text_part(outer: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The part that describes the language model, and the way to it."""
    found, path = outer, ""
    for _ in range(_DEEPEST):
        key = next((key for key in _INSIDE if isinstance(found.get(key), Mapping)), None)
        if key is None:
            break
        found, path = found[key], f"{path}{key}."
    return found, path


def _type_of(inner: Mapping[str, Any], outer: Mapping[str, Any], path: str) -> str:
    kind = inner.get("model_type") or (outer.get("model_type") if not path else None)
    if not isinstance(kind, str) or not kind:
        raise ConfigError("missing", f"{path}model_type")
    if kind in _NOT_LANGUAGE or inner.get("is_encoder_decoder") is True:
        raise ConfigError("not_language", kind[:60])
    if kind not in load_catalog().architectures:
        raise ConfigError("unknown_type", kind[:60])
    return kind


def _traits(config: Keys, kind: str) -> Traits:
    """The type's traits, as this config has them."""
    traits = load_catalog().architectures[kind]
    changes: dict[str, Any] = {}
    for key in ("attention_bias", "qkv_bias", "use_qkv_bias", "add_qkv_bias"):
        if isinstance(config.get(key), bool):
            changes["qkv_bias"] = config.get(key)
    for key in ("use_bias", "bias"):
        if isinstance(config.get(key), bool):
            changes |= dict.fromkeys(("qkv_bias", "o_bias", "mlp_bias"), config.get(key))
    if isinstance(config.get("use_qk_norm"), bool) and kind != "llama4_text":  # Llama 4's norm has no weights
        changes["qk_norm"] = (traits.qk_norm or ("full" if kind == "cohere" else "head")) * config.get("use_qk_norm")
    if kind == "falcon":
        beside = config.get("new_decoder_architecture") and config.get("num_ln_in_parallel_attn") != 1
        changes["norms"] = 2 if beside or config.get("parallel_attn") is False else 1
    if kind == "stablelm" and config.get("use_parallel_residual"):
        changes["norms"] = 1
    return replace(traits, **changes)


def _tied(inner: Mapping[str, Any], outer: Mapping[str, Any], traits: Traits) -> bool:
    said = (part.get("tie_word_embeddings") for part in (inner, outer))
    return next((value for value in said if isinstance(value, bool)), traits.tied)


def _layout(config: Keys, kind: str, traits: Traits, tied: bool) -> Layout:
    hidden, layers, heads = (config.needed(field) for field in ("hidden", "layers", "heads"))
    latent = _latent(config, traits)
    head_dim = config.number("head_dim", None)
    if head_dim is None or latent is not None:
        if hidden % heads and latent is None:
            raise config.bad("num_attention_heads")
        head_dim = max(hidden // heads, 1)
    kv_heads = heads if latent is not None else _kv_heads(config, kind, heads)
    if heads % kv_heads:
        raise config.bad("num_key_value_heads")
    width = config.number("width", None)
    if width is None and traits.moe and traits.linear:
        width = config.needed("expert_width")  # no layer has another feed-forward
    if width is None:
        ratio = config.number("expansion_ratio", traits.width)
        width = ratio * hidden if ratio is not None else config.needed("width")
    _refuse_others(config, traits, hidden)
    positions = 0 if traits.positions is None else traits.positions + config.needed("context")
    return Layout(
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=config.needed("vocab"),
        width=width,
        tied=tied,
        traits=traits,
        positions=positions,
        latent=latent,
        experts=_experts(config, kind, layers, width) if traits.moe else None,
        delta=_delta(config, traits, layers) if traits.linear else None,
    )


def _refuse_others(config: Keys, traits: Traits, hidden: int) -> None:
    """Raise ConfigError where a config has what its type has not as a rule: experts, embeddings of another width."""
    if not traits.moe and (config.number("experts", 1, low=0) or 0) > 1:
        raise config.bad("num_experts")
    if config.number("word_embed_proj_dim", hidden) != hidden:
        raise config.bad("word_embed_proj_dim")


def _kv_heads(config: Keys, kind: str, heads: int) -> int:
    if kind == "falcon" and not config.get("new_decoder_architecture"):
        return 1 if config.get("multi_query") is not False else heads
    if kind == "gpt_bigcode" and config.get("multi_query") is not False:
        return 1
    if kind == "chatglm" and config.get("multi_query_attention") is False:
        return heads
    return config.number("kv_heads", heads) or heads


def _latent(config: Keys, traits: Traits) -> Latent | None:
    rank = config.needed("kv_lora_rank") if traits.latent else config.number("kv_lora_rank", None)
    if rank is None:
        return None
    picks = config.number("index_n_heads", None)
    return Latent(
        kv_rank=rank,
        q_rank=config.number("q_lora_rank", 0, low=0) or 0,
        nope=config.needed("qk_nope_head_dim"),
        rope=config.needed("qk_rope_head_dim"),
        value=config.needed("v_head_dim"),
        indexer=(picks, config.needed("index_head_dim")) if picks is not None else None,
    )


def _delta(config: Keys, traits: Traits, layers: int) -> DeltaNet:
    heads = config.needed("linear_num_value_heads")
    return DeltaNet(
        layers=layers - _attending(config, traits, layers),
        keys=config.needed("linear_num_key_heads") * config.needed("linear_key_head_dim"),
        values=heads * config.needed("linear_value_head_dim"),
        heads=heads,
        kernel=config.needed("linear_conv_kernel_dim"),
    )


def _attending(config: Keys, traits: Traits, layers: int) -> int:
    """How many layers attend to all tokens, where the others are delta nets."""
    kinds = config.get("layer_types")
    if kinds is None:
        return layers // (config.number("full_attention_interval", traits.pattern) or 1)
    if not isinstance(kinds, list) or len(kinds) != layers or not {*map(str, kinds)} <= {_FULL, _LINEAR}:
        raise config.bad("layer_types")
    return kinds.count(_FULL)


def _experts(config: Keys, kind: str, layers: int, width: int) -> Experts:
    found, used = config.needed("experts"), config.needed("used")
    if used > found:
        raise config.bad("num_experts_per_tok")
    each = config.needed("expert_width")
    shared = config.number("shared_width", None, low=0)
    if shared is None:
        shared = (config.number("shared_count", 0, low=0) or 0) * each
    if kind == "llama4_text":
        shared = each
    return Experts(
        count=found,
        used=used,
        width=each,
        shared=shared,
        dense_layers=_dense_layers(config, layers),
        dense_width=config.number("dense_width", width) or width,
    )


def _dense_layers(config: Keys, layers: int) -> int:
    """Layers with a plain feed-forward: the first ones, those that are listed, or all but one in so many."""
    listed = config.get("mlp_only_layers")
    step = config.number("decoder_sparse_step", None) or config.number("interleave_moe_layer_step", 1) or 1
    dense = layers - layers // step
    if isinstance(listed, list):
        dense = max(dense, len(set(map(str, listed))))
    dense = max(dense, config.number("dense", 0, low=0) or 0)
    if dense >= layers:
        raise config.bad("first_k_dense_replace")
    return dense


def _window(config: Keys, traits: Traits, layers: int) -> tuple[int | None, int | None]:
    """The window of layers that see only the last tokens, and how many see all; None where every layer does."""
    if traits.linear:
        return None, _attending(config, traits, layers)
    kinds = config.get("layer_types")
    full: int | None = None
    if isinstance(kinds, list) and kinds:
        if len(kinds) != layers or not all(one == _FULL or one in _WINDOWED for one in map(str, kinds)):
            raise config.bad("layer_types")
        full = kinds.count(_FULL)
    if not traits.window and (full is None or full == layers):
        return None, None
    window = config.number("sliding_window", None, low=0) or config.number("attention_chunk_size", None)
    if not window or full == layers:
        return None, None
    if full is not None:
        return window, full
    if traits.window == "all":
        return window, 0
    every = config.get("sliding_window_pattern")
    every = len(every) if isinstance(every, str) and every else every or traits.pattern
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise config.bad("sliding_window_pattern")
    return window, layers // every


def _attention_kind(layout: Layout, window: int | None) -> str:
    if layout.latent is not None or layout.delta is not None:
        return "mla" if layout.latent is not None else "hybrid-gdn"
    kind = "mha" if layout.kv_heads == layout.heads else "mqa" if layout.kv_heads == 1 else "gqa"
    return f"{kind}+swa" if window else kind


def _mla(latent: Latent | None) -> dict[str, int | None] | None:
    if latent is None:
        return None
    return {
        "q_lora_rank": latent.q_rank or None,
        "kv_lora_rank": latent.kv_rank,
        "qk_nope_head_dim": latent.nope,
        "qk_rope_head_dim": latent.rope,
        "v_head_dim": latent.value,
    }


def _stored_bits(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> float | None:
    """Bits of the weights where a quantization_config says so."""
    said = outer.get("quantization_config") or inner.get("quantization_config")
    if not isinstance(said, Mapping):
        return None
    groups = said.get("config_groups")
    group = next(iter(groups.values()), None) if isinstance(groups, Mapping) and groups else None
    weights = group.get("weights") if isinstance(group, Mapping) else None
    bits = said.get("bits", weights.get("num_bits") if isinstance(weights, Mapping) else None)
    if isinstance(bits, int | float) and not isinstance(bits, bool) and 1 <= bits <= 16:
        return float(bits)
    method = str(said.get("quant_method", ""))
    if said.get("load_in_4bit") or said.get("_load_in_4bit") or method == "mxfp4":
        return 4.0
    if said.get("load_in_8bit") or said.get("_load_in_8bit") or "fp8" in method:
        return 8.0
    return None


def _rounded(size: float) -> float:
    """A size in billions as a name would state it: two digits and a half."""
    digits = 2 - math.floor(math.log10(size))
    return round(size, max(digits, 0))
