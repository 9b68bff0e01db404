"""Published measurements: the estimates keep the accuracy they reached, as averages over sources."""

from __future__ import annotations

import pytest

from tests.bench.fit_memory import figures, load


@pytest.mark.parametrize(
    ("trains", "median", "within10", "within20", "inside", "width"),
    [
        (True, 0.09, 0.58, 0.78, 0.87, 1.95),
        (False, 0.055, 0.72, 0.96, 0.90, 1.25),
    ],
)
def test_estimates_stay_as_near_to_measurements_as_they_came(
    trains: bool, median: float, within10: float, within20: float, inside: float, width: float
) -> None:
    found = figures([row for row in load() if row["trains"] is trains])
    assert found[0] <= median
    assert found[1] >= within10
    assert found[2] >= within20
    assert found[3] >= inside
    assert found[4] <= width


def test_each_measurement_names_its_source() -> None:
    rows = load()
    assert len(rows) > 400
    assert all(row["source"] and row["gb"] > 0 for row in rows)
