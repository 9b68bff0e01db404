"""time: estimated or measured hours with what they cost, a bound on generating, or how to find out."""

from __future__ import annotations

from decimal import Decimal

from bot.answers.answer import Answer
from bot.render.document import Builder, Line
from bot.render.i18n import NBSP, Speaker, _
from bot.render.views.common import (
    arithmetic,
    block_line,
    close,
    configuration,
    option_name,
    per_hour,
    quote_lines,
    run_lines,
    spare_text,
    title,
)
from planner.speed import DecodeBound, RunTime

#: Hours from which on days say more.
_DAYS = 72


def view_time(answer: Answer, say: Speaker, build: Builder) -> None:
    """How long it takes and costs, or how to find out and what the first block costs."""
    build.line(_heading(answer, say))
    asked = answer.asked
    if asked is not None and asked.option.verdict != "fits":
        if asked.option.spare_gb >= 0:
            text = _("⚠ On {option} it probably fits: {spare}")
        else:
            text = _("✗ It does not fit on {option}: {spare}")
        build.line(say.line(text, option=option_name(asked.option), spare=spare_text(asked.option, say)))
    build.lines([time_line(one, say) for one in answer.times])
    if answer.bound is not None:
        build.line(bound_line(answer.bound, say))
    if answer.run is not None:
        build.lines(run_lines(answer.run, say))
        build.lines(quote_lines(answer, say))
    if answer.block is not None:
        build.line(
            say.line(
                _("On {configuration} ({price}):"),
                configuration=configuration(answer.block.gpu, answer.block.count),
                price=per_hour(say, answer.block.usd_per_hour),
            )
        )
        build.line(block_line(answer.block, say))
        build.lines(quote_lines(answer, say))
    details = [time_formula(one, say) for one in answer.times[:1]]
    if answer.bound is not None:
        details.append(say.line(_("{formula} = {tokens} tokens/s"), formula=say.formula(answer.bound.formula),
                                tokens=say.number(round(answer.bound.each, 1))))  # fmt: skip
    details.extend(line for plan in answer.methods for line in arithmetic(plan, say))
    close(answer, say, build, details)


def _heading(answer: Answer, say: Speaker) -> Line:
    if answer.params_b is None:
        return say.line(_("<b>Run time</b>"))
    name = title(answer, say)
    if answer.times:
        first = answer.times[0]
        return say.line(
            _("<b>{title} · {method}</b>, {tokens} tokens, an estimate:"),
            title=name,
            method=say.method(first.method),
            tokens=say.number(first.tokens),
        )
    return say.line(_("<b>Run time of {title}</b>"), title=name)


def time_line(one: RunTime, say: Speaker) -> Line:
    """The estimated hours on one configuration, with their range and the money they use up."""
    if one.usd is None:
        return say.line(_("• {option}: about <b>{time}</b> ({low} to {high})"), **_times(one, say))
    return say.line(_("• {option}: about <b>{time}</b> ({low} to {high}) · {usd}"), **_times(one, say))


def estimated_line(one: RunTime, say: Speaker) -> Line:
    """The same beside a plan."""
    if one.usd is None:
        return say.line(_("Training on {option}: about <b>{time}</b>, estimated ({low} to {high})"), **_times(one, say))
    return say.line(
        _("Training on {option}: about <b>{time}</b>, estimated ({low} to {high}) · {usd}"), **_times(one, say)
    )


def _times(one: RunTime, say: Speaker) -> dict[str, str]:
    return {
        "option": option_name(one.option),
        "time": _span(one.expected, say),
        "low": _span(one.short, say),
        "high": _span(one.long, say),
        "usd": say.usd(one.usd) if one.usd is not None else "",
    }


def _span(hours: Decimal, say: Speaker) -> str:
    """A length of time with no more digits than an estimate deserves: minutes, hours or days."""
    if hours < 1:
        return say.text(_("{n} min"), n=say.number(max(1, round(hours * 60)))).replace(" ", NBSP)
    if hours < _DAYS:
        return say.text(_("{n} h"), n=say.number(round(hours, 1) if hours < 20 else round(hours))).replace(" ", NBSP)
    return say.text(_("{n} days"), n=say.number(round(hours / 24, 1))).replace(" ", NBSP)


def time_formula(one: RunTime, say: Speaker) -> Line:
    """How the hours come about."""
    return say.line(
        _("{option}: {formula} = {time}"),
        option=option_name(one.option),
        formula=say.formula(one.formula),
        time=_span(one.expected, say),
    )


def bound_line(bound: DecodeBound, say: Speaker) -> Line:
    """The most that memory bandwidth allows."""
    values = {
        "option": option_name(bound.option),
        "each": say.number(_rounded(bound.each)),
        "all": say.number(_rounded(bound.together)),
        "n": say.number(bound.users),
    }
    if bound.users == 1:
        return say.line(
            _("At most about <b>{each} tokens/s</b> on {option}, by its memory bandwidth; real speed is lower."),
            **values,
        )
    return say.line(
        _(
            "At most about <b>{each} tokens/s</b> for each of {n} users ({all} in all) on {option}, by its memory bandwidth; real speed is lower."
        ),
        **values,
    )


def _rounded(rate: float) -> float:
    return round(rate, 1) if rate < 10 else round(rate)
