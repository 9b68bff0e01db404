"""A model that only a model hub knows: its size, its layers, and where both come from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.hub.values import HubModel, HubModels
from bot.reader.question import Question
from planner.catalog import Model

if TYPE_CHECKING:
    from bot.answers.common import Desk


def found_for(question: Question, hub: HubModels) -> HubModel | None:
    """What the hub says of the repository that a question names; nobody looked where that is not there."""
    return hub.get(question.hub) if question.hub is not None else None


def architecture_of(question: Question, found: HubModel | None) -> Model | None:
    """The repository's architecture, with the size that its name states as the nominal one."""
    model = found.model if found is not None else None
    stated = question.slots.params_b
    if model is None or stated is None or abs(model.params_b / stated - 1) > 0.10:
        return model
    return replace(model, nominal_b=stated)


def size_on_hub(desk: Desk, repository: str) -> float | None:
    """The size to plan for a repository, in billions, with notes on where it comes from; None where nobody knows it."""
    found, model, stated = desk.found, desk.architecture, desk.slots.params_b
    name = repository.partition("@")[0]
    if found is None:
        desk.note("hub_unasked", model=name)
    elif model is not None:
        desk.note("hub_read", model=repository, date=found.read_at.date(), params_b=model.params_b)
        if found.bits is not None and desk.slots.bits is None and "inference" in desk.methods():
            desk.note("hub_bits", model=name, bits=found.bits)
        return model.planned_b
    else:
        desk.note(f"hub_{found.state}", model=name, detail=found.detail or "config.json")
        if found.state == "not_language":
            return None
        if found.params_b is not None:
            desk.note("hub_counted_size", params_b=found.params_b, date=found.read_at.date())
            return found.params_b
    if stated is not None:
        desk.note("hub_name_size", params_b=stated)
    else:
        desk.note("hub_which_size")
    return stated
