"""Functions that a program gives Flink to reduce values with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

OF_STATE: Final = ".value"
"""Ends what the object in a state is called, behind the name of the field that holds the state."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """One such function."""

    through: frozenset[tuple[str, str]]
    """The declarations that it is written in and given by."""
    forgets: bool | None
    """What it gives is made of nothing that was reduced before; None where it is too large to see that."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What one method makes of members of objects, and of the parameters that hold what Flink keeps."""

    folded: frozenset[str] = frozenset()
    """Members whose new value is made of the old one; ``counts[]`` stands for the values of a map."""
    may_fold: frozenset[str] = frozenset()
    """These, and members that methods mention which it calls."""
    written: frozenset[str] = frozenset()
    results: frozenset[int] = frozenset()
    """The parameters that the result of a method of Flink may be made of, of those that hold what it folded before."""
    lambdas: int = 0
    """The functions in it that reduce values."""
    opaque: frozenset[str] = frozenset()
    """The calls that give objects to code that is not followed."""
    taken: frozenset[str] = frozenset()
    """Members of which some contents are taken out."""
    emptied: frozenset[str] = frozenset()
    """Members in which nothing is left."""
    carried: frozenset[str] = frozenset()
    """Members that are only taken over from the old object into a new one."""
    gives_back: bool = False
    """It returns an object that it is given."""
