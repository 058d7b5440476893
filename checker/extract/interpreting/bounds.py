"""The bounds on what an evaluation may hold and make, the same for programs of all languages and on every machine.

``MAX_*`` bound one value, ``Budget`` all values that the reading of one pipeline makes. Who computes a value whose size
follows from its operands asks before; what is beyond a bound is an unknown value with the cause ``LIMIT``.

How long a search by a regular expression of a program may take, whatever the text is.

Python's engine goes back: it tries every way in which the parts of a pattern can take a text. Their number is bounded
here by the pattern alone. ``(a+)+`` and ``(a|a)*`` have more ways than any text could be tried with: a search by
them is not made, and its result is not known.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

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
_NEVER: Final = MOST_TRIED + 1
_PARSER: Final[Any] = import_module("re._parser")
"""What ``re`` reads patterns with; no type stubs know it."""
_MOST_LENGTH: Final = 1_000
"""Characters of a pattern."""
_MOST_ROUNDS: Final = 64
"""Repetitions of a part that takes a text in several ways."""


def steps_of(pattern: str | bytes, length: int, *, full: bool = False) -> int:
    """At most so many steps takes a search in a text of this length; more than ``MOST_TRIED`` for one not to be made.

    ``full``: the whole text has to match, so that the last part is tried in all ways, too.
    """
    if len(pattern) > _MOST_LENGTH:
        return _NEVER
    return min(_NEVER, (length + 1) * _ways(pattern, length, full))


@lru_cache(maxsize=256)
def _ways(pattern: str | bytes, length: int, full: bool) -> int:
    try:
        return _of_sequence(_PARSER.parse(pattern), length, not full)
    except (re.error, OverflowError):
        return 1  # refused before it searches
    except RecursionError:
        return _NEVER


def _of_sequence(items: Any, length: int, last: bool) -> int:
    """``last``: nothing comes after the sequence that could fail."""
    ways, end = 1, len(items) - 1
    for place, (kind, argument) in enumerate(items):
        ways = min(_NEVER, ways * _of_item(str(kind), argument, length, last and place == end))
    return ways


def _of_item(kind: str, argument: Any, length: int, last: bool) -> int:
    match kind:
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN" | "AT":
            return 1
        case "SUBPATTERN":
            return _of_sequence(argument[3], length, last)
        case "ATOMIC_GROUP":
            return _of_sequence(argument, length, last)
        case "ASSERT" | "ASSERT_NOT":
            return _of_sequence(argument[1], length, last)
        case "BRANCH":
            return min(_NEVER, sum(_of_sequence(branch, length, last) for branch in argument[1]))
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, repeated = argument
            each, rounds = _of_sequence(repeated, length, False), max(int(least), min(int(most), length + 1))
            if each == 1:
                return min(_NEVER, (int(least) if last else rounds) + 1)
            return _NEVER if rounds > _MOST_ROUNDS else min(_NEVER, sum(each**count for count in range(rounds + 1)))
    return _NEVER  # a part that repeats what another one took
