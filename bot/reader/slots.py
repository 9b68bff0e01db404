"""Scan -> Slots: what one message states, before it is merged with the chat's memory."""

from __future__ import annotations

import re
from typing import Final

from bot.reader.amounts import read_amounts
from bot.reader.gpus import NamedGpu
from bot.reader.lexicon import Hit
from bot.reader.names import NamedModel, find_models
from bot.reader.quantities import Quantity
from bot.reader.question import Problem
from bot.reader.reading import Reading
from bot.reader.scan import Scan
from planner.formats import format_named
from planner.query import MAX_COUNT, MAX_PARAMS_B, MIN_PARAMS_B, TRAINING, Method

_QLORA_BITS: Final = 4
#: Words between "how many" and "cards".
_FAR: Final = 4
#: Tokens between "my" and the card: "my own box has 4x 4090".
_OWN_REACH: Final = 5
#: Tokens between a model's name and its size: "of", "the one with".
_APART: Final = 3
_PARALLEL: Final = re.compile(r"(?:tensor[-_ ]parallel(?:[-_ ]size)?|(?<![a-z])tp)[\s=:]*(\d)(?!\d)")
_ANY_ADAPTER: Final = ("adapt", "adatt", "peft", "адапт", "适配")
_WEAK_RUN: Final = frozenset({"chat", "chatbot", "api", "endpoint", "run", "work"})
#: Whoever states one of these means to train.
_OF_TRAINING: Final = frozenset({"batch", "lora_rank", "epochs", "examples", "steps"})
_MEMORY_VARIANTS: Final = {"a100": {40: "a100-40", 80: "a100-80"}, "v100": {16: "v100-16", 32: "v100-32"},
                           "h100": {80: "h100", 94: "h100-nvl"}, "gh200": {96: "gh200", 144: "gh200-144"}}  # fmt: skip


def read_slots(scan: Scan) -> Reading:
    """Everything the message states, each number and name in one slot."""
    reading = Reading()
    _models(scan, reading)
    _sizes(scan, reading)
    _family_with_size(scan, reading)
    _size_apart(scan, reading)
    _methods(scan, reading)
    _bare_size(scan, reading)
    _bits(scan, reading)
    _gpus(scan, reading)
    _counts(scan, reading)
    read_amounts(scan, reading)
    _data(scan, reading)
    if reading.task is None and not reading.slots.keys() & {"method", "methods"}:
        if "users" in reading.slots:
            reading.task = "run"  # nobody trains for "50 users at once"
            reading.slots["method"] = "inference"
        elif reading.slots.keys() & _OF_TRAINING:
            reading.task = "train"
    return reading


def _token_at(scan: Scan, offset: int) -> int:
    return next((i for i, token in enumerate(scan.tokens) if token.end > offset), len(scan.tokens))


# -- models and sizes -----------------------------------------------------------------------------------------------


def _models(scan: Scan, reading: Reading) -> None:
    kept = [m for m in scan.models if not scan.negated(_token_at(scan, m.start))]
    for model in kept:
        reading.mention(scan, "model", model.start, model.end, model.model or model.candidates)
    named = [model for model in kept if model.model is not None]
    if named:
        first = named[0]
        reading.slots["model"] = first.model
        if first.params_b is not None:
            reading.slots["params_b"] = _clean(first.params_b)
        if first.version_assumed:
            reading.notes.append("version_assumed")
        others = tuple(dict.fromkeys(m.model for m in named if m.model))
        if len(others) > 1:
            reading.slots["models"] = others
        return
    if scan.addresses:
        _address(scan, reading)
        return
    for model in kept:
        if model.params_b is not None:
            if not MIN_PARAMS_B <= model.params_b <= MAX_PARAMS_B:
                reading.problem = _size_problem(model.params_b)
                return
            reading.slots["params_b"] = model.params_b
            reading.notes.append("size_not_in_family")
            return
    if kept:
        reading.slots["models"] = kept[0].candidates
        reading.notes.append("size_wanted")


def _address(scan: Scan, reading: Reading) -> None:
    """A repository of a model hub: the size in its name counts until its config is read."""
    first = scan.addresses[0]
    reading.hub, reading.hub_sure = first.id, first.sure
    reading.mention(scan, "hub", first.start, first.end, first.id)
    if first.params_b is not None and MIN_PARAMS_B <= first.params_b <= MAX_PARAMS_B:
        reading.slots["params_b"] = _clean(first.params_b)


