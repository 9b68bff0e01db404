"""Seeds and price files: what is read, and what is refused in one line."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from bot.reader.question import COINS, Topic
from bot.shop.files import ShopFileError, difference, read_price_file
from bot.shop.history import NoPricesError, in_force, prices_from_json, prices_to_json
from bot.shop.shop import Shop
from planner.catalog import load_catalog

TODAY = date(2026, 12, 1)
GOOD = 'as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = "2.10"\n'


def test_seeds_hold_what_the_page_says(shop: Shop) -> None:
    prices = {row.gpu: str(row.usd_per_hour) for row in shop.prices.rows}
    assert prices == {"l40s": "0.82", "a100-80": "0.92", "h100": "2.32", "h200": "3.07", "b200": "4.61"}
    assert shop.prices.as_of == date(2026, 10, 29)
    assert shop.prices.blocks == (10, 24, 168, 720)
    assert shop.prices.topup_usd == 25
    assert set(shop.coins) == set(COINS)
    assert (shop.links.shop_url, shop.links.dashboard_url, shop.links.support_contact) == (None, None, None)


def test_every_topic_has_facts_with_date_and_source(shop: Shop) -> None:
    for topic in Topic.__args__:
        assert shop.facts_on(topic), topic
    for fact in shop.facts:
        assert fact.as_of == date(2026, 10, 29)
        assert fact.source in load_catalog().sources


def test_topics_the_page_is_silent_on_say_so(shop: Shop) -> None:
    for topic in ("refund", "privacy", "other"):
        assert any(fact.value is None for fact in shop.facts_on(topic))


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_a_price_file_is_read_exactly(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"new{suffix}"
    json_text = '{"as_of": "2026-11-20", "gpus": {"h100": {"usd_per_hour": "2.10", "available": false}}}'
    toml_text = GOOD + "available = false\n"
    path.write_text(toml_text if suffix == ".toml" else json_text)
    prices = read_price_file(path, TODAY)
    assert prices.as_of == date(2026, 11, 20)
    assert prices.row("h100").usd_per_hour == Decimal("2.10")
    assert prices.row("h100").available is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "as_of"),
        ("= =", "not valid TOML"),
        ('as_of = 2026-11-20\n[gpus.h10]\nusd_per_hour = "2"', "did you mean"),
        ('as_of = 2027-01-01\n[gpus.h100]\nusd_per_hour = "2"', "future"),
        ("as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = 2.1", "in quotes"),
        ('as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = "-1"', "greater than 0"),
        ('as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = "NaN"', "usd_per_hour"),
        ('as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = "1.23456"', "decimal"),
        ('as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = "cheap"', "usd_per_hour"),
        ('as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = "2"\nmax_per_host = 9', "max_per_host"),
        ('as_of = 2026-11-20\nblocks = []\n[gpus.h100]\nusd_per_hour = "2"', "blocks"),
        ('as_of = 2026-11-20\ncolour = "red"\n[gpus.h100]\nusd_per_hour = "2"', "colour"),
        ("as_of = 2026-11-20\n[gpus]", "gpus"),
        ('as_of = 2026-11-20\nvalid_from = 2026-11-19\n[gpus.h100]\nusd_per_hour = "2"', "valid_from"),
    ],
)
def test_a_bad_price_file_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ShopFileError) as error:
        read_price_file(path, TODAY)
    assert said in str(error.value)
    assert str(error.value).startswith("bad.toml: ")
    assert "\n" not in str(error.value)


def test_unreadable_files_are_refused_in_one_line(tmp_path: Path) -> None:
    binary, deep, huge = tmp_path / "binary.toml", tmp_path / "deep.json", tmp_path / "huge.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    deep.write_text("[" * 100_000)
    huge.write_text("#" * 1_100_000)
    for path in (binary, deep, huge, tmp_path / "absent.toml", tmp_path):
        with pytest.raises(ShopFileError) as error:
            read_price_file(path, TODAY)
        assert "\n" not in str(error.value)


def test_the_difference_names_changed_new_and_dropped_rows(tmp_path: Path, shop: Shop) -> None:
    path = tmp_path / "new.toml"
    path.write_text(GOOD + '[gpus.l40s]\nusd_per_hour = "0.82"\n[gpus.l4]\nusd_per_hour = "0.30"\n')
    changes = {change.gpu: change for change in difference(shop.prices, read_price_file(path, TODAY))}
    assert set(changes) == {"h100", "l4", "a100-80", "h200", "b200"}
    assert changes["l4"].old is None
    assert changes["b200"].new is None


def test_the_list_in_force_is_the_latest_up_to_the_day(tmp_path: Path, shop: Shop) -> None:
    path = tmp_path / "new.toml"
    path.write_text(GOOD)
    new = read_price_file(path, TODAY)
    lists = [shop.prices, new]
    assert in_force(lists, date(2026, 10, 29)) == shop.prices
    assert in_force(lists, TODAY) == new
    assert in_force([*lists, replace(new, source="again")], TODAY).source == "again"
    with pytest.raises(NoPricesError, match="2026-10-29"):
        in_force(lists, date(2026, 1, 1))


def test_a_list_announced_ahead_waits_for_its_day(tmp_path: Path, shop: Shop) -> None:
    path = tmp_path / "new.toml"
    path.write_text(GOOD.replace("\n", "\nvalid_from = 2027-01-15\n", 1))
    ahead = read_price_file(path, TODAY)
    lists = [shop.prices, ahead]
    assert in_force(lists, date(2027, 1, 14)) is shop.prices
    assert in_force(lists, date(2027, 1, 15)) is ahead
    assert prices_from_json(json.loads(json.dumps(prices_to_json(ahead)))) == ahead
    waiting = replace(shop, prices=ahead, stale_after_days=30)
    assert waiting.stale_after(date(2027, 2, 14)) is None, "its age counts from the day it came into force"
    assert waiting.stale_after(date(2027, 2, 15)) == 30


def test_lists_stored_before_there_was_a_first_day_are_read(shop: Shop) -> None:
    stored = prices_to_json(shop.prices)
    del stored["valid_from"]
    assert prices_from_json(stored) == shop.prices


def test_a_price_list_survives_its_json(shop: Shop) -> None:
    assert prices_from_json(json.loads(json.dumps(prices_to_json(shop.prices)))) == shop.prices
