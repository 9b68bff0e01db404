"""Baskets of blocks against every sum of blocks there is, up to 2,000 GPU-hours."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product

from bot.shop.shop import Shop
from planner.cost import run_cost


def _every_sum(sizes: tuple[int, ...], most: int) -> dict[int, int]:
    """The fewest blocks per sum, by trying every count of every block."""
    best: dict[int, int] = {}
    for counts in product(*(range(most // size + 1) for size in sizes[1:])):
        rest = sum(size * count for size, count in zip(sizes[1:], counts, strict=True))
        for total in range(rest, most + 1, sizes[0]):
            blocks = sum(counts) + (total - rest) // sizes[0]
            best[total] = min(best.get(total, blocks), blocks)
    return best


def test_exact_and_round_baskets_are_the_best_of_all_sums(shop: Shop) -> None:
    prices = replace(shop.prices, blocks=(10, 24, 168, 720))
    sums = _every_sum(prices.blocks, 2_800)
    for hours in range(1, 2_001):
        run = run_cost(prices, "h100", 1, Decimal(hours))
        total = min(total for total in sums if total >= hours)
        exact = sum(block.count for block in run.exact.blocks)
        assert (run.exact.gpu_hours, exact) == (total, sums[total]), hours
        # At most a tenth of what is bought stays unused.
        near = [(blocks, total) for total, blocks in sums.items() if hours <= total and 10 * (total - hours) <= total]
        fewest = min(near, default=None)
        if fewest is None or fewest[0] >= exact:
            assert run.round is None, hours
        else:
            assert run.round is not None, hours
            assert (sum(block.count for block in run.round.blocks), run.round.gpu_hours) == fewest, hours
