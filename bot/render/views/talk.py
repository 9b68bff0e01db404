"""faq, human, smalltalk, unsupported, errors: words around the shop's facts."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from bot.answers.answer import Answer
from bot.render.document import Builder, Line, Span
from bot.render.i18n import Speaker, _
from bot.render.views.common import close, gpu_name
from bot.shop.shop import Fact

_EXAMPLES = (_("70B with LoRA?"), _("does Llama 3.1 8B fit on an L40S?"), _("2x H100 for 24 hours"))


def example_lines(say: Speaker) -> list[Line]:
    """Three things one can ask."""
    return [
        say.line(_("For example:")),
        *(say.line(_("• {example}"), example=say.text(example)) for example in _EXAMPLES),
    ]


def examples(say: Speaker) -> list[str]:
    """The three examples as texts."""
    return [say.text(example) for example in _EXAMPLES]


def view_smalltalk(answer: Answer, say: Speaker, build: Builder) -> None:
    """Who this is and what it can do."""
    build.line(
        say.line(_("Hello! I tell you which GPU fits your model, show the memory arithmetic and what it costs."))
    )
    build.lines(example_lines(say))


def view_unsupported(answer: Answer, say: Speaker, build: Builder) -> None:
    """One honest sentence, then what can be asked."""
    close(answer, say, build)
    build.line(
        say.line(_("I can tell you which GPU fits a language model, how much memory it takes and what it costs."))
    )
    build.lines(example_lines(say))


def view_human(answer: Answer, say: Speaker, build: Builder) -> None:
    """How to reach a person."""
    contact = answer.links.support_contact
    if contact:
        build.line(say.line(_("You can reach a person here: <b>{contact}</b>"), contact=contact))
    else:
        build.line(say.line(_("I can't hand you over to a person here yet: please write to the shop's support.")))
    build.line(say.line(_("Meanwhile I can answer questions about GPUs, memory and prices.")))


def view_error(answer: Answer, say: Speaker, build: Builder) -> None:
    """What can't be planned, the allowed range and the nearest value."""
    problem = answer.error
    if problem is None:
        return
    low, _dash, high = problem.allowed.partition("-")
    if problem.field == "params_b":
        build.line(
            say.line(
                _("I can plan models from {low} to {high} parameters."),
                low=say.params(float(low)),
                high=say.params(float(high)),
            )
        )
        if problem.nearest:
            build.line(
                say.line(
                    _("Nearest: {nearest}. Try “{example}”."),
                    nearest=say.params(float(problem.nearest)),
                    example="70B LoRA",
                )
            )
    elif problem.field == "count":
        build.line(say.line(_("One instance has {low} to {high} GPUs."), low=low, high=high))
        if problem.nearest:
            build.line(
                say.line(
                    _("Ask with {nearest}, e.g. “{example}”."),
                    nearest=problem.nearest,
                    example=f"{problem.nearest}x H100",
                )
            )
    elif problem.code == "memory_not_fixed":
        build.line(
            say.line(
                _("That machine's memory differs by model. Tell me how many GB it has, e.g. “what fits in 64 GB?”.")
            )
        )
    elif problem.field == "lora_rank":
        build.line(
            say.line(
                _(
                    "A LoRA rank can't exceed the model's hidden size. Name one from {low} to {high}; 8 to 64 are usual."
                ),
                low=low,
                high=high,
            )
        )
    elif problem.field == "tokens":
        build.line(say.line(_("That training would take more than ten years: name fewer tokens.")))
    elif problem.field == "hours":
        build.line(say.line(_("That many hours can't be priced. Name from one minute to ten years.")))
    elif problem.field == "budget_usd":
        build.line(say.line(_("I can count amounts up to {most}."), most=say.usd(Decimal(high))))
    elif problem.code == "unknown" and problem.nearest:
        build.line(say.line(_("I don't know that GPU. Did you mean {gpu}?"), gpu=gpu_name(problem.nearest)))
    else:
        build.line(
            say.line(
                _("I can't compute that: {field} has to be {allowed}."), field=problem.field, allowed=problem.allowed
            )
        )
    build.lines(example_lines(say))


def view_faq(answer: Answer, say: Speaker, build: Builder) -> None:
    """The shop's facts on a topic."""
    facts = {fact.key: fact for fact in answer.facts if fact.locale is None}
    heading = TOPIC_HEADINGS[answer.topic or "other"]
    build.line(say.line(heading))
    for key, fact in facts.items():
        line = _fact_line(key, fact, say)
        if line:
            build.line(line)
    build.lines([_told(fact, say) for fact in _texts(answer, say)])
    if any(fact.value is None for fact in answer.facts):
        contact = answer.links.support_contact
        if contact:
            build.line(say.line(_("Ask a person about it: {contact}"), contact=contact))
    if answer.links.dashboard_url and answer.topic in {"payment", "topup", "start", "hardware"}:
        build.line((Span(say.text(_("Open the dashboard")), "link", answer.links.dashboard_url),))
    dates = {fact.as_of for fact in answer.facts}
    if dates:
        build.line(say.line(_("As of {date}."), date=say.date(max(dates))))
    close(answer, say, build, skip=frozenset({"unpublished"}))


def _texts(answer: Answer, say: Speaker) -> list[Fact]:
    """The shop's own texts, each in the reader's language where it is told in that, else in English, else as it is."""
    chosen: dict[str, Fact] = {}
    wanted = {say.locale: 0, "en": 1}
    for fact in sorted(answer.facts, key=lambda one: wanted.get(one.locale or "", 2)):
        if fact.locale is not None:
            chosen.setdefault(fact.key, fact)
    return list(chosen.values())


