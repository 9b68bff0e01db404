"""The rates in memory: renewed each minute, never older than they look."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.rates.agree import Agreed
from bot.rates.values import Fault, Rate, Rates

#: A clock that went this far apart from the passing of time was set, or the machine slept.
_DRIFT: Final = timedelta(seconds=10)


class Board:
    """The rates that answers are worked out with.  ``expected``: sources are asked."""

    def __init__(
        self,
        expected: bool,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        passing: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._expected = expected
        self._clock = clock
        self._passing = passing
        self._found: dict[str, Rate] = {}
        self._manual: dict[str, Rate] = {}
        self._faults: Mapping[str, Fault] = {}
        self._seen = (clock(), passing())

    def rates(self) -> Rates:
        """What is known now.  After the clock was set, nothing that sources said before."""
        self._watch_clock()
        return Rates(dict(self._found), dict(self._manual), self._faults, self._expected)

    def adopt(self, rates: Iterable[Rate]) -> None:
        """Take rates from the store, oldest first."""
        self._watch_clock()
        now = self._clock()
        for rate in rates:
            if rate.manual:
                self._manual[rate.code] = rate
            elif rate.state(now) is not None:
                self._found[rate.code] = rate

    def forget_manual(self) -> None:
        """Drop what the operator set, before it is read again."""
        self._manual.clear()

    def take(self, agreed: Agreed) -> None:
        """Take what sources agreed on; what they did not, stays as it was and ages."""
        self._watch_clock()
        self._found.update(agreed.found)
        self._faults = agreed.faults

    def newest(self) -> datetime | None:
        """The moment of the newest rate that sources agreed on."""
        return max((rate.as_of for rate in self._found.values()), default=None)

    def _watch_clock(self) -> None:
        wall, passing = self._clock(), self._passing()
        elapsed = timedelta(microseconds=(passing - self._seen[1]) // 1000)
        if abs((wall - self._seen[0]) - elapsed) > _DRIFT:
            self._found.clear()
        self._seen = (wall, passing)
