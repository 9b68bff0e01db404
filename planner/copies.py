"""What learning from preferences or rewards holds beside the model that is trained: estimates, for no run was measured.

Copies are taken to be of the model's own size, in 16 bits, sharded as its weights are.
"""

from __future__ import annotations

from collections.abc import Callable

from planner.memory import Formula
from planner.run import Part, Run

#: Bytes of a parameter of a frozen copy.
_COPY = 2


def copy_parts(run: Run, shards: int, trained_bytes: Callable[[], float]) -> tuple[Part, ...]:
    """The copies on one GPU, in bytes.  ``trained_bytes``: what a second trained model of that size would take there.

    A reference model is the base itself where adapters can be switched off.  GRPO's rollouts may come from the model
    itself (nothing), from an engine on the same GPUs (its weights, and as much again of cache), or from other GPUs.
    PPO has a reward model and a value model, which is trained like the policy.
    """
    if run.algo is None:
        return ()
    size = _COPY * run.shape.params / shards
    written = Formula("{} x {} bytes / {}", (run.shape.params / 1e9, _COPY, shards))
    parts = []
    if run.method in ("full", "full_8bit"):
        # log-probabilities of the reference may be computed beforehand; GRPO without a KL term needs none
        parts.append(Part("reference", 0.0, size, size, written, "trl-reference"))
    if run.algo == "grpo":
        parts.append(Part("rollout", 0.0, size, 2 * size, written, "trl-colocate"))
    if run.algo == "ppo":
        parts.append(Part("reward", 0.0, size, size, written, "trl-reference"))
        value = trained_bytes()
        parts.append(Part("value", 0.0, value, value, Formula("as the weights that are trained"), "trl-reference"))
    return tuple(parts)
