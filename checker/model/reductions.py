"""Functions that a program gives Flink to reduce values with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reduction:
    """One such function."""

    through: frozenset[tuple[str, str]]
    """The declarations that it is written in and given by."""
    forgets: bool
    """What it gives is made of nothing that was reduced before."""
