"""The architecture tier: KV caches and weights to the digit, peaks that grow with what makes them grow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.architecture import shape_of, typical_shape
from planner.catalog import load_catalog
from planner.change import changes
from planner.errors import PlanError
from planner.fit import fit, judge
from planner.formats import format_named, format_of, weight_bytes
from planner.layers import Layers, check_context
from planner.memory import estimate
from planner.offer import PriceList
from planner.peak import peak
from planner.plan import make_plan
from planner.query import METHODS, TRAINING, Method, PlanQuery
from planner.room import peak_on, with_room
from planner.rows import estimate_row
from planner.run import Run

GIB = 2**30


def shape(model: str):  # type: ignore[no-untyped-def]
    found = shape_of(model)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("model", "tokens", "gib"),
    [
        ("llama-3.1-70b", 8192, 2.5),
        ("llama-3-70b", 32_768, 10.0),
        ("llama-3.1-8b", 8192, 1.0),
        ("llama-2-7b", 4096, 2.0),  # every head has its own keys and values
        ("mixtral-8x7b", 32_768, 4.0),
        ("qwen2.5-72b", 32_768, 10.0),
        ("deepseek-r1", 8192, 576 * 61 * 8192 * 2 / GIB),  # a latent of 512 + 64 a token and layer
    ],
)
def test_kv_caches_are_right_to_one_percent(model: str, tokens: int, gib: float) -> None:
    assert shape(model).kv_elements(tokens) * 2 / GIB == pytest.approx(gib, rel=0.01)


def test_a_sliding_window_stops_growing() -> None:
    gemma = shape("gemma-3-27b")
    assert gemma.kv_windows
    first, second, third = (gemma.kv_elements(tokens) for tokens in (1024, 65_536, 66_560))
    assert second - first < 64 * first
    assert third - second == pytest.approx(1024 * gemma.kv_per_token)


@pytest.mark.parametrize(
    ("model", "bits", "gb"),
    [
        ("mixtral-8x7b", 16, 93.4),  # all experts are resident
        ("llama-3.1-70b", 16, 141.1),
        ("llama-3.1-8b", 16, 16.06),
        ("qwen3-30b-a3b", 16, 61.06),
        ("gpt-oss-20b", 16, 41.83),
    ],
)
def test_weights_are_right_to_one_percent(model: str, bits: float, gb: float) -> None:
    assert weight_bytes(shape(model), bits) / 1e9 == pytest.approx(gb, rel=0.01)


@pytest.mark.parametrize(
    ("model", "name", "gb"),
    [
        ("qwen3.5-122b-a10b", "Q4_K_M", 74.98),  # 4.89 bits over the whole file: all experts are resident
        ("llama-3.1-8b", "Q4_K_M", 4.91),
        ("llama-3.1-70b", "Q4_K_M", 43.1),
        ("llama-3.1-8b", "Q8_0", 8.53),
        ("llama-3.1-8b", "IQ2_XXS", 2.39),
        ("llama-2-70b", "AWQ", 36.6),  # embeddings and output stay in 16 bits
        ("qwen2.5-72b", "GPTQ-Int4", 41.46),
        ("qwen2.5-72b", "gptq-int8", 76.85),
        ("qwen3-4b", "FP8", 5.20),  # ties its output to the embeddings; the FP8 files have their own
    ],
)
def test_weights_in_a_format_are_right_to_one_percent(model: str, name: str, gb: float) -> None:
    form = format_of(format_named(f"{model}-{name}"), None, "")
    assert form is not None
    assert weight_bytes(shape(model), 16, form) / 1e9 == pytest.approx(gb, rel=0.01)


def test_a_tool_loads_a_format_by_habit_and_a_name_that_contradicts_the_bits_is_not_followed() -> None:
    ollama, exl = format_of(None, 4, "ollama"), format_of(None, 4, "exllamav2")
    assert ollama is not None
    assert (ollama.whole, exl.output_bits if exl else None) == (4.8944, 6)
    assert format_of("awq", 8, "") is None
    assert format_of(None, 4, "") is None
    assert format_named("Mistral-7B") is None


def test_plain_transformers_held_logits_of_the_whole_prompt_until_4_45() -> None:
    def logits(model: str, software: str) -> float:
        run = Run(shape=shape(model), method="inference", bits=16, seq_len=32_768, software=software)
        return sum(one.expected for one in peak(run).parts if one.name == "logits")

    assert logits("qwen2-0.5b", "transformers 4.38") == pytest.approx(30_720 * 151_936 * 6)
    assert logits("qwen2-0.5b", "transformers 4.46") == logits("qwen2-0.5b", "vllm") == 0
    assert logits("qwen2-0.5b", "transformers") > logits("qwen2.5-0.5b", "transformers") == 0


def test_every_model_of_the_catalogue_has_a_shape_that_its_parameters_bear_out() -> None:
    for model in load_catalog().models.values():
        found = shape(model.id)
        assert 0 < found.embedding < 0.75 * found.params, model.id
        assert found.layer_params > 0, model.id


def test_qlora_under_plain_data_parallel_keeps_the_whole_base_on_each_card() -> None:
    run = Run(shape=shape("llama-3-70b"), method="qlora", seq_len=1024, gpus=8, sharding="ddp", grad_ckpt=True)
    assert peak(run).expected > 35e9
    sharded = replace(run, sharding="fsdp")
    assert peak(sharded).expected < 24e9


def test_full_fine_tuning_of_70b_does_not_fit_eight_80_gb_cards() -> None:
    run = Run(shape=shape("llama-3.1-70b"), method="full", seq_len=2048, gpus=8, sharding="zero3", grad_ckpt=True)
    assert peak(run).low > 80e9


runs = st.builds(
    Run,
    shape=st.sampled_from(["llama-3.1-8b", "mixtral-8x7b", "gemma-3-27b", "deepseek-r1"]).map(shape)
    | st.floats(0.1, 500).map(typical_shape),
    method=st.sampled_from(METHODS),
    bits=st.sampled_from([None, 4, 8, 16]),
    seq_len=st.integers(1, 200_000),
    batch=st.integers(1, 64),
    grad_ckpt=st.sampled_from([None, True, False]),
    lora_rank=st.none() | st.integers(1, 512),
    gpus=st.integers(1, 8),
    sharding=st.sampled_from(
        [None, "ddp", "fsdp", "zero2", "zero3", "fsdp with cpu offload", "naive layer split", "PP2 EP4"]
    ),
    software=st.sampled_from([None, "torchtune", "unsloth", "transformers", "vllm"]),
    fused_loss=st.sampled_from([None, True, False]),
    algo=st.sampled_from([None, "dpo", "grpo", "ppo"]),
)


@given(runs)
def test_terms_sum_to_the_peak_and_the_range_holds_it(run: Run) -> None:
    found = peak(run)
    assert sum(one.expected for one in found.parts) == pytest.approx(found.expected)
    assert 0 <= found.low <= found.expected <= found.high
    assert all(one.low <= one.expected <= one.high for one in found.parts)


@given(runs, st.sampled_from(["seq_len", "batch", "lora_rank"]), st.integers(2, 5))
def test_more_of_anything_never_takes_less(run: Run, name: str, times: int) -> None:
    if name == "lora_rank" and run.lora_rank is None:
        run = replace(run, lora_rank=16)
    more = replace(run, **{name: getattr(run, name) * times})
    assert peak(more).expected >= 0.999 * peak(run).expected


@given(runs, st.integers(2, 7))
def test_more_shards_never_take_more_on_each_gpu(run: Run, gpus: int) -> None:
    two, more = replace(run, gpus=gpus), replace(run, gpus=gpus + 1)
    assert peak(more).expected <= 1.001 * peak(two).expected


@given(st.floats(0.1, 500), st.floats(1.01, 4))
def test_a_larger_model_never_takes_less(params_b: float, times: float) -> None:
    for method in METHODS:
        small = Run(shape=typical_shape(params_b), method=method, seq_len=2048)
        large = Run(shape=typical_shape(min(params_b * times, 2000)), method=method, seq_len=2048)
        assert peak(large).expected >= 0.999 * peak(small).expected


def test_what_is_said_of_a_run_makes_the_layers_lead(shop) -> None:  # type: ignore[no-untyped-def]
    query = PlanQuery(params_b=8, methods=("lora", "full"), model="llama-3.1-8b", context=8192, batch=4)
    plan = make_plan(query, shop.prices)
    for one in plan.methods:
        assert (one.memory.tier, one.memory.basis, one.rule.tier) == ("architecture", "per_gpu", "rule")
        assert one.leading is not None
        on = peak_on(query, one.method, one.leading)
        assert on is not None
        assert on.expected_gb == pytest.approx(one.memory.plan_gb, abs=1e-5)
        assert on.capacity_gb == pytest.approx(one.leading.capacity_gb, abs=1e-5)
        for option in one.fit.options:
            needed = Layers(query, one.method).need(option.count)
            fits, tight = needed.most_gb <= option.capacity_gb, needed.least_gb <= option.capacity_gb
            assert option.verdict == ("fits" if fits else "tight" if tight else "no")
            assert option.spare_gb == pytest.approx(option.capacity_gb - needed.plan_gb)
    bare = make_plan(PlanQuery(params_b=8, methods=("lora",), model="llama-3.1-8b"), shop.prices)
    assert bare.methods[0].memory is bare.methods[0].rule


def test_what_is_likely_spares_gpus_or_money_and_holds_what_is_expected(shop) -> None:  # type: ignore[no-untyped-def]
    query = PlanQuery(params_b=8, methods=("qlora",), model="llama-3.1-8b", context=8000, batch=2)
    fit = make_plan(query, shop.prices).methods[0].fit
    assert fit.likely is not None
    assert fit.simplest is not None
    assert fit.likely.verdict == "tight"
    assert fit.likely.spare_gb >= 0
    assert fit.likely.usd_per_hour < fit.simplest.usd_per_hour
    assert fit.best == fit.simplest


@given(
    st.sampled_from(METHODS),
    st.sampled_from(["llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b"]),
    st.integers(512, 100_000),
    st.integers(1, 64),
    st.sampled_from([None, ("h100", 1), ("l40s", 8), ("a100-80", 2)]),
)
def test_every_change_makes_a_run_fit_and_is_the_smallest_of_its_kind(
    shop,  # type: ignore[no-untyped-def]
    method: Method,
    model: str,
    context: int,
    many: int,
    on: tuple[str, int] | None,
) -> None:
    trains = method != "inference"
    many_field = "batch" if trains else "users"
    query = PlanQuery(
        params_b=shape(model).params / 1e9, methods=(method,), model=model, context=context, **{many_field: many}
    )
    prices: PriceList = shop.prices

    def held(changed: PlanQuery, by: Method = method) -> bool:
        demand = Layers(changed, by)
        if on is None:
            return fit(demand, prices).simplest is not None
        return judge(demand, *on, prices).verdict == "fits"

    option = judge(Layers(query, method), *on, prices) if on is not None else None
    if held(query):
        return
    for change in changes(query, method, prices, option):
        assert change.option.verdict == "fits"
        match change.kind:
            case "fused_loss":
                assert held(replace(query, fused_loss=True))
            case "method":
                assert held(query, str(change.value))  # type: ignore[arg-type]
            case "bits":
                assert held(replace(query, bits=float(change.value or 0)))
            case "context":
                assert held(replace(query, context=int(change.value or 0)))
                assert not held(replace(query, context=int(change.value or 0) + 512))
            case _:
                assert held(replace(query, **{change.kind: int(change.value or 0)}))
                assert not held(replace(query, **{change.kind: int(change.value or 0) + 1}))


def test_a_context_beyond_the_model_is_refused_with_the_longest() -> None:
    check_context(PlanQuery(params_b=8, model="llama-3-8b", context=8192))
    with pytest.raises(PlanError) as caught:
        check_context(PlanQuery(params_b=8, model="llama-3-8b", context=16_384))
    assert (caught.value.field, caught.value.nearest) == ("context", "8192")


def test_the_longest_context_and_the_most_users_just_fit(shop) -> None:  # type: ignore[no-untyped-def]
    query = PlanQuery(params_b=70, methods=("inference",), model="llama-3.1-70b", context=8192, users=2)
    option = judge(estimate(query, "inference"), "h100", 4, shop.prices)
    on = peak_on(query, "inference", option)
    assert on is not None
    room = with_room(on, query, option)
    assert room.longest is not None
    assert room.most_users is not None
    assert room.longest >= 8192
    for context, users, fits in (
        (room.longest, 2, True),
        (8192, room.most_users, True),
        (8192, room.most_users + 1, False),
    ):
        found = peak_on(replace(query, context=context, users=users), "inference", option)
        assert found is not None
        assert found.holds is fits


def test_preferences_and_rewards_hold_copies_of_the_model() -> None:
    run = Run(shape=shape("llama-3.1-8b"), method="full", seq_len=2048, grad_ckpt=True)
    plain = {one.name: one.expected for one in peak(run).parts}
    dpo = {one.name: one.expected for one in peak(replace(run, algo="dpo")).parts}
    assert dpo["reference"] == pytest.approx(2 * 8.03e9, rel=0.001)
    assert dpo["logits"] == 2 * plain["logits"]  # the chosen and the rejected answer
    ppo = {one.name: one.expected for one in peak(replace(run, algo="ppo")).parts}
    assert ppo["value"] == plain["weights"]
    assert ppo["reward"] == dpo["reference"]
    adapters = {one.name for one in peak(replace(run, method="lora", algo="dpo")).parts}
    assert "reference" not in adapters  # the base without its adapters serves
    assert "rollout" in {one.name for one in peak(replace(run, method="lora", algo="grpo")).parts}


def test_zero_2_copies_the_weights_and_divides_the_rest() -> None:
    run = Run(shape=typical_shape(7), method="full", seq_len=1, gpus=8, sharding="zero2", grad_ckpt=True)
    states = next(one for one in peak(run).parts if one.name == "weights")
    assert states.expected / 1e9 == pytest.approx(29.75, rel=0.01)


def test_a_frozen_base_in_32_bits_takes_twice_as_much() -> None:
    run = Run(shape=shape("llama-3.1-70b"), method="lora", bits=32, seq_len=512, grad_ckpt=True)
    assert peak(run).parts[0].expected / 1e9 == pytest.approx(282, rel=0.01)


def test_lora_of_a_code_model_takes_what_is_reported_and_more_than_qlora() -> None:
    lora = Run(shape=shape("codellama-7b"), method="lora", seq_len=2048, grad_ckpt=True)
    assert 15e9 < peak(lora).expected < 20e9
    assert peak(replace(lora, method="qlora")).expected < peak(lora).expected


def test_logits_in_32_bits_follow_tokens_and_vocabulary_alone() -> None:
    run = Run(shape=replace(typical_shape(8), vocab=248_320), method="lora", seq_len=11_600, grad_ckpt=True)
    logits = next(one for one in peak(run).parts if one.name == "logits")
    assert logits.expected >= 11.5e9  # one 32-bit copy alone: 11,600 x 248,320 x 4 bytes


def test_three_gpus_do_not_divide_the_heads_of_a_70b(shop) -> None:  # type: ignore[no-untyped-def]
    query = PlanQuery(params_b=70, methods=("inference",), model="llama-3.1-70b")
    three, four = (
        peak_on(query, "inference", judge(estimate(query, "inference"), "a100-80", n, shop.prices)) for n in (3, 4)
    )
    assert three is not None
    assert four is not None
    assert (three.even_split, four.even_split) == (4, None)


def test_a_rank_above_the_hidden_size_is_refused_with_the_greatest() -> None:
    row = {"model": "llama-3.1-8b", "params_b": 8, "method": "lora", "seq_len": 2048, "lora_rank": 5000}
    assert estimate_row(row)["error"] == {
        "code": "out_of_range",
        "field": "lora_rank",
        "allowed": "1-4096",
        "nearest": "4096",
    }


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"batch": 0}, "batch"),
        ({"seq_len": -1}, "seq_len"),
        ({"lora_rank": 0}, "lora_rank"),
        ({"gpus": 0}, "gpus"),
        ({"seq_len": "long"}, "seq_len"),
        ({"grad_ckpt": "yes"}, "grad_ckpt"),
        ({"batch": 1.5}, "batch"),
        ({"method": "magic"}, "method"),
        ({"params_b": 0}, "params_b"),
    ],
)
def test_an_impossible_row_names_its_field(row: dict[str, object], field: str) -> None:
    given_row = {"kind": "finetune", "params_b": 8, "method": "lora", "seq_len": 2048, **row}
    assert estimate_row(given_row)["error"]["field"] == field


def test_a_described_run_is_estimated_per_gpu_and_in_all() -> None:
    row = {"kind": "finetune", "model": "llama-2-7b", "params_b": 7, "method": "qlora", "seq_len": 2048, "batch": 10}
    found = estimate_row({**row, "gpus": 2, "sharding": "fsdp", "grad_ckpt": True, "software": "fsdp_qlora"})
    assert found["per_gpu_gb"]["low"] < 22.5 < found["per_gpu_gb"]["high"]  # measured: 22.5 GB (fsdp_qlora)
    assert found["total_gb"]["expected"] == pytest.approx(2 * found["per_gpu_gb"]["expected"])
    assert sum(term["gb"] for term in found["terms"]) == pytest.approx(found["total_gb"]["expected"], rel=1e-4)
    assert set(TRAINING) < set(METHODS)