def _sizes(scan: Scan, reading: Reading) -> None:
    stated = scan.role("params")
    good = [size for size in stated if not scan.negated(size.start, reach=1)] or stated
    for size in good:
        value = _clean(size.value)
        numeral = next((n for n in scan.numerals if n.start == size.start), None)
        reading.mention_tokens(scan, "params", size.start, size.end, value)
        if (numeral is not None and numeral.negative) or not MIN_PARAMS_B <= size.value <= MAX_PARAMS_B:
            if reading.problem is None and "params_b" not in reading.slots:
                reading.problem = _size_problem(value)
            continue
        if "params_b" not in reading.slots and "model" not in reading.slots:
            reading.slots["params_b"] = value
            reading.problem = None


def _size_problem(value: float) -> Problem:
    nearest = min(max(value, MIN_PARAMS_B), MAX_PARAMS_B)  # for "-70B" that is 70
    return Problem("out_of_range", "params_b", f"{MIN_PARAMS_B:g}-{MAX_PARAMS_B:.0f}", f"{nearest:g}")


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


def _size_apart(scan: Scan, reading: Reading) -> None:
    """ "glm 4 de 32b": a name that stands for one model by itself, and right after it the size of another one."""
    named = next((m for m in scan.models if m.model is not None and m.model == reading.slots.get("model")), None)
    if named is None or named.params_b is not None or "models" in reading.slots:
        return
    end = _token_at(scan, named.end)
    sizes = [q for q in scan.role("params") if end <= q.start <= end + _APART and not scan.negated(q.start, reach=1)]
    if not sizes:
        return
    name = scan.normal.norm[named.start : named.end]
    joined = find_models(f"{name} {sizes[0].value:g}b", frozenset())
    if joined and joined[0].model is not None and joined[0].params_b is not None:
        reading.slots["model"] = joined[0].model
        reading.slots["params_b"] = joined[0].params_b


# -- methods ---------------------------------------------------------------------------------------------------------


def _methods(scan: Scan, reading: Reading) -> None:
    found: list[tuple[int, int, Method]] = []
    eight = list(scan.by_concept.get("method.full_8bit", ()))
    for method in TRAINING:
        for hit in scan.by_concept.get(f"method.{method}", ()):
            if method == "full" and not _means_full_training(scan, hit):
                continue
            if any(hit.start < other.end and other.start < hit.end for other in eight if hit is not other):
                continue
            if scan.negated(hit.start):
                reading.negative.append(method)
                continue
            found.append((hit.start, hit.end, method))
    quantised = {index for start, end, method in found if method == "qlora" for index in range(start, end)}
    found = [hit for hit in found if not (hit[2] == "lora" and quantised.issuperset(range(hit[0], hit[1])))]
    if quantised:  # "adapter: qlora" names one method
        found = [hit for hit in found if not (hit[2] == "lora" and _means_any_adapter(scan, hit[0]))]
    for start, end, method in sorted(found):
        reading.mention_tokens(scan, "method", start, end, method)
    methods = list(dict.fromkeys(method for *_, method in sorted(found)))
    _tasks(scan, reading, bool(methods))
    if "full_8bit" in methods:
        methods = [m for m in methods if m != "full"]
    if not methods and (scan.has("method.from_scratch") or _without_adapters(scan, reading)):
        methods = ["full"]
    if len(methods) > 1:
        reading.slots["methods"] = tuple(methods)
    if len(methods) == 1 or (methods and not scan.has("cue.compare", "cue.versus", "cue.either", "cue.which")):
        reading.slots["method"] = methods[0]
        reading.slots.pop("methods", None)
    elif not methods and reading.task == "run":
        reading.slots["method"] = "inference"


def _means_any_adapter(scan: Scan, index: int) -> bool:
    """ "adapter", "peft": words for what LoRA and QLoRA train both."""
    return scan.tokens[index].text.startswith(_ANY_ADAPTER)


def _without_adapters(scan: Scan, reading: Reading) -> bool:
    """ "no peft", "sem LoRA", and nothing else named: every parameter is trained."""
    return "lora" in reading.negative and (reading.task == "train" or scan.has("method.rl"))


def _means_full_training(scan: Scan, hit: Hit) -> bool:
    """ "full fine-tune" yes; "full 131072 ctx", "R1 completo pra servir", "um dia inteiro" no."""
    if any(unit.end == hit.start for unit in scan.by_concept.get("unit", ())):
        return False
    if hit.end - hit.start > 1:
        return True
    if any(q.role == "context" and q.start == hit.end for q in scan.quantities):
        return False
    if any(h.start == hit.end for h in scan.by_concept.get("context", ())):
        return False
    if scan.has("method.train"):
        return True
    return not scan.has("method.inference") and all(mention.bits >= 16 for mention in scan.formats)


