"""Peak memory of fine-tuning: weights, adapters, gradients, optimizer, activations, logits, the allocator's reserve.

Each coefficient has a physical meaning; those marked "measured" were fitted to published measurements (median error
by source, leaving each source out in turn), and are few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from planner.copies import copy_parts
from planner.formats import weight_bytes
from planner.memory import Formula
from planner.run import NF4_BITS, Part, Run, sharding_of

#: Tools that never hold all logits at once (fused cross entropy), and those that may, by settings not always stated.
_FUSED: Final = ("unsloth", "liger")
_MAYBE_FUSED: Final = ("axolotl",)
#: Tools that take the loss in chunks: of all logits, 16-bit ones and their gradient are held at most.
_CHUNKED: Final = ("torchtune",)
_LOGIT_CHUNKED_MOST: Final = 4.0
#: LoRA rank where none is stated: PEFT's default.
_RANK: Final = 8
#: Bytes per logit (tokens x vocabulary): 16-bit logits, a 32-bit copy and its gradient (measured: 10); with a fused or
#: chunked loss next to nothing stays.
_LOGIT: Final = 10.0
_LOGIT_FUSED: Final = 0.5
_LOGIT_MAYBE: Final = 2.0
#: Bytes an adapter's parameter takes: 32-bit weight and two Adam states, a 16- or 32-bit gradient.
_ADAPTER: Final = 12.0
#: Bytes a parameter takes when all are trained on one GPU: weight, gradient and two Adam states in 16 bits are 8;
#: PyTorch's foreach step adds most of a temporary copy (measured: 10), a fused step does not.
_FULL: Final = 10.0
_FULL_FUSED_STEP: Final = 8.1
#: The same where states are sharded, as those tools keep them: 32-bit master weights and states beside 16-bit ones.
_FULL_SHARDED: Final = 12.0
#: With 8-bit Adam: 16-bit weight and gradient, two 8-bit states.
_FULL_8BIT: Final = 6.0
#: Megatron's recipe (tensor, pipeline or expert parallel): 16-bit weights, 32-bit gradients, master weights and states.
_FULL_MEGATRON: Final = 18.0
#: DeepSpeed's ZeRO, bytes a parameter on every GPU and divided over them: stage 1 copies weights and gradients, stage 2
#: weights alone.
_ZERO1: Final = (4.0, 16.0)
_ZERO2: Final = (2.0, 18.0)
#: A recipe with 32-bit weights, gradients and states.
_FULL_32BIT: Final = 16.0
#: Share of the bytes that formulas give which is held at the peak (measured): kept layer inputs and one layer at work
#: with checkpointing; every layer without.
_CHECKPOINTED: Final = 0.75
_NOT_CHECKPOINTED: Final = 1.0
#: Whole layers on a GPU while weights are sharded (measured: two layers and the embeddings, nearly).
_GATHERED: Final = 1.2
#: The allocator's reserve over what is allocated (measured): little over states that stay, more over activations and
#: logits, whose freed blocks seldom fit the next request; and fixed workspaces in bytes.
_RESERVE: Final = 0.1
_RESERVE_TOKENS: Final = 0.3
_FIXED: Final = 0.1e9
#: As much again of activations and logits may stay reserved where the lengths of unpacked samples vary.
_RESERVE_VARIABLE: Final = 1.0
#: Tools whose reports leave the reserve out: they read what is allocated (torch.cuda.max_memory_allocated) or active.
_REPORTS_ALLOCATED: Final = ("litgpt", "torchtune", "automodel")
#: How measurements of fully stated runs scatter, as a factor's logarithm; they exceed the estimate by more than they
#: stay below it.
_SCATTER: Final = 0.16
_SCATTER_UP: Final = 1.3
#: Factors below and above the estimate within which nine of ten measurements should lie.
SPREAD: Final = (math.exp(-_SCATTER), math.exp(_SCATTER * _SCATTER_UP))
#: Longer sequences than this are divided over the GPUs that share a model (context parallelism).
_LONGEST: Final = 32_768
#: GPUs of one node, over which layers are divided where there are several nodes (tensor parallelism), and nodes from
#: which on more of them are stages of a pipeline.
_NODE: Final = 8
_NODES: Final = 8


@dataclass(frozen=True, slots=True)
class _Split:
    """Over how many GPUs each kind of state is divided; ``gathers``: whole layers are put together at
    work, or 1 / ``layer`` of them.  ``megatron``: its recipe of states.
    ``replicas``: bytes a parameter on every GPU, and divided."""

    weights: int
    optimizer: int
    activations: float
    gathers: bool
    offload: bool
    layer: int = 1
    megatron: bool = False
    replicas: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class _Habits:
    """What a training tool does that its users seldom state."""

    named: bool
    fuses: bool
    may_fuse: bool
    chunks: bool
    reports_allocated: bool
    fused_step: bool


@lru_cache(maxsize=512)
def _habits(tool: str) -> _Habits:
    """The habits of the tools that a (lower-case) text names."""

    def named(tools: tuple[str, ...]) -> bool:
        return any(one in tool for one in tools)

    return _Habits(
        bool(tool), named(_FUSED), named(_MAYBE_FUSED), named(_CHUNKED), named(_REPORTS_ALLOCATED), "torchtune" in tool
    )


def _split(run: Run) -> _Split:
    kind, ways, offload = sharding_of(run.sharding, run.gpus)
    n = run.gpus
    tokens = 1.0
    if kind == "zero3" and run.seq_len > _LONGEST:
        tokens = float(min(n, math.ceil(run.seq_len / _LONGEST)))
    layer = 1
    if n > _NODE:
        layer = _NODE
        tokens *= _NODE * max(n / (_NODE * _NODES), 1)
    match kind:
        case "split":
            megatron = "parallel" in (run.sharding or "").lower() or any(mark.isdigit() for mark in run.sharding or "")
            return _Split(ways, ways, ways, False, offload, megatron=megatron)
        case "zero1" | "zero2":
            return _Split(1, n, tokens, False, offload, replicas=_ZERO1 if kind == "zero1" else _ZERO2)
        case "zero3":
            return _Split(n, n, tokens, True, offload, layer)
    return _Split(1, 1, 1.0, False, offload)


def training_parts(run: Run) -> tuple[Part, ...]:
    """The terms on one GPU, in bytes.

    Sources: Korthikanti et al. (arXiv 2205.05198) for activations, Hu et al. (2106.09685) for adapters, Dettmers et al.
    (2305.14314) for NF4.
    """
    split, habits = _split(run), _habits(run.tool)
    states = _states(run, split, habits)
    each_token = (_activations(run, split), _logits(run, split, habits))
    reserve = _reserve(run, states, each_token, habits)
    if run.algo is None:
        return (*states, *each_token, reserve)
    copies = copy_parts(run, split.weights, lambda: sum(one.expected for one in states if one.name != "gathered"))
    return (*states, *copies, *each_token, reserve)


def _reserve(run: Run, states: list[Part], each_token: tuple[Part, Part], habits: _Habits) -> Part:
    held = 0.0
    for one in states:
        held += one.expected
    tokens = each_token[0].expected + each_token[1].expected
    size = most = _RESERVE * held + _RESERVE_TOKENS * tokens + _FIXED
    if habits.reports_allocated:
        size = most = 0.0
    elif not run.packed:
        most += _RESERVE_VARIABLE * tokens
    formula = "{} x states + {} x (activations + logits) + {} GB"
    values = (_RESERVE, _RESERVE_TOKENS, _FIXED / 1e9)
    return Part("overhead", size if habits.named else 0.0, size, most, Formula(formula, values), "measured")


def _states(run: Run, split: _Split, habits: _Habits) -> list[Part]:
    shape = run.shape
    on_gpu = 0.0 if split.offload else 1.0
    if run.method == "full" and split.replicas:
        whole, shared = split.replicas
        size = (whole + shared / split.optimizer * on_gpu) * shape.params
        formula = "{} x ({} + {} / {}) bytes"
        stated = (shape.params / 1e9, whole, shared, split.optimizer)
        parts = [Part("weights", size, size, size, Formula(formula, stated), "deepspeed-zero")]
    elif run.method in ("full", "full_8bit"):
        rate = _full_rate(run, split, habits)
        size = rate * shape.params / split.optimizer * on_gpu
        values = (shape.params / 1e9, rate, split.optimizer)
        parts = [Part("weights", size, size, size, Formula("{} x {} bytes / {}", values), "measured")]
    else:
        plain = shape.params * max(run.bits or 16, 8) / 8
        base = (weight_bytes(shape, NF4_BITS) if run.method == "qlora" else plain) * on_gpu / split.weights
        adapters = shape.lora_params(run.lora_rank or _RANK)
        size = _ADAPTER * adapters / split.optimizer * on_gpu
        held = (shape.params / 1e9, split.weights)
        low = size / 4 if run.lora_rank is None else size * 0.7  # query and value matrices alone
        parts = [
            Part("weights", base, base, base, Formula("{} / {}", held), "model-cards"),
            Part(
                "adapters",
                low,
                size,
                size * 1.5,
                Formula("{} x 10^6 x {} bytes", (adapters / 1e6, _ADAPTER)),
                "lora-paper",
            ),
        ]
    if split.gathers:
        gathered = _gathered(run) / split.layer
        parts.append(
            Part("gathered", gathered * 0.8, gathered, gathered * 1.25, Formula("2 layers + embeddings"), "measured")
        )
    return parts


def _gathered(run: Run) -> float:
    """Two whole layers (one at work, the next on its way) and the embeddings.  Frozen 4-bit layers travel as they are;
    one matrix at a time is put back into 16 bits."""
    shape = run.shape
    if run.method != "qlora":
        return _GATHERED * (2 * shape.layer_params + shape.embedding) * 2
    matrix = shape.hidden * min(shape.intermediate, 8 * shape.hidden)
    return _GATHERED * (2 * shape.layer_params * NF4_BITS / 8 + (shape.embedding + matrix) * 2)


def _full_rate(run: Run, split: _Split, habits: _Habits) -> float:
    stated = (run.optimizer or "").lower()
    if "fp32" in stated or "float32" in stated or run.bits == 32:
        return _FULL_32BIT
    if run.method == "full_8bit":
        return _FULL_8BIT
    if split.megatron:
        return _FULL_MEGATRON
    if split.gathers:
        return _FULL_SHARDED
    return _FULL_FUSED_STEP if habits.fused_step else _FULL


def _activations(run: Run, split: _Split) -> Part:
    """Per token: a layer's results are about 9 hidden states and 4 feed-forward ones in 16 bits with fused attention;
    checkpointing keeps one hidden state a layer and recomputes one layer at a time."""
    shape = run.shape
    layer = 2.0 * (9 * shape.hidden + 4 * min(shape.intermediate, 8 * shape.hidden))
    kept = _CHECKPOINTED * (shape.layers * 2.0 * shape.hidden + 2 * layer)
    every = _NOT_CHECKPOINTED * shape.layers * layer
    tokens = run.tokens / split.activations
    rate = every if run.grad_ckpt is False else kept
    high = max(every, rate) if run.grad_ckpt is None else rate
    return Part(
        "activations", rate * tokens, rate * tokens, high * tokens, Formula("{} tokens", (tokens,)), "korthikanti"
    )


def _logits(run: Run, split: _Split, habits: _Habits) -> Part:
    tokens = run.tokens / split.activations
    size = tokens * run.shape.vocab
    fused = run.fused_loss
    if fused is None and habits.fuses:
        fused = True
    if fused is None and habits.chunks:
        low, rate, high = 0.0, _LOGIT_FUSED, _LOGIT_CHUNKED_MOST
    elif fused is None and habits.may_fuse:
        low, rate, high = _LOGIT_FUSED, _LOGIT_MAYBE, _LOGIT
    elif fused:
        low, rate, high = _LOGIT_FUSED, _LOGIT_FUSED, 3 * _LOGIT_FUSED
    else:  # a tool that is not named may fuse them
        low, rate, high = _LOGIT if habits.named else _LOGIT_FUSED, _LOGIT, _LOGIT
    values = (tokens, run.shape.vocab, rate)
    return Part("logits", low * size, rate * size, high * size, Formula("{} x {} x {} bytes", values), "measured")
