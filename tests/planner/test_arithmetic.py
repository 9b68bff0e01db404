"""Properties of memory, verdicts, baskets and comparisons."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.shop.files import load_seeds
from planner.cost import run_cost, whole_blocks
from planner.errors import PlanError
from planner.fit import judge
from planner.memory import estimate
from planner.offer import PriceList, PriceRow
from planner.plan import make_plan
from planner.query import METHODS, Method, PlanQuery
from planner.reverse import affordable, largest_on
from planner.rows import estimate_row
from planner.speed import wall_hours

PRICES = load_seeds().prices
BLOCKS = PRICES.blocks
sizes = st.floats(0.01, 10_000)
methods = st.sampled_from(METHODS)
gpus = st.sampled_from([row.gpu for row in PRICES.rows])
counts = st.integers(1, 8)


@given(sizes, sizes, methods)
def test_more_parameters_never_take_less(one: float, two: float, method: Method) -> None:
    small, large = sorted((one, two))
    first, second = (estimate(PlanQuery(params_b=size), method) for size in (small, large))
    assert first.floor_gb <= second.floor_gb
    assert first.plan_gb <= second.plan_gb
    assert first.floor_gb <= first.plan_gb


@given(sizes, methods)
def test_terms_sum_to_the_plan(size: float, method: Method) -> None:
    memory = estimate(PlanQuery(params_b=size), method)
    assert math.isclose(sum(term.gb for term in memory.terms), memory.plan_gb, rel_tol=1e-6, abs_tol=1e-5)


@given(sizes, methods, gpus, counts)
def test_a_verdict_says_how_many_gigabytes_are_spare_or_missing(
    size: float, method: Method, gpu: str, count: int
) -> None:
    memory = estimate(PlanQuery(params_b=size), method)
    option = judge(memory, gpu, count, PRICES)
    assert math.isclose(option.spare_gb, option.capacity_gb - memory.plan_gb, abs_tol=1e-5)
    assert (option.verdict == "fits") == (option.spare_gb >= 0)
    assert (option.verdict == "no") == (memory.floor_gb > option.capacity_gb)


@given(sizes, methods)
def test_simplest_has_fewest_gpus_and_cheapest_the_lowest_price(size: float, method: Method) -> None:
    fit = make_plan(PlanQuery(params_b=size, methods=(method,)), PRICES).methods[0].fit
    fitting = [option for option in fit.options if option.verdict == "fits"]
    pool = [option for option in fitting if not option.split_slow] or fitting
    if not pool:
        assert fit.simplest is None
        assert fit.cheapest is None
        assert fit.nodes is not None
        return
    assert fit.simplest is not None
    assert fit.cheapest is not None
    assert fit.simplest.count == min(option.count for option in pool)
    assert fit.cheapest.usd_per_hour == min(option.usd_per_hour for option in pool if option.usd_per_hour)


def test_float_noise_never_flips_a_verdict() -> None:
    memory = estimate(PlanQuery(params_b=75), "lora")
    assert memory.plan_gb == 180
    assert judge(memory, "b200", 1, PRICES).verdict == "fits"


@pytest.mark.parametrize(
    ("method", "bits", "formula"),
    [
        ("lora", None, "70 x 2 bytes = 140 GB; x 1.2 = 168 GB"),
        ("qlora", None, "70 x 0.5 bytes = 35 GB; 70 x 0.75 bytes = 52.5 GB"),
        ("full", None, "70 x 16 bytes = 1120 GB; 70 x 18 bytes = 1260 GB"),
        ("full_8bit", None, "70 x 12 bytes = 840 GB"),
        ("inference", 4.0, "70 x 0.5 bytes = 35 GB; x 1.2 = 42 GB"),
    ],
)
def test_the_formula_shows_its_numbers(method: Method, bits: float | None, formula: str) -> None:
    assert estimate(PlanQuery(params_b=70, bits=bits), method).formula == formula


@pytest.mark.parametrize("size", [0.0, -1.0, 0.0099, 10_001.0, math.nan, math.inf])
def test_sizes_out_of_range_are_refused_with_the_nearest(size: float) -> None:
    with pytest.raises(PlanError) as error:
        PlanQuery(params_b=size)
    assert error.value.field == "params_b"
    assert error.value.allowed == "0.01-10000"


def _brute_force(need: int) -> tuple[int, int]:
    """(bought hours, blocks) of the exact basket, by trying everything."""
    best: tuple[int, int] | None = None
    large = range(need // 720 + 2)
    for a, b, c in product(large, range(14), range(8)):
        rest = need - 720 * a - 168 * b - 24 * c
        tens = max(0, -(-rest // 10))
        bought = 720 * a + 168 * b + 24 * c + 10 * tens
        if bought >= need and (best is None or (bought - need, a + b + c + tens) < (best[0] - need, best[1])):
            best = (bought, a + b + c + tens)
    assert best is not None
    return best


@pytest.mark.parametrize(
    "need", [1, 9, 10, 11, 23, 24, 34, 44, 47, 100, 167, 168, 169, 250, 336, 500, 719, 720, 721, 1000, 1499, 2000]
)
def test_the_exact_basket_is_the_brute_force_one(need: int) -> None:
    run = run_cost(PRICES, "h100", 1, Decimal(need))
    bought, blocks = _brute_force(need)
    assert run.exact.gpu_hours == bought
    assert sum(block.count for block in run.exact.blocks) == blocks


@given(gpus, counts, st.decimals("0.02", "3000", places=2))
def test_baskets_cover_the_need_and_money_is_exact(gpu: str, count: int, hours: Decimal) -> None:
    run = run_cost(PRICES, gpu, count, hours)
    minutes = math.ceil(hours * 60)
    need = Decimal(minutes * count) / 60
    row = PRICES.row(gpu)
    assert row is not None
    assert Decimal(0) <= run.usd - need * row.usd_per_hour < Decimal("0.01")
    for basket in filter(None, (run.exact, run.round, run.basket)):
        assert basket.gpu_hours >= need
        assert basket.gpu_hours == sum(block.hours * block.count for block in basket.blocks)
        assert basket.usd == row.usd_per_hour * basket.gpu_hours
    if run.round is not None:
        assert run.round.gpu_hours - need <= run.round.gpu_hours * Decimal("0.1")
        assert sum(b.count for b in run.round.blocks) < sum(b.count for b in run.exact.blocks)
        assert run.basket == run.round
    assert run.topup_usd >= 25


def test_a_started_minute_counts_and_cents_are_rounded_up_once() -> None:
    prices = PriceList(PRICES.as_of, (PriceRow("h100", Decimal("2.3333")),), "test")
    assert run_cost(prices, "h100", 1, Decimal("0.001")).usd == Decimal("0.04")  # one minute: 0.03889
    assert run_cost(prices, "h100", 3, Decimal(1)).usd == Decimal("7.00")  # 6.9999


@given(st.decimals("0.01", "20000", places=2))
def test_a_budget_buys_whole_blocks_it_can_pay(budget: Decimal) -> None:
    for row in PRICES.rows:
        hours = whole_blocks(budget, row, BLOCKS)
        assert row.usd_per_hour * hours <= budget
        assert hours == 0 or hours >= min(BLOCKS)
    for bought in affordable(budget, PRICES, ("qlora",)):
        assert bought.usd <= budget


@given(gpus, counts, methods)
def test_the_largest_size_fits_and_a_bit_more_does_not(gpu: str, count: int, method: Method) -> None:
    (largest,) = largest_on(gpu, count, (method,))
    option = judge(estimate(PlanQuery(params_b=largest.max_params_b), method), gpu, count, PRICES)
    assert option.verdict == "fits"
    step = 1.0 if largest.max_params_b >= 10 else 0.1
    more = estimate(PlanQuery(params_b=largest.max_params_b + step), method)
    assert judge(more, gpu, count, PRICES).verdict != "fits"


def test_when_nothing_fits_the_plan_names_hosts() -> None:
    fit = make_plan(PlanQuery(params_b=405, methods=("full",)), PRICES).methods[0].fit
    assert fit.simplest is None
    assert fit.nodes is not None
    assert fit.nodes.gpus == fit.nodes.nodes * 8
    assert fit.nodes.nodes == 6  # 7290 GB over hosts of 1440 GB
    assert fit.nodes.gpu == "b200"


def test_wall_hours_from_a_measurement() -> None:
    assert wall_hours(6000, 500) == 12
    for steps, rate in ((0, 1.0), (5, 0.0), (5, math.inf), (5, math.nan)):
        with pytest.raises(PlanError):
            wall_hours(steps, rate)


def test_rows_give_low_expected_and_high_per_gpu_and_in_total() -> None:
    out = estimate_row({"kind": "finetune", "params_b": 70, "method": "lora", "gpus": 4})
    assert out["total_gb"] == {"low": 140.0, "expected": 168.0, "high": 252.0}
    assert out["per_gpu_gb"]["expected"] == 42.0
    assert estimate_row({"kind": "inference", "params_b": 7, "weights_bits": 8})["total_gb"]["low"] == 7.0
    assert estimate_row({"model": "llama-3.1-8b", "method": "qlora"})["total_gb"]["expected"] == pytest.approx(
        6.02, 0.01
    )


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({}, "method"),
        ({"method": "galore", "params_b": 7}, "method"),
        ({"method": "lora"}, "params_b"),
        ({"method": "lora", "params_b": "7"}, "params_b"),
        ({"method": "lora", "params_b": -1}, "params_b"),
        ({"method": "lora", "params_b": 7, "gpus": 0}, "gpus"),
        ({"method": "inference", "params_b": 7, "weights_bits": "4"}, "weights_bits"),
    ],
)
def test_rows_that_cannot_be_estimated_name_the_field(row: dict[str, object], field: str) -> None:
    assert estimate_row(row)["error"]["field"] == field
