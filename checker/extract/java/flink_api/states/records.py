"""The record of a state descriptor: its name, types and time-to-live.

Sources: ``StateDescriptor`` and its subclasses, ``StateTtlConfig``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from checker.extract.java.flink_api.states.types import TypeReader, Written, joined
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.numbers import nanoseconds
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    Constant,
    Described,
    ExternalObject,
    Frame,
    Instance,
    Opaque,
    TypeName,
    Value,
    is_null,
    unknown_of,
)
from checker.extract.java.state.java_types import Bindings, JavaType, bindings_of, lineage, of_class, resolved
from checker.extract.java.syntax.local_variables import target_of
from checker.extract.java.syntax.nodes import declared_type
from checker.extract.java.syntax.tree import Node, field, text
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.declared_state import DESCRIPTORS, Expiry, StateDescriptor, StateKind
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_TYPE_ARGUMENT: Final = {StateKind.AGGREGATING: 1}
"""Which generic argument is the type of what is kept, where it is not the first; for maps the first two are."""
_TYPES_AT: Final = {StateKind.REDUCING: 2, StateKind.AGGREGATING: 2}
"""Where a constructor's arguments for types begin: a name and a function come first."""
_STATE_API_V2: Final = "org.apache.flink.api.common.state.v2."
ONLY_V1: Final = "without enableAsyncState on the keyed stream, an operator gives states of the API v1 alone"
"""Why operators refuse a state of the API v2; 2.3.0 says it the other way round (``StreamingRuntimeContext``)."""
ONLY_V2: Final = "with enableAsyncState on the keyed stream, an operator gives states of the API v2 alone"
_SHORT: Final = {
    "updateTtlOnReadAndWrite": ("setUpdateType", True),
    "updateTtlOnCreateAndWrite": ("setUpdateType", False),
    "returnExpiredIfNotCleanedUp": ("setStateVisibility", True),
    "neverReturnExpired": ("setStateVisibility", False),
}
"""Calls on a builder that stand for another one with an argument."""
_CHOSEN: Final = {
    "OnReadAndWrite": True, "OnCreateAndWrite": False, "ReturnExpiredIfNotCleanedUp": True, "NeverReturnExpired": False
}  # fmt: skip


def record(run: Run, made: Described, kind: StateKind | None = None, *, of: Value | None = None) -> StateDescriptor:
    """The state that a descriptor asks for, under the kind that it is registered as; ``of`` is an own subclass's."""
    own, given = DESCRIPTORS[made.type.simple], made.arguments
    location = made.frame.location(made.node) if made.frame is not None and made.node is not None else None
    reader = TypeReader(run, _bindings(run, made))
    spelled = _spelled(run, made, of, reader.bindings)
    places = given[_TYPES_AT.get(own, 1) :]
    key, key_type = Written(), None
    if own is StateKind.MAP:
        key, key_type = _written(reader, places[0] if len(places) > 1 else None, spelled[:1], location)
        value, value_type = _written(reader, places[1] if len(places) > 1 else None, spelled[1:2], location)
    else:
        place = _TYPE_ARGUMENT.get(own, 0)
        value, value_type = _written(reader, places[0] if places else None, spelled[place : place + 1], location)
    ttl = (kind or own).keyed and _expires(made.ttl)  # Flink's backend of operator state knows no time-to-live
    return StateDescriptor(
        name=name_of(run, given[0] if given else None, location),
        kind=kind or own,
        key_type=key_type,
        value_type=value_type,
        serializer=_serializer((key, value)),
        ttl=ttl,
        expiry=_expiry(run, made.ttl) if ttl is True else None,
        classes=joined(key.classes, value.classes),
        refused=ONLY_V1 if any(n.startswith(_STATE_API_V2) for n in made.type.candidates) else None,
        location=location,
    )


def name_of(run: Run, value: Value | None, location: Location | None) -> Maybe[str]:
    """The name that a state, or a timer service, is given."""
    value = run.soften(value) if value is not None else None
    if isinstance(value, Constant) and value.value is not None:
        return value.text
    known = unknown_of(value)
    cause = known.cause if known is not None and known.cause in _KEPT else Cause.OTHER
    reason = f"the name of the state is computed ({known.reason})" if known is not None else "the state has no name"
    made = expression_of(value, known.cause if known is not None else cause) if value is not None else None
    settled_by = known.settled_by if known is not None else None
    return Unknown(reason, cause, settled_by, location, derived_from=made)


