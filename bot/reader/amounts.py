"""Time, money and the details of a run: the slots that numbers fill."""

from __future__ import annotations

from decimal import Decimal
from typing import Final, get_args

from bot.reader.clock import clock_span
from bot.reader.quantities import Quantity
from bot.reader.question import Coin
from bot.reader.reading import Reading
from bot.reader.scan import Scan

#: Longer spans are no rental; the planner refuses them anyway.
_MAX_HOURS: Final = 1e7
#: Of seven days.
_WORKDAYS: Final = 5 / 7
#: Words of a message that only asks on.
_BRIEF: Final = 5
_MOST_EPOCHS: Final = 100
_COINS: Final = frozenset(get_args(Coin))
_SOFTWARE: Final = (
    *("unsloth", "axolotl", "vllm", "sglang", "ollama", "llama.cpp"),
    *("torchtune", "deepspeed", "trl", "exllama", "tgi", "lmdeploy"),
)


def read_amounts(scan: Scan, reading: Reading) -> None:
    """Fill hours, budget and coin, context, batch, rank, users, data sizes and software."""
    _durations(scan, reading)
    _money(scan, reading)
    _run_details(scan, reading)
    _software(scan, reading)


# -- time and money --------------------------------------------------------------------------------------------------


def _durations(scan: Scan, reading: Reading) -> None:
    spans = scan.role("hours")
    total = clock_span(scan)
    if total is None and spans:
        total = _combined(scan, spans)
        if total is not None:
            last = spans[-1]
            reading.mention_tokens(scan, "hours", spans[0].start, last.end, total)
    for quantity in scan.role("gpu_hours"):
        if total is None and 0 < quantity.value < _MAX_HOURS:
            reading.slots["gpu_hours"] = _hours(quantity.value)
            reading.mention_tokens(scan, "gpu_hours", quantity.start, quantity.end, quantity.value)
            total = quantity.value / reading.slots.get("count", 1)
    if total is None:
        total = _unit_alone(scan)
    if total is not None and 0 < total < _MAX_HOURS:
        reading.slots["hours"] = _hours(total)


def _hours(value: float) -> Decimal:
    whole = Decimal(repr(round(value, 4)))
    return whole.quantize(Decimal(1)) if whole == whole.to_integral_value() else whole


def _combined(scan: Scan, spans: list[Quantity]) -> float | None:
    first = spans[0]
    per_day = len(spans) > 1 and first.value <= 24 and first.value < spans[1].value and _per_day(scan, first.end)
    if per_day:
        days = spans[1].value / 24
        return first.value * days * (_WORKDAYS if scan.has("workdays") else 1.0)
    value = first.value
    if len(spans) > 1 and spans[1].start - first.end <= 1 and spans[1].value < first.value:
        value += spans[1].value  # 2 days and 6 hours
    if _per_epoch(scan, first):
        value *= _epochs(scan) or 1
    return value


def _epochs(scan: Scan) -> float | None:
    """How many epochs a time per epoch is stated for: "6 epochs", or in "1h40 per epoch, I'll do 6" the one number."""
    stated = next((q.value for q in scan.role("epochs") if q.value > 1), None)
    bare = [q.value for q in scan.role("bare") if 1 < q.value <= _MOST_EPOCHS and q.value == int(q.value)]
    return stated or (bare[0] if len(bare) == 1 else None)


def _per_day(scan: Scan, index: int) -> bool:
    near = scan.tokens[index : index + 3]
    days = {hit.start for hit in scan.by_concept.get("unit", ()) if hit.value == 24.0}
    return any(index + offset in days for offset in range(len(near)))


def _per_epoch(scan: Scan, time: Quantity) -> bool:
    """ "an epoch takes 2 hours", "2 hours per epoch"."""
    pers = {hit.end for hit in scan.by_concept.get("per", ()) if hit.start == time.end}
    return any(0 <= time.start - hit.end <= 2 or hit.start in pers for hit in scan.by_concept.get("epochs", ()))


def _unit_alone(scan: Scan) -> float | None:
    """ "uma semana", "pacote mensal", "por mês": a unit without a figure."""
    for hit in scan.by_concept.get("unit", ()):
        length = float(hit.value or 0)
        if length < 24 or (hit.start == 0 and len(scan.tokens) == 1):
            continue
        if any(other.end == hit.start for other in scan.by_concept.get("per", ())) or scan.has("block"):
            return length
        if scan.words() <= _BRIEF and scan.has("cue.followup"):
            return length  # "and for a week?"
        rented = {gpu.end for gpu in scan.gpus} | {count.end for count in scan.role("count")}
        if hit.start in rented:
            return length  # "8 kartu seminggu"
    return None


