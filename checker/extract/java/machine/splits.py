"""What is merged after several ways were tried: an unknown that divides them, and what each of them wrote."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, TypeAlias, get_args

from checker.extract.datastream.records import DEFAULT, JOB_SETTINGS
from checker.extract.interpreting.memory import MISSING, Write
from checker.extract.java.machine.descriptions import choose, described_as, expression_of, short
from checker.extract.java.machine.exceptions import LimitSignal, Signal
from checker.extract.java.machine.flink_values import EnvValue, Jobs, Registrations
from checker.extract.java.machine.run_state import RunState
from checker.extract.java.machine.values import ExternalObject, ListValue, MapValue, Opaque, Value
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Unknown

Effects: TypeAlias = dict[tuple[int, Any, bool], tuple[Write, Any]]
"""What a step wrote: the first write to every place, and the value there in the end."""


@dataclass(frozen=True, slots=True)
class Split:
    """An unknown and what depends on it: which of several values belongs to which outcome of its symbol."""

    symbol: str
    places: tuple[tuple[int | bool, int], ...]
    """Outcome of the symbol, and the place of its value."""
    unknown: Unknown
    condition: Value
    """What it depends on."""

    def choose(self, values: Sequence[Value]) -> Value:
        """One value that is any of these."""
        return choose(self.symbol, tuple((outcome, values[place]) for outcome, place in self.places), self.unknown)

    def because(self, values: Sequence[Any] = ()) -> Unknown:
        """Why a value that is one of several is not known: what its condition is made of, and the values."""
        unknown = self.unknown
        made = expression_of(self.condition, unknown.cause)
        if made != NEEDS_CODE:
            described = [described_as(value) if is_value(value) else _plain(value) for value in values]
            made = short(f"{made} ? {described}") if None not in described else NEEDS_CODE
        options = tuple(value for value in values if isinstance(value, int)) if values else ()
        return replace(unknown, options=options if len(options) == len(values) else (), derived_from=made)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step that was tried and taken back: its value, and what it would have written."""

    value: Value
    effects: Effects
    left: Signal | None = None
    """How it leaves the block that it stands in."""
    doubt: Unknown | None = None
    """Why what follows it may not happen."""


class Ended(Enum):
    """Why a step gave no value."""

    PROGRAM = auto()
    """The program ends there with an exception or ``System.exit``."""
    FORK = auto()
    """It touches the topology or leaves the block: the paths have to be followed one by one."""


def mergeable(effects: Effects) -> bool:
    """Whether a step leaves the topology alone, settings of jobs aside."""
    return all(
        not write.topological or (isinstance(write.target, EnvValue) and write.key in JOB_SETTINGS)
        for write, _ in effects.values()
    )


def fresh_envs(values: list[Any], sides: Sequence[Effects], since: int, kept: int = 1) -> bool:
    """Whether the values are new environments that nothing refers to but the one place, if any, that they are kept."""
    if len(values) < 2 or not all(isinstance(v, EnvValue) and v.born > since and not v.drafts for v in values):
        return False
    writes = [new for side in sides for write, new in side.values() if not isinstance(write.target, Jobs)]
    return all(sum(1 for new in writes if new is value) == kept for value in values)


def values_at(sides: list[Effects], place: Any, write: Write, since: int) -> list[Any]:
    """The value of one place on every side that has it."""
    if not write.entry and getattr(write.target, "born", -1) > since:
        return [side[place][1] for side in sides if place in side]
    values = [side[place][1] if place in side else write.old for side in sides]
    return [value for value in values if value is not MISSING]


def different(
    results: list[tuple[Value, Effects]], since: int, shared: tuple[object, ...]
) -> list[tuple[Value, Effects]]:
    """The results of paths, without those that give and write the same as an earlier one.

    ``shared`` is what every path sees: entries that are new there count, other than new variables.
    """
    kept: list[tuple[Value, Effects]] = []
    for value, effects in results:
        if not any((value is v or value == v) and _alike(effects, e, since, shared) for v, e in kept):
            kept.append((value, effects))
    return kept


