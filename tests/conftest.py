"""Fixtures that many tests share."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import URL

from bot.shop.files import load_seeds
from bot.shop.shop import Shop
from databases import Server, postgres_server

settings.register_profile(
    "quick", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shop() -> Shop:
    """The shop as the seeds describe it."""
    return load_seeds()


@pytest.fixture
def now() -> datetime:
    """A moment while the seeds' prices are still fresh."""
    return datetime(2026, 11, 5, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def corpus_texts() -> list[str]:
    """The messages of the development corpus."""
    lines = (ROOT / "tests" / "corpus" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


@pytest.fixture(scope="session")
def page() -> dict[str, Any]:
    """The tables of the shop's page."""
    with (ROOT / "tests" / "golden" / "page.toml").open("rb") as file:
        return tomllib.load(file)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with postgres_server(tmp_path_factory.getbasetemp()) as server:
        yield server


@pytest.fixture
def new_database(postgres: Server) -> URL:
    """An empty database on PostgreSQL."""
    return postgres.new_database()
