"""The record of a state descriptor: its name, types and time-to-live.

Source: ``pyflink/datastream/state.py`` and ``pyflink/common/time.py`` of 1.20 and 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from checker.extract.python.flink_api.streams import (
    Descriptor,
    calls_to,
    type_text,
)
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import External, Opaque, Value, reason_of
from checker.model.declared_state import Expiry, StateDescriptor, StateKind
from checker.model.unknowns import Cause, Maybe, Unknown

_TYPE = {
    StateKind.VALUE: (1, "value_type_info"),
    StateKind.LIST: (1, "elem_type_info"),
    StateKind.REDUCING: (2, "type_info"),
    StateKind.AGGREGATING: (2, "state_type_info"),
}
"""Where a descriptor is given its type."""
_UNITS = {
    "milliseconds": 1, "millis": 1, "seconds": 1_000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000
}  # fmt: skip
"""Milliseconds by the name of a method of ``Time``, or what follows ``of_`` in one of ``Duration``."""


def record(run: Run, descriptor: Descriptor) -> StateDescriptor:
    """The state that a descriptor asks for."""
    given = descriptor.arguments
    key: Maybe[str] | None = None
    if descriptor.kind is StateKind.MAP:
        key = type_text(given.get(1, "key_type_info"))
        type_name = type_text(given.get(2, "value_type_info"))
    else:
        type_name = type_text(given.get(*_TYPE[descriptor.kind]))
    expires = _expires(descriptor.ttl)
    return StateDescriptor(
        name=_name(descriptor),
        kind=descriptor.kind,
        key_type=key,
        value_type=type_name,
        ttl=expires,
        expiry=_expiry(run, descriptor.ttl) if expires else None,
        location=descriptor.location,
    )


def _name(descriptor: Descriptor) -> Maybe[str]:
    name = descriptor.arguments.get(0, "name")
    if isinstance(name, str):
        return name
    if isinstance(name, Opaque):
        return reason_of(name)
    return Unknown("the name of a state is not a text that can be read here", Cause.OTHER, None, descriptor.location)


def _expires(configuration: Value) -> bool | None:
    if configuration is None:
        return False
    if any(isinstance(a, External) and a.simple == "Disabled" for a in _given(configuration)):
        return False
    return True if isinstance(configuration, External) else None


def _expiry(run: Run, configuration: External) -> Expiry:
    """When values expire, by the calls on the way to the configuration."""
    length: Value = None
    chosen = {"set_update_type": False, "set_state_visibility": False}
    for call in reversed(list(calls_to(configuration))):
        given = next(_given_to(call), None)
        if call.simple in ("new_builder", "set_ttl"):
            length = given
        elif call.simple in chosen and isinstance(given, External):
            chosen[call.simple] = given.simple in ("OnReadAndWrite", "ReturnExpiredIfNotCleanedUp")
        elif call.simple in ("update_ttl_on_read_and_write", "return_expired_if_not_cleaned_up"):
            chosen["set_update_type" if call.simple.startswith("update") else "set_state_visibility"] = True
    text = described(run, configuration)
    further = any(whom and whom in text for whom, _ in run.given_to_objects)  # a builder, by other statements
    return Expiry(
        milliseconds=_not_read(run, configuration) if further else _milliseconds(run, length),
        refreshed_by_reads=chosen["set_update_type"],
        visible_until_cleaned=chosen["set_state_visibility"],
    )


def _milliseconds(run: Run, length: Value) -> Maybe[int]:
    known = milliseconds_of(length)
    return _not_read(run, length) if known is None else known


def milliseconds_of(length: Value) -> int | None:
    """How long a ``Time`` or ``Duration`` is; None where that is not known."""
    unit = _UNITS.get(length.simple.removeprefix("of_")) if isinstance(length, External) else None
    amounts = list(_given_to(length)) if isinstance(length, External) else []
    if unit is not None and len(amounts) == 1 and isinstance(amounts[0], int | float):
        return int(amounts[0] * unit)
    return None


def _not_read(run: Run, value: Value) -> Unknown:
    """A length that is compared by what it is made of."""
    inner = next((part for part in (value, *_given(value)) if isinstance(part, Opaque)), None)
    reason = inner.unknown if inner is not None else Unknown("cannot tell how long values live", Cause.OTHER)
    return replace(reason, derived_from=described(run, value) or None)


def _given_to(call: External) -> Iterator[Value]:
    yield from call.arguments
    yield from (value for _, value in call.keywords)


def _given(built: Value) -> Iterator[Value]:
    """What any of these calls is given, and what goes into that."""
    for call in calls_to(built):
        for value in _given_to(call):
            yield value
            yield from _given(value)
