"""Hours, GPU-hours, blocks, top-up and cost: exact in Decimal."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import cache
from typing import Final

from planner.errors import PlanError
from planner.offer import PriceList, PriceRow
from planner.query import Method, check_count

#: The longest run that is priced, in wall-clock hours (ten years).
MAX_HOURS: Final = Decimal(87_600)
#: The share of a round basket that may stay unused.
MAX_UNUSED: Final = Decimal("0.10")
#: Sums of blocks are tabulated up to this many of the largest block.
_TABLE: Final = 5


@dataclass(frozen=True, slots=True)
class Blocks:
    """``count`` blocks of ``hours`` GPU-hours each."""

    hours: int
    count: int


@dataclass(frozen=True, slots=True)
class Basket:
    """Blocks that cover a need.  ``left_over_hours`` never expire."""

    blocks: tuple[Blocks, ...]  # largest first
    gpu_hours: int
    left_over_hours: Decimal
    usd: Decimal


@dataclass(frozen=True, slots=True)
class RunCost:
    """The cost of one run: GPUs x wall-clock hours x price per GPU-hour.

    ``usd`` is what the run consumes, rounded up to the cent once.  ``exact`` is the basket that costs
    least now, ``round`` the one with fewest blocks and at most 10 % unused (None where it saves no
    block), ``basket`` the recommended one of the two.  ``topup_usd`` is what has to be paid in at
    least: the basket, or the shop's minimum where that binds.
    """

    gpu: str
    count: int
    method: Method | None
    hours: Decimal  # wall-clock
    gpu_hours: Decimal
    usd_per_hour: Decimal  # whole configuration
    usd: Decimal
    exact: Basket
    round: Basket | None
    basket: Basket
    topup_usd: Decimal


def run_cost(prices: PriceList, gpu: str, count: int, hours: Decimal, method: Method | None = None) -> RunCost:
    """The cost of ``hours`` wall-clock hours on ``count`` GPUs: a started minute counts, cents are rounded up once.

    Raises PlanError for a GPU that is not rented, a count outside 1..8 or hours outside one minute to ten years.
    """
    row = prices.row(gpu)
    if row is None:
        raise PlanError("not_rented", "gpu", ", ".join(r.gpu for r in prices.rows))
    check_count(count)
    if not (hours > 0 and hours <= MAX_HOURS):
        raise PlanError("out_of_range", "hours", f"0-{MAX_HOURS}", str(MAX_HOURS) if hours > 0 else "1")
    minutes = (hours * 60).to_integral_value(ROUND_CEILING)
    usd = _cents(minutes * count * row.usd_per_hour / 60)
    need = int((minutes * count / 60).to_integral_value(ROUND_CEILING))
    exact = _basket(_fewest_left_over(need, prices.blocks), minutes * count, row.usd_per_hour)
    fewest = _fewest_blocks(need, minutes * count / 60, prices.blocks)
    rounded = None
    if fewest is not None and sum(fewest.values()) < sum(block.count for block in exact.blocks):
        rounded = _basket(fewest, minutes * count, row.usd_per_hour)
    chosen = rounded or exact
    return RunCost(
        gpu=gpu,
        count=count,
        method=method,
        hours=_tidy(minutes / 60),
        gpu_hours=_tidy(minutes * count / 60),
        usd_per_hour=row.usd_per_hour * count,
        usd=usd,
        exact=exact,
        round=rounded,
        basket=chosen,
        topup_usd=max(chosen.usd, prices.topup_usd),
    )


def block_usd(row: PriceRow, hours: int) -> Decimal:
    """The price of one block of ``hours`` GPU-hours, rounded up to the cent."""
    return _cents(row.usd_per_hour * hours)


def whole_blocks(budget_usd: Decimal, row: PriceRow, blocks: tuple[int, ...]) -> int:
    """The most GPU-hours that whole blocks within ``budget_usd`` give on one GPU model."""
    total = int(budget_usd / row.usd_per_hour)
    while total >= min(blocks):
        counts = _unwind(total, blocks) if _block_count(total, blocks) is not None else {}
        if counts and sum(block_usd(row, size) * count for size, count in counts.items()) <= budget_usd:
            return total
        total -= 1
    return 0


def _cents(usd: Decimal) -> Decimal:
    return usd.quantize(Decimal("0.01"), ROUND_CEILING)


def _tidy(hours: Decimal) -> Decimal:
    """Hours with at most four decimals and no trailing zeros, never in exponent form."""
    short = hours.quantize(Decimal("0.0001"))
    return short.quantize(Decimal(1)) if short == short.to_integral_value() else short.normalize()


def _basket(counts: dict[int, int], minutes: Decimal, usd_per_hour: Decimal) -> Basket:
    bought = sum(size * count for size, count in counts.items())
    blocks = tuple(Blocks(size, counts[size]) for size in sorted(counts, reverse=True) if counts[size])
    usd = sum((_cents(usd_per_hour * block.hours) * block.count for block in blocks), Decimal(0))
    return Basket(blocks, bought, _tidy(Decimal(bought) - minutes / 60), usd)


def _fewest_left_over(need: int, sizes: tuple[int, ...]) -> dict[int, int]:
    """Blocks with the fewest unused hours, then the fewest blocks."""
    total = need
    while _block_count(total, sizes) is None:
        total += 1
    return _unwind(total, sizes)


def _fewest_blocks(need: int, hours: Decimal, sizes: tuple[int, ...]) -> dict[int, int] | None:
    """The fewest blocks with at most 10 % of what is bought unused, then the fewest hours.

    A basket that could drop a block is never the answer, so only sums below ``need`` + the largest block count.
    """
    most = min(int(hours / (1 - MAX_UNUSED)), need + max(sizes) - 1)
    found = [(blocks, total) for total in range(need, most + 1) if (blocks := _block_count(total, sizes)) is not None]
    return _unwind(min(found)[1], sizes) if found else None


def _block_count(total: int, sizes: tuple[int, ...]) -> int | None:
    """The fewest blocks that sum to ``total`` GPU-hours exactly, or None when no blocks do."""
    spare, tail = _split(total, sizes)
    entry = _table(sizes)[tail]
    return spare + entry[0] if entry else None


def _split(total: int, sizes: tuple[int, ...]) -> tuple[int, int]:
    """How many of the largest block to take at once, and what is left for the table."""
    large = max(sizes)
    over = max(0, -(-(total - _TABLE * large) // large))
    return over, total - over * large


def _unwind(total: int, sizes: tuple[int, ...]) -> dict[int, int]:
    large = max(sizes)
    spare, total = _split(total, sizes)
    counts = {large: spare} if spare else {}
    table = _table(sizes)
    while total > 0 and (entry := table[total]) is not None:
        counts[entry[1]] = counts.get(entry[1], 0) + 1
        total -= entry[1]
    return counts


@cache
def _table(sizes: tuple[int, ...]) -> tuple[tuple[int, int] | None, ...]:
    """For every sum up to a few of the largest block: (fewest blocks, the last block added), or None.

    Fewest blocks for more than that always include the largest: enough smaller ones can be exchanged for it.
    """
    best: list[tuple[int, int] | None] = [(0, 0)]
    for total in range(1, _TABLE * max(sizes) + 1):
        found = [(before[0] + 1, size) for size in sizes if size <= total and (before := best[total - size])]
        best.append(min(found, default=None))
    return tuple(best)
