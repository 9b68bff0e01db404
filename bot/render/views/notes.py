"""A sentence for every note code of bot/answers/notes.py."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from bot.answers.answer import Note
from bot.render.document import Line
from bot.render.i18n import NBSP, Speaker, _
from planner.catalog import load_catalog
from planner.fit import Option

SENTENCES: Final[dict[str, str]] = {
    # assumptions
    "size_assumed": _("I read {number} as {params_b} parameters."),
    "version_assumed": _("No version was named, so {model} was taken."),
    "exact_size": _("The name rounds the size down: {params_b} parameters were counted."),
    "count_assumed": _("No number of GPUs was named, so {count} was taken."),
    "bits_assumed": _("No precision was named, so {bits}-bit weights were taken."),
    "short_context": _("Running: weights plus a {margin_percent}% margin, enough for a short context."),
    "rule_tier": _(
        "These are planning rules from the sources, not measurements: longer sequences and bigger batches take more, gradient checkpointing takes less."
    ),
    "layers_tier": _(
        "Estimated from the model's layers and checked against published measurements: your software and its settings can move it within the range."
    ),
    "split_assumed": _("With several GPUs the model is split over them (FSDP or DeepSpeed ZeRO-3)."),
    "ten_hour_block": _("No hours were named, so the price of a {hours}-hour block is shown."),
    "method_assumed": _("No method was named, so {method} was taken."),
    "example_tokens": _("No length was named, so {tokens} tokens per example were counted."),
    "from_speeds": _(
        "Estimated from published training speeds ({rows} runs, {percent}% of the peak): short unpacked examples, a slow disk or small batches take longer."
    ),
    "page_70b": _("No size was named, so 70B is the example."),
    # notes
    "cheaper_slow": _("{option} costs less ({price}, {vram} in all), but has no NVLink: slow when the model is split."),
    "only_slow": _("⚠ These GPUs have no NVLink: training split over them is slow."),
    "tight": _("⚠ Tight: the bare minimum fits, but {gb} are missing for a safe plan."),
    "tight_qlora_48": _("{option} is tight: the QLoRA authors did fine-tune a {params_b} model on one {gb} GPU."),
    "nothing_fits": _("✗ Nothing in one instance holds this."),
    "nothing_fits_but": _("✗ Nothing in one instance holds {method}; {fits} would fit on {option}."),
    "nodes": _("Over several hosts: {gpus}×{nbsp}{gpu} on {nodes} hosts ({usd}/h in all)."),
    "not_rented": _("{gpu} is not for rent here."),
    "weights_exceed": _("In {bits}-bit the weights alone take {weights}, more than the {vram} there."),
    "context_beyond": _(
        "⚠ {model} was made for {tokens} tokens at most: more needs a stretched context (RoPE scaling)."
    ),
    "four_bit_run": _("In 4-bit: {option} ({price})."),
    "rl_copies": _(
        "{algo} keeps further copies of the model: counted by assumption, not checked against measurements."
    ),
    "rl_extra": _("⚠ {algo} keeps further copies of the model in memory; this figure does not count them."),
    "four_bit": _("In 4-bit: {plan} (weights {floor}) → {option} ({price})."),
    "no_run_time": _(
        "No run times are published here, because nobody measured yours: it depends on tokens, sequence length and batch."
    ),
    "full_length": _("Every example was counted with {tokens} tokens, as you named them."),
    "tokens_wanted": _("For an estimate, name the tokens or examples: “7B LoRA, 10k examples of 800 tokens, 1x A100”."),
    "deadline_met": _("✓ Within {hours} h: {option} ({price}) is the cheapest expected to finish."),
    "deadline_missed": _("✗ Nothing is expected to finish within {hours} h; the fastest is {option} ({price})."),
    "own_method": _("No method was named, so yours was taken: {method} (/settings)."),
    "measure": _("Start with a {hours}-hour block, measure your steps per hour, then size the whole run from that."),
    "measured_hours": _("{steps} steps at {steps_per_hour} an hour take <b>{hours} h</b>."),
    "configuration_price": _("{configuration} together: <b>{usd}/h</b>."),
    "budget_tight": _("Fixed budget → {configuration}."),
    "deadline_tight": _("Fixed deadline → {configuration}."),
    "peak_figures": _("TFLOPS and bandwidth are the vendor's peak figures; real speed depends on your software."),
    "pcie_lower": _("{gpu} figures are for the SXM form; PCIe boards are slower."),
    "times_dearer": _("Per hour of hardware, {dear} costs about <b>{times}×</b> {cheap} at our prices."),
    "times_market": _(
        "At competitors' prices it is about {times}×: {high}/h ({high_provider}) against {low}/h ({low_provider})."
    ),
    "lora_comparable": _(
        "The LoRA paper reports quality on par with full fine-tuning on the tasks it tested, with {times}× fewer trainable parameters."
    ),
    "no_rate": _("No exchange rate is at hand right now, so the amount stays in dollars."),
    "rate_old": _("The newest exchange rate for {coin} is of {moment}, too old: the amount stays in dollars."),
    "rate_away": _("No source gives an exchange rate for {coin} right now: the amount stays in dollars."),
    "rate_disagree": _("The sources of exchange rates for {coin} contradict each other: the amount stays in dollars."),
    "rate_ageing": _("⚠ This rate is more than five minutes old."),
    "rate_manual": _("⚠ This rate was set by hand, not taken from a market."),
    "rate_single": _("⚠ Only one source gives this rate: {source}."),
    "rate_dropped": _("Left out, too far from the others: {source}."),
    "off_peg": _("⚠ {coin} trades at {usd}, not at a dollar."),
    "at_par": _("No exchange rate for {coin} is at hand: a dollar each was counted."),
    "no_rate_currency": _("No exchange rate for {currency} is at hand, so the amount stays in dollars."),
    "no_rate_budget": _("No exchange rate for {currency} is at hand: tell me the budget in dollars, e.g. “$50”."),
    "estimate_pay": _("Estimate: pay the exact amount and address that your dashboard shows."),
    "topup_binds": _("The smallest top-up is {usd}."),
    "left_over": _("{hours} GPU-hours are left over; they never expire."),
    "which_gpu": _("Which GPU, and how many? For example “2x H100 for 24 hours”."),
    "which_size": _("Which model or size? For example “70B with LoRA”."),
    "which_hours": _("For how many hours? For example “24 hours”."),
    "size_wanted": _("Which size?"),
    "size_not_in_family": _("This family has no such size as far as I know, so the size alone was planned."),
    "not_understood": _("I could not find a model size, a GPU or a shop question in that."),
    "not_language_model": _("{model} is not a text model (image, video, speech or embedding), so I can't plan it."),
    "not_covered": _("That is outside what I do."),
    "closed_model": _(
        "The weights of that model are not public: it can't be trained or run on a rented GPU. Name an open one, e.g. “Llama 3.1 70B”."
    ),
    "not_advice": _("I don't give investment advice."),
    "no_mining": _("I plan language models, not mining."),
    "hub_read": _(
        "Estimated from the architecture in {model}'s config.json on its model hub, read {date}: {params_b} parameters."
    ),
    "hub_bits": _("The weights of {model} are stored in {bits}-bit, so running was counted with that."),
    "hub_off": _("Looking models up on a hub is turned off here, so I don't know {model}."),
    "hub_unasked": _("I don't know {model}; ask me in a chat and I look it up."),
    "hub_slow": _("The model hub did not answer in time about {model}: ask again in a moment."),
    "hub_away": _("I can't reach the model hub to read {model}: try again later."),
    "hub_busy": _(
        "The model hub takes no more questions right now, so I could not read {model}: try again in a few minutes."
    ),
    "hub_gated": _("{model} is gated: its config.json is only shown to those who accepted its terms."),
    "hub_missing": _("The model hub has no {model}, or it is private: please check the name."),
    "hub_no_revision": _("The model hub has no such revision of {model}: please check it."),
    "hub_no_config": _(
        "{model} has no config.json (GGUF files and adapters come without): its base model's name tells more."
    ),
    "hub_unreadable": _("I could not read the architecture in {model}'s config.json ({detail})."),
    "hub_unknown_type": _("{model} is of an architecture I can't count layer by layer yet ({detail})."),
    "hub_not_language": _("{model} is not a text-generating model ({detail}), so I can't plan it."),
    "hub_name_size": _("So I planned the size in its name, {params_b}, with typical layers of that size."),
    "hub_counted_size": _(
        "So I planned the {params_b} parameters that the hub counted in its files ({date}), with typical layers of that size."
    ),
    "hub_which_size": _("Tell me its size and I plan it, e.g. “13B LoRA”."),
    "unpublished": _("The shop has not published the rest yet."),
    "failed_gpu": _("Your run failed on {gpu} ({vram})."),
    "speed_unknown": _("Tokens per second are not published here; the card's memory bandwidth is the upper limit."),
    "less_than_block": _("Where it says 0 h, the budget is below the smallest block ({hours} h)."),
    "budget_below_block": _("That budget is below the smallest block of {gpu} ({hours} h)."),
    "algo_not_counted": _("Quantising and merging models are not estimated; the figures are for training or running."),
    "on_count": _("✓ {method} on {gpus}: {option} ({price})"),
    "not_on_count": _("✗ {method}: not on {gpus}"),
    "not_on_count_but": _("✗ {method}: not on {gpus}; needs {option} ({price})"),
}


def say_note(note: Note, say: Speaker) -> Line:
    """The note in the speaker's language."""
    code = note.code
    if code == "nothing_fits" and note.values.get("fits"):
        code = "nothing_fits_but"
    if code == "not_on_count" and "option" in note.values:
        code = "not_on_count_but"
    return say.line(SENTENCES[code], **_values(note, say))


