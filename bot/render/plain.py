"""Document -> plain text for a terminal, and for Telegram when markup is refused."""

from __future__ import annotations

from bot.render.document import Document, Line, Lines, Quote, Span, Table, visible


def to_plain(document: Document) -> str:
    """The document without markup; quotes are indented under their heading."""
    return "\n\n".join(_block(block) for block in document.blocks)


def _block(block: Lines | Quote | Table) -> str:
    if isinstance(block, Table):
        return visible(block.text())
    lines = [_line(line) for line in block.lines]
    if isinstance(block, Quote):
        return "\n".join([f"{visible(block.heading)}:", *(f"  {line}" for line in lines)])
    return "\n".join(lines)


def _line(line: Line) -> str:
    return "".join(_span(span) for span in line)


def _span(span: Span) -> str:
    text = visible(span.text)
    return f"{text} ({span.url})" if span.style == "link" and span.url and span.url != text else text
