"""The bounds on what an evaluation may hold and make, the same for programs of all languages and on every machine.

``MAX_*`` bound one value, ``Budget`` all values that the reading of one pipeline makes. Who computes a value whose size
follows from its operands asks before; what is beyond a bound is an unknown value with the cause ``LIMIT``.

How long a search by a regular expression of a program may take, whatever the text is.

Python's engine goes back: it tries every way in which the parts of a pattern can take a text. Their number is bounded
here by the pattern alone, where only single characters are repeated in it. By other patterns, as ``(a+)+``, no search
is made, and its result is not known.
"""

import re
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


MOST_TRIED: Final = 5_000_000
"""Steps of one search, which takes a small part of a second then."""
STEPS_OF_AN_ELEMENT: Final = 10
"""Steps of searches that count as one element of what is made (see ``bounds.Budget``)."""
_MOST_LENGTH: Final = 1_000
"""Characters of a pattern."""
_ONE_CHARACTER: Final = re.compile(r"\\\D|\[\^?\]?(?:\\.|[^\]\\])*+\]", re.DOTALL)
_GROUP: Final = re.compile(r"\(\?(?::|P<\w+>|<?[=!])")
_WITHOUT_BOUND: Final = re.compile(r"\)[*+{]|\\|\(\?")
"""A part that is repeated, or that repeats what another one took."""
_REPEATED: Final = re.compile(r"(?:[*+?]|\{\d*,\d*\})(?!$)")
"""What may take a text in several ways; at the end of a pattern, nothing can fail after it."""


def steps_of(pattern: str | bytes, length: int) -> int:
    """At most so many steps takes a search in a text of a length; more than ``MOST_TRIED`` for one not to be made."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    plain = _GROUP.sub("(", _ONE_CHARACTER.sub("x", re.sub(r"^\(\?[aimsu]+\)", "", text)))
    if len(text) > _MOST_LENGTH or _WITHOUT_BOUND.search(plain):
        return MOST_TRIED + 1
    steps: int = (length + 1) ** (1 + len(_REPEATED.findall(plain))) << plain.count("|")
    return min(MOST_TRIED + 1, steps)
