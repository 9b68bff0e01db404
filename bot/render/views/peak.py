"""The peak by a model's layers: one line with its range, a warning where it may not fit, its terms."""

from __future__ import annotations

from typing import Final

from bot.answers.answer import Answer
from bot.render.document import Line
from bot.render.i18n import Speaker, _
from bot.render.views.common import TERM_NAMES, about, configuration, gpu_name, option_name, per_hour, rounded
from planner.change import Change
from planner.plan import MethodPlan
from planner.room import PeakOn

_CHANGES: Final = {
    "fused_loss": _("a fused cross-entropy loss (Unsloth, Liger)"),
    "batch": _("batch {n}"),
    "users": _("{n} at once"),
    "context": _("{n} tokens"),
    "bits": _("{n}-bit weights"),
    "method": _("{method}"),
}
#: Share of the peak from which a term is worth a word.
_NOTABLE: Final = 0.15


def peak_lines(answer: Answer, plan: MethodPlan, say: Speaker) -> list[Line]:
    """What to expect per GPU for the run, as said or as taken, and whether the GPU offers it."""
    peak = answer.peak
    if peak is None:
        return []
    values = {
        "where": configuration(peak.gpu, peak.count),
        "settings": _settings(peak, plan, say),
        "expected": about(peak.expected_gb, say),
        "low": say.number(rounded(peak.low_gb)),
        "high": about(peak.high_gb, say),
    }
    if peak.count == 1:
        line = say.line(_("Peak on {where}, {settings}: about <b>{expected}</b> ({low} to {high})"), **values)
    else:
        line = say.line(_("Peak on {where}, {settings}: about <b>{expected}</b> per GPU ({low} to {high})"), **values)
    room = [*_split_lines(peak, say), *_room_lines(peak, say)]
    if plan.leading is not None or peak.sure:  # where the peak leads, the verdict stands beside it
        return [line, *room]
    offered = {"gpu": gpu_name(peak.gpu), "capacity": about(peak.capacity_gb, say)}
    if peak.holds:
        return [
            line,
            say.line(_("⚠ It may exceed the {capacity} of one {gpu}: try it in a short block first."), **offered),
            *room,
        ]
    return [line, say.line(_("⚠ More than the {capacity} of one {gpu}."), **offered), _instead(answer, say)]


def change_lines(answer: Answer, say: Speaker) -> list[Line]:
    """What would make the run fit."""
    if not answer.changes:
        return []
    kept = answer.asked is not None
    head = say.line(_("What would make it fit there:")) if kept else say.line(_("What would make it fit:"))
    return [head, *(_change(change, kept, say) for change in answer.changes)]


def _change(change: Change, kept: bool, say: Speaker) -> Line:
    values = {"n": say.number(change.value) if isinstance(change.value, int | float) else ""}
    if change.kind == "method":
        values["method"] = say.method(str(change.value))
    what = say.text(_CHANGES[change.kind], **values)
    if kept:
        return say.line(_("• {change}"), change=what)
    return say.line(
        _("• {change} → {option} · {price}"),
        change=what,
        option=option_name(change.option),
        price=per_hour(say, change.option.usd_per_hour),
    )


def _split_lines(peak: PeakOn, say: Speaker) -> list[Line]:
    if peak.even_split is None:
        return []
    return [
        say.line(
            _("⚠ {n} GPUs don't divide the model's attention heads evenly: take {even}, or split it by layers."),
            n=peak.count,
            even=peak.even_split,
        )
    ]


def _room_lines(peak: PeakOn, say: Speaker) -> list[Line]:
    """The longest context and the most users that the same GPUs still offer memory for (an estimate)."""
    if peak.longest is None or peak.most_users is None:
        return []
    longest, widest = (
        say.many_text("{tokens} tokens, {n} user", "{tokens} tokens, {n} users", users, tokens=say.number(tokens))
        for tokens, users in ((peak.longest, peak.batch), (peak.seq_len, peak.most_users))
    )
    return [say.line(_("Memory is enough for about {longest}, or {widest}."), longest=longest, widest=widest)]


def _instead(answer: Answer, say: Speaker) -> Line:
    option = answer.peak_instead
    if option is None:
        return say.line(_("→ No single instance holds it: take fewer tokens, a smaller batch or a lighter method."))
    return say.line(
        _("→ <b>{option}</b> holds it · {price}"), option=option_name(option), price=per_hour(say, option.usd_per_hour)
    )


def peak_terms(peak: PeakOn, say: Speaker) -> list[Line]:
    """The terms behind the peak, and what one GPU offers."""
    terms = ", ".join(
        say.text(_("{part} {gb}"), part=say.text(TERM_NAMES[one.name]), gb=about(one.expected / 1e9, say))
        for one in peak.parts
        if one.expected >= 5e7
    )
    if peak.exact:
        lines = [say.line(_("Peak per GPU, estimated from the model's layers: {terms}."), terms=terms)]
    else:
        lines = [say.line(_("Peak per GPU, estimated from a typical model of that size: {terms}."), terms=terms)]
    logits = next((one.expected for one in peak.parts if one.name == "logits"), 0.0)
    if logits > _NOTABLE * peak.expected_gb * 1e9:
        lines.append(
            say.line(_("A fused cross-entropy loss (Unsloth, Liger) does away with nearly all of the logits."))
        )
    capacity = about(peak.capacity_gb, say)
    lines.append(say.line(_("One {gpu} offers {capacity} by its driver."), gpu=gpu_name(peak.gpu), capacity=capacity))
    return lines


def _settings(peak: PeakOn, plan: MethodPlan, say: Speaker) -> str:
    tokens = say.number(peak.seq_len)
    if plan.method == "inference":
        return say.many_text("{tokens} tokens, {n} user", "{tokens} tokens, {n} users", peak.batch, tokens=tokens)
    batch = say.number(peak.batch)
    if peak.count > 1:
        return say.text(_("{tokens} tokens, batch {batch} per GPU, checkpointing"), tokens=tokens, batch=batch)
    return say.text(_("{tokens} tokens, batch {batch}, checkpointing"), tokens=tokens, batch=batch)