def _values(note: Note, say: Speaker) -> dict[str, object]:
    values: dict[str, object] = {"nbsp": NBSP}
    for name, value in note.values.items():
        values[name] = _said(name, value, say)
        if isinstance(value, Option):
            values["price"] = (
                say.text(_("{usd}/h"), usd=say.usd(value.usd_per_hour)) if value.usd_per_hour is not None else ""
            )
            values["vram"] = say.gb(value.vram_gb)
    if isinstance(count := note.values.get("count"), int):
        values["gpus"] = gpus_text(count, say)
    if "gpu" in note.values and "count" in note.values:
        values["configuration"] = f"{note.values['count']}×{NBSP}{values['gpu']}"
    return values


def gpus_text(count: int, say: Speaker) -> str:
    """So many GPUs, of whatever model: "1 GPU", "2 GPUs"."""
    return say.many_text("{n} GPU", "{n} GPUs", count)


def _said(name: str, value: Any, say: Speaker) -> str:
    if isinstance(value, Option):
        return f"{value.count}×{NBSP}{load_catalog().gpus[value.gpu].name}"
    if name in {"method", "fits", "dear", "cheap"}:
        return say.method(str(value))
    if name == "gpu" and value in load_catalog().gpus:
        return load_catalog().gpus[value].name
    if name in {"usd", "high", "low"} and isinstance(value, Decimal):
        return say.usd(value)
    if name in {"gb", "weights", "vram", "floor", "plan"}:
        return say.gb(value)
    if name == "params_b":
        return say.params(value)
    if name == "times" and isinstance(value, Decimal):
        return say.number(round(value)) if value >= 10 else say.number(value, 1)
    if isinstance(value, datetime):
        return say.time(value)
    if isinstance(value, date):
        return say.date(value)
    if isinstance(value, int | float | Decimal):
        return say.number(value)
    return str(value)
