"""plan and check: memory, verdict, configurations, price."""

from __future__ import annotations

from bot.answers.answer import Answer
from bot.render.document import Builder, Line
from bot.render.i18n import Speaker, _
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
from bot.render.views.notes import say_note
from bot.render.views.peak import peak_lines, peak_terms
from planner.catalog import load_catalog
from planner.fit import Option
from planner.plan import Asked, MethodPlan


def view_plan(answer: Answer, say: Speaker, build: Builder) -> None:
    """A plan: one method in full, several a line each, or the sizes of a family to choose from."""
    if not answer.methods:
        _candidates(answer, say, build)
        return
    if len(answer.methods) == 1:
        _one(answer, answer.methods[0], say, build)
    else:
        _several(answer, say, build)


def _candidates(answer: Answer, say: Speaker, build: Builder) -> None:
    models = [load_catalog().models[name] for name in answer.candidates if name in load_catalog().models]
    build.lines([say.line(_("This model comes in several sizes. Which one?"))])
    build.lines([say.line(_("• {model}"), model=model.name) for model in models])
    example = models[0].name if models else "Llama 3.1 70B"
    build.lines([say.line(_("Write it with the size, e.g. “{example} LoRA”."), example=example)])


def _one(answer: Answer, plan: MethodPlan, say: Speaker, build: Builder) -> None:
    memory, fit = plan.memory, plan.fit
    build.line(say.line(_("<b>{title} · {method}</b>"), title=title(answer, say), method=say.method(plan.method)))
    led = answer.peak is not None and answer.peak.described  # what the user said of the run counts more than the rule
    if led:
        build.lines(peak_lines(answer, plan, say))
        build.line(say.line(_("Planning rule, without your settings: {plan}"), plan=say.gb(memory.plan_gb)))
    elif memory.floor_gb == memory.plan_gb:
        build.line(say.line(_("Memory: <b>{plan}</b>"), plan=say.gb(memory.plan_gb)))
    else:
        build.line(
            say.line(
                _("Memory: <b>{plan}</b> to plan for (floor {floor})"),
                plan=say.gb(memory.plan_gb),
                floor=say.gb(memory.floor_gb),
            )
        )
    if not led or (answer.peak is not None and answer.peak.holds):
        _asked(answer, say, build)
        _choices(answer, plan, say, build)
    if not led:
        build.lines(peak_lines(answer, plan, say))
    if answer.run is not None:
        build.lines(run_lines(answer.run, say))
    if answer.block is not None:
        build.line(block_line(answer.block, say))
    build.lines(quote_lines(answer, say))
    lines = arithmetic(plan, say)
    if answer.peak is not None:
        lines.extend(peak_terms(answer.peak, say))
    lines.extend(_tight_line(option, say) for option in fit.options if option.verdict == "tight")
    close(answer, say, build, lines)


def _asked(answer: Answer, say: Speaker, build: Builder) -> None:
    asked = answer.asked
    if asked is None:
        return
    option = asked.option
    verdicts = {
        "fits": _("✓ <b>{option}</b> ({vram}): fits, {spare}"),
        "tight": _("⚠ <b>{option}</b> ({vram}): tight, {spare}"),
        "no": _("✗ <b>{option}</b> ({vram}): does not fit, {spare}"),
    }
    price = f" · {per_hour(say, option.usd_per_hour)}" if asked.rented else ""
    build.line(
        say.line(
            verdicts[option.verdict],
            option=option_name(option),
            vram=say.gb(option.vram_gb),
            spare=spare_text(option, say),
        ),
        price,
    )


def _choices(answer: Answer, plan: MethodPlan, say: Speaker, build: Builder) -> None:
    fit = plan.fit
    asked = answer.asked
    if asked is not None and asked.rented and asked.option.verdict == "fits" and answer.question.intent == "check":
        return
    same = fit.simplest is not None and fit.simplest == fit.cheapest
    if fit.simplest is not None:
        label = _("Simplest and cheapest: <b>{option}</b> ({vram}) · <b>{price}</b> · {spare}") if same else _(
            "Simplest: <b>{option}</b> ({vram}) · <b>{price}</b> · {spare}"
        )  # fmt: skip
        build.line(_choice(label, fit.simplest, say))
    if fit.cheapest is not None and not same:
        split = fit.cheapest.count > 1 and plan.method != "inference"
        label = _("Cheapest: <b>{option}</b> ({vram}) · <b>{price}</b>, split with FSDP / ZeRO-3") if split else _(
            "Cheapest: <b>{option}</b> ({vram}) · <b>{price}</b>"
        )  # fmt: skip
        build.line(_choice(label, fit.cheapest, say))
    if fit.alternative is not None:
        build.line(_choice(_("Also: {option} ({vram}) · {price}"), fit.alternative, say))


