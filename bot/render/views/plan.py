"""plan and check: memory, verdict, configurations, price."""

from __future__ import annotations

from bot.answers.answer import Answer
from bot.render.document import Builder, Line
from bot.render.i18n import Speaker, _
from bot.render.views.common import (
    about,
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
from bot.render.views.notes import gpus_text, say_note
from bot.render.views.peak import change_lines, peak_lines, peak_terms
from bot.render.views.time import bound_line, estimated_line, time_formula
from planner.catalog import load_catalog
from planner.fit import Fit, Option
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
    if not answer.candidates:
        close(answer, say, build)
        return
    models = [load_catalog().models[name] for name in answer.candidates if name in load_catalog().models]
    build.lines([say.line(_("This model comes in several sizes. Which one?"))])
    build.lines([say.line(_("• {model}"), model=model.name) for model in models])
    example = models[0].name if models else "Llama 3.1 70B"
    build.lines([say.line(_("Write it with the size, e.g. “{example} LoRA”."), example=example)])


def _one(answer: Answer, plan: MethodPlan, say: Speaker, build: Builder) -> None:
    build.line(say.line(_("<b>{title} · {method}</b>"), title=title(answer, say), method=say.method(plan.method)))
    if plan.leading is not None:  # what the user said of the run counts more than the rule
        _asked(answer, say, build)
        _choices(answer, plan, say, build)
        build.lines(change_lines(answer, say))
        build.lines(peak_lines(answer, plan, say))
        build.line(say.line(_("Planning rule, without your settings: {plan}"), plan=say.gb(plan.rule.plan_gb)))
    else:
        build.line(_memory(plan, say))
        _asked(answer, say, build)
        _choices(answer, plan, say, build)
        build.lines(change_lines(answer, say))
        build.lines(peak_lines(answer, plan, say))
    build.lines([estimated_line(one, say) for one in answer.times])
    if answer.run is not None:
        build.lines(run_lines(answer.run, say))
    if answer.block is not None:
        build.line(block_line(answer.block, say))
    build.lines(quote_lines(answer, say))
    lines = arithmetic(plan, say)
    if answer.peak is not None:
        lines.extend(peak_terms(answer.peak, say))
    if answer.bound is not None:
        lines.append(bound_line(answer.bound, say))
    lines.extend(time_formula(one, say) for one in answer.times)
    lines.extend(_tight_line(option, say) for option in _nearly(plan.fit))
    close(answer, say, build, lines)


def _nearly(fit: Fit) -> list[Option]:
    """Of each GPU model the least configuration that is tight."""
    found: dict[str, Option] = {}
    for option in fit.options:
        if option.verdict == "tight":
            found.setdefault(option.gpu, option)
    return list(found.values())


def _memory(plan: MethodPlan, say: Speaker) -> Line:
    memory = plan.memory
    if memory.floor_gb == memory.plan_gb:
        return say.line(_("Memory: <b>{plan}</b>"), plan=say.gb(memory.plan_gb))
    return say.line(
        _("Memory: <b>{plan}</b> to plan for (floor {floor})"),
        plan=say.gb(memory.plan_gb),
        floor=say.gb(memory.floor_gb),
    )


def _asked(answer: Answer, say: Speaker, build: Builder) -> None:
    asked = answer.asked
    if asked is None:
        return
    option = asked.option
    verdicts = {
        "fits": _("✓ <b>{option}</b> ({vram}): fits, {spare}"),
        "tight": _("⚠ <b>{option}</b> ({vram}): tight, {spare}"),
        "no": _("✗ <b>{option}</b> ({vram}): does not fit, {spare}"),
        "likely": _("⚠ <b>{option}</b> ({vram}): probably fits, {spare}, but the range ends above it"),
    }
    price = f" · {per_hour(say, option.usd_per_hour)}" if asked.rented else ""
    build.line(
        say.line(
            verdicts["likely" if option.verdict == "tight" and option.spare_gb >= 0 else option.verdict],
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
    if fit.likely is not None and (asked is None or fit.likely != asked.option):
        build.line(_choice(_("Probably enough: {option} ({vram}) · {price} · {spare}"), fit.likely, say))
    if fit.best is None:
        build.line(say.line(_("✗ No single instance holds it.")))
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
    likely = option.spare_gb >= 0
    return say.line(
        _("{option} ({vram}): probably fits, {spare}") if likely else _("{option} ({vram}): tight, {spare}"),
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
                _("<b>{title}</b> on {gpus}"), title=name, gpus=gpus_text(int(str(counted[0].values["count"])), say)
            )
        )
        build.lines([say_note(note, say) for note in counted])
    else:
        build.line(say.line(_("<b>{title}</b>: memory and the simplest GPU per method"), title=name))
        build.lines([_summary(plan, say) for plan in answer.methods])
    stated = _stated(answer, say)
    if stated and any(plan.leading is not None for plan in answer.methods):
        build.line(say.line(_("Counted with {settings}."), settings=stated))
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


def _stated(answer: Answer, say: Speaker) -> str:
    """What the user said of the run."""
    slots = answer.question.slots
    stated = (
        (_("{n} tokens"), slots.context),
        (_("batch {n} per GPU"), slots.batch),
        (_("rank {n}"), slots.lora_rank),
        (_("{n} at once"), slots.users),
    )
    return ", ".join(say.text(text, n=say.number(value)) for text, value in stated if value is not None)


def _verdict(asked: Asked, plan: MethodPlan, say: Speaker) -> Line:
    """One method's verdict on the configuration asked about, and what holds it instead."""
    option, best = asked.option, plan.fit.best
    values = {
        "method": _method_label(plan, say),
        "plan": _planned(plan, asked.option, say),
        "spare": spare_text(option, say),
    }
    if option.verdict == "fits":
        return say.line(_("✓ {method}: {plan}, {spare}"), **values)
    if best is None:
        return say.line(_("✗ {method}: {plan}, {spare}; no single instance holds it"), **values)
    values |= {"option": option_name(best), "price": per_hour(say, best.usd_per_hour)}
    if option.verdict == "tight" and option.spare_gb >= 0:
        return say.line(_("⚠ {method}: {plan}, probably fits, {spare}"), **values)
    if option.verdict == "tight":
        return say.line(_("⚠ {method}: {plan}, tight, {spare} → {option} · {price}"), **values)
    return say.line(_("✗ {method}: {plan}, {spare} → {option} · {price}"), **values)


def _summary(plan: MethodPlan, say: Speaker) -> Line:
    memory, option = plan.memory, plan.fit.best
    gb = _planned(plan, plan.leading, say)
    if plan.method == "full" and memory.tier == "rule" and memory.floor_gb != memory.plan_gb:
        gb = say.text(_("{floor} to {plan}"), floor=say.number(memory.floor_gb), plan=gb)
    if option is None:
        return say.line(_("• {method}: <b>{gb}</b> → ✗ not in one instance"), method=say.method(plan.method), gb=gb)
    values = {
        "method": _method_label(plan, say),
        "gb": gb,
        "option": option_name(option),
        "price": per_hour(say, option.usd_per_hour),
    }
    if plan.fit.simplest is None:
        return say.line(_("• {method}: <b>{gb}</b> → probably {option} · {price}"), **values)
    return say.line(_("• {method}: <b>{gb}</b> → {option} · {price}"), **values)


def _planned(plan: MethodPlan, option: Option | None, say: Speaker) -> str:
    """The plan's memory; by the model's layers a rounded one, on each GPU of the configuration."""
    gb = plan.memory.plan_gb
    if plan.memory.basis == "total":
        return say.gb(gb)
    if option is None or option.count == 1:
        return about(gb, say)
    return say.text(_("{gb} per GPU"), gb=about(gb, say))


def _method_label(plan: MethodPlan, say: Speaker) -> str:
    if plan.method != "inference":
        return say.method(plan.method)
    return say.text(_("Running it ({bits}-bit)"), bits=say.number(plan.memory.bits))
