"""Telegram's HTML parse mode: what a client would show, or why the server refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

ENTITY_OF_TAG = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "code": "code",
    "pre": "pre",
    "a": "text_link",
    "blockquote": "blockquote",
    "tg-emoji": "custom_emoji",
    "tg-time": "date_time",
}
MAX_ENTITIES = 100

_REFERENCE = re.compile(r"&(?:(?P<name>lt|gt|amp|quot)(?![A-Za-z])|#x(?P<hex>[0-9A-Fa-f]+)|#(?P<dec>[0-9]+));?")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_ATTRIBUTE = re.compile(r"\s*(?P<name>[^\s=>/\"']*)\s*(?P<equal>=\s*(?P<value>\"[^\"]*\"|'[^']*'|[A-Za-z0-9.-]*))?")
_NAME = re.compile(r"[^\s>]*")
_END = re.compile(r"</([^\s>]*)\s*")
_SPECIAL = re.compile(r"[<&]")


class MarkupError(ValueError):
    """The server would answer 400 "can't parse entities: ..."."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """Visible text with its entities, and what the server swallows without a word."""

    text: str
    entities: tuple[dict[str, Any], ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(slots=True)
class _Open:
    tag: str
    argument: str
    offset: int
    attributes: dict[str, str]


def utf16(text: str) -> int:
    """Length as Telegram counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


@lru_cache(maxsize=512)
def parse(html: str) -> Parsed:
    """Parse as the server does; MarkupError where it answers 400."""
    return _Parser(html).run()


def trimmed(parsed: Parsed) -> Parsed:
    """Without the white space that the server cuts off."""
    text = parsed.text.rstrip() if parsed.entities else parsed.text.strip()
    if text == parsed.text:
        return parsed
    size, kept = utf16(text), []
    for entity in parsed.entities:
        length = min(entity["length"], size - entity["offset"])
        if length > 0:
            kept.append({**entity, "length": length})
    return Parsed(text, tuple(kept), parsed.faults)


