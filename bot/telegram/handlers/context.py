"""What handlers are given beside the update."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bot.hub.values import HubModels
from bot.rates.values import NO_RATES, Rates
from bot.shop.shop import Shop


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideContext:
    """The shop, the time and the settings that a decision depends on.

    ``now`` is aware, in UTC.  ``bot_id`` and ``bot_username`` (without @) come from getMe.  ``memory_days``: how long
    questions are kept, for what /privacy says.
    """

    shop: Shop
    now: datetime
    bot_id: int
    bot_username: str
    default_locale: str = "pt_BR"
    memory_days: int = 7
    rates: Rates = NO_RATES
    hub: HubModels = field(default_factory=dict)  # repositories that were looked up for this update
