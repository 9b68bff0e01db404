"""Document -> Telegram HTML.  The one place where text is escaped."""

from __future__ import annotations

from html import escape

from bot.render.document import Document, Line, Lines, Quote, Span, Table, visible

_TAGS = {"bold": "b", "italic": "i", "code": "code"}


def to_html(document: Document, *, opened: bool = False) -> str:
    """The document in Telegram's HTML subset; ``opened``: quotes are shown whole."""
    return "\n\n".join(_block(block, opened) for block in document.blocks)


def _block(block: Lines | Quote | Table, opened: bool) -> str:
    if isinstance(block, Table):
        return f"<pre>{_clean(block.text())}</pre>"
    text = "\n".join(_line(line) for line in block.lines)
    if isinstance(block, Quote):
        return f"<blockquote{'' if opened else ' expandable'}><b>{_clean(block.heading)}</b>\n{text}</blockquote>"
    return text


def _line(line: Line) -> str:
    return "".join(_span(span) for span in line)


def _span(span: Span) -> str:
    text = _clean(span.text)
    if span.style == "link" and span.url is not None:
        return f'<a href="{escape(span.url, quote=True)}">{text}</a>'
    tag = _TAGS.get(span.style)
    return f"<{tag}>{text}</{tag}>" if tag and text else text


def _clean(text: str) -> str:
    return escape(visible(text), quote=False)
