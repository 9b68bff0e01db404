"""What is on offer: a dated price list, the configurations and blocks it is sold in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One GPU model for rent; ``form_factor`` and ``interconnect`` are None where not known."""

    gpu: str
    usd_per_hour: Decimal  # per GPU-hour
    available: bool = True
    max_per_host: int = 8
    form_factor: str | None = None
    interconnect: str | None = None


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices per GPU-hour as of one day, and how GPU-hours are sold.

    ``counts`` are the GPU counts offered per instance, ``blocks`` the sizes in GPU-hours for one
    GPU model, ``topup_usd`` the smallest top-up, ``source`` where the prices were read.  A list that was
    published before it counts states the day in ``valid_from``.
    """

    as_of: date
    rows: tuple[PriceRow, ...]
    source: str
    counts: tuple[int, ...] = (1, 2, 4, 8)
    blocks: tuple[int, ...] = (10, 24, 168, 720)
    topup_usd: Decimal = Decimal(25)
    valid_from: date | None = None

    @property
    def since(self) -> date:
        """The first day on which the list counts."""
        return self.valid_from or self.as_of

    def row(self, gpu: str) -> PriceRow | None:
        """The price row of a GPU id, or None when it is not rented."""
        return next((row for row in self.rows if row.gpu == gpu), None)