class _Parser:
    def __init__(self, html: str) -> None:
        self.html = html
        self.at = 0
        self.parts: list[str] = []
        self.units = 0
        self.stack: list[_Open] = []
        self.entities: list[dict[str, Any]] = []
        self.faults: list[str] = []

    def run(self) -> Parsed:
        html = self.html
        while match := _SPECIAL.search(html, self.at):
            self._text(html[self.at : match.start()])
            self.at = match.start()
            if match[0] == "&":
                self._reference()
            elif html.startswith("</", self.at):
                self._end_tag()
            else:
                self._start_tag()
        self._text(html[self.at :])
        if self.stack:
            raise MarkupError(f'Can\'t find end tag corresponding to start tag "{self.stack[-1].tag}"')
        text = "".join(self.parts)
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise MarkupError("Text contains invalid Unicode characters after decoding HTML entities")
        for entity in self.entities:
            entity.pop("_language", None)
        self.entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
        if len(self.entities) > MAX_ENTITIES:
            self.faults.append(f"{len(self.entities)} entities, {MAX_ENTITIES} shown")
        return Parsed(text, tuple(self.entities), tuple(self.faults))

    def _text(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.units += utf16(text)

    def _byte(self, at: int) -> int:
        return len(self.html[:at].encode("utf-8", "surrogatepass"))

    def _reference(self) -> None:
        match = _REFERENCE.match(self.html, self.at)
        char = _decoded(match) if match else ""
        if not match or not char:
            self.faults.append(f"unescaped & at byte offset {self._byte(self.at)}")
            self._text("&")
            self.at += 1
        else:
            self._text(char)
            self.at = match.end()

    def _start_tag(self) -> None:
        html, begin = self.html, self.at
        match = _NAME.match(html, begin + 1)
        assert match
        tag, at = match[0].lower(), match.end()
        if at == len(html):
            raise MarkupError(f"Unclosed start tag at byte offset {self._byte(begin)}")
        if tag not in ENTITY_OF_TAG:
            raise MarkupError(f'Unsupported start tag "{tag}" at byte offset {self._byte(begin)}')
        attributes: dict[str, str] = {}
        while True:
            while at < len(html) and html[at].isspace():
                at += 1
            if html.startswith(">", at):
                break
            at = self._attribute(tag, begin, at, attributes)
        self.at = at + 1
        self.stack.append(_Open(tag, self._argument(tag, begin, attributes), self.units, attributes))

    def _attribute(self, tag: str, begin: int, at: int, attributes: dict[str, str]) -> int:
        match = _ATTRIBUTE.match(self.html, at)
        assert match
        where = f"at byte offset {self._byte(begin)}"
        if match.end() >= len(self.html):
            raise MarkupError(f'Unclosed start tag "{tag}" {where}')
        if not match["name"]:
            raise MarkupError(f'Empty attribute name in the tag "{tag}" {where}')
        value = match["value"] or ""
        if match["equal"] and value[:1] not in ('"', "'") and not re.match(r"[\s>]", self.html[match.end()]):
            raise MarkupError(f"Unexpected end of name token at byte offset {self._byte(match.start('value'))}")
        value = value[1:-1] if value[:1] in ('"', "'") else value.lower()
        attributes[match["name"]] = _REFERENCE.sub(lambda found: _decoded(found) or found[0], value)
        return match.end()

    def _argument(self, tag: str, begin: int, attributes: dict[str, str]) -> str:
        if tag == "span" and attributes.get("class") != "tg-spoiler":
            raise MarkupError(f'Tag "span" must have class "tg-spoiler" at byte offset {self._byte(begin)}')
        if tag == "code":
            language = attributes.get("class", "")
            return language.removeprefix("language-") if language.startswith("language-") else ""
        if tag == "a" and not attributes.get("href"):
            self.faults.append(f"<a> without href at byte offset {self._byte(begin)}")
        return attributes.get({"a": "href", "tg-emoji": "emoji-id", "tg-time": "unix"}.get(tag, ""), "")

    def _end_tag(self) -> None:
        html, begin = self.html, self.at
        if not self.stack:
            raise MarkupError(f"Unexpected end tag at byte offset {self._byte(begin)}")
        match = _END.match(html, begin)
        assert match
        if not html.startswith(">", match.end()):
            raise MarkupError(f"Unclosed end tag at byte offset {self._byte(begin)}")
        name, top = match[1].lower(), self.stack.pop()
        if name and name != top.tag:
            raise MarkupError(
                f'Unmatched end tag at byte offset {self._byte(begin)}, expected "</{top.tag}>", found "</{name}>"'
            )
        self.at = match.end() + 1
        if self.units > top.offset:
            self._close(top)

    def _close(self, top: _Open) -> None:
        entity: dict[str, Any] = {
            "type": ENTITY_OF_TAG[top.tag],
            "offset": top.offset,
            "length": self.units - top.offset,
        }
        inner = [known for known in self.entities if known["offset"] >= top.offset]
        if top.tag in ("pre", "code"):
            pair = inner[-1] if inner else None
            same = pair and all(pair[key] == entity[key] for key in ("offset", "length"))
            if pair and same and {top.tag, pair["type"]} == {"pre", "code"}:
                pair["type"] = "pre"
                if language := top.argument or pair.pop("_language", ""):
                    pair["language"] = language
                return
            if inner:
                self.faults.append(f"<{top.tag}> can't hold other entities: they are dropped")
                self.entities = [known for known in self.entities if known["offset"] < top.offset]
            if top.argument:
                entity["_language"] = top.argument
        if top.tag == "blockquote":
            if any("blockquote" in known["type"] for known in inner):
                self.faults.append("<blockquote> can't be nested")
            if "expandable" in top.attributes:
                entity["type"] = "expandable_blockquote"
        if not self._finish(top, entity):
            return
        self.entities.append(entity)

    def _finish(self, top: _Open, entity: dict[str, Any]) -> bool:
        if top.tag == "a":
            if not top.argument:
                return False
            entity["url"] = top.argument
        elif top.tag in ("tg-emoji", "tg-time"):
            if not re.fullmatch(r"-?[1-9][0-9]*", top.argument):
                kind = "custom emoji identifier" if top.tag == "tg-emoji" else "date-time"
                raise MarkupError(f"Invalid {kind} specified")
            if top.tag == "tg-emoji":
                entity["custom_emoji_id"] = top.argument
            else:
                entity["unix_time"] = int(top.argument)
                if "format" in top.attributes:
                    entity["date_time_format"] = top.attributes["format"]
        return True


def _decoded(match: re.Match[str]) -> str:
    if match["name"]:
        return _NAMED[match["name"]]
    code = int(match["hex"], 16) if match["hex"] else int(match["dec"])
    return chr(code) if 0 < code < 0x10FFFF else ""