_KEPT = (Cause.NON_DETERMINISTIC, Cause.ARGUMENT)
"""Causes that rules react to; for all others the program decides."""


def _bindings(run: Run, made: Described) -> Bindings:
    """What type variables stand for where a descriptor is made: the object there knows its class."""
    this = made.frame.this if made.frame is not None else None
    return bindings_of(run.index, of_class(this.decl)) if isinstance(this, Instance) else {}


def _spelled(run: Run, made: Described, of: Value | None, bindings: Bindings) -> Sequence[JavaType]:
    """The type arguments of a descriptor, those that a diamond leaves out by what it is assigned to."""
    if isinstance(of, Instance):
        above_it = lineage(run.index, of_class(of.decl))
        return next((type_.arguments for type_ in above_it if type_.simple in DESCRIPTORS), ())
    node, frame = made.node, made.frame
    if node is None or frame is None or node.type != "object_creation_expression":
        return ()
    ref = type_ref(field(node, "type"))
    generics = ref.arguments
    if not generics:
        written = _assigned_to(run, node, frame)
        simple = "" if written is None else written.simple
        generics = written.arguments if written and ref.simple in (simple, f"{simple}Descriptor") else ()
    return [resolved(run.index, generic, frame.decl, bindings) for generic in generics]


def _assigned_to(run: Run, node: Node, frame: Frame) -> TypeRef | None:
    """The declared type of the variable, field or result that an expression is for."""
    target = target_of(node, _asks_for_state)
    if target is None or target.parent is None or target.parent.type != "assignment_expression":
        return type_ref(target) if target is not None else None
    return declared_type(run.index, frame.decl, target)[0]


def _asks_for_state(node: Node) -> bool:
    """Whether it is ``getState(…)``, which gives a state of the descriptor's type, or its arguments."""
    call = node.parent if node.type == "argument_list" else node
    return call is not None and call.type == "method_invocation" and text(field(call, "name")) in _ASK


_ASK: Final = frozenset({"getState", "getListState", "getMapState"})


def _written(
    reader: TypeReader, value: Value | None, spelled: Sequence[JavaType], location: Location | None
) -> tuple[Written, Maybe[str] | None]:
    """How a value is written, by the argument that describes it or else the type as spelled; and its type."""
    found = reader.of_raw(reader.of(value), spelled) if value is not None else Written()
    if found.type is not None:
        return found, found.type
    from_generics = reader.of_type(spelled[0]) if spelled else Written()
    if found.serializer is not None:
        both = joined(from_generics.classes if isinstance(found.serializer, Unknown) else (), found.classes)
        return replace(found, classes=both), from_generics.type
    if value is None:
        return from_generics, from_generics.type
    known = unknown_of(value)
    reason = (
        f"the state's type can't be read from the source: {known.reason if known is not None else 'it is computed'}"
    )
    cause = known.cause if known is not None and known.cause in _KEPT else Cause.OTHER
    unknown = Unknown(reason, cause, location=location, derived_from=expression_of(value, Cause.EXTERNAL))
    if from_generics.type is not None:
        return replace(from_generics, serializer=unknown), from_generics.type
    return Written(), unknown


def _serializer(parts: Sequence[Written]) -> Maybe[str] | None:
    found = [part.serializer for part in parts if part.serializer is not None]
    unknown = next((serializer for serializer in found if isinstance(serializer, Unknown)), None)
    return unknown or ", ".join(map(str, found)) or None


# -- time-to-live --------------------------------------------------------------------------------------------------


def _expires(configuration: Value) -> Maybe[bool]:
    """Whether a state gets a time-to-live: not without a configuration, nor with one that is ``DISABLED``."""
    if is_null(configuration):
        return False
    if isinstance(configuration, Choice):
        found = {_expires(option) for _, option in configuration.options}
        if len(found) == 1:
            return found.pop()
        return _not_read(configuration, "cannot tell whether the state gets a time-to-live")
    if isinstance(configuration, ExternalObject):
        return not any(name == "DISABLED" or _disables(name, given) for name, given in _calls(configuration))
    return _not_read(configuration, "cannot tell whether the state gets a time-to-live")


