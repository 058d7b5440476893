"""``RuntimeContext`` and state descriptors, as a function meets them in ``open``.

Source: ``pyflink/datastream/functions.py`` and ``state.py`` of 1.20 and 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.extract.python.flink_api.states.types import type_text
from checker.extract.python.interpreter.values import Arguments, External, Guarded, Opaque, Value, reason_of
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_TYPE = {
    StateKind.VALUE: (1, "value_type_info"),
    StateKind.LIST: (1, "elem_type_info"),
    StateKind.REDUCING: (2, "type_info"),
    StateKind.AGGREGATING: (2, "state_type_info"),
}
"""Where a descriptor is given its type."""
GETTERS = frozenset({"get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state"})
"""Methods that give a state by its descriptor."""


@dataclass(slots=True, eq=False, repr=False)
class Descriptor(Guarded):
    """A state descriptor: what it was made with, and its time-to-live."""

    kind: StateKind
    arguments: Arguments
    location: Location
    ttl: Value = None

    def state(self) -> StateDescriptor:
        """The record of it."""
        key: Maybe[str] | None = None
        if self.kind is StateKind.MAP:
            key = type_text(self.arguments.get(1, "key_type_info"))
            type_name = type_text(self.arguments.get(2, "value_type_info"))
        else:
            type_name = type_text(self.arguments.get(*_TYPE[self.kind]))
        return StateDescriptor(
            name=self._name(),
            kind=self.kind,
            key_type=key,
            value_type=type_name,
            ttl=self._expires(),
            location=self.location,
        )

    def _name(self) -> Maybe[str]:
        name = self.arguments.get(0, "name")
        if isinstance(name, str):
            return name
        if isinstance(name, Opaque):
            return reason_of(name)
        return Unknown("the name of a state is not a text that can be read here", Cause.OTHER, None, self.location)

    def _expires(self) -> bool | None:
        if self.ttl is None:
            return False
        built = self.ttl
        while isinstance(built, External):
            if any(isinstance(a, External) and a.simple == "Disabled" for a in built.arguments):
                return False
            built = built.before
        return True if isinstance(self.ttl, External) else None


@dataclass(slots=True, eq=False, repr=False)
class StateContext(Guarded):
    """A ``RuntimeContext``: the states that are asked for."""

    found: list[StateDescriptor] = field(default_factory=list)
