"""``RuntimeContext`` and state descriptors, as a function meets them in ``open``.

Source: ``pyflink/datastream/functions.py`` and ``state.py`` of 1.20 and 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.extract.python.flink_api.states.types import type_text
from checker.extract.python.interpreter.values import Arguments, External, Guarded, Opaque, Value, reason_of
from checker.model.declared_state import Expiry, StateDescriptor, StateKind
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
            ttl=(ttl := self._expires()),
            expiry=self._expiry() if ttl else None,
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

    def _expiry(self) -> Expiry | None:
        """When values expire, by the calls on the way to the configuration."""
        calls: list[External] = []
        built = self.ttl
        while isinstance(built, External):
            calls.insert(0, built)
            built = built.before
        length: Value = None
        chosen = {"set_update_type": False, "set_state_visibility": False}
        for call in calls:
            given = call.arguments[0] if len(call.arguments) == 1 else None
            if call.simple in ("new_builder", "set_ttl"):
                length = given
            elif call.simple in chosen and isinstance(given, External):
                chosen[call.simple] = given.simple in ("OnReadAndWrite", "ReturnExpiredIfNotCleanedUp")
            elif call.simple in ("update_ttl_on_read_and_write", "return_expired_if_not_cleaned_up"):
                chosen["set_update_type" if call.simple.startswith("update") else "set_state_visibility"] = True
        milliseconds = _milliseconds(length)
        if milliseconds is None:
            return None
        return Expiry(
            milliseconds=milliseconds,
            refreshed_by_reads=chosen["set_update_type"],
            visible_until_cleaned=chosen["set_state_visibility"],
        )


_UNITS = {
    "milliseconds": 1, "millis": 1, "seconds": 1_000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000
}  # fmt: skip
"""Milliseconds by the name of a method of ``Time``, or what follows ``of_`` in one of ``Duration``."""


def _milliseconds(length: Value) -> int | None:
    if not isinstance(length, External) or len(length.arguments) != 1:
        return None
    amount, unit = length.arguments[0], _UNITS.get(length.simple.removeprefix("of_"))
    return amount * unit if unit is not None and isinstance(amount, int) and not isinstance(amount, bool) else None


@dataclass(slots=True, eq=False, repr=False)
class StateContext(Guarded):
    """A ``RuntimeContext``: the states that are asked for."""

    found: list[StateDescriptor] = field(default_factory=list)