def _choice(label: str, option: Option, say: Speaker) -> Line:
    return say.line(
        label,
        option=option_name(option),
        vram=say.gb(option.vram_gb),
        price=per_hour(say, option.usd_per_hour),
        spare=spare_text(option, say),
    )


def _tight_line(option: Option, say: Speaker) -> Line:
    return say.line(
        _("{option} ({vram}): tight, {spare}"),
        option=option_name(option),
        vram=say.gb(option.vram_gb),
        spare=spare_text(option, say),
    )


_COUNT_NOTES = frozenset({"on_count", "not_on_count"})


def _several(answer: Answer, say: Speaker, build: Builder) -> None:
    counted = [note for note in answer.notes if note.code in _COUNT_NOTES]
    name = title(answer, say)
    if answer.asked_by_method:
        option = answer.asked_by_method[0].option
        build.line(
            say.line(
                _("<b>{title}</b> on {option} ({vram})"),
                title=name,
                option=option_name(option),
                vram=say.gb(option.vram_gb),
            )
        )
        build.lines(
            [_verdict(asked, plan, say) for asked, plan in zip(answer.asked_by_method, answer.methods, strict=True)]
        )
    elif counted:
        build.line(
            say.line(
                _("<b>{title}</b> on {count} GPU"), title=name, count=say.number(int(str(counted[0].values["count"])))
            )
        )
        build.lines([say_note(note, say) for note in counted])
    else:
        build.line(say.line(_("<b>{title}</b>: memory and the simplest GPU per method"), title=name))
        build.lines([_summary(plan, say) for plan in answer.methods])
    example = f"{say.params(answer.methods[0].memory.params_b)} LoRA"
    if answer.block is not None:
        method = say.method(answer.block.method or "")
        build.line(
            *(
                block_line(answer.block, say),
                say.line(
                    _(" ({method} on {configuration})"),
                    method=method,
                    configuration=configuration(answer.block.gpu, answer.block.count),
                ),
            )
        )
    build.lines(quote_lines(answer, say))
    build.line(say.line(_("Add a method for the details, e.g. “{example}”."), example=example))
    close(answer, say, build, [line for plan in answer.methods for line in arithmetic(plan, say)], skip=_COUNT_NOTES)


def _verdict(asked: Asked, plan: MethodPlan, say: Speaker) -> Line:
    """One method's verdict on the configuration asked about, and what holds it instead."""
    option, simplest = asked.option, plan.fit.simplest
    values = {"method": _method_label(plan, say), "plan": say.gb(plan.memory.plan_gb), "spare": spare_text(option, say)}
    if option.verdict == "fits":
        return say.line(_("✓ {method}: {plan}, {spare}"), **values)
    if simplest is None:
        return say.line(_("✗ {method}: {plan}, {spare}; no single instance holds it"), **values)
    values |= {"option": option_name(simplest), "price": per_hour(say, simplest.usd_per_hour)}
    if option.verdict == "tight":
        return say.line(_("⚠ {method}: {plan}, tight, {spare} → {option} · {price}"), **values)
    return say.line(_("✗ {method}: {plan}, {spare} → {option} · {price}"), **values)


def _summary(plan: MethodPlan, say: Speaker) -> Line:
    memory, option = plan.memory, plan.fit.simplest
    gb = say.gb(memory.plan_gb)
    if plan.method == "full" and memory.floor_gb != memory.plan_gb:
        gb = say.text(_("{floor} to {plan}"), floor=say.number(memory.floor_gb), plan=gb)
    if option is None:
        return say.line(_("• {method}: <b>{gb}</b> → ✗ not in one instance"), method=say.method(plan.method), gb=gb)
    return say.line(
        _("• {method}: <b>{gb}</b> → {option} · {price}"),
        method=_method_label(plan, say),
        gb=gb,
        option=option_name(option),
        price=per_hour(say, option.usd_per_hour),
    )


def _method_label(plan: MethodPlan, say: Speaker) -> str:
    if plan.method != "inference":
        return say.method(plan.method)
    return say.text(_("Running it ({bits}-bit)"), bits=say.number(plan.memory.bits))
