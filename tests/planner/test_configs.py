"""A config.json becomes the planner's record of an architecture, its parameters to 0.2 %, or is refused by name."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.architecture import shape_from, shape_of
from planner.catalog import load_catalog
from planner.configs import ConfigError, read_config

#: Configs as their makers published them, by the model's id in the catalogue.
CONFIGS: dict[str, dict[str, Any]] = {
    row["model"]: row["config"]
    for row in map(json.loads, (Path(__file__).parent / "configs.jsonl").read_text(encoding="utf-8").splitlines())
}
LLAMA = CONFIGS["llama-3.1-8b"]
SAME = ("layers", "hidden", "heads", "kv_heads", "head_dim", "vocab", "tied_embeddings", "experts", "experts_per_token")


@pytest.mark.parametrize("model", CONFIGS)
def test_a_published_config_gives_the_models_own_record(model: str) -> None:
    row, found = load_catalog().models[model], read_config(CONFIGS[model], f"acme/{model}").model
    assert found.params_b == pytest.approx(row.text_params_b or row.params_b, rel=0.002)
    same = [name for name in SAME if not (found.mla and name in {"head_dim", "kv_heads"})]
    assert {name: getattr(found, name) for name in same} == {name: getattr(row, name) for name in same}
    if row.active_b is not None and found.active_b is not None:
        assert found.active_b == pytest.approx(row.active_b, rel=0.1)


@pytest.mark.parametrize("model", sorted(set(CONFIGS) - {"llama-4-scout", "llama-4-maverick"}))
def test_the_cache_is_that_of_the_models_own_record(model: str) -> None:
    shape, known = shape_from(read_config(CONFIGS[model], f"acme/{model}").model), shape_of(model)
    assert shape is not None
    assert known is not None
    for tokens in (512, 8192, 100_000):
        assert shape.kv_elements(tokens) == pytest.approx(known.kv_elements(tokens))


def test_chunked_layers_hold_no_more_than_a_chunk() -> None:
    model = read_config(CONFIGS["llama-4-scout"], "acme/x").model
    assert (model.sliding_window, model.full_attention_layers) == (8192, 12)


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "model_type"])
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_config({name: value for name, value in LLAMA.items() if name != key}, "acme/x")
    assert (refused.value.code, refused.value.key) == ("missing", key)


@pytest.mark.parametrize(
    ("changes", "code", "key"),
    [
        ({"model_type": "mamba2"}, "unknown_type", "mamba2"),
        ({"model_type": "whisper"}, "not_language", "whisper"),
        ({"model_type": "bert"}, "not_language", "bert"),
        ({"_class_name": "FluxPipeline"}, "not_language", "FluxPipeline"),
        ({"is_encoder_decoder": True}, "not_language", "llama"),
        ({"hidden_size": "4096"}, "bad_value", "hidden_size"),
        ({"hidden_size": -1}, "bad_value", "hidden_size"),
        ({"hidden_size": 4096.5}, "bad_value", "hidden_size"),
        ({"hidden_size": True}, "bad_value", "hidden_size"),
        ({"hidden_size": 10**12}, "bad_value", "hidden_size"),
        ({"num_attention_heads": 31}, "bad_value", "num_attention_heads"),
        ({"num_key_value_heads": 7}, "bad_value", "num_key_value_heads"),
        ({"layer_types": ["linear_attention"] * 32}, "bad_value", "layer_types"),
        ({"layer_types": ["full_attention"] * 3}, "bad_value", "layer_types"),
        ({"model_type": "mixtral"}, "missing", "num_local_experts"),
        ({"model_type": "mixtral", "num_local_experts": 8}, "missing", "num_experts_per_tok"),
        ({"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3}, "bad_value",
         "num_experts_per_tok"),
        ({"kv_lora_rank": 512}, "missing", "qk_nope_head_dim"),
        ({"model_type": "minicpm3"}, "missing", "kv_lora_rank"),
        ({"model_type": "qwen3_5_text"}, "missing", "linear_num_value_heads"),
        ({"num_experts": 8}, "bad_value", "num_experts"),
        ({"model_type": "opt", "word_embed_proj_dim": 512}, "bad_value", "word_embed_proj_dim"),
        ({"vocab_size": 1, "hidden_size": 32, "intermediate_size": 1, "num_hidden_layers": 1}, "bad_value",
         "parameters"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(changes: dict[str, Any], code: str, key: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_config({**LLAMA, **changes}, "acme/x")
    assert (refused.value.code, refused.value.key) == (code, key)


def test_a_key_inside_is_named_with_the_way_to_it() -> None:
    inner = {name: value for name, value in LLAMA.items() if name != "num_hidden_layers"} | {"model_type": "qwen2"}
    with pytest.raises(ConfigError) as refused:
        read_config({"model_type": "some_vl", "text_config": inner, "vision_config": {}}, "acme/x")
    assert refused.value.key == "text_config.num_hidden_layers"


@pytest.mark.parametrize("raw", ["", "[]", "null", "{", "[" * 100_000, b"\xff\xfe", '"llama"'])
def test_what_is_no_config_is_refused(raw: str | bytes) -> None:
    with pytest.raises(ConfigError) as refused:
        read_config(raw, "acme/x")
    assert refused.value.code == "not_json"


@pytest.mark.parametrize(
    ("quantisation", "bits"),
    [
        ({"quant_method": "gptq", "bits": 4}, 4),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, 4),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 4),
        ({"quant_method": "bitsandbytes", "_load_in_8bit": True, "load_in_4bit": False}, 8),
        ({"quant_method": "fp8"}, 8),
        ({"quant_method": "mxfp4"}, 4),
        ({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8}}}}, 8),
        ({"quant_method": "mystery"}, None),
        ({"bits": "four"}, None),
        ("gptq", None),
        (None, None),
    ],
)
def test_the_bits_that_weights_are_stored_in(quantisation: Any, bits: float | None) -> None:
    assert read_config({**LLAMA, "quantization_config": quantisation}, "acme/x").bits == bits


def test_tied_embeddings_are_those_that_the_config_says_else_the_types() -> None:
    untied = read_config({**CONFIGS["gemma-2b"], "tie_word_embeddings": False}, "acme/x").model
    tied = read_config(CONFIGS["gemma-2b"], "acme/x").model
    assert untied.params_b - tied.params_b == pytest.approx(256_000 * 2048 / 1e9)


def test_a_dense_first_layer_and_shared_experts_count() -> None:
    config = CONFIGS["deepseek-moe-16b"]
    plain = read_config({**config, "first_k_dense_replace": 0, "n_shared_experts": 0}, "acme/x").model
    found = read_config(config, "acme/x").model
    experts = 64 * 3 * 2048 * 1408 + 64 * 2048
    dense, shared = 3 * 2048 * 10944, 27 * 3 * 2048 * 2816
    assert found.params_b * 1e9 == pytest.approx(plain.params_b * 1e9 - experts + dense + shared, abs=1)


@st.composite
def configs(draw: st.DrawFn) -> dict[str, Any]:
    """Configs of any type that there is, with sizes that fit together."""
    kind = draw(st.sampled_from(sorted(load_catalog().architectures)))
    groups, kv_heads = draw(st.integers(1, 16)), draw(st.integers(1, 16))
    heads, head_dim = groups * kv_heads, draw(st.sampled_from([64, 128]))
    experts = draw(st.integers(2, 256))
    traits = load_catalog().architectures[kind]
    latent = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
    delta = dict.fromkeys(("linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim"), 16)
    delta |= {"linear_value_head_dim": 128, "linear_conv_kernel_dim": 4}
    return (
        (latent if traits.latent else {})
        | (delta if traits.linear else {})
        | {
            "model_type": kind,
            "hidden_size": heads * head_dim,
            "intermediate_size": draw(st.integers(1024, 60_000)),
            "num_hidden_layers": draw(st.integers(4, 130)),
            "num_attention_heads": heads,
            "num_key_value_heads": kv_heads,
            "num_kv_heads": kv_heads,
            "vocab_size": draw(st.integers(40_000, 300_000)),
            "max_position_embeddings": draw(st.integers(512, 1_000_000)),
            "num_local_experts": experts if traits.moe else 1,
            "num_experts_per_tok": draw(st.integers(1, experts)),
            "moe_intermediate_size": draw(st.integers(64, 8192)),
            "sliding_window": draw(st.none() | st.integers(128, 8192)),
        }
    )


@given(configs(), st.sampled_from(["intermediate_size", "num_hidden_layers", "vocab_size"]))
def test_more_of_anything_is_never_fewer_parameters(config: dict[str, Any], key: str) -> None:
    small = read_config(config, "acme/x").model
    large = read_config({**config, key: config[key] * 2}, "acme/x").model
    assert large.params_b >= small.params_b > 0
    assert (small.active_b or small.params_b) <= small.params_b


@given(configs(), st.integers(1, 200_000))
def test_every_architecture_that_is_read_has_a_shape_with_a_cache(config: dict[str, Any], tokens: int) -> None:
    model = read_config(config, "acme/x").model
    shape = shape_from(model)
    assert shape is not None
    assert shape.params == pytest.approx(model.params_b * 1e9)
    assert 0 < shape.kv_elements(tokens) <= shape.kv_elements(tokens + 1)
    assert shape.embedding <= shape.params


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*LLAMA, "text_config"]), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from([*LLAMA, "text_config", "quantization_config", "layer_types"]), JSON))
def test_whatever_a_config_says_nothing_but_a_refusal_comes_of_it(changes: dict[str, Any]) -> None:
    with suppress(ConfigError):
        read_config({**LLAMA, **changes}, "acme/x")