def _money(scan: Scan, reading: Reading) -> None:
    for quantity in scan.role("dollars"):
        reading.slots["budget_usd"] = quantity.exact
        if quantity.unit in {"USDT", "USDC"}:
            reading.slots["coin"] = quantity.unit
        reading.mention_tokens(scan, "money", quantity.start, quantity.end, str(quantity.exact))
        break
    for quantity in scan.role("money"):
        if "budget_usd" in reading.slots:
            break
        reading.slots["budget"] = quantity.exact
        reading.slots["currency"] = quantity.unit
        if quantity.unit in _COINS:
            reading.slots["coin"] = quantity.unit
        reading.mention_tokens(scan, "money", quantity.start, quantity.end, str(quantity.exact))
        break
    if "budget_usd" not in reading.slots and "budget" not in reading.slots:
        weights = {index for name in ("full", "lora") for hit in scan.by_concept.get(f"method.{name}", ())
                   for index in range(hit.start, hit.end)}  # "todos los pesos"  # fmt: skip
        money = [hit for hit in scan.by_concept.get("money", ()) if hit.start not in weights]
        named = {str(hit.value) for hit in money if hit.value != "USD"}
        if len(named) == 1:
            reading.slots["currency"] = named.pop()  # "how many euros is that?"
    coins = [hit for hit in scan.by_concept.get("coin", ()) if hit.value in _COINS]
    names = list(dict.fromkeys(str(hit.value) for hit in coins))
    priced = [q for role in ("dollars", "money") for q in scan.role(role) if q.unit in _COINS]
    target = [str(h.value) for h in coins if not any(q.start <= h.start < q.end for q in priced)]
    if target and ("coin" not in reading.slots or reading.slots["coin"] not in target) and len(set(target)) == 1:
        reading.slots["coin"] = target[-1]
    if len(names) > 1 and "budget_usd" not in reading.slots and "budget" not in reading.slots:
        reading.slots.pop("coin", None)
        reading.notes.append("several_coins")
    for hit in coins:
        reading.mention_tokens(scan, "coin", hit.start, hit.end, hit.value)


# -- the run ---------------------------------------------------------------------------------------------------------


def _run_details(scan: Scan, reading: Reading) -> None:
    names = {"context": "context", "batch": "batch", "rank": "lora_rank", "users": "users", "examples": "examples",
             "tokens": "tokens", "epochs": "epochs", "steps": "steps"}  # fmt: skip
    for role, slot in names.items():
        for quantity in scan.role(role):
            if role == "steps" and _per_hour(scan, quantity.end):
                reading.slots.setdefault("steps_per_hour", quantity.value)
                reading.mention_tokens(scan, "steps_per_hour", quantity.start, quantity.end, quantity.value)
                continue
            if slot in reading.slots or quantity.value <= 0 or quantity.value > 1e15:
                continue
            value: float | int = quantity.value if slot == "epochs" else round(quantity.value)
            if slot == "epochs" and (value == int(value)):
                value = int(value)
            reading.slots[slot] = value
            reading.mention_tokens(scan, role, quantity.start, quantity.end, value)
    if reading.slots.get("epochs") == 1 and _per_epoch_only(scan):
        del reading.slots["epochs"]
    times = scan.role("hours")
    if reading.slots.get("epochs", 1) == 1 and times and _per_epoch(scan, times[0]) and (count := _epochs(scan)):
        reading.slots["epochs"] = int(count)
    more = [q.value for q in scan.role("epochs") if q.value > 1]
    if more:
        reading.slots["epochs"] = int(more[0]) if more[0] == int(more[0]) else more[0]


def _per_hour(scan: Scan, index: int) -> bool:
    """ "250 steps per hour": a rate, measured by the user."""
    hours = {hit.start for hit in scan.by_concept.get("unit", ()) if hit.value == 1.0}
    ends = {hit.end for hit in scan.by_concept.get("per", ()) if hit.start == index}
    return bool(ends & hours)


def _per_epoch_only(scan: Scan) -> bool:
    return len(scan.role("epochs")) > 1


def _software(scan: Scan, reading: Reading) -> None:
    found = next((name for name in _SOFTWARE if name in scan.normal.norm), None)
    if found is not None:
        reading.slots["software"] = found