def _told(fact: Fact, say: Speaker) -> Line:
    return say.line(
        _("• {text} ({source}, {date})"), text=str(fact.value), source=fact.source, date=say.date(fact.as_of)
    )


TOPIC_HEADINGS = {
    "payment": _("<b>Paying</b>"),
    "expiry": _("<b>Do hours expire?</b>"),
    "kyc": _("<b>Identity</b>"),
    "topup": _("<b>Topping up</b>"),
    "software": _("<b>Software for each method</b>"),
    "start": _("<b>Getting started</b>"),
    "hardware": _("<b>Hardware</b>"),
    "refund": _("<b>Refunds</b>"),
    "privacy": _("<b>Privacy</b>"),
    "other": _("<b>About the shop</b>"),
}


def _fact_line(key: str, fact: Fact, say: Speaker) -> Line:
    """One fact as a sentence; an unpublished one says so; facts without a sentence stay silent."""
    if fact.value is None:
        return say.line(_("• {what}: not published yet."), what=say.text(UNPUBLISHED.get(key, _("This"))))
    sentence = _SENTENCES.get(key)
    return sentence(fact, say) if sentence is not None else ()


UNPUBLISHED = {
    "other_money": _("Any other way to pay (PIX, PayPal, bank transfer)"),
    "networks": _("Which networks each coin is taken on (TRC20, ERC20, ...)"),
    "preinstalled": _("What is installed on the machines (SSH, Docker, Jupyter, images)"),
    "time_to_start": _("How soon a machine is ready after paying"),
    "interconnect": _("Which hosts have NVLink"),
    "policy": _("A refund policy"),
    "data_on_servers": _("What happens to data on the servers"),
    "regions": _("A list of countries and regions"),
    "terms": _("Company details, discounts and guarantees"),
}

SHOWN_NAMES = {
    "country": _("country"),
    "gpu_count": _("number of GPUs"),
    "form_factor": _("form factor (SXM or PCIe)"),
    "interconnect": _("interconnect"),
}


def _list(fact: Fact) -> tuple[str, ...]:
    return fact.value if isinstance(fact.value, tuple) else (str(fact.value),)


def _shown(fact: Fact, say: Speaker) -> Line:
    what = ", ".join(say.text(SHOWN_NAMES[name]) for name in _list(fact) if name in SHOWN_NAMES)
    return say.line(_("• Before you start, the dashboard shows each host's {what}."), what=what)


def _minimum(fact: Fact, say: Speaker) -> Line:
    return say.line(_("• The smallest top-up is <b>{usd}</b>."), usd=say.usd(Decimal(str(fact.value))))


_SENTENCES: dict[str, Callable[[Fact, Speaker], Line]] = {
    "coins": lambda f, s: s.line(_("• You pay in crypto: <b>{coins}</b>."), coins=", ".join(_list(f))),
    "card_needed": lambda f, s: () if f.value else s.line(_("• No card needed.")),
    "id_needed": lambda f, s: () if f.value else s.line(_("• No ID needed.")),
    "unused_hours_expire": lambda f, s: () if f.value else s.line(_("• Unused GPU-hours <b>never expire</b>.")),
    "billed_per": lambda f, s: s.line(_("• A running instance uses your hours up minute by minute.")),
    "minimum_usd": _minimum,
    "blocks": lambda f, s: s.line(
        _("• GPU-hours come in blocks of {blocks}."), blocks=", ".join(s.number(int(n)) for n in _list(f))
    ),
    "same_rate": lambda f, s: s.line(_("• The price per hour is the same in every block.")) if f.value else (),
    "block_bound_to_gpu": lambda f, s: (
        s.line(_("• A block is for one GPU model; any instance of that GPU uses it.")) if f.value else ()
    ),
    "trl_qlora": lambda f, s: s.line(
        _("• QLoRA: one Hugging Face TRL command with <code>{flags}</code>."), flags=f.value
    ),
    "trl_lora": lambda f, s: s.line(_("• LoRA: the same command with <code>{flags}</code> alone."), flags=f.value),
    "trl_accelerate": lambda f, s: s.line(
        _("• LoRA on several GPUs and full fine-tuning: add <code>{flag}</code> with a ready profile."), flag=f.value
    ),
    "accelerate_profiles": lambda f, s: s.line(
        _("• Profiles: <code>{profiles}</code> (FSDP; DeepSpeed ZeRO-3)."), profiles=", ".join(_list(f))
    ),
    "gated_weights": lambda f, s: s.line(
        _("• {model} weights on Hugging Face are gated: accept Meta's licence on the model page first."), model=f.value
    ),
    "first_block_hours": lambda f, s: s.line(
        _("• Start with a {hours}-hour block and measure your steps per hour."), hours=f.value
    ),
    "dashboard_shows": _shown,
    "gpus_per_host_max": lambda f, s: s.line(_("• Hosts have 1 to {n} GPUs."), n=f.value),
    "form_factor_per_host": lambda f, s: s.line(_("• SXM or PCIe depends on the host.")) if f.value else (),
    "country_shown": lambda f, s: (
        s.line(_("• The dashboard shows each host's country before you start.")) if f.value else ()
    ),
    "prices_checked": lambda f, s: (
        s.line(_("• Prices carry the day they were checked, and every figure its source.")) if f.value else ()
    ),
}
