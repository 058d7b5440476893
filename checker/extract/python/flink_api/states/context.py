"""``RuntimeContext`` and state descriptors, as a function meets them in ``open``.

Source: ``pyflink/datastream/functions.py`` and ``state.py`` of 1.20 and 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.extract.python.interpreter.values import Arguments, Guarded, Value
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.unknowns import Location

GETTERS = frozenset(
    {"get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state",
     "get_partitioned_state"}
)  # fmt: skip
"""Methods that give a state by its descriptor; the last one is of triggers."""


@dataclass(slots=True, eq=False, repr=False)
class Descriptor(Guarded):
    """A state descriptor: what it was made with, and its time-to-live."""

    kind: StateKind
    arguments: Arguments
    location: Location
    ttl: Value = None


@dataclass(slots=True, eq=False, repr=False)
class StateContext(Guarded):
    """A ``RuntimeContext``: the states that are asked for, each with the name of the value that stands for it."""

    found: list[tuple[StateDescriptor, str]] = field(default_factory=list)