def _alike(first: Effects, second: Effects, since: int, shared: tuple[object, ...]) -> bool:
    """Whether two steps leave the same, aside from what only they can see: their variables and new objects."""
    for place in first.keys() | second.keys():
        write = (first.get(place) or second[place])[0]
        if write.entry:
            seen = write.old is not MISSING or any(write.target is target for target in shared)
        else:
            seen = getattr(write.target, "born", -1) <= since
        left, right = (side[place][1] if place in side else write.old for side in (first, second))
        if seen and left is not right and left != right:
            return False
    return True


def _plain(value: object) -> str | None:
    """A raw attribute as a text; None for one that a text does not show completely."""
    if isinstance(value, Unknown):
        return value.derived_from or (repr(value.reason) if value.cause is Cause.ARGUMENT else None)
    if isinstance(value, tuple) and all(is_value(part) for part in value):
        return f"[{', '.join(described_as(part) for part in value)}]"
    return None if isinstance(value, tuple) else repr(value)


def is_value(value: Any) -> bool:
    """Whether it is a value of the interpreted program (not a raw attribute)."""
    return isinstance(value, _VALUE_TYPES)


_VALUE_TYPES = get_args(Value)


@dataclass(eq=False)
class MergingRun(RunState):
    """A path through a program that takes over what several ways did."""

    def merge(self, sides: list[Effects], split: Split, since: int) -> None:
        """Write what every side would have written: equal values as they are, others as a choice.

        What was made after ``since`` belongs to one side only and stays as it is there.
        """
        places: dict[Any, Write] = {}
        for side in sides:
            for place, (write, _) in side.items():
                places.setdefault(place, write)
        for place, write in places.items():
            values = values_at(sides, place, write, since)
            if fresh_envs(values, sides, since):
                values = [self._one_env(values, split)]
            if values:
                self._write(write, self.join(values, split, write), split, values)

    def _one_env(self, values: list[EnvValue], split: Split) -> EnvValue:
        """One environment for new ones that differ at most in settings."""
        first = values[0]
        for name in JOB_SETTINGS:
            self.memory.assign(first, name, self.join([getattr(value, name) for value in values], split))
        return first

    def _write(self, write: Write, joined: Any, split: Split, values: Sequence[Any]) -> None:
        if write.entry:
            self.memory.put(write.target, write.key, joined)
            return
        self.memory.assign(write.target, write.key, joined)
        if isinstance(write.target, ListValue | MapValue) and joined is None and write.key in ("elements", "entries"):
            self.memory.assign(write.target, "unknown", split.because(values))

    def join(self, values: list[Any], split: Split, write: Write | None = None) -> Any:
        """One value for several possible ones."""
        first = values[0]
        if all(value is first or value == first for value in values):
            return first
        if write is not None and isinstance(write.target, Registrations):
            return write.target.merged(values, split.because())
        target, name = (None, None) if write is None or write.entry else (write.target, write.key)
        if isinstance(target, Jobs) or (isinstance(target, ExternalObject) and name in ("calls", "side_calls")):
            return tuple(dict.fromkeys(item for value in values for item in value))
        if isinstance(target, ExternalObject) and name != "ttl":
            if all(isinstance(value, tuple | int | None) for value in values):
                return None  # such as the members of options of a command line: not known
            raise LimitSignal(f"{target.type.simple} is set up differently on several paths")
        if all(is_value(value) for value in values):
            if len(values) == len({place for _, place in split.places}):
                return split.choose(values)
            return choose(self.fresh("choice"), tuple(enumerate(values)), split.unknown)
        if all(isinstance(value, dict) for value in values):
            return self._join_settings(values, split)
        if any(value is DEFAULT or isinstance(value, int | Unknown | str) for value in values):
            return split.because(values)
        return None

    def _join_settings(self, values: list[dict[str, Value]], split: Split) -> dict[str, Value]:
        joined: dict[str, Value] = {}
        for key in dict.fromkeys(key for value in values for key in value):
            unset = Opaque(split.unknown, self.fresh(f"setting {key}"))
            options: list[Value] = [value.get(key, unset) for value in values]
            joined[key] = options[0] if all(option == options[0] for option in options) else unset
        return joined