def _disables(name: str, given: tuple[Value, ...]) -> bool:
    """Whether a call says ``Disabled`` as an update type, which switches it off as ``DISABLED`` does."""
    return name == "setUpdateType" and bool(given) and _constant(given[0]) == "Disabled"


def _calls(made: ExternalObject) -> tuple[tuple[str, tuple[Value, ...]], ...]:
    """The calls on the way to a configuration, those on a variable that holds its builder among them."""
    return (*made.calls[:1], *made.side_calls, *made.calls[1:])


def _constant(value: Value) -> str | None:
    """The name of a constant of a library's enum."""
    if isinstance(value, TypeName):
        return value.type.name.rpartition(".")[2]
    if isinstance(value, ExternalObject) and len(value.calls) == 1 and not value.calls[0][1]:
        return value.calls[0][0]
    return None


def _expiry(run: Run, configuration: Value) -> Expiry:
    """When values expire, by the calls that made a configuration."""
    if not isinstance(configuration, ExternalObject):
        return Expiry(milliseconds=_not_read(configuration, "cannot tell how long values live"))
    chosen: dict[str, Maybe[bool]] = {"setUpdateType": False, "setStateVisibility": False}
    length: Value = configuration
    for name, given in _calls(configuration):
        if name in ("newBuilder", "setTtl") and len(given) == 1:
            length = run.soften(given[0])
        elif name in chosen and len(given) == 1:
            known = _CHOSEN.get(_constant(given[0]) or "")
            chosen[name] = _not_read(given[0], "cannot tell when values expire") if known is None else known
        elif name in _SHORT:
            setter, chosen_by_name = _SHORT[name]
            chosen[setter] = chosen_by_name
    nanos = nanoseconds(length)
    return Expiry(
        milliseconds=_not_read(length, "cannot tell how long values live") if nanos is None else nanos // 1_000_000,
        refreshed_by_reads=chosen["setUpdateType"],
        visible_until_cleaned=chosen["setStateVisibility"],
    )


def _not_read(value: Value, reason: str) -> Unknown:
    """Something of a time-to-live, compared by what it is made of; what an argument decides says so."""
    unknown = next((part.unknown for part in _unknown_parts(value)), None)
    outside = unknown is not None and all(part.unknown.cause is Cause.ARGUMENT for part in _unknown_parts(value))
    made = expression_of(value, Cause.ARGUMENT if outside else Cause.EXTERNAL)
    if unknown is not None and outside and made != NEEDS_CODE:
        return replace(unknown, derived_from=made)
    location = unknown.location if unknown is not None else None
    return Unknown(reason, Cause.OTHER, location=location, derived_from=made)


def _unknown_parts(value: Value) -> Iterator[Opaque | Choice]:
    """What is not known of a value that calls of a library make."""
    if isinstance(value, Opaque | Choice):
        yield value
    elif isinstance(value, ExternalObject):
        for given in value.made_with:
            yield from _unknown_parts(given)


# -- transactions of sinks ---------------------------------------------------------------------------------------------

SINK = "TwoPhaseCommitSinkFunction"


def with_transactions(run: Run, sink: Instance, state: StateDescriptor) -> StateDescriptor:
    """What a sink of transactions keeps: pending ones and a context, by serializers handed to ``super``."""
    reader = TypeReader(run, {})
    parts = [reader.of(value) for value in sink.base.arguments[:2]] if sink.base is not None else []
    types = lineage(run.index, of_class(sink.decl))
    spelled = next((ancestor for ancestor in types if ancestor.simple == SINK), None)
    named = [Written(), Written()]
    if spelled is not None and len(spelled.arguments) == 3:
        named = [reader.of_type(argument) for argument in spelled.arguments[1:]]
    return replace(
        state,
        value_type=f"Transaction<{', '.join(part.type or '?' for part in named)}>",
        serializer=_of_transactions(parts),
        classes=joined(*(part.classes for part in (*named, *parts))),
    )


def _of_transactions(parts: list[Written]) -> Maybe[str] | None:
    for part in parts:
        if isinstance(part.serializer, Unknown):
            return part.serializer
    return ", ".join(str(part.serializer or part.type) for part in parts) or None