def _bare_size(scan: Scan, reading: Reading) -> None:
    """ "13 lora": a number right before a method is a size, where nothing else is; after it, it would be a rank."""
    if reading.slots.keys() & {"model", "models", "params_b"} or reading.problem is not None:
        return
    starts = {
        hit.start
        for name in ("qlora", "lora", "full", "full_8bit")
        for hit in scan.by_concept.get(f"method.{name}", ())
    }
    sizes = [bare for bare in scan.role("bare") if bare.end in starts and MIN_PARAMS_B <= bare.value <= MAX_PARAMS_B]
    if len(sizes) == 1:
        reading.slots["params_b"] = _clean(sizes[0].value)
        reading.mention_tokens(scan, "params", sizes[0].start, sizes[0].end, _clean(sizes[0].value))
        reading.notes.append("size_assumed")


def _tasks(scan: Scan, reading: Reading, has_method: bool) -> None:
    train = [h for h in scan.by_concept.get("method.train", ()) if not scan.negated(h.start)]
    run = [h for h in scan.by_concept.get("method.inference", ()) if not scan.negated(h.start)]
    strong = [h for h in run if scan.tokens[h.start].text not in _WEAK_RUN or h.end - h.start > 1]
    rl = scan.first("method.rl")
    if rl is not None:
        reading.algo = scan.tokens[rl.start].text
    if any(not scan.negated(hit.start) for hit in scan.by_concept.get("method.quantize", ())) and not train:
        reading.task = "quantize"
    elif scan.has("method.merge") and not train:
        reading.task = "merge"
    elif train or rl is not None or scan.has("method.from_scratch") or has_method:
        reading.task = "train"
    elif run or strong:
        reading.task = "run"
    if strong and train and not has_method and strong[0].start < train[0].start and not scan.has("method.from_scratch"):
        reading.task = "run" if reading.algo is None and _explicit_run(scan, strong) else "train"


def _data(scan: Scan, reading: Reading) -> None:
    """Whoever has examples wants to train, though a "chatbot" is to come of it."""
    run = scan.by_concept.get("method.inference", ())
    if (
        reading.task == "run"
        and "examples" in reading.slots
        and all(scan.tokens[h.start].text in _WEAK_RUN for h in run)
    ):
        reading.task = "train"
        reading.slots.pop("method", None)


def _explicit_run(scan: Scan, strong: list[Hit]) -> bool:
    return any(scan.tokens[h.start].text.startswith(("infer", "serv")) for h in strong)


def _bits(scan: Scan, reading: Reading) -> None:
    if reading.slots.get("method") == "full_8bit":
        return
    bits: float | None = None
    for mention in scan.formats:
        reading.mention(scan, "bits", mention.start, mention.end, mention.bits)
        bits = mention.bits if bits is None else bits
        reading.weights = reading.weights or format_named(mention.name)
    for quantity in scan.role("bits"):
        if 1 <= quantity.value <= 32 and not scan.negated(quantity.start, reach=3):
            reading.mention_tokens(scan, "bits", quantity.start, quantity.end, quantity.value)
            bits = quantity.value if bits is None else bits
    if bits is None and _unquantised(scan):
        bits = 16.0
    if bits is None or "qlora" in {reading.slots.get("method"), *reading.slots.get("methods", ())}:
        return
    training = reading.task == "train"
    if reading.slots.get("method") == "lora" and bits == _QLORA_BITS:
        reading.slots["method"] = "qlora"  # an adapter on a 4-bit base is what QLoRA means
    reading.slots["bits"] = bits
    if not training and "method" not in reading.slots and "methods" not in reading.slots and reading.task is None:
        reading.task = "run"
        reading.slots["method"] = "inference"


def _unquantised(scan: Scan) -> bool:
    """ "without quantisation"."""
    hits = scan.by_concept.get("method.quantize", ())
    return bool(hits) and all(scan.negated(hit.start) for hit in hits) and not scan.has("method.full")


# -- GPUs and counts -------------------------------------------------------------------------------------------------


