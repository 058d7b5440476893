"""State descriptors: ``new ValueStateDescriptor<>("name", ...)`` wherever the expression that names one leads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tree_sitter import Node

from checker.extract.java.state.descriptor_types import (
    called_method,
    constant,
    find_local,
    named_value,
    returned,
    type_of,
    unknown_type,
    unwrapped,
    written_type,
)
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl, TypeRef, type_ref
from checker.extract.java.syntax.parse import children, field, text, walk
from checker.model.topology import Cause, Location, Maybe, StateKind, Unknown

DESCRIPTORS = {
    "ValueStateDescriptor": StateKind.VALUE,
    "ListStateDescriptor": StateKind.LIST,
    "MapStateDescriptor": StateKind.MAP,
    "ReducingStateDescriptor": StateKind.REDUCING,
    "AggregatingStateDescriptor": StateKind.AGGREGATING,
    "FoldingStateDescriptor": StateKind.AGGREGATING,
}
REGISTERING = frozenset(
    {
        "getState",
        "getListState",
        "getMapState",
        "getReducingState",
        "getAggregatingState",
        "getFoldingState",
        "getPartitionedState",
        "getUnionListState",
        "getBroadcastState",
    }
)
"""Methods that ask Flink for the state that a descriptor describes."""
_TYPE_ARGUMENT = {StateKind.VALUE: 0, StateKind.LIST: 0, StateKind.REDUCING: 0, StateKind.AGGREGATING: 1}
"""Which generic argument is the type of what is kept (for maps: the second)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """A state descriptor as the source writes it. ``key_type`` is a map's; ``scope`` is the class that spells it."""

    kind: StateKind
    name: Maybe[str]
    key_type: Maybe[str] | None
    value_type: Maybe[str] | None
    serializer: str | None
    ttl: bool | None
    scope: ClassDecl
    location: Location


def descriptor_at(
    index: ClassIndex, scope: ClassDecl, node: Node, written: TypeRef | None = None, depth: int = 0
) -> Descriptor | None:
    """The descriptor that an expression gives; None when it is none, or nobody can tell.

    ``written`` is the declared type of what it is assigned to, for the types that a diamond leaves out.
    """
    node = unwrapped(node)
    if depth > 8:
        return None
    if node.type == "object_creation_expression":
        return _created(index, scope, node, written)
    if node.type in ("identifier", "field_access"):
        named = named_value(index, scope, node)
        if named is None:
            return None
        value, owner, declared = named
        found = descriptor_at(index, owner, value, declared, depth + 1)
        if found is not None and found.ttl is False:
            return replace(found, ttl=_time_to_live(scope, text(node)))
        return found
    if node.type == "method_invocation":
        method = called_method(index, scope, node)
        result = returned(method) if method is not None else None
        if method is None or result is None:
            return None
        return descriptor_at(index, method.owner, result, method.return_type, depth + 1)
    return None


def names_descriptor(index: ClassIndex, scope: ClassDecl, node: Node) -> StateKind | None:
    """The kind of descriptor that a variable or parameter is declared to be, where its value can't be followed."""
    node = unwrapped(node)
    if node.type == "identifier":
        local = find_local(node, text(node))
        if local is not None and local[1] is not None:
            return DESCRIPTORS.get(local[1].simple)
    return None


def _created(index: ClassIndex, scope: ClassDecl, node: Node, written: TypeRef | None) -> Descriptor | None:
    ref = type_ref(field(node, "type"))
    kind = DESCRIPTORS.get(ref.simple)
    location = scope.unit.location(node)
    if kind is None:
        return _own_subclass(index, scope, ref, location)
    arguments = field(node, "arguments")
    given = children(arguments) if arguments is not None else []
    name: Maybe[str] | None = constant(index, scope, given[0]) if given else None
    if name is None:
        name = Unknown(
            f"the name of the state, '{text(given[0])[:60] if given else ''}', is computed", location=location
        )
    generics = ref.arguments or (written.arguments if written is not None and written.simple == ref.simple else ())
    key_type, value_type, serializer = _types(index, scope, kind, given, generics)
    return Descriptor(
        kind=kind,
        name=name,
        key_type=key_type,
        value_type=value_type,
        serializer=serializer,
        ttl=False,
        scope=scope,
        location=location,
    )


def _types(
    index: ClassIndex, scope: ClassDecl, kind: StateKind, given: list[Node], generics: tuple[TypeRef, ...]
) -> tuple[Maybe[str] | None, Maybe[str] | None, str | None]:
    count = 2 if kind is StateKind.MAP else 1
    described = [type_of(index, scope, node) for node in given[1:]]
    last = described[-count:] if len(described) >= count else []
    serializers = [serializer for _, serializer in last if serializer is not None]
    if kind is StateKind.MAP and len(generics) == 2:
        return written_type(generics[0]), written_type(generics[1]), ", ".join(serializers) or None
    place = _TYPE_ARGUMENT.get(kind, 0)
    if kind is not StateKind.MAP and len(generics) > place:
        return None, written_type(generics[place]), ", ".join(serializers) or None
    types: list[Maybe[str] | None] = [
        found if found is not None or serializer is not None else unknown_type(node, scope)
        for (found, serializer), node in zip(last, given[-count:], strict=False)
    ]
    if kind is StateKind.MAP:
        key, value = types if len(types) == 2 else (None, None)
        return key, value, ", ".join(serializers) or None
    return None, types[-1] if types else None, ", ".join(serializers) or None


def _own_subclass(index: ClassIndex, scope: ClassDecl, ref: TypeRef, location: Location) -> Descriptor | None:
    found = index.resolve_type(ref, scope)
    if not isinstance(found, ClassDecl):
        return None
    for parent in index.ancestors(found):
        if isinstance(parent, External) and parent.simple in DESCRIPTORS:
            why = Unknown(f"{found.name} decides the name of its state itself", Cause.OTHER, location=location)
            return Descriptor(
                kind=DESCRIPTORS[parent.simple],
                name=why,
                key_type=None,
                value_type=why,
                serializer=None,
                ttl=False,
                scope=scope,
                location=location,
            )
    return None


def _time_to_live(scope: ClassDecl, name: str) -> bool | None:
    """Whether the variable's descriptor gets a time-to-live; None where that depends on a condition or other code."""
    plain, body = name.removeprefix("this."), scope.body
    for node in walk(body) if body is not None else ():
        if node.type != "method_invocation":
            continue
        called = text(field(node, "name"))
        if called == "enableTimeToLive" and text(field(node, "object")).removeprefix("this.") == plain:
            return None if _conditional(node) else True
        arguments = field(node, "arguments")
        handed = [text(a).removeprefix("this.") for a in (children(arguments) if arguments is not None else [])]
        if plain in handed and called not in REGISTERING and called != "broadcast":
            return None
    return False


def _conditional(node: Node) -> bool:
    current = node.parent
    while current is not None and current.type not in ("method_declaration", "constructor_declaration", "class_body"):
        if current.type in ("if_statement", "ternary_expression", "switch_block_statement_group", "catch_clause"):
            return True
        current = current.parent
    return False
