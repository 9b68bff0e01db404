"""Spans between two clock times, over days: "das 8 às 18h", "Friday 6pm to Monday 9am"."""

from __future__ import annotations

from bot.reader.lexicon import Hit
from bot.reader.numerals import Numeral
from bot.reader.scan import Scan

_REACH = 4
_HALVES = {"am": 0.0, "pm": 12.0}


def clock_span(scan: Scan) -> float | None:
    """Hours between the two clock times around a word such as "to"; None where there are none.

    Without days of the week a later time is the same day's, an earlier one the next day's.
    """
    times = {one.start: one for one in scan.numerals if 0 <= one.value <= 24 and not one.suffix}
    days = {index: hit for hit in scan.by_concept.get("weekday", ()) for index in range(hit.start, hit.end)}
    for hit in scan.by_concept.get("until", ()):
        begin = _time(range(hit.start - 1, max(hit.start - 1 - _REACH, -1), -1), times, days)
        end = _time(range(hit.end, min(hit.end + _REACH, len(scan.tokens))), times, days)
        if begin is None or end is None:
            continue
        (start, first), (stop, second) = begin, end
        marked = _marked(scan, start) or _marked(scan, stop)
        if first is not None and second is not None:
            return (second - first) % 7 * 24 + _clock(scan, stop) - _clock(scan, start)
        if not marked or first is not None or second is not None:
            continue
        hours = _clock(scan, stop) - _clock(scan, start)
        return hours if hours > 0 else hours + 24
    return None


def _time(indices: range, times: dict[int, Numeral], days: dict[int, Hit]) -> tuple[Numeral, int | None] | None:
    """The clock time nearest in that direction, and the day of the week beside it."""
    day: int | None = None
    found: Numeral | None = None
    for index in indices:
        if index in days and days[index].value is not None:
            day = int(float(str(days[index].value)))
        if found is None and index in times:
            found = times[index]
        if found is not None and day is not None:
            break
    return None if found is None else (found, day)


def _after(scan: Scan, numeral: Numeral) -> str:
    return scan.tokens[numeral.end].text if numeral.end < len(scan.tokens) else ""


def _marked(scan: Scan, numeral: Numeral) -> bool:
    """Whether a number is told to be a time: "18h", "6pm", "9 Uhr"."""
    return _after(scan, numeral) in _HALVES or any(
        hit.start == numeral.end and hit.value == 1.0 for hit in scan.by_concept.get("unit", ())
    )


def _clock(scan: Scan, numeral: Numeral) -> float:
    half = _HALVES.get(_after(scan, numeral))
    if half is None:
        return numeral.value
    return numeral.value % 12 + half
