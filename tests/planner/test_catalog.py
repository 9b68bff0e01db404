"""The slow facts are whole, and a broken file is named in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.catalog import Catalog, load_catalog
from planner.errors import CatalogError, PlanError
from planner.query import METHODS


def test_every_fact_names_sources_that_exist() -> None:
    catalog = load_catalog()
    cited = {source for gpu in catalog.gpus.values() for source in gpu.sources}
    cited |= {source for rule in catalog.rules.values() for source in (rule.floor_source, rule.plan_source)}
    cited |= {form.source for form in catalog.formats.values()}
    assert cited <= catalog.sources.keys()
    assert set(catalog.rules) == set(METHODS)


def test_the_shops_gpus_have_the_pages_figures() -> None:
    gpus = load_catalog().gpus
    memory = {gpu: gpus[gpu].vram_gb for gpu in ("l40s", "a100-80", "h100", "h200", "b200")}
    assert memory == {"l40s": 48, "a100-80": 80, "h100": 80, "h200": 141, "b200": 180}
    assert [gpu for gpu in memory if not gpus[gpu].nvlink] == ["l40s"]


def test_no_alias_points_at_two_gpus() -> None:
    seen: dict[str, str] = {}
    for gpu in load_catalog().gpus.values():
        for alias in gpu.aliases:
            assert seen.setdefault(alias, gpu.id) == gpu.id


def test_nominal_sizes_are_what_names_say() -> None:
    models = load_catalog().models
    nominal = {
        name: models[name].nominal_b for name in ("llama-3.1-70b", "mixtral-8x7b", "qwen3-235b-a22b", "deepseek-r1")
    }
    assert nominal == {"llama-3.1-70b": 70, "mixtral-8x7b": 46.7, "qwen3-235b-a22b": 235, "deepseek-r1": 671}
    assert models["gemma-7b"].planned_b == models["gemma-7b"].params_b  # 8.54: the name hides too much


def test_an_unknown_gpu_is_refused_with_the_nearest() -> None:
    with pytest.raises(PlanError) as error:
        load_catalog().gpu("h10")
    assert error.value.nearest in {"h100", "a10", "h20"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gpus.jsonl", '{"id": "x", "name": "X"}\n', "gpus.jsonl line 1: "),
        ("gpus.jsonl", "{\n", "gpus.jsonl line 1: "),
        ("models.jsonl", '{"id": "x", "colour": 1}\n', "models.jsonl line 1: "),
        ("methods.toml", "[qlora]\nname = 1\n", "methods.toml: "),
        ("methods.toml", "= broken", "methods.toml: "),
    ],
)
def test_a_broken_data_file_is_named_in_one_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    catalog = Catalog(tmp_path)
    part = {"gpus.jsonl": "gpus", "models.jsonl": "models", "methods.toml": "rules"}[name]
    with pytest.raises(CatalogError) as error:
        getattr(catalog, part)
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)
