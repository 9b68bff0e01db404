"""The architecture tier: what a query's run takes on each of so many GPUs, by the model's layers."""

from __future__ import annotations

from typing import Final

from planner.architecture import Shape, named_model, shape_from, shape_of, typical_shape
from planner.catalog import load_catalog
from planner.errors import PlanError
from planner.memory import Formula, MemoryEstimate, Need, Term
from planner.peak import Peak, peak
from planner.query import Method, PlanQuery
from planner.run import Run

#: What a run is taken to be where the user says nothing of it, in tokens.
TRAINED_TOKENS: Final = 2048
SERVED_TOKENS: Final = 4096


def shape_for(query: PlanQuery) -> Shape:
    """The named model's shape, else that of a typical model of the size."""
    brought = shape_from(query.architecture) if query.architecture is not None else None
    return brought or shape_of(query.model or "") or typical_shape(query.params_b)


def check_context(query: PlanQuery) -> None:
    """Raise PlanError for a context beyond what the named model was made for, in tokens."""
    model = named_model(query)
    most = model.max_context if model is not None else None
    if most is not None and query.context is not None and query.context > most:
        raise PlanError("out_of_range", "context", f"1-{most}", str(most))


class Layers:
    """A query's run by one method, as planner.memory.Demand: training sharded (FSDP, ZeRO-3) with checkpointing,
    running tensor parallel.

    Raises PlanError for a LoRA rank above the model's hidden size.
    """

    __slots__ = ("_peaks", "method", "query", "shape")

    def __init__(self, query: PlanQuery, method: Method) -> None:
        self.query = query
        self.method = method
        self.shape = shape_for(query)
        self._peaks: dict[int, Peak] = {}
        if method != "inference" and self.shape.exact:
            self.shape.check_rank(query.lora_rank)

    def run(self, count: int) -> Run:
        """The run on ``count`` GPUs."""
        query, trains = self.query, self.method != "inference"
        return Run(
            shape=self.shape,
            method=self.method,
            bits=None if trains else query.bits,
            weights=None if trains else query.weights,
            seq_len=query.context or (TRAINED_TOKENS if trains else SERVED_TOKENS),
            batch=(query.batch if trains else query.users or query.batch) or 1,
            grad_ckpt=True if trains else None,
            lora_rank=query.lora_rank,
            gpus=count,
            sharding="fsdp" if trains and count > 1 else None,
            fused_loss=query.fused_loss if trains else None,
            algo=query.algo if trains else None,
        )

    def peak(self, count: int) -> Peak:
        """The peak on each of ``count`` GPUs, in bytes."""
        found = self._peaks.get(count)
        if found is None:
            found = self._peaks[count] = peak(self.run(count))
        return found

    def need(self, count: int) -> Need:
        """What each of ``count`` GPUs holds, in GB."""
        found = self.peak(count)
        return Need(found.expected / 1e9, found.low / 1e9, found.high / 1e9, "per_gpu")

    def estimate(self, count: int) -> MemoryEstimate:
        """The same with its terms: the floor is the range's low end, the plan what is expected."""
        found, need = self.peak(count), self.need(count)
        terms = tuple([Term(one.name, round(one.expected / 1e9, 6), one.written, one.source) for one in found.parts])
        bits = load_catalog().rules[self.method].bits
        return MemoryEstimate(
            method=self.method,
            tier="architecture",
            basis="per_gpu",
            params_b=self.query.params_b,
            bits=self.query.bits or bits if self.method == "inference" else bits,
            floor_gb=round(need.least_gb, 6),
            plan_gb=round(need.plan_gb, 6),
            low_gb=round(need.least_gb, 6),
            high_gb=round(need.most_gb, 6),
            terms=terms,
            written=Formula(" + ".join(["{} GB"] * len(terms)), tuple([round(term.gb, 3) for term in terms])),
            sources=tuple(dict.fromkeys([one.source for one in found.parts])),
        )
