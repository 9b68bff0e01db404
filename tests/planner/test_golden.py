"""Every row of every table on the shop's page comes out of the planner."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bot.shop.shop import Shop
from planner.catalog import load_catalog
from planner.compare import compare_gpus, method_ratio
from planner.cost import run_cost
from planner.fit import judge
from planner.memory import estimate
from planner.plan import make_plan
from planner.query import TRAINING, PlanQuery


def test_memory_rows(page: dict[str, Any]) -> None:
    assert len(page["memory"]) == 4
    for row in page["memory"]:
        memory = estimate(PlanQuery(params_b=page["params_b"]), row["method"])
        assert memory.plan_gb == row["plan_gb"]
        assert memory.floor_gb == row.get("floor_gb", memory.floor_gb)
        assert memory.tier == "rule"


def test_the_configurations_named_first_are_the_simplest_and_the_alternative(page: dict[str, Any], shop: Shop) -> None:
    for row in page["quick"]:
        fit = make_plan(PlanQuery(params_b=70, methods=(row["method"],)), shop.prices).methods[0].fit
        named = [(o.gpu, o.count, str(o.usd_per_hour)) for o in (fit.simplest, fit.alternative) if o is not None]
        wanted = [tuple(configuration) for configuration in row["configurations"]]
        assert named[: len(wanted)] == wanted


def test_every_cell_of_the_ten_configurations(page: dict[str, Any], shop: Shop) -> None:
    assert len(page["configuration"]) == 10
    tight = []
    for row in page["configuration"]:
        for method in TRAINING:
            option = judge(estimate(PlanQuery(params_b=70), method), row["gpu"], row["count"], shop.prices)
            wanted = "fits" if method in row["fits"] else "tight" if method in row.get("tight", []) else "no"
            assert option.verdict == wanted, (row["gpu"], row["count"], method)
            assert option.vram_gb == row["vram_gb"]
            assert option.usd_per_hour == Decimal(row["usd_per_hour"])
            if wanted == "tight":
                tight.append((row["gpu"], row["count"], method))
    assert tight == [("l40s", 1, "qlora"), ("h200", 1, "lora"), ("h200", 8, "full")]


def test_spare_gigabytes_that_the_page_names(shop: Shop) -> None:
    full = estimate(PlanQuery(params_b=70), "full")
    assert judge(full, "b200", 8, shop.prices).spare_gb == 180
    assert judge(full, "h200", 8, shop.prices).capacity_gb - full.floor_gb == 8


def test_cost_rows(page: dict[str, Any], shop: Shop) -> None:
    assert [row["usd"] for row in page["cost"]] == ["9.20", "23.20", "110.64", "73.68", "515.76", "774.48"]
    for row in page["cost"]:
        run = run_cost(shop.prices, row["gpu"], row["count"], Decimal(row["hours"]), row["method"])
        assert run.usd == Decimal(row["usd"])
        assert run.gpu_hours == row["gpu_hours"]
        assert run.basket.left_over_hours == 0
        assert run.topup_usd == max(run.usd, Decimal(25))


def test_gpu_comparison(page: dict[str, Any], shop: Shop) -> None:
    wanted = page["comparison"]
    h100, a100 = compare_gpus([("h100", 1), ("a100-80", 1)], shop.prices)
    assert (h100.bf16_tflops, a100.bf16_tflops) == (wanted["h100_tflops"], wanted["a100_tflops"])
    assert (h100.bandwidth_gbs, a100.bandwidth_gbs) == (wanted["h100_bandwidth_gbs"], wanted["a100_bandwidth_gbs"])
    assert round(h100.bf16_tflops / a100.bf16_tflops, 1) == wanted["peak_ratio"]
    assert h100.usd_per_tflop_hour == Decimal("0.002345")


def test_full_costs_about_forty_times_qlora_both_ways(page: dict[str, Any], shop: Shop) -> None:
    ratio = method_ratio(70, "qlora", "full", shop.prices, shop.market)
    assert ratio is not None
    about = page["comparison"]["full_over_qlora_about"]
    assert ratio.ours is not None
    assert ratio.market is not None
    assert round(ratio.ours) == round(ratio.market) == about
    assert {str(price.usd_per_hour) for price in ratio.market_prices} == {"43.46", "1.09"}


def test_the_twelve_sources_are_known_with_their_day(page: dict[str, Any]) -> None:
    assert len(page["source"]) == 12
    for row in page["source"]:
        source = load_catalog().sources[row["id"]]
        assert source.publisher == row["publisher"]
        assert source.read == page["as_of"]


@pytest.mark.parametrize(
    ("size", "method", "cheapest", "usd"), [(34, "lora", ("a100-80", 2), "1.84"), (70, "lora", ("a100-80", 4), "3.68")]
)
def test_cheapest_skips_cards_without_a_fast_link(
    shop: Shop, size: float, method: Any, cheapest: tuple[str, int], usd: str
) -> None:
    fit = make_plan(PlanQuery(params_b=size, methods=(method,)), shop.prices).methods[0].fit
    assert fit.cheapest is not None
    assert fit.cheaper_slow is not None
    assert (fit.cheapest.gpu, fit.cheapest.count) == cheapest
    assert fit.cheapest.usd_per_hour == Decimal(usd)
    assert fit.cheaper_slow.gpu == "l40s"
    assert fit.cheaper_slow.usd_per_hour < fit.cheapest.usd_per_hour
