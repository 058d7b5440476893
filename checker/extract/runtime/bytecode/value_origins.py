"""Where the values of code come from: followed back through variables, fields, arguments and results of calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from checker.extract.runtime.bytecode.reachable_code import Call, MethodId, Reach
from checker.extract.runtime.bytecode.symbolic_code import (
    Argument,
    ClassConstant,
    FieldValue,
    Made,
    Null,
    Result,
    Text,
    Value,
)

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What objects hold in their fields when the job is submitted: (declaring class, field) → values."""

    texts: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    descriptors: Mapping[tuple[str, str], tuple[Record, ...]] = field(default_factory=dict)
    followed: frozenset[tuple[str, str]] = frozenset()
    """Fields that hold an object whose code is followed."""
    empty: frozenset[tuple[str, str]] = frozenset()
    """Fields that hold nothing in every object."""


@dataclass(frozen=True, slots=True)
class Place:
    """An object made at a place of a method, and the calls through which the method was entered."""

    method: MethodId
    made: Made
    through: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class HeldDescriptor:
    """A descriptor that exists when the job is submitted."""

    name: str
    kind: str
    value_type: str | None
    key_type: str | None
    serializer: str | None
    ttl: bool | None
    classes: list[dict[str, Any]] = field(compare=False)


Origin = Text | ClassConstant | Place | HeldDescriptor | None
_Step = tuple[MethodId, Value, tuple[Call, ...]]
"""A value in a method that was entered through calls, the innermost last; of callers before these any may be it."""
_Steps = list[_Step | Text | HeldDescriptor]
"""Where a value comes from: a value in some method, or one that needs no further following."""
_MAX_DEPTH = 6
"""Calls that are kept apart."""


class Origins:
    """Follows values of the reached methods, with what objects hold when the job is submitted."""

    def __init__(self, reach: Reach, contents: Held) -> None:
        self._reach = reach
        self._contents = contents

    def of(self, method: MethodId, value: Value, through: tuple[Call, ...] = ()) -> set[Origin]:
        """Every value that ``value`` can be in a method; None among them where one is not known."""
        found: set[Origin] = set()
        seen: set[_Step] = set()
        pending: list[_Step] = [(method, value, through)]
        nothing = False
        while pending:
            use = pending.pop()
            if use in seen:
                continue
            seen.add(use)
            method, value, through = use
            if isinstance(value, Null):
                nothing = True
            elif value is None or isinstance(value, Text | ClassConstant):
                found.add(value)
            elif isinstance(value, Made):
                known = value in self._reach.methods[method].made
                found.add(Place(method, value, through) if known else None)
            else:
                before = self._before(method, value, through)
                if before is None:
                    found.add(None)
                for origin in before or ():
                    if isinstance(origin, Text | HeldDescriptor):
                        found.add(origin)
                    else:
                        pending.append(origin)
        return found if found or nothing else {None}

    def _before(
        self, method: MethodId, value: Argument | FieldValue | Result, through: tuple[Call, ...]
    ) -> _Steps | None:
        """One step back; None where that is not known."""
        if isinstance(value, Argument):
            if through:
                return [(through[-1].caller, _argument(through[-1], value.number), through[:-1])]
            callers = self._reach.callers.get(method, ())
            return [(call.caller, _argument(call, value.number), ()) for call in callers] or None
        if isinstance(value, Result):
            return self._returned(method, value, through)
        return self._field(value)

    def _returned(self, method: MethodId, value: Result, through: tuple[Call, ...]) -> _Steps | None:
        found: _Steps = []
        for target, calls in self._reach.callers.items():
            for call in calls:
                invocation = call.invocation
                if call.caller != method or (invocation.reference, invocation.at) != (value.reference, value.at):
                    continue
                if target not in self._reach.methods:  # its code was not followed
                    return None
                entered = (*through, call) if len(through) < _MAX_DEPTH else ()
                found += [(target, result, entered) for result in self._reach.methods[target].returns]
        return found or None

    def _field(self, value: FieldValue) -> _Steps | None:
        reference = value.reference
        found: _Steps = []
        owners = list(self._reach.classes.hierarchy(reference.owner))
        names = {owner.name for owner in owners}
        for class_file in owners:
            place = class_file.name, reference.name
            found += [Text(text) for text in self._contents.texts.get(place, ())]
            found += [HeldDescriptor(**record) for record in self._contents.descriptors.get(place, ())]
            if reference.name in class_file.constants:
                found.append(Text(class_file.constants[reference.name]))
        for identity, facts in self._reach.methods.items():
            found += [(identity, v, ()) for r, v in facts.writes if r.name == reference.name and r.owner in names]
        if not found and any((owner.name, reference.name) in self._contents.empty for owner in owners):
            found.append((next(iter(self._reach.methods)), Null(), ()))
        return found or None


def _argument(call: Call, number: int) -> Value:
    """An argument by its number in the called method; what a caller of a lambda passes is not known."""
    invocation = call.invocation
    if invocation.captured and invocation.reference.name == "<init>":
        number -= 1
    return invocation.arguments[number] if 0 <= number < len(invocation.arguments) else None
