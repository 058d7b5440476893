"""The mutable state of one interpretation, with an undo log, and the choices that lead down one path.

Everything that a program can change (variables, fields, collections, drafts, environments) is written through
``World``, so that both sides of an unknown condition can be tried and their effects compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from checker.extract.java.flink_api.flink_values import Draft, EnvValue, StreamValue
from checker.model.topology import Unknown

_MISSING: Any = object()


@dataclass(slots=True)
class Write:
    """One change: attribute ``key`` of an object, or entry ``key`` of a dict."""

    target: Any
    key: Any
    old: Any
    entry: bool

    @property
    def topological(self) -> bool:
        """Whether it touches the topology: a draft, an environment, what a stream builder was told."""
        if self.entry:
            return False
        if isinstance(self.target, Jobs):
            return bool(self.key == "items")
        return isinstance(self.target, Draft | EnvValue | StreamValue)

    def place(self) -> tuple[int, Any, bool]:
        """What was written to, as a key."""
        return (id(self.target), self.key, self.entry)

    def current(self) -> Any:
        """The value there now."""
        return self.target.get(self.key, _MISSING) if self.entry else getattr(self.target, self.key)

    def undo(self) -> None:
        """Restore the old value."""
        if not self.entry:
            setattr(self.target, self.key, self.old)
        elif self.old is _MISSING:
            self.target.pop(self.key, None)
        else:
            self.target[self.key] = self.old


@dataclass(eq=False, slots=True)
class Jobs:
    """The jobs that a program has executed so far, and its environments."""

    items: tuple[Any, ...] = ()
    envs: tuple[EnvValue, ...] = ()


@dataclass(eq=False, slots=True)
class World:
    """The undo log."""

    log: list[Write] = field(default_factory=list)

    def put(self, mapping: dict[Any, Any], key: Any, value: Any) -> None:
        """Set an entry of a dict."""
        self.log.append(Write(mapping, key, mapping.get(key, _MISSING), True))
        mapping[key] = value

    def assign(self, target: Any, attribute: str, value: Any) -> None:
        """Set an attribute of an object."""
        self.log.append(Write(target, attribute, getattr(target, attribute), False))
        setattr(target, attribute, value)

    def mark(self) -> int:
        """A place to go back to."""
        return len(self.log)

    def touched_topology(self, mark: int) -> bool:
        """Whether anything topological was written since the mark."""
        return any(write.topological for write in self.log[mark:])

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


MISSING = _MISSING


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice on the way: what it was about, how it went, how many ways there are."""

    symbol: str
    taken: int
    ways: int
    label: str
    unknown: Unknown


@dataclass(eq=False, slots=True)
class Oracle:
    """Leads one path: repeats ``forced`` choices, then always the first way. Equal symbols go the same way."""

    forced: tuple[int, ...] = ()
    decisions: list[Decision] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    parent: Oracle | None = None

    def decided(self, symbol: str) -> int | None:
        """How a symbol was decided on this path, None if it was not."""
        oracle: Oracle | None = self
        while oracle is not None:
            if symbol in oracle.known:
                return oracle.known[symbol]
            oracle = oracle.parent
        return None

    def choose(self, symbol: str, labels: tuple[str, ...], unknown: Unknown) -> int:
        """Take a way."""
        place = len(self.decisions)
        taken = self.forced[place] if place < len(self.forced) else 0
        self.decisions.append(Decision(symbol, taken, len(labels), labels[taken], unknown))
        self.known[symbol] = taken
        return taken

    def next_path(self) -> tuple[int, ...] | None:
        """The forced choices of the next path in order, None after the last."""
        taken = [decision.taken for decision in self.decisions]
        for place in range(len(taken) - 1, -1, -1):
            if taken[place] + 1 < self.decisions[place].ways:
                return (*taken[:place], taken[place] + 1)
        return None