def _gpus(scan: Scan, reading: Reading) -> None:
    ids: list[str] = []
    for gpu in scan.gpus:
        memory = _memory_beside(scan, gpu)
        family = scan.tokens[gpu.start].text + (scan.tokens[gpu.start + 1].text if gpu.end - gpu.start > 1 else "")
        gpu_id = _MEMORY_VARIANTS.get(family, {}).get(int(memory or 0), gpu.gpu)
        reading.mention_tokens(scan, "gpu", gpu.start, gpu.end, gpu_id)
        ids.append(gpu_id)
    failed = _failed(scan)
    if failed is not None and ids:
        position = min(range(len(ids)), key=lambda i: abs(scan.gpus[i].start - failed))
        same = len(ids) == 1 and scan.has("cue.fits") and not _wants_another(scan)
        if not (scan.has("cue.how_many") or same):
            reading.failed_gpu = ids.pop(position)
            reading.failed_at = scan.gpus[position].start
    unique = list(dict.fromkeys(ids))
    if len(unique) > 1:
        reading.slots["gpus"] = tuple(unique)
    elif unique:
        reading.slots["gpu"] = unique[0]
        if len(ids) > 1 and len(scan.role("count")) > 1:
            reading.slots["gpus"] = tuple(ids)
    # What an error message says of memory is no card that the user has.
    vram = [] if failed is not None else [q for q in scan.role("vram") if not _beside_gpu(scan, q)]
    if vram:
        reading.slots["vram_gb"] = vram[0].value
        reading.mention_tokens(scan, "vram", vram[0].start, vram[0].end, vram[0].value)


def _failed(scan: Scan) -> int | None:
    """Where the message tells that a run did not fit: an error, or an own card that "does not hold" it."""
    hit = scan.first("cue.failed")
    if hit is None and _wants_another(scan):
        hit = next((fits for fits in scan.by_concept.get("cue.fits", ()) if scan.negated(fits.start)), None)
    return hit.start if hit is not None else None


def _wants_another(scan: Scan) -> bool:
    """The one card named is the user's own, and what to rent is asked: "my 3060 can't, which one of yours can?"."""
    own = any(
        0 <= gpu.start - hit.end <= _OWN_REACH for gpu in scan.gpus[:1] for hit in scan.by_concept.get("cue.own", ())
    )
    return own and len(scan.gpus) == 1 and scan.has("cue.rent", "cue.which")


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
    counts = [q for q in scan.role("count") if q.value >= 0 and not _taken_back(scan, q)]
    if reading.failed_at is not None:
        counts = [q for q in counts if q.unit != str(reading.failed_at)]
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
        reading.mention_tokens(scan, "count", quantity.start, quantity.end, int(quantity.value))
    values = [int(q.value) for q in counts]
    if len(reading.slots.get("gpus", ())) > 1:
        beside = {quantity.unit: int(quantity.value) for quantity in counts}
        found = tuple(beside.get(str(gpu.start), 1) for gpu in scan.gpus)  # "2x A100 vs H100": 2 against 1
        if len(found) == len(reading.slots["gpus"]):
            reading.slots["counts"] = found
        elif len(values) == len(reading.slots["gpus"]):
            reading.slots["counts"] = tuple(values)
        return
    value = values[0]
    if 1 <= value <= MAX_COUNT:
        reading.slots["count"] = value
    elif reading.problem is None:
        reading.problem = Problem("out_of_range", "count", f"1-{MAX_COUNT}", "1" if value < 1 else str(MAX_COUNT))


def _taken_back(scan: Scan, quantity: Quantity) -> bool:
    """ "no, not 8 gpus, I meant 8B": a number that a correction denies."""
    openers = {hit.start for name in ("cue.followup", "cue.not") for hit in scan.by_concept.get(name, ())}
    return 0 in openers and scan.negated(quantity.start, reach=1)


def _how_many_gpus(scan: Scan) -> bool:
    """ "combien de H100": an amount asked before a GPU, with at most a short word between, or before cards: "сколько
    надо таких же карт"."""
    starts = [gpu.start for gpu in scan.gpus] + [hit.start for hit in scan.by_concept.get("gpu", ())]
    for hit in scan.by_concept.get("cue.how_much", ()):
        if any(s == hit.end or (s == hit.end + 1 and len(scan.tokens[hit.end].text) <= 3) for s in starts):
            return True
        cards = (card.start for card in scan.by_concept.get("gpu", ()))
        if any(0 <= card - hit.end <= _FAR and _only_words(scan, hit.end, card) for card in cards):
            return True
    return False


def _only_words(scan: Scan, start: int, end: int) -> bool:
    return all(token.kind == "word" for token in scan.tokens[start:end])


def _parallel_size(scan: Scan) -> int | None:
    match = _PARALLEL.search(scan.normal.norm)
    return int(match.group(1)) if match and 1 <= int(match.group(1)) <= MAX_COUNT else None
