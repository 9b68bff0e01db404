"""Run times from tokens, beside arithmetic done here; the published rows they rest on; the bound on generating."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.catalog import load_catalog
from planner.errors import PlanError
from planner.fit import judge
from planner.memory import estimate
from planner.offer import PriceList
from planner.query import TRAINING, Method, PlanQuery
from planner.resources import folder
from planner.speed import decode_bound, flops_per_token, steps_of, training_time, utilisation


def option(prices: PriceList, query: PlanQuery, method: Method, gpu: str, count: int):  # type: ignore[no-untyped-def]
    return judge(estimate(query, method), gpu, count, prices)


def test_every_published_speed_names_a_gpu_with_a_peak_and_a_source_and_stays_below_the_peak() -> None:
    catalog = load_catalog()
    rows = [json.loads(line) for line in (folder("data") / "throughput.jsonl").read_text().splitlines()]
    assert len(rows) >= 70
    for row in rows:
        peak = catalog.gpu(row["gpu"]).bf16_tflops
        assert peak, row
        assert row["source"] in catalog.sources
        reached = row.get("tflops") or 4 * row["params_b"] * row["tokens_per_s"] / 1e3
        assert 0.05 < reached / peak < 0.7, row


def test_full_training_of_8b_on_eight_h100_is_the_arithmetic_of_its_rows(shop) -> None:  # type: ignore[no-untyped-def]
    query = PlanQuery(params_b=8, methods=("full",), model="llama-3.1-8b")
    found = training_time(query, "full", option(shop.prices, query, "full", "h100", 8), 1_500_000_000, 2048)
    assert found is not None
    flops = 6 * 8.03e9 + 6 * 2048 * 32 * 32 * 128
    assert flops_per_token(query, "full", 2048) == pytest.approx(flops, rel=0.001)
    share = utilisation("h100", "full").middle
    assert float(found.expected) == pytest.approx(1.5e9 * flops / (8 * 989.5e12 * share) / 3600, rel=0.001)
    assert found.usd == pytest.approx(Decimal("18.56") * found.expected, abs=Decimal("0.01"))
    assert found.short < found.expected < found.long


def test_the_published_qlora_of_70b_on_eight_a100_lies_within_the_estimate(shop) -> None:  # type: ignore[no-untyped-def]
    """1,024 samples of 2,048 tokens took 672 s (fsdp_qlora, March 2024)."""
    query = PlanQuery(params_b=70, methods=("qlora",), model="llama-2-70b")
    found = training_time(query, "qlora", option(shop.prices, query, "qlora", "a100-80", 8), 1024 * 2048, 2048)
    assert found is not None
    assert found.short < Decimal(672) / 3600 < found.long


def test_a_chip_of_few_rows_is_taken_at_its_own_and_one_of_none_at_all_rows() -> None:
    assert (utilisation("b200", "full").rows, utilisation("b200", "full").own) == (1, True)
    assert utilisation("b200", "full").middle == pytest.approx(778 / 2250)
    assert utilisation("l40s", "qlora").own is False
    assert utilisation("a100-80", "lora") == utilisation("a100-40", "qlora")  # one chip, one kind of work


@given(
    st.sampled_from(TRAINING),
    st.sampled_from(["l40s", "a100-80", "h100", "h200", "b200"]),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(1, 10**9),
    st.sampled_from([512, 2048, 32_768]),
)
def test_more_tokens_take_longer_more_gpus_less(
    shop,  # type: ignore[no-untyped-def]
    method: Method,
    gpu: str,
    count: int,
    tokens: int,
    seq_len: int,
) -> None:
    query = PlanQuery(params_b=8, methods=(method,), model="llama-3.1-8b")

    def hours(n: int, t: int) -> Decimal:
        found = training_time(query, method, option(shop.prices, query, method, gpu, n), t, seq_len)
        assert found is not None
        assert 0 < found.short <= found.expected <= found.long
        return found.expected

    assert hours(count, tokens) < hours(count, 2 * tokens)
    if count < 8:
        assert hours(2 * count, tokens) == pytest.approx(hours(count, tokens) / 2)


def test_a_mixture_of_experts_trains_on_its_active_parameters() -> None:
    query = PlanQuery(params_b=30, methods=("full",), model="qwen3-30b-a3b")
    assert flops_per_token(query, "full", 1) == pytest.approx(6 * 3.3e9, rel=0.05)
    unnamed = PlanQuery(params_b=30, methods=("full",), active_b=3)
    assert flops_per_token(unnamed, "full", 1) == pytest.approx(6 * 3e9, rel=0.01)


def test_no_tokens_and_a_run_of_more_than_ten_years_are_refused(shop) -> None:  # type: ignore[no-untyped-def]
    query = PlanQuery(params_b=405, methods=("full",))
    on = option(shop.prices, query, "full", "l40s", 1)
    for tokens in (0, -1):
        with pytest.raises(PlanError):
            training_time(query, "full", on, tokens, 2048)
    with pytest.raises(PlanError) as caught:
        training_time(query, "full", on, 10**13, 2048)
    assert caught.value.field == "tokens"
    assert training_time(query, "full", on, int(caught.value.nearest or 0), 2048) is not None


def test_a_measured_llama_on_two_h100_stays_below_the_bound(shop) -> None:  # type: ignore[no-untyped-def]
    """NVIDIA NIM 1.8.0, Llama 3.3 70B in FP8 on two H100: 54 tokens/s for one user (18.58 ms a token)."""
    query = PlanQuery(params_b=70, methods=("inference",), model="llama-3.3-70b", bits=8, context=5500, users=1)
    bound = decode_bound(query, option(shop.prices, query, "inference", "h100", 2))
    assert bound is not None
    assert 54 < bound.each < 2 * 54
    assert bound.each == pytest.approx(2 * 3350 / (73.99 + 1.802), rel=0.01)


def test_steps_of_a_data_set_round_up() -> None:
    assert steps_of(10_000, 3, 16) == 1875
    assert steps_of(10, 1, 16) == 1
    with pytest.raises(PlanError):
        steps_of(10, 1, 0)
