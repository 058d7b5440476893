"""The mutable state of one interpretation, with an undo log.

Everything that a program can change (variables, fields, collections, drafts, environments) is written through
``Memory``, so that both sides of an unknown condition can be tried and their effects compared.

Which code of a program an interpreter followed, and where it met something that it could not follow.

A trace is filled while a program is read and says afterwards what the resulting topology rests on: an edit in code that
was followed shows in the topology, any other edit has to be explained in another way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from checker.model.table_programs import TableProgram
from checker.model.unknowns import Location

MISSING: Final[Any] = object()
"""The old value of an entry that a dict did not have."""
EVERY_ATTRIBUTE: Final = frozenset({"*"})
"""As ``TOPOLOGICAL`` of a class: all of its attributes belong to the topology."""
_NO_ATTRIBUTE: Final[frozenset[str]] = frozenset()

tick = count().__next__
"""The next moment: mutable values remember when they were made, to recognise those of one side of a branch."""


@dataclass(slots=True)
class Write:
    """One change: attribute ``key`` of an object, or entry ``key`` of a dict."""

    target: Any
    key: Any
    old: Any
    entry: bool

    @property
    def topological(self) -> bool:
        """Whether it touches the topology: the class of the target names such attributes in ``TOPOLOGICAL``."""
        return not self.entry and _of_topology(self.target, self.key)

    def place(self) -> tuple[int, Any, bool]:
        """The place that was written to, as a key."""
        return (id(self.target), self.key, self.entry)

    def current(self) -> Any:
        """The value there now."""
        return self.target.get(self.key, MISSING) if self.entry else getattr(self.target, self.key)

    def undo(self) -> None:
        """Restore the old value."""
        if not self.entry:
            setattr(self.target, self.key, self.old)
        elif self.old is MISSING:
            self.target.pop(self.key, None)
        else:
            self.target[self.key] = self.old


def _of_topology(target: object, attribute: str) -> bool:
    attributes: frozenset[str] = getattr(type(target), "TOPOLOGICAL", _NO_ATTRIBUTE)
    return attributes is EVERY_ATTRIBUTE or attribute in attributes


@dataclass(eq=False, slots=True)
class Memory:
    """Writes, and takes them back."""

    log: list[Write] = field(default_factory=list)
    topological: list[int] = field(default_factory=list)
    """The places in the log of writes that touch the topology."""

    def put(self, mapping: dict[Any, Any], key: Any, value: Any) -> None:
        """Set an entry of a dict."""
        self.log.append(Write(mapping, key, mapping.get(key, MISSING), True))
        mapping[key] = value

    def assign(self, target: Any, attribute: str, value: Any) -> None:
        """Set an attribute of an object."""
        if _of_topology(target, attribute):
            self.topological.append(len(self.log))
        self.log.append(Write(target, attribute, getattr(target, attribute), False))
        setattr(target, attribute, value)

    def mark(self) -> int:
        """A place to go back to."""
        return len(self.log)

    def touched_topology(self, mark: int) -> bool:
        """Whether anything topological was written since the mark."""
        return bool(self.topological) and self.topological[-1] >= mark

    def effects(self, mark: int) -> dict[tuple[int, Any, bool], tuple[Write, Any]]:
        """What was written since the mark: the first write to each place (it knows the old value), the new value."""
        found: dict[tuple[int, Any, bool], tuple[Write, Any]] = {}
        for write in self.log[mark:]:
            place = write.place()
            if place not in found:
                found[place] = (write, write.current())
        return found

    def rollback(self, mark: int) -> None:
        """Take back everything since the mark."""
        while len(self.log) > mark:
            self.log.pop().undo()
        while self.topological and self.topological[-1] >= mark:
            self.topological.pop()


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
    tables: tuple[TableProgram, ...] = ()
    """What the program asks of the Table API, for each variant of its topology, or for its one shape."""

    def visit(self, path: str, place: int) -> None:
        """A statement or expression is evaluated."""
        found = self.executed.get(path)
        if found is None:
            found = self.executed[path] = set()
        found.add(place)

    def gap(self, path: str, place: int) -> None:
        """Note that something is not followed."""
        self.gaps.setdefault(path, set()).add(place)

    def registered_again(self, path: str, line: int) -> None:
        """Note that a state descriptor repeats another one."""
        self.repeated.add((path, line))

    def follow(self, outcome: Trace) -> None:
        """Take over what another reading of the same pipeline met."""
        self.executed, self.gaps, self.repeated = outcome.executed, outcome.gaps, outcome.repeated
        self.fused, self.tables = outcome.fused, outcome.tables


def place_of(line: int, column: int) -> int:
    """A line and a column as one number. ``line`` counts from 1, ``column`` from 0."""
    return (line << 16) + min(column, 0xFFFF)
