"""What a model hub says of a repository, as values: the architecture, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from planner.catalog import Model

#: "read": the architecture is known.  Everything else says why not; the size may be known all the same.
State = Literal[
    "read",
    "off",  # the operator asks no hub
    "unasked",  # nobody looked: an answer while somebody is still typing
    "slow",  # no answer in time; it may be known a moment later
    "away",  # the hub can't be reached or is at fault
    "busy",  # the hub, or this bot, wants fewer questions
    "gated",  # its terms have to be accepted first
    "missing",  # no such repository, or a private one
    "no_revision",
    "no_config",  # a repository without config.json: GGUF files, adapters, pictures
    "unreadable",  # a config.json that lacks something, or is none
    "unknown_type",  # an architecture that the planner does not know
    "not_language",
]
#: What a repository itself is like, so that asking again soon gives the same; and for how long that is believed.
KEEP: Final[dict[State, timedelta]] = {
    "read": timedelta(days=7),
    "gated": timedelta(hours=12),
    "missing": timedelta(hours=1),
    "no_revision": timedelta(hours=1),
    "no_config": timedelta(hours=12),
    "unreadable": timedelta(hours=1),  # perhaps by something between us and the hub
    "unknown_type": timedelta(days=1),
    "not_language": timedelta(days=7),
}
#: A repository's id as the hub has it, perhaps with a revision after an @: nothing in it leads anywhere else.
_PART: Final = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?"
_ID: Final = re.compile(rf"({_PART})/({_PART})(?:@([A-Za-z0-9][A-Za-z0-9_./-]{{0,99}}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class HubId:
    """A repository, and a branch, tag or commit of it."""

    owner: str
    name: str
    revision: str | None = None


def parse_id(text: str) -> HubId | None:
    """An id's parts, or None for what is none."""
    match = _ID.fullmatch(text)
    if match is None or ".." in text or "--" in f"{match[1]}/{match[2]}" or match[2].endswith((".git", ".ipynb")):
        return None
    return HubId(match[1], match[2], match[3])


@dataclass(frozen=True, slots=True, kw_only=True)
class HubModel:
    """One repository at ``read_at``.

    ``params_b``: billions of parameters that the hub counts in its files, where it does; ``bits`` of the weights as
    stored, None where they are not quantised; ``detail``: the key or type that a refusal is about.
    """

    id: str
    state: State
    read_at: datetime
    model: Model | None = None
    params_b: float | None = None
    bits: float | None = None
    detail: str | None = None


#: Repositories by the ids that were asked for.
HubModels = Mapping[str, HubModel]
NO_HUB: Final[HubModels] = MappingProxyType({})


def to_document(found: HubModel) -> dict[str, Any]:
    """What is kept, as JSON can hold it."""
    document = asdict(found)
    document["read_at"] = found.read_at.isoformat()
    return {name: value for name, value in document.items() if value is not None}


def from_document(document: Mapping[str, Any]) -> HubModel | None:
    """What was kept; None for what this version can't read."""
    try:
        row = dict(document)
        model = row.pop("model", None)
        if row["state"] not in get_args(State):
            return None
        row["read_at"] = datetime.fromisoformat(row["read_at"])
        if model is not None:
            fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in model.items()}
            model = Model(**fields)
        return HubModel(model=model, **row)
    except (KeyError, TypeError, ValueError):
        return None
