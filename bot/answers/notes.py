"""The closed list of note codes: what can be said beside the figures.  render/ has a sentence for each."""

from __future__ import annotations

from typing import Final

#: Assumptions: what the figures take for granted.  Values in braces.
ASSUMPTIONS: Final[dict[str, str]] = {
    "version_assumed": "a family was named without a version; {model} was taken",
    "size_assumed": "a number without unit was read as {params_b} billion parameters",
    "exact_size": "the name understates the size; {params_b} billion parameters were counted",
    "count_assumed": "no GPU count was stated; {count} was taken",
    "bits_assumed": "no weight precision was stated; {bits} bits were taken",
    "short_context": "inference plan: weights plus a margin of {margin_percent} %, short context",
    "rule_tier": "planning rules from sources, not measurements; sequence length and batch change activations",
    "split_assumed": "several GPUs: the model is split over them (FSDP or DeepSpeed ZeRO-3)",
    "ten_hour_block": "no hours were stated; the price of a {hours}-hour block stands in",
    "method_assumed": "no method was stated; {method} was taken",
    "page_70b": "no size was stated; 70 billion parameters were taken as the example",
}

#: Notes: what else the reader of an answer should know.
NOTES: Final[dict[str, str]] = {
    "cheaper_slow": "{option} costs less and holds it, but has no NVLink: slow when split",
    "only_slow": "only configurations without NVLink hold it: slow when split",
    "tight": "the floor fits, the plan does not: {gb} GB missing",
    "tight_qlora_48": "{option} is tight; the QLoRA authors fine-tuned {params_b} billion on one {gb} GB GPU",
    "nothing_fits": "no configuration in one instance holds {method}; {fits} would fit",
    "nodes": "{gpus} x {gpu} over {nodes} hosts would hold it ({usd} per hour)",
    "not_rented": "{gpu} is not for rent here",
    "weights_exceed": "in {bits} bits the weights alone take {weights} GB, more than the card's {vram} GB",
    "run_details": "context, batch, rank or users were stated; the planning rule does not count them ({stated})",
    "rl_extra": "{algo} keeps further copies of the model; the rule does not count them",
    "four_bit": "in 4 bits the weights take {floor} GB, plan {plan} GB: {option}",
    "no_run_time": "the shop publishes no run times; it depends on tokens, sequence length and batch",
    "measure": "run a {hours}-hour block, measure steps per hour, then size the run",
    "measured_hours": "{steps} steps at {steps_per_hour} per hour take {hours} hours",
    "configuration_price": "{count} x {gpu} together cost {usd} per hour",
    "budget_tight": "choose {gpu} when the budget is fixed",
    "deadline_tight": "choose {gpu} when the deadline is",
    "peak_figures": "vendor peak figures; real speed depends on software",
    "pcie_lower": "the {gpu} figures are for SXM; PCIe boards are slower",
    "times_dearer": "{dear} hardware costs about {times} times {cheap}'s per hour at our prices",
    "times_market": "at competitors' prices: {times} ({high} at {high_provider}, {low} at {low_provider})",
    "lora_comparable": "the LoRA paper: comparable results with {times} times fewer trainable parameters",
    "no_rate": "no exchange rate is at hand, so the amount stays in dollars",
    "rate_old": "the newest rate is of {moment}: too old for an amount in {coin}",
    "rate_away": "no source gives a rate for {coin} now, so the amount stays in dollars",
    "rate_disagree": "the sources of rates for {coin} contradict each other, so the amount stays in dollars",
    "rate_ageing": "the rate is over five minutes old",
    "rate_manual": "the rate was set by the shop, not taken from a market",
    "rate_single": "only {source} gives a rate",
    "rate_dropped": "{source} was left out: too far from the others",
    "off_peg": "{coin} trades at {usd}, not at a dollar",
    "at_par": "no rate for {coin} is at hand; a dollar each was counted",
    "no_rate_budget": "no exchange rate for {currency} is at hand; state the budget in dollars",
    "estimate_pay": "an estimate: pay the exact amount and address that the dashboard shows",
    "topup_binds": "the smallest top-up is {usd}",
    "left_over": "{hours} GPU-hours are left over and never expire",
    "which_gpu": "the GPU is missing to compute this",
    "which_size": "the model or size is missing to compute this",
    "which_hours": "the hours are missing to compute this",
    "size_wanted": "the family comes in several sizes",
    "size_not_in_family": "the family has no such size; the size was planned",
    "not_understood": "nothing was recognised",
    "not_language_model": "{model} is not a text model: not covered",
    "not_covered": "not about GPUs, memory or cost",
    "not_advice": "no investment advice",
    "no_mining": "mining is not what this plans",
    "unpublished": "the shop has not published this yet",
    "on_count": "{method} fits on {count}: {option}",
    "not_on_count": "{method} does not fit on {count} of any GPU for rent; {option} is the simplest that holds it",
    "failed_gpu": "the run failed on {gpu}, which has {vram} GB",
    "speed_unknown": "tokens per second are not published; the bandwidth of the card is the upper limit",
    "less_than_block": "less than the smallest block ({hours} hours)",
    "algo_not_counted": "quantising or merging is not estimated",
}

CODES: Final = ASSUMPTIONS | NOTES
