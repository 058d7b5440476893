"""Edits of the values of a script's enumerations that keys are made of: ``order.status.value``.

Code that takes the value keeps its text. Which enumeration a member holds, its annotation says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from checker.compare.account.both_sides import BothSides
from checker.compare.account.pairs import Pair
from checker.model.program_code import Part, simple_name

ENUMS: Final = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
"""Classes of Python's ``enum`` whose objects have a name and a value."""


def in_keys(sides: BothSides, pair: Pair, texts: Callable[[], Iterable[str]]) -> bool:
    """Whether the edit of a value of an enumeration, or of its name, changes keys that such expressions make."""
    if pair.base is None or pair.any.part is not Part.FIELD:
        return False
    owner = pair.base.key[0]
    if ENUMS.isdisjoint(sides.base.ancestors(owner) - {simple_name(owner)}):
        return False
    words = frozenset(word for text in texts() for word in re.findall(r"\w+", text))
    by_name = "name" in words and "value" not in words
    if by_name is not (pair.head is None):
        return False
    enum = simple_name(owner)
    members = (d for key, d in sides.base.declarations.items() if not words.isdisjoint(key[1].split(",")))
    return enum in words or any(enum in declaration.names for declaration in members)
