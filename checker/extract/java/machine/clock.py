"""When a value was made, in ticks."""

from __future__ import annotations

import itertools

_clock = itertools.count()


def tick() -> int:
    """The next moment: mutable values remember when they were made, to recognise those of one side of a branch."""
    return next(_clock)
