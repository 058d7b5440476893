"""What a function's code does with its states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from checker.model.gathered import gathered

Key = tuple[str, str]
"""A declaration: qualified name of its class, and its own name with the types of its parameters."""

GIVEN: Final = frozenset({"restoreState", "restoreEnumerator", "restoreWriter", "addSplits", "initializedState"})
"""Methods that are given what was restored: ``ListCheckpointed``, ``Source``, ``SupportsWriterState``, readers."""
RESTORING: Final = GIVEN | {"initializeState", "snapshotState", "toSplitType"}
"""Methods of Flink that restore state, or snapshot it."""
READ = "read"
WRITE = "write"
FOLD = "fold"
"""What is written is made of what was there, or only written because of it."""
FEEDS = "feeds"
"""What is read goes elsewhere than into the same state."""


def method_name(key: Key) -> str:
    """The name of a declaration without the types of its parameters."""
    return key[1].partition("(")[0]


def by_method(keys: Iterable[Key]) -> dict[str, list[Key]]:
    """Declarations by their names without parameters."""
    return gathered((method_name(key), key) for key in keys)


@dataclass(slots=True)
class PlaceUse:
    """What code does with a member or an entry of an object in state."""

    uses: set[str] = field(default_factory=set)
    """``READ``, ``WRITE`` and ``FOLD``."""
    goes: set[str] = field(default_factory=set)
    """The parts of expressions and statements that it comes to."""
    made: set[str] = field(default_factory=set)
    """What it is set to, with the conditions of that."""


@dataclass(slots=True)
class StateHandle:
    """What code works with a state through: an attribute, a field, a variable."""

    states: set[str] = field(default_factory=set)
    """What it is set to: the call that asks for the state, without what it is called on."""
    uses: set[str] = field(default_factory=set)
    """``READ``, ``WRITE`` and ``FEEDS``."""
    used_in: set[str] = field(default_factory=set)
    """The methods that handle records and use the handle in any way."""
    touched_in: set[str] = field(default_factory=set)
    """The methods that handle records or fired timers and use the handle in any way."""
    written_in: set[str] = field(default_factory=set)
    """The methods of ``touched_in`` that write anything but a literal to the state."""
    given_in: set[str] = field(default_factory=set)
    """The methods that use what the state holds, where that is looked at."""
    erased_in: set[str] = field(default_factory=set)
    """The methods that leave nothing of what the state held, whatever the record is."""
    added_in: set[str] = field(default_factory=set)
    """The methods that add to what the state holds, where that is looked at."""
    replaced_in: set[str] = field(default_factory=set)
    """The methods that may set the state to what is not made of what it holds."""
    accumulates: bool = False
    """Something is added to what the state holds."""
    may_accumulate: bool = False
    folds: bool = False
    """What is written is made of what the state holds."""
    may_fold: bool = False
    changes: bool = False
    """Anything is written but the very object that lay there, or that object is changed, where that is looked at."""
    may_change: bool = False
    places: Mapping[str, PlaceUse] = field(default_factory=dict)
    """The members and entries of an object that lies there, by how code comes to them, where that is looked at."""
    numbers: frozenset[str] = frozenset()
    """The numbers that code writes as they stand there."""
    only_numbers: bool = False
    """Nothing else is written."""
    followed: bool = True
    """False where the code is too large to see what it does with it."""


@dataclass(frozen=True, slots=True)
class Timers:
    """What one revision's function does with timers."""

    registers: bool = False
    may_register: Callable[[], bool] = bool
    """Whether it registers timers, or code may that it mentions or gives its context to."""
    fires: bool = False
    """Something happens when a timer fires."""


@dataclass(frozen=True, slots=True)
class FunctionStates:
    """What a function does with its states."""

    handles: Mapping[str, StateHandle]
    """The attributes and variables through which it works with its states, by name."""
    registered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The calls that ask for a state when Flink calls the function, with their conditions."""
    named: frozenset[str] = frozenset()
    """All such calls that its classes have."""
    timers: Timers = field(default_factory=Timers)


BEFORE: Final = "BEFORE"
"""Stands in expressions for what a state held."""
REDUCED: Final = "reduced"
"""Stands for the state of a function that reduces values."""


@dataclass(frozen=True, slots=True)
class KeptParts:
    """What the parts of tuples are made of that functions keep in state."""

    by_place: Mapping[str, frozenset[tuple[str, ...]]] = field(default_factory=dict)
    """By the class and its state, attribute or method: the parts of each tuple as expressions of ``BEFORE``."""
    through: Mapping[str, AbstractSet[Key]] = field(default_factory=dict)
    """The declarations that these depend on."""


MAP_KEY_USES: Final = {"get": READ, "contains": READ, "put": WRITE}
"""Methods of map and broadcast states that look an entry up or set it. ``remove`` loses nothing under another key."""


@dataclass(frozen=True, slots=True)
class MapKeys:
    """By which keys a function reads and writes the entries of its map and broadcast states."""

    by_use: Mapping[tuple[str, str], frozenset[str]]
    """By the handle of the state, and ``READ`` or ``WRITE``: the expressions of the keys."""
    fields: frozenset[str]
    """What the fields of the function's object are set to that these read."""
    through: frozenset[Key]
    """The declarations that the keys depend on."""
    of_elements: frozenset[str] = frozenset()
    """The keys that entries are looked up by in methods whose first argument, ``$0``, is an element."""


TAKES_ELEMENTS: Final = frozenset(
    {"processElement", "processElement1", "processElement2", "processBroadcastElement", "flatMap", "flatMap1",
     "flatMap2", "process_element", "process_element1", "process_element2", "process_broadcast_element", "flat_map",
     "flat_map1", "flat_map2", "map", "map1", "map2", "filter"}
)  # fmt: skip
"""Methods that Flink gives an element as their first argument."""
