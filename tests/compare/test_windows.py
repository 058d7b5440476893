"""Which open windows fire under another assigner."""

from __future__ import annotations

import pytest

from checker.compare.revisions.declared_fit import old_windows_fire


@pytest.mark.parametrize(
    ("before", "after", "fire"),
    [
        ("TumblingEventTimeWindows", "SlidingEventTimeWindows", True),
        ("TumblingEventTimeWindows", "EventTimeSessionWindows", False),
        ("EventTimeSessionWindows", "TumblingEventTimeWindows", False),
        ("TumblingEventTimeWindows", "TumblingProcessingTimeWindows", False),
        ("EventTimeSessionWindows", "DynamicEventTimeSessionWindows", True),
    ],
)
def test_timers_of_windows_that_the_new_assigner_does_not_know_are_ignored(before: str, after: str, fire: bool) -> None:
    assert old_windows_fire(before, after) is fire
