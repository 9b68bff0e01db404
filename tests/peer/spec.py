"""Checks a bot's requests against Telegram's published schema (bot-api.json, Bot API 10.1).

The schema: PaulSonOfLars/telegram-bot-api-spec @160fd99, MIT (bot-api.LICENSE), prose left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .markup import MarkupError, parse, utf16

_SCHEMA = json.loads(Path(__file__).with_name("bot-api.json").read_text(encoding="utf-8"))
_METHODS: dict[str, Any] = _SCHEMA["methods"]
_TYPES: dict[str, Any] = _SCHEMA["types"]
_PLAIN = {"String", "Integer", "Float", "Boolean", "InputFile"}
# Unions whose members "type" tells apart, in the member's own words: BotCommandScopeAllGroupChats, all_group_chats.
_TYPED_UNIONS = {"InlineQueryResult", "InputMedia", "BotCommandScope", "ReactionType", "MenuButton"}
_TRUE, _FALSE = {"true", "1", "yes"}, {"false", "0", "no"}
_ACTIONLESS = {"text", "icon_custom_emoji_id", "style"}

CANONICAL = {name.lower(): name for name in _METHODS}
"""Method names as the server finds them: in any case."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a multipart request."""

    filename: str
    content_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a method or type, ready for checking."""

    plain: frozenset[str]
    kinds: tuple[str, ...]
    depth: int
    required: bool
    limits: dict[str, Any]
    parsed: bool

    @property
    def wanted(self) -> str:
        """The types in words."""
        return "Array of " * self.depth + " or ".join([*sorted(self.plain), *self.kinds])


@cache
def _fields(owner: str) -> dict[str, Field]:
    raw = (_METHODS.get(owner) or _TYPES[owner])["fields"]
    return {name: _field(name, field, "parse_mode" in raw) for name, field in raw.items()}


def _field(name: str, raw: dict[str, Any], marked_up: bool) -> Field:
    bare = [kind.replace("Array of ", "") for kind in raw["types"]]
    return Field(
        plain=frozenset(kind for kind in bare if kind in _PLAIN),
        kinds=tuple(kind for kind in bare if kind not in _PLAIN),
        depth=raw["types"][0].count("Array of "),
        required=raw.get("required", False),
        limits={key: raw[key] for key in ("length", "items", "range", "one_of", "charset") if key in raw},
        # The page says "after entities parsing" not everywhere where it is so.
        parsed=len(raw.get("length", ())) > 3 or (marked_up and name in ("text", "message_text")),
    )


def returns_true(method: str) -> bool:
    """Whether the method answers with a bare True."""
    return bool(_METHODS[method]["returns"] == ["Boolean"])


def opened(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Strings of a form turned into what the schema says they are; what can't be is left for check()."""
    fields = _fields(method)
    return {name: _opened(value, fields.get(name)) for name, value in params.items() if value is not None}


def _opened(value: Any, field: Field | None) -> Any:
    if field is None or not isinstance(value, str):
        return value
    if (field.depth or field.kinds) and value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    if "Integer" in field.plain and re.fullmatch(r"-?\d{1,19}", value):
        return int(value)
    if "Float" in field.plain and re.fullmatch(r"-?\d+(\.\d+)?([eE]-?\d+)?", value):
        return float(value)
    if "Boolean" in field.plain and value.lower() in _TRUE | _FALSE:
        return value.lower() in _TRUE
    return value


def check(method: str, params: dict[str, Any]) -> list[str]:
    """Faults of one opened request; an empty list is a clean one."""
    faults = list(_object_faults(method, _fields(method), params))
    if method == "answerInlineQuery" and isinstance(results := params.get("results"), list):
        ids = [result.get("id") for result in results if isinstance(result, dict)]
        if len(ids) != len(set(ids)):
            faults.append("answerInlineQuery.results: ids repeat")
        if len(ids) > 50:
            faults.append(f"answerInlineQuery.results: {len(ids)} results, allowed 50")
    if not _takes_files(method):
        return faults
    lost = [part for part in _attached(params) if not isinstance(params.get(part), Upload)]
    return faults + [f"{method}: attach://{part} is not in the request" for part in lost]


@cache
def _takes_files(method: str) -> bool:
    fields = _fields(method).values()
    return any("InputFile" in field.plain or any(kind.startswith("Input") for kind in field.kinds) for field in fields)


def _attached(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value.startswith("attach://"):
            yield value.removeprefix("attach://")
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, (dict, list, str)):
                yield from _attached(inner)


def _object_faults(where: str, fields: dict[str, Field], params: dict[str, Any]) -> Iterator[str]:
    for name, field in fields.items():
        if field.required and params.get(name) is None:
            yield f"{where}.{name}: required"
    mode = params.get("parse_mode")
    for name, value in params.items():
        if name in fields:
            yield from _value_faults(f"{where}.{name}", fields[name], value, fields[name].depth, mode)
        elif not isinstance(value, Upload):
            yield f"{where}.{name}: no such field"


