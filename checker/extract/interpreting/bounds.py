"""The bounds on what an evaluation may hold and make, the same for programs of all languages and on every machine.

``MAX_*`` bound one value, ``Budget`` all values that the reading of one pipeline makes. Who computes a value whose size
follows from its operands asks before; what is beyond a bound is an unknown value with the cause ``LIMIT``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

MAX_TEXT: Final = 100_000
"""Characters of one text."""
MAX_ELEMENTS: Final = 100_000
"""Elements of one collection."""
MAX_BITS: Final = 4_096
"""Bits of one whole number."""
MAX_MADE: Final = 10_000_000
"""Elements of all values that the reading of one pipeline makes, on all its paths together."""
OF_AN_ELEMENT: Final = 8
"""Characters of a text that count as one element."""
TOO_LONG: Final = f"a text or collection of more than {MAX_TEXT:,} characters or elements"
TOO_MUCH: Final = f"its values have more than {MAX_MADE:,} elements together"
A_LOOK: Final = 500
"""What looking into a part of a nested value counts: one that is held many times is looked into many times."""


@dataclass(slots=True)
class Budget:
    """The elements that are left to make."""

    left: int = MAX_MADE

    def take(self, size: int) -> bool:
        """Note a value of a size. False when that is too much."""
        self.left -= size
        return self.left >= 0


def replaced_size(text: str, old: str, new: str) -> int:
    """The length of ``text.replace(old, new)``."""
    return len(text) + text.count(old) * (len(new) - len(old))


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
