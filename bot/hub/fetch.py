"""One repository asked of the hub: its config.json and what the hub counts of its weights.

Source of addresses and answers: the hub's own Python client (huggingface_hub 1.x, Apache-2.0) and its documentation.
Nothing is sent but the repository's id and revision.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

import aiohttp
from yarl import URL

from bot.hub.values import HubId, HubModel, State
from planner.catalog import Model
from planner.configs import ConfigError, read_config

#: Bytes of an answer; the longest config.json known takes some 60,000.
MAX_BYTES: Final = 1_000_000
_MOST_REDIRECTS: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
#: Types of weights that are stored one by one; others are packed several in a number.
_WHOLE: Final = frozenset({"BF16", "F16", "F32", "F64"})
#: How far the hub's count may be from the layers' for both to be the same, and to speak of the same weights at all.
_SAME: Final = 0.05
_RELATED: Final = 0.25
#: Keys and types of models as they are written.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]{1,60}", re.ASCII)
#: Seconds until the limit is lifted: RateLimit: "api";r=0;t=55
_RESET: Final = re.compile(r";\s*t\s*=\s*(\d{1,6})")


class HubError(Exception):
    """The hub gave no file; ``wait`` seconds that it wants to be left alone for.  ``coded``: it said why in its own
    words, not by a status that anything between may give."""

    def __init__(self, state: State, wait: int | None = None, *, coded: bool = False) -> None:
        super().__init__(state)
        self.state: State = state
        self.wait = wait
        self.coded = coded


@dataclass(frozen=True, slots=True)
class _Counted:
    """What the hub counts: parameters, or None where it counts none or packed ones; ``shown``: it shows the page."""

    params: int | None = None
    shown: bool = False


async def fetch_model(session: aiohttp.ClientSession, base: str, hub_id: HubId, name: str, now: datetime) -> HubModel:
    """The repository's architecture, or why there is none.  Raises HubError for a fault of the hub's."""
    owner = f"{hub_id.owner}/{hub_id.name}"
    revision = quote(hub_id.revision or "main", safe="")
    info = f"{base}/api/models/{owner}" + (f"/revision/{revision}" if hub_id.revision else "")
    config, counted = await asyncio.gather(
        _get(session, f"{base}/{owner}/resolve/{revision}/config.json"),
        _count(session, f"{info}?expand=safetensors&expand=gguf"),
        return_exceptions=True,
    )
    params = counted.params if isinstance(counted, _Counted) else None
    blank = HubModel(id=name, state="read", read_at=now, params_b=params / 1e9 if params else None)
    if isinstance(config, HubError):
        shown = isinstance(counted, _Counted) and counted.shown
        if config.state == "gated" and not (config.coded or shown):
            raise HubError("away")  # it is not the model that is closed to us
        if config.state in {"gated", "missing", "no_revision", "no_config", "unreadable"}:
            return replace(blank, state=config.state)
        raise config
    if isinstance(config, BaseException):
        raise config
    return _read(config, blank)


def _read(config: bytes, blank: HubModel) -> HubModel:
    try:
        found = read_config(config, blank.id)
    except ConfigError as error:
        states: dict[str, State] = {"unknown_type": "unknown_type", "not_language": "not_language"}
        detail = error.key if _PLAIN.fullmatch(error.key) else None  # it is shown: no place for a stranger's words
        return replace(blank, state=states.get(error.code, "unreadable"), detail=detail)
    model = found.model
    if blank.params_b is not None and found.bits is None:
        settled = _with_count(model, blank.params_b, more=found.more)
        if settled is None:
            return replace(blank, state="unreadable", detail="parameters")
        model = settled
    return replace(blank, model=model, bits=found.bits, params_b=model.params_b)


def _with_count(model: Model, counted: float, *, more: bool) -> Model | None:
    """The model with the parameters that the hub counts in its files where its layers leave some out: towers for images
    or sound, further heads.  None where they are another model's."""
    layers = model.params_b
    twice = (model.vocab or 0) * (model.hidden or 0) / 1e9 if model.tied_embeddings else 0.0
    if abs(counted / layers - 1) <= _SAME or abs(counted / (layers + twice) - 1) <= _SAME:
        return model  # tied embeddings may be stored twice, but are loaded once
    if not more and abs(counted / layers - 1) > _RELATED:
        return None
    whole = max(counted, layers)
    return replace(model, params_b=whole, text_params_b=layers, nominal_b=round(whole, 2))


async def _count(session: aiohttp.ClientSession, address: str) -> _Counted:
    """What the hub counts in a repository's files; nothing where it does not say."""
    try:
        found = json.loads(await _get(session, address))
        tensors, gguf = found.get("safetensors"), found.get("gguf")
        if tensors is not None and tensors["parameters"].keys() <= _WHOLE:
            return _Counted(_positive(tensors["total"]), shown=True)
        if gguf is not None:
            return _Counted(_positive(gguf["total"]), shown=True)
    except (HubError, aiohttp.ClientError, TimeoutError, OSError):
        return _Counted()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return _Counted(shown=True)


def _positive(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 1_000_000 <= value <= 10**14 else None


async def _get(session: aiohttp.ClientSession, address: str) -> bytes:
    """A file's bytes.  Raises HubError; redirects are followed on the same host only."""
    url = URL(address, encoded=True)
    for _ in range(_MOST_REDIRECTS + 1):
        async with session.get(url, allow_redirects=False) as response:
            if response.status in _REDIRECTS:
                url = _next(url, response.headers.get("Location"))
                continue
            if response.status != 200:
                raise _refusal(response)
            return await _body(response)
    raise HubError("unreadable")


def _next(url: URL, location: str | None) -> URL:
    """Where a redirect leads; files that lie on another host (large ones do) are not followed."""
    try:
        target = url.join(URL(location or "", encoded=True))
        if location and target.origin() == url.origin():
            return target
    except ValueError:
        pass
    raise HubError("unreadable")


async def _body(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for piece in response.content.iter_chunked(65_536):
        body += piece
        if len(body) > MAX_BYTES:
            raise HubError("unreadable")
    return bytes(body)


def _refusal(response: aiohttp.ClientResponse) -> HubError:
    """What a status means.  The hub says 401 for what is missing as well as for what is private."""
    code = response.headers.get("X-Error-Code", "")
    known: dict[str, State] = {
        "GatedRepo": "gated",
        "RepoNotFound": "missing",
        "RevisionNotFound": "no_revision",
        "EntryNotFound": "no_config",
    }
    if code in known and response.status in {400, 401, 403, 404}:
        return HubError(known[code], coded=True)
    states: dict[int, State] = {401: "missing", 403: "gated", 404: "missing", 451: "gated", 429: "busy"}
    state = states.get(response.status, "away")
    return HubError(state, _wait(response) if response.status in {429, 503} else None)


def _wait(response: aiohttp.ClientResponse) -> int | None:
    said = response.headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdigit():
        return int(said[:6])
    reset = _RESET.search(response.headers.get("RateLimit", ""))
    return int(reset[1]) + 1 if reset else None
