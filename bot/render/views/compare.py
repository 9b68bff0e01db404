"""compare: figures side by side."""

from __future__ import annotations

from typing import Final

from bot.answers.answer import Answer
from bot.render.document import Builder
from bot.render.i18n import Speaker, _
from bot.render.views.common import close, configuration, option_name, per_hour, spare_text, title
from planner.compare import GpuFigures

#: Peaks that differ by less than this factor are called the same.
_SAME: Final = 1.05


def view_compare(answer: Answer, say: Speaker, build: Builder) -> None:
    """GPUs or methods, a few lines each, then what follows from them."""
    if answer.gpu_figures:
        _gpus(answer, say, build)
    else:
        _methods(answer, say, build)
    close(answer, say, build)


def _gpus(answer: Answer, say: Speaker, build: Builder) -> None:
    names = [configuration(f.gpu, f.count) for f in answer.gpu_figures]
    heading = say.line(_("<b>{names}</b>"), names=" vs ".join(names))
    if answer.params_b is not None and answer.wanted_method is not None:
        heading = say.line(
            _("<b>{names}</b> for {title} ({method})"),
            names=" vs ".join(names),
            title=title(answer, say),
            method=say.method(answer.wanted_method),
        )
    build.line(heading)
    for figures in answer.gpu_figures:
        _one_gpu(figures, say, build)
    _ratios(answer, say, build)


def _one_gpu(figures: GpuFigures, say: Speaker, build: Builder) -> None:
    build.line(
        say.line(
            _("<b>{configuration}</b>: {price} · {vram}"),
            configuration=configuration(figures.gpu, figures.count),
            price=per_hour(say, figures.usd_per_hour),
            vram=say.gb(figures.vram_gb),
        )
    )
    if figures.bf16_tflops is not None and figures.bandwidth_gbs is not None:
        build.line(
            say.line(
                _("  {tflops} TFLOPS BF16 (dense peak) · {bandwidth} GB/s per GPU"),
                tflops=say.number(figures.bf16_tflops, 1),
                bandwidth=say.number(figures.bandwidth_gbs),
            )
        )
    if figures.usd_per_tflop_hour is not None:
        build.line(
            say.line(
                _("  {usd} per 1,000 peak TFLOPS and hour"), usd=say.usd(round(figures.usd_per_tflop_hour * 1000, 2))
            )
        )
    if figures.option is not None:
        words = {"fits": _("  ✓ fits, {spare}"), "tight": _("  ⚠ tight, {spare}"), "no": _("  ✗ does not fit, {spare}")}
        build.line(say.line(words[figures.option.verdict], spare=spare_text(figures.option, say)))


def _ratios(answer: Answer, say: Speaker, build: Builder) -> None:
    if len(answer.gpu_figures) != 2:
        return
    one, two = answer.gpu_figures
    if not (one.bf16_tflops and two.bf16_tflops and one.usd_per_hour and two.usd_per_hour):
        return
    speed, price = one.bf16_tflops / two.bf16_tflops, one.usd_per_hour / two.usd_per_hour
    same = 1 / _SAME < speed < _SAME
    if price < 1 if same else speed < 1:
        one, two, speed, price = two, one, 1 / speed, 1 / price
    message = (
        _("Both have about the same peak BF16; {fast} has {price}× the price per hour of {slow}.")
        if same
        else _("{fast} has {speed}× the peak BF16 and {price}× the price per hour of {slow}.")
    )
    names = {"fast": configuration(one.gpu, one.count), "slow": configuration(two.gpu, two.count)}
    build.line(say.line(message, speed=say.number(speed, 1), price=say.number(price, 1), **names))


def _methods(answer: Answer, say: Speaker, build: Builder) -> None:
    build.line(say.line(_("<b>{title}</b>: methods compared"), title=title(answer, say)))
    for figures in answer.method_figures:
        gb = say.gb(figures.plan_gb)
        if figures.cheapest is None:
            build.line(
                say.line(_("• {method}: <b>{gb}</b> → ✗ not in one instance"), method=say.method(figures.method), gb=gb)
            )
            continue
        build.line(
            say.line(
                _("• {method}: <b>{gb}</b> → cheapest {option} · {price}"),
                method=say.method(figures.method),
                gb=gb,
                option=option_name(figures.cheapest),
                price=per_hour(say, figures.cheapest.usd_per_hour),
            )
        )
