"""What several views share: configurations, prices, arithmetic, sources, notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal

from bot.answers.answer import Answer, Worth
from bot.rates.values import COIN_DIGITS
from bot.render.document import Builder, Line, Quote, Span
from bot.render.i18n import NBSP, Speaker, _
from bot.render.views.notes import say_note
from planner.catalog import load_catalog
from planner.cost import Basket, RunCost
from planner.fit import Option
from planner.plan import MethodPlan


def gpu_name(gpu: str) -> str:
    """A GPU's display name."""
    card = load_catalog().gpus.get(gpu)
    return card.name if card is not None else gpu


def configuration(gpu: str, count: int) -> str:
    """ "2× H200"."""
    return f"{count}×{NBSP}{gpu_name(gpu)}"


def option_name(option: Option) -> str:
    """ "2× H200" of an option."""
    return configuration(option.gpu, option.count)


def per_hour(say: Speaker, usd: Decimal | None) -> str:
    """A price per hour, or that there is none."""
    return say.text(_("{usd}/h"), usd=say.usd(usd)) if usd is not None else say.text(_("not for rent"))


def title(answer: Answer, say: Speaker) -> str:
    """What was asked about: "Llama 3.1 70B" or "70B"."""
    size = say.params(answer.params_b) if answer.params_b is not None else ""
    if answer.model_name is None:
        return size
    named = answer.model_name
    return (
        named if any(char.isdigit() and size and size.rstrip("BM") in named for char in named) else f"{named} ({size})"
    )


def age_line(as_of: date | None, stale_days: int | None, say: Speaker) -> Line:
    """The day of the prices, and that they are old when they are."""
    if as_of is None:
        return ()
    if stale_days is not None:
        return say.line(
            _("⚠ Prices of {date}: more than {days} days old, check the current ones before you rent."),
            date=say.date(as_of),
            days=stale_days,
        )
    return say.line(_("Prices of {date}."), date=say.date(as_of))


def rent_line(answer: Answer, say: Speaker) -> Line:
    """The link to rent, where the shop has set one."""
    url = answer.links.shop_url
    return (Span(say.text(_("Rent a GPU")), "link", url),) if url else ()


def close(
    answer: Answer, say: Speaker, build: Builder, arithmetic: Sequence[Line] = (), skip: frozenset[str] = frozenset()
) -> None:
    """The end of every answer: notes, price date, link; then arithmetic, assumptions and sources behind a tap."""
    build.lines([say_note(note, say) for note in answer.notes if note.code not in skip])
    build.line(*_parts(age_line(answer.prices_as_of, answer.prices_stale_days, say)))
    build.line(*_parts(rent_line(answer, say)))
    details: list[Line] = [*arithmetic]
    heading = _("The arithmetic and its sources") if details or answer.assumptions else _("Where this comes from")
    details.extend(say_note(note, say) for note in answer.assumptions)
    details.extend(source_lines(answer, say))
    build.block(Quote(say.text(heading), tuple(line for line in details if line)))


def _parts(line: Line) -> tuple[Line, ...]:
    return (line,) if line else ()


def source_lines(answer: Answer, say: Speaker) -> list[Line]:
    """Every source of an answer."""
    return cited(answer.sources, say)


def cited(sources: Iterable[str], say: Speaker) -> list[Line]:
    """Sources by their ids, each with its publisher and the day it was read."""
    catalog = load_catalog().sources
    lines: list[Line] = []
    for source in (catalog[name] for name in dict.fromkeys(sources) if name in catalog):
        label = (Span(source.title, "link", source.url),) if source.url else (Span(source.title),)
        tail = say.line(_(" — {publisher}, read {date}"), publisher=source.publisher, date=say.date(source.read))
        lines.append((Span("• "), *label, *tail))
    return lines


def arithmetic(plan: MethodPlan, say: Speaker) -> list[Line]:
    """How the memory of one method comes about."""
    memory = plan.rule
    lines = [say.line(_("{method}: {formula}"), method=say.method(plan.method), formula=say.formula(memory.formula))]
    if plan.method in {"full", "full_8bit"}:
        parts = ", ".join(
            say.text(
                _("{part} {formula} = {gb}"),
                part=say.text(TERM_NAMES[term.name]),
                formula=say.formula(term.formula),
                gb=say.gb(term.gb),
            )
            for term in memory.terms
        )
        lines.append(say.line(_("  of which {parts}"), parts=parts))
    return lines


TERM_NAMES = {
    "weights": _("weights"),
    "optimizer": _("optimizer"),
    "gradients": _("gradients"),
    "overhead": _("margin"),
    "activations": _("activations"),
    "logits": _("logits"),
    "kv_cache": _("KV cache"),
    "adapters": _("adapters"),
    "gathered": _("whole layers at work"),
    "reference": _("reference model"),
    "rollout": _("generating engine"),
    "reward": _("reward model"),
    "value": _("value model"),
}