def _value_faults(where: str, field: Field, value: Any, depth: int, mode: Any) -> Iterator[str]:
    if depth:
        if not isinstance(value, list):
            yield f"{where}: {type(value).__name__}, wanted {field.wanted}"
            return
        if "items" in field.limits and not field.limits["items"][0] <= len(value) <= field.limits["items"][1]:
            yield f"{where}: {len(value)} items, allowed {field.limits['items']}"
        for item in value:
            yield from _value_faults(where, field, item, depth - 1, mode)
    elif isinstance(value, dict) and field.kinds:
        yield from _typed_faults(where, _closest(field.kinds, frozenset(value), str(value.get("type"))), value)
    elif not _fits(field, value):
        yield f"{where}: {type(value).__name__}, wanted {field.wanted}"
    elif field.limits or field.parsed:
        yield from _limit_faults(where, field, value, mode)


def _fits(field: Field, value: Any) -> bool:
    plain = field.plain
    if isinstance(value, str):
        return "String" in plain or "InputFile" in plain
    if isinstance(value, bool):
        return "Boolean" in plain
    if isinstance(value, int):
        return bool(plain & {"Integer", "Float", "String"})
    if isinstance(value, float):
        return "Float" in plain
    return isinstance(value, Upload) and ("InputFile" in plain or "String" in plain)


def _limit_faults(where: str, field: Field, value: Any, mode: Any) -> Iterator[str]:
    limits = field.limits
    if isinstance(value, str) and (field.parsed or "length" in limits):
        text = value
        if field.parsed and isinstance(mode, str):
            try:
                parsed = parse(value) if mode.lower() == "html" else None
            except MarkupError as problem:
                yield f"{where}: {problem}"
                return
            if parsed is None:
                yield f"{where}: parse_mode {mode} is not what this project sends"
            else:
                text = parsed.text
                yield from (f"{where}: {fault}" for fault in parsed.faults)
        if "length" in limits:
            low, high, unit = limits["length"][:3]
            size = len(text.encode("utf-8", "surrogatepass")) if unit == "bytes" else utf16(text)
            if not low <= size <= high:
                yield f"{where}: {size} {unit}, allowed {low}-{high}"
    if "range" in limits and isinstance(value, int) and not limits["range"][0] <= value <= limits["range"][1]:
        yield f"{where}: {value}, allowed {limits['range']}"
    if "one_of" in limits and value not in limits["one_of"]:
        yield f"{where}: {value!r}, allowed {limits['one_of']}"
    if "charset" in limits and not re.fullmatch(r"[A-Za-z0-9_-]*", str(value)):
        yield f"{where}: characters outside {limits['charset']}"


@cache
def _closest(kinds: tuple[str, ...], names: frozenset[str], tag: str) -> tuple[str, str]:
    """The type whose fields fit best, and what is wrong with its tag."""
    members: list[str] = []
    problem = ""
    for kind in kinds:
        subtypes = _TYPES[kind].get("subtypes") or []
        if kind in _TYPED_UNIONS:
            tagged = [member for member in subtypes if _tag(member, kind) == tag]
            problem = "" if tagged else f"type {tag!r} is none of {kind}"
            members += tagged or subtypes
        else:
            members += subtypes or [kind]

    def distance(member: str) -> int:
        fields = _fields(member)
        return len(names - fields.keys()) + sum(field.required and name not in names for name, field in fields.items())

    best = min(members, key=distance)
    if _TYPES[best].get("subtypes"):
        return _closest((best,), names, tag)
    return best, problem


def _tag(member: str, union: str) -> str:
    name = member.removeprefix(union).removeprefix("Cached")
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _typed_faults(where: str, found: tuple[str, str], value: dict[str, Any]) -> Iterator[str]:
    kind, problem = found
    where = f"{where}<{kind}>"
    if problem:
        yield f"{where}: {problem}"
    yield from _object_faults(where, _fields(kind), value)
    if kind == "InlineKeyboardButton":
        yield from _button_faults(where, value)
    elif kind == "InlineKeyboardMarkup" and isinstance(rows := value.get("inline_keyboard"), list):
        sizes = [len(row) for row in rows if isinstance(row, list)]
        if max(sizes, default=0) > 8 or sum(sizes) > 100:
            yield f"{where}: {sizes} buttons, allowed 8 a row and 100 in all"
    elif kind == "BotCommand" and not re.fullmatch(r"[a-z0-9_]{1,32}", str(value.get("command"))):
        yield f"{where}.command: characters outside a-z0-9_"


def _button_faults(where: str, button: dict[str, Any]) -> Iterator[str]:
    actions = button.keys() - _ACTIONLESS
    if len(actions) != 1:
        yield f"{where}: {len(actions)} actions, exactly one wanted"
    if not str(button.get("text", "")).strip():
        yield f"{where}.text: empty"
    if "url" in button and not re.match(r"(https?|tg|ton)://.+", str(button["url"])):
        yield f"{where}.url: {button['url']!r} is no link"
