"""price: the price list, or one GPU's price per hour and per block."""

from __future__ import annotations

from bot.answers.answer import Answer, PriceLine
from bot.answers.common import Desk
from bot.shop.shop import Shop
from planner.catalog import load_catalog
from planner.cost import block_usd
from planner.offer import PriceRow


def answer_price(desk: Desk) -> Answer:
    """The rows asked for; a GPU that is not for rent is named with the nearest one that is."""
    prices = desk.shop.prices
    wanted = (desk.slots.gpu,) if desk.slots.gpu else desk.slots.gpus
    rows = [row for gpu in wanted if (row := prices.row(gpu)) is not None]
    for gpu in wanted:
        if prices.row(gpu) is None:
            desk.note("not_rented", gpu=gpu)
            near = _nearest(gpu, desk.shop)
            if near is not None and near not in rows:
                rows.append(near)
    desk.cite(prices.source)
    count = desk.slots.count
    if count is not None and count > 1:
        for row in rows:
            desk.note("configuration_price", gpu=row.gpu, count=count, usd=row.usd_per_hour * count)
    lines = tuple(price_line(row, desk.shop) for row in (rows or prices.rows))
    return Answer(question=desk.question, prices=lines)


def price_line(row: PriceRow, shop: Shop) -> PriceLine:
    """One GPU with what each block costs."""
    vram = load_catalog().gpu(row.gpu).vram_gb or 0.0
    blocks = tuple((hours, block_usd(row, hours)) for hours in shop.prices.blocks)
    return PriceLine(row.gpu, vram, row.usd_per_hour, blocks, row.available)


def _nearest(gpu: str, shop: Shop) -> PriceRow | None:
    """The rented GPU with the least memory that is not below the one asked for (else the largest)."""
    vram = load_catalog().gpu(gpu).vram_gb or 0.0
    offered = [
        (load_catalog().gpu(row.gpu).vram_gb or 0.0, row.usd_per_hour, row) for row in shop.prices.rows if row.available
    ]
    enough = [entry for entry in offered if entry[0] >= vram]
    chosen = min(enough, key=lambda e: e[:2]) if enough else max(offered, key=lambda e: e[:2], default=None)
    return chosen[2] if chosen is not None else None
