"""Scan -> Slots: what one message states, before it is merged with the chat's memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final, get_args

from bot.reader.lexicon import Hit
from bot.reader.names import NamedGpu, NamedModel, find_models
from bot.reader.question import Coin, Mention, Problem, Slots, Task
from bot.reader.quantities import Quantity
from bot.reader.scan import Scan
from planner.catalog import load_catalog
from planner.query import MAX_COUNT, MAX_PARAMS_B, MIN_PARAMS_B, TRAINING, Method

_COINS: Final = frozenset(get_args(Coin))
_WEAK_RUN: Final = frozenset({"chat", "chatbot", "api", "endpoint", "run", "work"})
_SOFTWARE: Final = (
    "unsloth",
    "axolotl",
    "vllm",
    "sglang",
    "ollama",
    "llama.cpp",
    "torchtune",
    "deepspeed",
    "trl",
    "exllama",
    "tgi",
    "lmdeploy",
)
_MEMORY_VARIANTS: Final = {"a100": {40: "a100-40", 80: "a100-80"}, "v100": {16: "v100-16", 32: "v100-32"},
                           "h100": {80: "h100", 94: "h100-nvl"}, "gh200": {96: "gh200", 144: "gh200-144"}}  # fmt: skip


@dataclass
class Reading:
    """Slots under construction, with what led to them."""

    slots: dict[str, Any] = field(default_factory=dict)
    mentions: list[Mention] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problem: Problem | None = None
    task: Task | None = None
    algo: str | None = None
    failed_gpu: str | None = None
    count_asked: bool = False
    sizes: list[float] = field(default_factory=list)
    negative: list[str] = field(default_factory=list)

    def frozen(self) -> Slots:
        """The finished slots."""
        return Slots(**self.slots)


def read_slots(scan: Scan) -> Reading:
    """Everything the message states, each number and name in one slot."""
    reading = Reading()
    _models(scan, reading)
    _sizes(scan, reading)
    _family_with_size(scan, reading)
    _methods(scan, reading)
    _bits(scan, reading)
    _gpus(scan, reading)
    _counts(scan, reading)
    _durations(scan, reading)
    _money(scan, reading)
    _run_details(scan, reading)
    _software(scan, reading)
    return reading


def _mention(scan: Scan, reading: Reading, role: str, start: int, end: int, value: object) -> None:
    """Record norm[start:end] as a mention in the original text."""
    first, last = scan.normal.span(start, end)
    reading.mentions.append(Mention(role, scan.normal.original[first:last], first, last, value))


def _token_mention(scan: Scan, reading: Reading, role: str, start: int, end: int, value: object) -> None:
    _mention(scan, reading, role, scan.tokens[start].start, scan.tokens[end - 1].end, value)


def _token_at(scan: Scan, offset: int) -> int:
    return next((i for i, token in enumerate(scan.tokens) if token.end > offset), len(scan.tokens))


# -- models and sizes -----------------------------------------------------------------------------------------------


def _models(scan: Scan, reading: Reading) -> None:
    kept = [m for m in scan.models if not scan.negated(_token_at(scan, m.start))]
    for model in kept:
        _mention(scan, reading, "model", model.start, model.end, model.model or model.candidates)
    named = [model for model in kept if model.model is not None]
    if named:
        first = named[0]
        reading.slots["model"] = first.model
        if first.params_b is not None:
            reading.slots["params_b"] = first.params_b
        if first.version_assumed:
            reading.notes.append("version_assumed")
        others = tuple(dict.fromkeys(m.model for m in named if m.model))
        if len(others) > 1:
            reading.slots["models"] = others
        return
    for model in kept:
        if model.params_b is not None:
            reading.slots["params_b"] = model.params_b
            reading.notes.append("size_not_in_family")
            return
    if kept:
        reading.slots["models"] = kept[0].candidates
        reading.notes.append("size_wanted")


def _sizes(scan: Scan, reading: Reading) -> None:
    stated = scan.role("params")
    good = [size for size in stated if not scan.negated(size.start, reach=1)] or stated
    for size in good:
        value = _clean(size.value)
        numeral = next((n for n in scan.numerals if n.start == size.start), None)
        _token_mention(scan, reading, "params", size.start, size.end, value)
        if (numeral is not None and numeral.negative) or not MIN_PARAMS_B <= size.value <= MAX_PARAMS_B:
            low = value < MIN_PARAMS_B or (numeral is not None and numeral.negative)
            nearest = MIN_PARAMS_B if low else MAX_PARAMS_B
            if reading.problem is None and "params_b" not in reading.slots:
                reading.problem = Problem(
                    "out_of_range", "params_b", f"{MIN_PARAMS_B:g}-{MAX_PARAMS_B:.0f}", f"{nearest:g}"
                )
            continue
        reading.sizes.append(value)
        if "params_b" not in reading.slots and "model" not in reading.slots:
            reading.slots["params_b"] = value
            reading.problem = None


def _clean(value: float) -> float:
    return round(value, 9)


def _family_with_size(scan: Scan, reading: Reading) -> None:
    """ "a qwen, the 14B one": a family and a size apart from each other belong together."""
    if "size_wanted" not in reading.notes or "params_b" not in reading.slots:
        return
    family = next(m for m in scan.models if m.model is None)
    size = f"{reading.slots['params_b']:g}b"
    joined: list[NamedModel] = find_models(f"{scan.normal.norm[family.start : family.end]} {size}", frozenset())
    reading.notes.remove("size_wanted")
    del reading.slots["models"]
    if joined and joined[0].model is not None:
        reading.slots["model"] = joined[0].model
        if joined[0].version_assumed:
            reading.notes.append("version_assumed")
    else:
        reading.notes.append("size_not_in_family")


# -- methods ---------------------------------------------------------------------------------------------------------


def _methods(scan: Scan, reading: Reading) -> None:
    found: list[tuple[int, int, Method]] = []
    eight = [hit for hit in scan.by_concept.get("method.full_8bit", ())]
    for method in TRAINING:
        for hit in scan.by_concept.get(f"method.{method}", ()):
            if method == "full" and not _means_full_training(scan, hit):
                continue
            if any(hit.start < other.end and other.start < hit.end for other in eight if hit is not other):
                continue
            if scan.negated(hit.start) and not _says_without_quantising(scan, hit):
                reading.negative.append(method)
                continue
            found.append((hit.start, hit.end, method))
    found = [
        f
        for f in found
        if not (f[2] == "lora" and any(o[2] == "qlora" and o[0] <= f[0] and f[1] <= o[1] for o in found))
    ]
    for start, end, method in sorted(found):
        _token_mention(scan, reading, "method", start, end, method)
    methods = list(dict.fromkeys(method for *_, method in sorted(found)))
    _tasks(scan, reading, bool(methods))
    if "full_8bit" in methods:
        methods = [m for m in methods if m != "full"]
    if not methods and scan.has("method.from_scratch"):
        methods = ["full"]
    if len(methods) > 1:
        reading.slots["methods"] = tuple(methods)
    if len(methods) == 1 or (methods and not scan.has("cue.compare", "cue.versus", "cue.either", "cue.which")):
        reading.slots["method"] = methods[0]
        reading.slots.pop("methods", None)
    elif not methods and reading.task == "run":
        reading.slots["method"] = "inference"


def _means_full_training(scan: Scan, hit: Hit) -> bool:
    """ "full fine-tune" yes; "full 131072 ctx", "R1 completo pra servir" no."""
    long = hit.end - hit.start > 1
    after = scan.tokens[hit.end] if hit.end < len(scan.tokens) else None
    if long:
        return True
    if after is not None and (
        after.kind == "number" or any(h.start == hit.end for h in scan.by_concept.get("context", ()))
    ):
        return False
    return not scan.has("method.inference") or scan.has("method.train")


def _says_without_quantising(scan: Scan, hit: Hit) -> bool:
    return any(word in scan.tokens[hit.start].text for word in ("adapt",))


def _tasks(scan: Scan, reading: Reading, has_method: bool) -> None:
    train = [h for h in scan.by_concept.get("method.train", ()) if not scan.negated(h.start)]
    run = [h for h in scan.by_concept.get("method.inference", ()) if not scan.negated(h.start)]
    strong = [h for h in run if scan.tokens[h.start].text not in _WEAK_RUN or h.end - h.start > 1]
    rl = scan.first("method.rl")
    if rl is not None:
        reading.algo = scan.tokens[rl.start].text
    if scan.has("method.quantize") and not train:
        reading.task = "quantize"
    elif scan.has("method.merge") and not train:
        reading.task = "merge"
    elif train or rl is not None or scan.has("method.from_scratch"):
        reading.task = "train"
    elif has_method:
        reading.task = "train"
    elif run or strong:
        reading.task = "run"
    if strong and train and not has_method and strong[0].start < train[0].start and not scan.has("method.from_scratch"):
        reading.task = "run" if reading.algo is None and _explicit_run(scan, strong) else "train"


def _explicit_run(scan: Scan, strong: list[Hit]) -> bool:
    return any(scan.tokens[h.start].text.startswith(("infer", "serv")) for h in strong)


def _bits(scan: Scan, reading: Reading) -> None:
    if reading.slots.get("method") == "full_8bit":
        return
    bits: float | None = None
    for mention in scan.formats:
        _mention(scan, reading, "bits", mention.start, mention.end, mention.bits)
        bits = mention.bits if bits is None else bits
    for quantity in scan.role("bits"):
        if 1 <= quantity.value <= 32:
            _token_mention(scan, reading, "bits", quantity.start, quantity.end, quantity.value)
            bits = quantity.value if bits is None else bits
    if bits is None or "qlora" in {reading.slots.get("method"), *reading.slots.get("methods", ())}:
        return
    training = reading.task == "train"
    if training and bits == 16:
        return  # "full SFT in bf16" states the training precision, not a weight format to serve
    reading.slots["bits"] = bits
    if not training and "method" not in reading.slots and "methods" not in reading.slots and reading.task is None:
        reading.task = "run"
        reading.slots["method"] = "inference"


# -- GPUs and counts -------------------------------------------------------------------------------------------------


def _gpus(scan: Scan, reading: Reading) -> None:
    ids: list[str] = []
    for gpu in scan.gpus:
        memory = _memory_beside(scan, gpu)
        family = scan.tokens[gpu.start].text + (scan.tokens[gpu.start + 1].text if gpu.end - gpu.start > 1 else "")
        gpu_id = _MEMORY_VARIANTS.get(family, {}).get(int(memory or 0), gpu.gpu)
        _token_mention(scan, reading, "gpu", gpu.start, gpu.end, gpu_id)
        ids.append(gpu_id)
    failed = _failed(scan)
    if failed is not None and ids:
        position = min(range(len(ids)), key=lambda i: abs(scan.gpus[i].start - failed))
        asked = scan.has("cue.how_many") or len(ids) == 1 and _wants_same(scan)
        if not asked:
            reading.failed_gpu = ids.pop(position)
    unique = list(dict.fromkeys(ids))
    if len(unique) > 1:
        reading.slots["gpus"] = tuple(unique)
    elif unique:
        reading.slots["gpu"] = unique[0]
        if len(ids) > 1 and len(scan.role("count")) > 1:
            reading.slots["gpus"] = tuple(ids)
    vram = [q for q in scan.role("vram") if not _beside_gpu(scan, q)]
    if vram:
        reading.slots["vram_gb"] = vram[0].value
        _token_mention(scan, reading, "vram", vram[0].start, vram[0].end, vram[0].value)


def _failed(scan: Scan) -> int | None:
    hit = scan.first("cue.failed")
    return hit.start if hit is not None else None


def _wants_same(scan: Scan) -> bool:
    return scan.has("cue.fits")


def _memory_beside(scan: Scan, gpu: NamedGpu) -> float | None:
    for quantity in scan.quantities:
        if quantity.role == "vram" and (0 <= quantity.start - gpu.end <= 2 or 0 <= gpu.start - quantity.end <= 1):
            return quantity.value
        if (
            quantity.role == "bare"
            and 0 <= quantity.start - gpu.end <= 1
            and quantity.value in {16, 32, 40, 48, 80, 94, 96, 141, 144, 180}
        ):
            return quantity.value
    return None


def _beside_gpu(scan: Scan, quantity: Quantity) -> bool:
    return any(0 <= quantity.start - gpu.end <= 3 or 0 <= gpu.start - quantity.end <= 1 for gpu in scan.gpus)


def _counts(scan: Scan, reading: Reading) -> None:
    counts = [q for q in scan.role("count") if q.value >= 0]
    reading.count_asked = not counts and (scan.has("cue.how_many") or _how_many_gpus(scan))
    parallel = _parallel_size(scan)
    if not counts and parallel is not None:
        reading.slots["count"] = parallel
        return
    if not counts:
        if scan.has("single") and "gpu" in reading.slots:
            reading.slots["count"] = 1
        return
    for quantity in counts:
        _token_mention(scan, reading, "count", quantity.start, quantity.end, int(quantity.value))
    values = [int(q.value) for q in counts]
    if len(reading.slots.get("gpus", ())) > 1:
        if len(values) == len(reading.slots["gpus"]):
            reading.slots["counts"] = tuple(values)
        return
    value = values[0]
    if 1 <= value <= MAX_COUNT:
        reading.slots["count"] = value
    elif reading.problem is None:
        reading.problem = Problem("out_of_range", "count", f"1-{MAX_COUNT}", "1" if value < 1 else str(MAX_COUNT))


def _how_many_gpus(scan: Scan) -> bool:
    """"combien de H100": an amount asked right before a GPU, with at most a short word between."""
    starts = [gpu.start for gpu in scan.gpus] + [hit.start for hit in scan.by_concept.get("gpu", ())]
    for hit in scan.by_concept.get("cue.how_much", ()):
        if any(s == hit.end or (s == hit.end + 1 and len(scan.tokens[hit.end].text) <= 3) for s in starts):
            return True
    return False


def _parallel_size(scan: Scan) -> int | None:
    import re

    match = re.search(r"(?:tensor[-_ ]parallel(?:[-_ ]size)?|(?<![a-z])tp)[\s=:]*(\d)(?!\d)", scan.normal.norm)
    return int(match.group(1)) if match and 1 <= int(match.group(1)) <= MAX_COUNT else None


# -- time and money --------------------------------------------------------------------------------------------------


def _durations(scan: Scan, reading: Reading) -> None:
    spans = scan.role("hours")
    total = _clock_span(scan)
    if total is None and spans:
        total = _combined(scan, spans)
        if total is not None:
            last = spans[-1]
            _token_mention(scan, reading, "hours", spans[0].start, last.end, total)
    if total is None:
        total = _unit_alone(scan)
    if total is not None and total > 0:
        reading.slots["hours"] = _hours(total)


def _hours(value: float) -> Decimal:
    whole = Decimal(repr(round(value, 4)))
    return whole.quantize(Decimal(1)) if whole == whole.to_integral_value() else whole


def _combined(scan: Scan, spans: list[Quantity]) -> float | None:
    first = spans[0]
    per_day = len(spans) > 1 and first.value <= 24 and first.value < spans[1].value and _per_day(scan, first.end)
    if per_day:
        return first.value * spans[1].value / 24
    value = first.value
    if len(spans) > 1 and spans[1].start - first.end <= 1 and spans[1].value < first.value:
        value += spans[1].value  # 2 days and 6 hours
    epochs = next((q.value for q in scan.role("epochs") if q.value > 1), None)
    if epochs is not None and _per_epoch(scan, first.start):
        value *= epochs
    return value


def _per_day(scan: Scan, index: int) -> bool:
    near = scan.tokens[index : index + 3]
    days = {hit.start for hit in scan.by_concept.get("unit", ()) if hit.value == 24.0}
    return any(index + offset in days for offset in range(len(near)))


def _per_epoch(scan: Scan, index: int) -> bool:
    return any(0 <= index - hit.end <= 2 for hit in scan.by_concept.get("epochs", ()))


def _clock_span(scan: Scan) -> float | None:
    """ "das 8 às 18h": hours between two clock times of one day."""
    for hit in scan.by_concept.get("until", ()):
        before = next((n for n in scan.numerals if 0 <= hit.start - n.end <= 1), None)
        after = next((q for q in scan.quantities if q.start == hit.end and q.role == "hours"), None)
        if before is not None and after is not None and before.value < after.value <= 24 and not before.suffix:
            if (
                scan.tokens[before.start - 1].text in {"das", "de", "from", "dalle", "von", "с", "od", "van"}
                and before.start
            ):
                return after.value - before.value
    return None


def _unit_alone(scan: Scan) -> float | None:
    """ "uma semana", "pacote mensal", "por mês": a unit without a figure."""
    for hit in scan.by_concept.get("unit", ()):
        length = float(hit.value or 0)
        if length < 24 or hit.start == 0 and len(scan.tokens) == 1:
            continue
        word = scan.tokens[hit.start].text
        before = scan.tokens[hit.start - 1].text if hit.start else ""
        article = before in {
            "a",
            "an",
            "one",
            "per",
            "por",
            "ao",
            "al",
            "par",
            "pro",
            "una",
            "uma",
            "la",
            "/",
            "full",
            "whole",
        }
        if article or word.endswith(("al", "ly")) or scan.has("block"):
            return length
    return None


def _money(scan: Scan, reading: Reading) -> None:
    for quantity in scan.role("dollars"):
        reading.slots["budget_usd"] = quantity.exact
        if quantity.unit in {"USDT", "USDC"}:
            reading.slots["coin"] = quantity.unit
        _token_mention(scan, reading, "money", quantity.start, quantity.end, str(quantity.exact))
        break
    for quantity in scan.role("money"):
        if "budget_usd" in reading.slots:
            break
        reading.slots["budget"] = quantity.exact
        reading.slots["currency"] = quantity.unit
        if quantity.unit in _COINS:
            reading.slots["coin"] = quantity.unit
        _token_mention(scan, reading, "money", quantity.start, quantity.end, str(quantity.exact))
        break
    coins = [hit for hit in scan.by_concept.get("coin", ()) if hit.value in _COINS]
    names = list(dict.fromkeys(str(hit.value) for hit in coins))
    priced = {q.start for role in ("dollars", "money") for q in scan.role(role) if q.unit in _COINS}
    target = [str(h.value) for h in coins if not any(start <= h.start <= start + 3 for start in priced)]
    if target and ("coin" not in reading.slots or reading.slots["coin"] not in target) and len(set(target)) == 1:
        reading.slots["coin"] = target[-1]
    if len(names) > 1 and "budget_usd" not in reading.slots and "budget" not in reading.slots:
        reading.slots.pop("coin", None)
        reading.notes.append("several_coins")
    for hit in coins:
        _token_mention(scan, reading, "coin", hit.start, hit.end, hit.value)


# -- the run ---------------------------------------------------------------------------------------------------------


def _run_details(scan: Scan, reading: Reading) -> None:
    names = {"context": "context", "batch": "batch", "rank": "lora_rank", "users": "users", "examples": "examples",
             "tokens": "tokens", "epochs": "epochs", "steps": "steps"}  # fmt: skip
    for role, slot in names.items():
        for quantity in scan.role(role):
            if slot in reading.slots or quantity.value <= 0 or quantity.value > 1e15:
                continue
            value: float | int = quantity.value if slot == "epochs" else round(quantity.value)
            if slot == "epochs" and (value == int(value)):
                value = int(value)
            reading.slots[slot] = value
            _token_mention(scan, reading, role, quantity.start, quantity.end, value)
    if reading.slots.get("epochs") == 1 and _per_epoch_only(scan):
        del reading.slots["epochs"]
    more = [q.value for q in scan.role("epochs") if q.value > 1]
    if more:
        reading.slots["epochs"] = int(more[0]) if more[0] == int(more[0]) else more[0]


def _per_epoch_only(scan: Scan) -> bool:
    return len(scan.role("epochs")) > 1


def _software(scan: Scan, reading: Reading) -> None:
    found = next((name for name in _SOFTWARE if name in scan.normal.norm), None)
    if found is not None:
        reading.slots["software"] = found


def without(reading: Reading, *names: str) -> Reading:
    """The reading without some slots (intents that carry none)."""
    return replace(reading, slots={k: v for k, v in reading.slots.items() if k not in names})


def is_known_gpu(gpu: str) -> bool:
    """Whether the catalogue has the id."""
    return gpu in load_catalog().gpus
