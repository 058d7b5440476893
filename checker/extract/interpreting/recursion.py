"""Programs call deeper than Python's own limit allows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_RECURSION = 20_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """A higher limit of Python's recursion while a program is evaluated."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
