"""Long texts in parts."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.text import units
from bot.telegram.markup import MAX_ENTITIES, MAX_UNITS, split
from peer import parse

TAG = re.compile(r"<[^<>]*>")


def shown(html: str) -> str:
    return unescape(TAG.sub("", html))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


leaves = st.text(st.sampled_from("ab 😀\n<&>70B"), min_size=1, max_size=30).map(
    lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
)
trees = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag.split()[0]}>",
        st.sampled_from(["b", "i", "code", "pre", "blockquote expandable", 'a href="https://x.y/?a=1&amp;b=2"']),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


@given(st.lists(trees, min_size=1, max_size=8).map("".join), st.integers(5, 80), st.integers(2, 9))
def test_pitfall_03_parts_are_whole_markup_within_limits_and_lose_nothing(html: str, limit: int, most: int) -> None:
    depth = max_depth(html)
    parts = split(html, shown(html), limit, most + depth)
    assert squeezed("".join(shown(part.html) for part in parts)) == squeezed(shown(html))
    for part in parts:
        parse(part.html)  # raises for markup that Telegram would refuse
        assert units(shown(part.html)) <= limit
        assert len(re.findall(r"<[a-z]", part.html)) <= most + depth
        assert shown(part.html).strip() or not shown(html).strip()


def max_depth(html: str) -> int:
    depth = most = 0
    for tag in TAG.findall(html):
        depth += -1 if tag.startswith("</") else 1
        most = max(most, depth)
    return most


def test_pitfall_04_length_counts_utf16_units() -> None:
    parts = split("😀" * 2049, "😀" * 2049)
    assert [units(part.html) for part in parts] == [4096, 2]


def test_a_text_that_fits_stays_as_it_is() -> None:
    (part,) = split("<b>70B</b>", "70B")
    assert (part.html, part.plain) == ("<b>70B</b>", "70B")


def test_parts_end_where_a_reader_would_end_them() -> None:
    paragraphs = [f"<b>{n}</b> " + "word " * 150 for n in range(12)]
    html = "\n\n".join(paragraphs)
    parts = split(html, shown(html))
    assert len(parts) == 3
    assert all(part.html.startswith("<b>") for part in parts)


def test_pitfall_05_more_than_a_hundred_entities_are_spread_over_parts() -> None:
    html = "\n".join(f"<b>{n}</b>" for n in range(250))
    parts = split(html, shown(html))
    assert len(parts) == 3
    assert all(part.html.count("<b>") <= MAX_ENTITIES for part in parts)


@pytest.mark.parametrize("html", ["", " ", "<b></b>", "<b></b>" * 101])
def test_a_text_that_shows_nothing_is_one_part(html: str) -> None:
    assert len(split(html, "")) == 1
    assert MAX_UNITS == 4096
