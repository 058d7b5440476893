"""Which code of a program an interpreter followed, and where it met something that it could not follow.

A trace is filled while a program is read and says afterwards what the resulting topology rests on: an edit in code that
was followed shows in the topology, any other edit has to be explained in another way.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.model.table_programs import TableProgram
from checker.model.unknowns import Location


@dataclass(eq=False, slots=True)
class Trace:
    """What was followed in one reading of one pipeline, on all paths together.

    Places are numbers in a file: byte offsets of Java source, for Python what ``place_of`` makes of line and column.
    """

    executed: dict[str, set[int]] = field(default_factory=dict)
    """Path → where statements and expressions start that were evaluated."""
    gaps: dict[str, set[int]] = field(default_factory=dict)
    """Path → where calls start whose code is not in the repository, or that were not understood."""
    repeated: set[tuple[str, int]] = field(default_factory=set)
    """File and line of state descriptors that say what another one says: the topology has the state once."""
    fused: dict[tuple[str, int], Location] = field(default_factory=dict)
    """File and line of operators that PyFlink runs as a part of another one → where that one is declared."""
    libraries: dict[str, dict[int, bool]] = field(default_factory=dict)
    """Path and place of the name of a call → whether a library answered it each time, and never the program's code."""
    tables: tuple[TableProgram, ...] = ()
    """What the program asks of the Table API, for each variant of its topology, or for its one shape."""

    asked: set[str] = field(default_factory=set)
    """Names of arguments and variables that are not known, where the program has no default for them."""

    def visit(self, path: str, place: int) -> None:
        """A statement or expression is evaluated."""
        found = self.executed.get(path)
        if found is None:
            found = self.executed[path] = set()
        found.add(place)

    def gap(self, path: str, place: int) -> None:
        """Note that something is not followed."""
        self.gaps.setdefault(path, set()).add(place)

    def answered(self, path: str, place: int, *, by_library: bool) -> None:
        """Note whose code a call runs."""
        found = self.libraries.setdefault(path, {})
        found[place] = by_library and found.get(place, True)

    def registered_again(self, path: str, line: int) -> None:
        """Note that a state descriptor repeats another one."""
        self.repeated.add((path, line))

    def follow(self, outcome: Trace) -> None:
        """Take over what another reading of the same pipeline met."""
        self.executed, self.gaps, self.repeated = outcome.executed, outcome.gaps, outcome.repeated
        self.fused, self.libraries, self.tables = outcome.fused, outcome.libraries, outcome.tables
        self.asked = outcome.asked


def place_of(line: int, column: int) -> int:
    """A line and a column as one number. ``line`` counts from 1, ``column`` from 0."""
    return (line << 16) + min(column, 0xFFFF)
