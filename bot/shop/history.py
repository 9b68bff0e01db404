"""Price lists over time.

The list in force on a day is the one whose first day is the latest up to that day; of several with one first day, the
one imported last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from planner.errors import OperatorError
from planner.offer import PriceList, PriceRow


@dataclass(frozen=True, slots=True)
class Import:
    """One imported price list; ``at`` is in UTC.  ``withdrawn``: by whom it was undone, None while it counts."""

    at: datetime
    who: str
    prices: PriceList
    withdrawn: str | None = None


class NoPricesError(OperatorError):
    """There is no price list for a day: one line that says from which day on there is one."""


def in_force(lists: Sequence[PriceList], day: date) -> PriceList:
    """Of price lists in the order of their import, the one in force on a day.

    Raises NoPricesError for a day before the first list.
    """
    known = [prices for prices in lists if prices.since <= day]
    if not known:
        first = min(prices.since for prices in lists)
        raise NoPricesError(f"no prices are known for {day}; the first list is of {first}")
    return max(enumerate(known), key=lambda pair: (pair[1].since, pair[0]))[1]


def prices_to_json(prices: PriceList) -> dict[str, Any]:
    """A price list as a JSON object; money as strings."""
    return {
        "as_of": prices.as_of.isoformat(),
        "valid_from": prices.valid_from.isoformat() if prices.valid_from else None,
        "source": prices.source,
        "counts": prices.counts,
        "blocks": prices.blocks,
        "topup_usd": str(prices.topup_usd),
        "gpus": [
            {
                "gpu": row.gpu,
                "usd_per_hour": str(row.usd_per_hour),
                "available": row.available,
                "max_per_host": row.max_per_host,
                "form_factor": row.form_factor,
                "interconnect": row.interconnect,
            }
            for row in prices.rows
        ],
    }


def prices_from_json(raw: dict[str, Any]) -> PriceList:
    """A price list from its JSON object.  Raises KeyError, TypeError, ValueError or ArithmeticError for any other."""
    valid_from = raw.get("valid_from")  # lists from before there was the field lack it
    rows = tuple(PriceRow(**{**row, "usd_per_hour": Decimal(row["usd_per_hour"])}) for row in raw["gpus"])
    return PriceList(
        as_of=date.fromisoformat(raw["as_of"]),
        rows=rows,
        source=raw["source"],
        counts=tuple(raw["counts"]),
        blocks=tuple(raw["blocks"]),
        topup_usd=Decimal(raw["topup_usd"]),
        valid_from=date.fromisoformat(valid_from) if valid_from else None,
    )
