"""The mutable state of one interpretation, with an undo log.

Everything that a program can change (variables, fields, collections, drafts, environments) is written through
``Memory``, so that both sides of an unknown condition can be tried and their effects compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

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
