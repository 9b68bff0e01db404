"""price, cost, convert, time, reverse: what things cost and what money buys."""

from __future__ import annotations

from bot.answers.answer import Answer, PriceLine
from bot.render.document import Builder, Line, Table
from bot.render.i18n import Speaker, _
from bot.render.views.common import (
    arithmetic,
    close,
    configuration,
    gpu_name,
    hours_text,
    per_hour,
    quote_lines,
    run_lines,
    spare_text,
    title,
    worth_lines,
)
from bot.render.views.plan import view_plan
from planner.catalog import load_catalog
from planner.reverse import Largest


def view_price(answer: Answer, say: Speaker, build: Builder) -> None:
    """One GPU with its blocks, or the list as a table."""
    if len(answer.prices) == 1:
        _one_price(answer.prices[0], say, build)
    else:
        build.line(say.line(_("<b>Prices per GPU-hour</b> and per block, in US$")))
        head = (
            say.text(_("GPU")),
            say.gigabytes,
            _block_head(1, say),
            *(_block_head(h, say) for h in _two_blocks(answer)),
        )
        rows = tuple(
            (
                _short_name(row, say),
                say.number(row.vram_gb),
                say.cents(row.usd_per_hour),
                *_block_cells(row, answer, say),
            )
            for row in answer.prices
        )
        build.block(Table((head, *rows), frozenset(range(1, len(head)))))
        build.line(
            say.line(
                _("Blocks of {blocks} GPU-hours, one GPU model each; unused hours never expire."),
                blocks=_sizes(answer, say),
            )
        )
    build.lines(quote_lines(answer, say))
    close(answer, say, build)


def _one_price(row: PriceLine, say: Speaker, build: Builder) -> None:
    build.line(
        say.line(
            _("<b>{gpu}</b> ({vram}): <b>{price}</b> per GPU"),
            gpu=gpu_name(row.gpu),
            vram=say.gb(row.vram_gb),
            price=per_hour(say, row.usd_per_hour),
        )
    )
    if not row.available:
        build.line(say.line(_("⚠ Not available right now.")))
    for hours, usd in row.blocks:
        build.line(say.line(_("• {hours}-hour block: {usd}"), hours=say.number(hours), usd=say.usd(usd)))


def _two_blocks(answer: Answer) -> list[int]:
    """The smallest and the largest block: a table on a phone has no room for more."""
    sizes = sorted({hours for row in answer.prices for hours, _usd in row.blocks})
    return sizes[:1] + sizes[-1:] if len(sizes) > 1 else sizes


def _block_head(hours: int, say: Speaker) -> str:
    return say.text(_("{n} h"), n=say.number(hours))


def _block_cells(row: PriceLine, answer: Answer, say: Speaker) -> list[str]:
    prices = dict(row.blocks)
    return [say.cents(prices[h]) if h in prices else "" for h in _two_blocks(answer)]


def _short_name(row: PriceLine, say: Speaker) -> str:
    """A GPU's name without the memory that stands beside it."""
    return gpu_name(row.gpu).removesuffix(f" {say.number(row.vram_gb)}GB")


def _sizes(answer: Answer, say: Speaker) -> str:
    sizes = sorted({hours for row in answer.prices for hours, _usd in row.blocks})
    return ", ".join(say.number(size) for size in sizes)


def view_cost(answer: Answer, say: Speaker, build: Builder) -> None:
    """What a run costs, and whether the model fits there."""
    if answer.run is None:
        view_price(answer, say, build)
        return
    build.lines(run_lines(answer.run, say))
    asked = answer.asked
    if asked is not None:
        words = {
            "fits": _("✓ {title} ({method}) fits: {spare}"),
            "tight": _("⚠ {title} ({method}) is tight: {spare}"),
            "no": _("✗ {title} ({method}) does not fit: {spare}"),
        }
        build.line(
            say.line(
                words[asked.option.verdict],
                title=title(answer, say),
                method=say.method(asked.method),
                spare=spare_text(asked.option, say),
            )
        )
    build.lines(quote_lines(answer, say))
    close(answer, say, build, [line for plan in answer.methods for line in arithmetic(plan, say)])


def view_convert(answer: Answer, say: Speaker, build: Builder) -> None:
    """Dollars in a coin."""
    if answer.run is not None:
        view_cost(answer, say, build)
        return
    if answer.prices:
        view_price(answer, say, build)
        return
    if answer.methods:
        view_plan(answer, say, build)
        return
    budget = answer.question.slots.budget_usd
    if budget is not None:
        build.line(say.line(_("<b>{usd}</b>"), usd=say.usd(budget)))
    build.lines(worth_lines(answer.worth, say))
    build.lines(quote_lines(answer, say))
    close(answer, say, build)
    if budget is None and answer.question.slots.budget is None:
        build.line(say.line(_("Name an amount and a coin.")))
        build.line(say.line(_("For example: <code>{example}</code>"), example="/convert 50 usd btc"))


def view_reverse(answer: Answer, say: Speaker, build: Builder) -> None:
    """The largest size per method, or what a budget buys."""
    if answer.affordable:
        _affordable(answer, say, build)
    elif answer.largest:
        first = answer.largest[0]
        where = configuration(first.gpu, first.count) if first.gpu else say.gb(first.vram_gb)
        build.line(say.line(_("<b>What fits on {where}</b> ({vram})"), where=where, vram=say.gb(first.vram_gb)))
        for largest in answer.largest:
            build.line(_largest(largest, say))
    elif not answer.prices:
        build.line(say.line(_("✗ Nothing fits there so: fewer tokens at once, a smaller batch or more GPUs.")))
    else:
        view_price(answer, say, build)
        return
    if answer.run is not None:
        build.lines(run_lines(answer.run, say))
    close(answer, say, build)


def _largest(largest: Largest, say: Speaker) -> Line:
    name = say.method(largest.method)
    if largest.method == "inference":
        name = say.text(_("Running it ({bits}-bit)"), bits=say.number(largest.bits))
    models = [load_catalog().models[model].name for model in largest.models[:2]]
    examples = f" ({', '.join(models)})" if models else ""
    return say.line(
        _("• {method}: up to <b>{size}</b>{examples}"),
        method=name,
        size=say.params(largest.max_params_b),
        examples=examples,
    )


def _affordable(answer: Answer, say: Speaker, build: Builder) -> None:
    build.lines(worth_lines(answer.worth, say))
    budget = answer.worth.usd if answer.worth is not None else answer.question.slots.budget_usd
    if budget is not None:
        build.line(say.line(_("<b>What {usd} buys</b> in whole blocks"), usd=say.usd(budget)))
    for row in answer.affordable:
        if row.gpu_hours == 0:
            build.line(say.line(_("• {gpu}: 0 h"), gpu=gpu_name(row.gpu)))
            continue
        sizes = ", ".join(
            say.text(_("{method} {size}"), method=_short(largest.method, say), size=say.params(largest.max_params_b))
            for largest in row.largest[:3]
        )
        hours = hours_text(say, row.usd / row.usd_per_hour)
        build.line(
            say.line(
                _("• {gpu}: <b>{hours}</b> ({usd}); up to {sizes}"),
                gpu=gpu_name(row.gpu),
                hours=hours,
                usd=say.usd(row.usd),
                sizes=sizes,
            )
        )


def _short(method: str, say: Speaker) -> str:
    return say.text(SHORT_NAMES[method])


SHORT_NAMES = {
    "qlora": _("QLoRA"),
    "lora": _("LoRA"),
    "full_8bit": _("full 8-bit"),
    "full": _("full"),
    "inference": _("running"),
}
