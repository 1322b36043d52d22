"""A small version of coverage_of_intervals.py: intervals hold the truth as often as they promise, within what chance
allows, and one half as wide would be found out."""

from __future__ import annotations

import pytest
from coverage_of_intervals import coverage

from workbench.metrics.binomial import at_most

LOGS, CHANCE = 40, 1e-3
NOMINAL_LOW, NOMINAL_HIGH = 0.93, 0.97


def _possible(held: int, given: int) -> bool:
    """Whether a coverage of 93 to 97 % gives so few or so many with more than a chance of 1 in 1,000."""
    too_few = at_most(held, given, NOMINAL_LOW) < CHANCE
    too_many = 1 - at_most(held - 1, given, NOMINAL_HIGH) < CHANCE
    return not too_few and not too_many


@pytest.mark.parametrize("used", [73])
def test_intervals_of_sparse_logs_cover_what_they_promise(used: int) -> None:
    found = coverage(used, LOGS, seed=2, small=True)
    for name, (held, given, missing) in found.items():
        assert given + missing >= LOGS
        assert missing == 0, name
        if not name.endswith("half as wide"):
            assert _possible(held, given), (name, held, given)
    narrow = [_possible(*counts[:2]) for name, counts in found.items() if name.endswith("half as wide")]
    assert len(narrow) == len(found) / 2
    assert not any(narrow), "intervals that promise too much are found out"
