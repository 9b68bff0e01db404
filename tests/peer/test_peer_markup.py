"""HTML is read, refused and doubted as by Telegram."""

from __future__ import annotations

import pytest

from peer import MarkupError, parse


@pytest.mark.parametrize(
    ("html", "text", "entities"),
    [
        ("😀<b>b <i>c</i></b> &amp; &lt;x&gt;", "😀b c & <x>", [("bold", 2, 3), ("italic", 4, 1)]),
        ('<a href="https://x/?a=1&amp;b=2">l</a>', "l", [("text_link", 0, 1)]),
        ('<pre><code class="language-py">x</code></pre>', "x", [("pre", 0, 1)]),
        ("<blockquote expandable>q</blockquote>", "q", [("expandable_blockquote", 0, 1)]),
        ('<span class="tg-spoiler">s</span><tg-spoiler>s</tg-spoiler>', "ss", [("spoiler", 0, 1), ("spoiler", 1, 1)]),
        ("<B>x</B><u></u>&#128512;&#x41;&quot;", 'x😀A"', [("bold", 0, 1)]),
    ],
)
def test_html_is_read_as_telegram_reads_it(html: str, text: str, entities: list[tuple[str, int, int]]) -> None:
    parsed = parse(html)
    assert parsed.text == text
    assert [(e["type"], e["offset"], e["length"]) for e in parsed.entities] == entities
    assert parsed.faults == ()


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ("a < b", 'Unsupported start tag "" at byte offset 2'),
        ("ação <3", "Unclosed start tag at byte offset 7"),
        ("<b>x", 'Can\'t find end tag corresponding to start tag "b"'),
        ("x</b>", "Unexpected end tag at byte offset 1"),
        ("<b><i>x</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'),
        ("line<br/>", 'Unsupported start tag "br/" at byte offset 4'),
        ('<span class="x">s</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ("<a href=https://x>l</a>", "Unexpected end of name token at byte offset 8"),
        ("<a =1>l</a>", 'Empty attribute name in the tag "a" at byte offset 0'),
        ("&#55357;", "Text contains invalid Unicode characters after decoding HTML entities"),
    ],
)
def test_html_that_telegram_refuses(html: str, problem: str) -> None:
    with pytest.raises(MarkupError) as caught:
        parse(html)
    assert str(caught.value) == problem


def test_html_that_telegram_swallows_is_reported() -> None:
    assert parse("<code>a <b>b</b></code> &nbsp;").faults == (
        "<code> can't hold other entities: they are dropped",
        "unescaped & at byte offset 24",
    )