def basket_text(say: Speaker, basket: Basket) -> str:
    """ "2 blocks of 168 h + 1 block of 24 h"."""
    return " + ".join(
        say.many_text("{n} block of {hours} h", "{n} blocks of {hours} h", block.count, hours=say.number(block.hours))
        for block in basket.blocks
    )


def hours_text(say: Speaker, hours: Decimal) -> str:
    """Hours with their unit."""
    return say.text(_("{n} h"), n=say.number(hours, 2)).replace(" ", NBSP)


def run_lines(run: RunCost, say: Speaker) -> list[Line]:
    """What a run costs and which blocks to buy for it."""
    lines = [
        say.line(
            _("<b>{usd}</b> for {hours} on {configuration}"),
            usd=say.usd(run.usd),
            hours=hours_text(say, run.hours),
            configuration=configuration(run.gpu, run.count),
        ),
        say.line(
            _("{gpu_hours} GPU-hours × {price}"),
            gpu_hours=say.number(run.gpu_hours),
            price=per_hour(say, run.usd_per_hour / run.count),
        ),
        say.line(
            _("To buy: {basket} = <b>{usd}</b>"), basket=basket_text(say, run.basket), usd=say.usd(run.basket.usd)
        ),
    ]
    if run.round is not None and run.exact != run.basket:
        lines.append(
            say.line(_("Or exactly: {basket} = {usd}"), basket=basket_text(say, run.exact), usd=say.usd(run.exact.usd))
        )
    return lines


def block_line(block: RunCost, say: Speaker) -> Line:
    """The 10-hour block's price for a configuration."""
    if block.count == 1:
        return say.line(
            _("{hours}-hour block: <b>{usd}</b>"),
            hours=say.number(block.basket.gpu_hours),
            usd=say.usd(block.basket.usd),
        )
    return say.line(
        _("{hours}-hour block: <b>{usd}</b>, {wall} on {configuration}"),
        hours=say.number(block.basket.gpu_hours),
        usd=say.usd(block.basket.usd),
        wall=hours_text(say, block.hours),
        configuration=configuration(block.gpu, block.count),
    )


def quote_lines(answer: Answer, say: Speaker) -> list[Line]:
    """Amounts in coins and in the currency asked for, each rate once, with its sources, time and validity."""
    amounts = [
        say.line(
            _("≈ <code>{amount}</code> {coin} for {usd}"),
            amount=f"{quote.amount:f}",  # as a wallet takes it
            coin=quote.coin,
            usd=say.usd(quote.usd),
        )
        for quote in answer.quotes
    ]
    rates = {(quote.coin, quote.usd_rate): quote for quote in answer.quotes}
    return (
        worth_lines(answer.local, say)
        + amounts
        + [
            say.line(
                _("1 {coin} = {rate} ({sources}, {time}, valid until {until})"),
                coin=quote.coin,
                rate=say.usd(quote.usd_rate),
                sources=", ".join(quote.sources),
                time=say.time(quote.as_of),
                until=say.time(quote.valid_until),
            )
            for quote in rates.values()
        ]
    )


def worth_lines(worth: Worth | None, say: Speaker) -> list[Line]:
    """An amount of a coin or currency in dollars, with the rate."""
    if worth is None or worth.rate is None:
        return []
    rate = worth.rate
    said = say.line(
        _("<b>{amount}</b> = <b>{usd}</b>"),
        amount=say.money(worth.amount, worth.code),
        usd=say.usd(worth.usd),
    )
    values = {"code": worth.code, "sources": ", ".join(rate.sources), "time": say.time(rate.as_of)}
    if worth.code in COIN_DIGITS:
        one = say.line(_("1 {code} = {rate} ({sources}, {time})"), rate=say.usd(rate.value), **values)
        return [one] if worth.amount == 1 else [said, one]
    shown = say.number(rate.value, 8)
    return [
        said,
        say.line(_("{usd} = {rate} {code} ({sources}, {time})"), usd=say.usd(Decimal(1)), rate=shown, **values),
    ]


def spare_text(option: Option, say: Speaker) -> str:
    """Spare or missing gigabytes."""
    gb = say.gb(abs(option.spare_gb)) if option.basis == "total" else about(abs(option.spare_gb), say)
    if option.basis == "per_gpu" and option.count > 1:
        if option.spare_gb >= 0:
            return say.text(_("{gb} to spare per GPU"), gb=gb)
        return say.text(_("{gb} missing per GPU"), gb=gb)
    if option.spare_gb >= 0:
        return say.text(_("{gb} to spare"), gb=gb)
    return say.text(_("{gb} missing"), gb=gb)


def rounded(gb: float) -> float:
    """An estimate in GB with no more digits than it deserves."""
    return round(gb, 1) if abs(gb) < 20 else round(gb)


def about(gb: float, say: Speaker) -> str:
    """The same with its unit."""
    return say.gb(rounded(gb))
