"""The keys of a config.json by the planner's names for what they say, and the refusal of what makes no sense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

Code = Literal["not_json", "missing", "bad_value", "unknown_type", "not_language"]

#: The names a number goes by, the commonest first.  A dot leads into an object.
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "hidden": ("hidden_size", "n_embd", "d_model", "n_embed"),
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "num_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "multi_query_group_num", "attn_config.kv_n_heads"),
    "head_dim": ("head_dim", "kv_channels", "attention_head_dim"),
    "vocab": ("vocab_size", "padded_vocab_size"),
    "width": ("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "ffn_config.ffn_hidden_size"),
    "context": ("max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len", "model_max_length"),
    "experts": (
        "num_local_experts",
        "num_experts",
        "n_routed_experts",
        "moe_num_experts",
        "ffn_config.moe_num_experts",
    ),
    "used": ("num_experts_per_tok", "moe_k", "moe_topk", "ffn_config.moe_top_k"),
    "expert_width": ("moe_intermediate_size", "intermediate_size", "ffn_config.ffn_hidden_size"),
    "dense_width": ("intermediate_size_mlp", "intermediate_size"),
    "shared_width": ("shared_expert_intermediate_size", "shared_intermediate_size"),
    "shared_count": ("n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"),
    "dense": ("first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"),
}
#: No model has more of anything (parameters are checked by the planner).
_MOST: Final = 100_000_000


class ConfigError(ValueError):
    """A config.json that gives no architecture: ``code``, and the ``key`` or model type that it is about."""

    def __init__(self, code: Code, key: str) -> None:
        super().__init__(f"{code}: {key}")
        self.code: Code = code
        self.key = key


class Keys:
    """Keys of a config by the planner's names."""

    def __init__(self, values: Mapping[str, Any], path: str, defaults: Mapping[str, int]) -> None:
        self._values = values
        self._path = path
        self._defaults = defaults

    def get(self, key: str) -> Any:
        """A key's value, None where it is not there; a dot leads into an object."""
        outer, dot, rest = key.partition(".")
        value = self._values.get(outer)
        if dot:
            return value.get(rest) if isinstance(value, Mapping) else None
        return self._defaults.get(key) if value is None else value

    def number(self, field: str, missing: int | None, low: int = 1) -> int | None:
        """A whole number, ``missing`` where no key has it.  Raises ConfigError for one that makes no sense."""
        for key in _NAMES.get(field, (field,)):
            value = self.get(key)
            if value is not None:
                return self._whole(key, value, low)
        return missing

    def needed(self, field: str) -> int:
        """The same, for what no shape can do without."""
        found = self.number(field, None)
        if found is None:
            raise ConfigError("missing", self._path + _NAMES.get(field, (field,))[0])
        return found

    def bad(self, key: str) -> ConfigError:
        """The refusal of a key's value."""
        return ConfigError("bad_value", self._path + key)

    def _whole(self, key: str, value: Any, low: int) -> int:
        if isinstance(value, list) and value and all(one == value[0] for one in value):
            value = value[0]  # the same for every layer
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= _MOST:
            raise self.bad(key)
        if value != int(value):
            raise self.bad(key)
        return int(value)
