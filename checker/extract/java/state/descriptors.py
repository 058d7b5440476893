"""State descriptors: ``new ValueStateDescriptor<>("name", ...)`` wherever the expression that names one leads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.constants import called_method, named_value, returned
from checker.extract.java.state.java_types import Bindings, JavaType, resolved
from checker.extract.java.state.time_to_live import TimeToLive
from checker.extract.java.state.type_information import Evaluation, TypeReader, Written
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, find_field, unwrapped
from checker.extract.java.syntax.tree import Node, children, field, text, walk
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.model.declared_state import DESCRIPTORS, ClassShape, Expiry, StateDescriptor, StateKind
from checker.model.unknowns import Cause, Location, Maybe, Unknown

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
_TYPES_AT = {StateKind.REDUCING: 2, StateKind.AGGREGATING: 2}
"""Where a constructor's arguments for types begin: a name and a function come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """A state descriptor as the source writes it; several names where one expression makes one descriptor each."""

    kind: StateKind
    names: tuple[Maybe[str], ...]
    key: Written
    value: Written
    value_unknown: Unknown | None = None
    key_unknown: Unknown | None = None
    ttl: Maybe[bool] | None = False
    expiry: Expiry | None = None
    location: Location

    def states(self, kind: StateKind) -> tuple[StateDescriptor, ...]:
        """The states, under the kind that they are registered as."""
        serializers = [w.serializer for w in (self.key, self.value) if w.serializer is not None]
        serializer: Maybe[str] | None = next((s for s in serializers if isinstance(s, Unknown)), None)
        if serializer is None and serializers:
            serializer = ", ".join(str(s) for s in serializers)
        return tuple(
            StateDescriptor(
                name=name,
                kind=kind,
                key_type=self.key_unknown or self.key.type,
                value_type=self.value_unknown or self.value.type,
                serializer=serializer,
                ttl=self.ttl,
                expiry=self.expiry,
                classes=_joined(self.key.classes, self.value.classes),
                location=self.location,
            )
            for name in self.names
        )


def _joined(*several: tuple[ClassShape, ...]) -> tuple[ClassShape, ...]:
    found = {shape.name: shape for classes in several for shape in classes}
    return tuple(found[name] for name in sorted(found))


class DescriptorReader:
    """Reads descriptors in the code of one function."""

    def __init__(
        self,
        shapes: ShapeReader,
        evaluation: Evaluation,
        bindings: Bindings,
        runtime: ClassDecl | None = None,
        arguments: str = "",
        bound: Mapping[str, tuple[Node, ClassDecl]] | None = None,
        caller: DescriptorReader | None = None,
    ) -> None:
        self._shapes = shapes
        self._index = shapes.index
        self._bindings = bindings
        self._runtime = runtime
        self._bound, self._caller = bound or {}, caller
        """The arguments with which the code that is read was called, and who reads the code that calls it."""
        self._arguments = arguments
        """The code of the arguments with which the code that is read was called."""
        self.evaluation = evaluation
        self.types = TypeReader(shapes, evaluation, bindings, runtime)
        self._time_to_live: TimeToLive = TimeToLive(
            shapes, evaluation, bound, caller._time_to_live if caller is not None else None
        )

    def given(self, arguments: Mapping[str, tuple[Node, ClassDecl]]) -> DescriptorReader:
        """The same inside of a method that is called with these arguments."""
        fields = self.evaluation.fields
        codes = (self._shapes.closures.of(node, scope, fields=fields) for node, scope in arguments.values())
        digested = " ".join((self._arguments, *codes)).strip()
        inside = self.evaluation.given(arguments)
        return DescriptorReader(self._shapes, inside, self._bindings, self._runtime, digested, arguments, self)

    def at(self, scope: ClassDecl, node: Node, written: TypeRef | None = None, depth: int = 0) -> Descriptor | None:
        """The descriptor that an expression gives; None when it gives none, or that is not known.

        ``written`` is the declared type of what it is assigned to, for the types that a diamond leaves out.
        """
        node = unwrapped(node)
        if depth > 8:
            return None
        if node.type == "object_creation_expression":
            return self._created(scope, node, written)
        if node.type in ("identifier", "field_access"):
            value = named_value(self._index, scope, node)
            local = value is None and find_local(node, text(node)) is not None
            argument = self._bound.get(text(node)) if local else None
            if argument is not None and self._caller is not None:
                found = self._caller.at(argument[1], argument[0], None, depth + 1)
            elif value is not None:
                found = self.at(value[1], value[0], value[2], depth + 1)
            else:
                return None
            if found is not None and found.ttl is False:
                ttl = self._time_to_live.of(scope, node)
                return replace(found, ttl=ttl, expiry=self._time_to_live.expiry if ttl is True else None)
            return found
        if node.type == "method_invocation":
            method = called_method(self._index, scope, node, self._runtime)
            result = returned(method) if method is not None else None
            if method is None or result is None:
                return None
            names = [parameter.name for parameter in method.parameters] if not method.varargs else []
            bound = {name: (argument, scope) for name, argument in zip(names, arguments_of(node), strict=False)}
            inside = self.given(bound) if bound else self
            return inside.at(method.owner, result, method.return_type, depth + 1)
        return None

    def unread(self, scope: ClassDecl, node: Node, reason: str) -> Unknown:
        """The Unknown for something that the source does not settle: equal only if derived from the same code."""
        digest = self._shapes.closures.of(node, scope, fields=self.evaluation.fields)
        derived_from = f"{digest} {self._arguments or self._callers(scope, node)}".strip()
        return Unknown(reason, Cause.OTHER, location=scope.unit.location(node), derived_from=derived_from)

    def _callers(self, scope: ClassDecl, node: Node) -> str:
        """The code of all arguments that the function's own code may give to the parameters in an expression."""
        method = node
        while method.parent is not None and method.type not in ("method_declaration", "constructor_declaration"):
            method = method.parent
        parameters = field(method, "parameters")
        names = {text(field(child, "name")) for child in children(parameters)} if parameters is not None else set()
        if names.isdisjoint(text(child) for child in walk(node) if child.type == "identifier"):
            return ""
        name = text(field(method, "name"))
        called = self._index.lineage(self._runtime) if self._runtime is not None else []
        codes = [
            self._shapes.closures.of(argument, owner, fields=self.evaluation.fields)
            for owner in dict.fromkeys((*called, scope))
            for call in (walk(owner.body) if owner.body is not None else ())
            if _calls(call, name)
            for argument in arguments_of(call)
        ]
        return " ".join(codes)

    def _created(self, scope: ClassDecl, node: Node, written: TypeRef | None) -> Descriptor | None:
        ref = type_ref(field(node, "type"))
        kind = DESCRIPTORS.get(ref.simple)
        if kind is None:
            return self._own_subclass(scope, node, ref)
        given = arguments_of(node)
        names = self.names(scope, node, given[0] if given else None)
        generics = ref.arguments or (written.arguments if written is not None and written.simple == ref.simple else ())
        spelled = [resolved(self._index, generic, scope, self._bindings) for generic in generics]
        places = given[_TYPES_AT.get(kind, 1) :]
        if kind is StateKind.MAP:
            key, key_unknown = self._type(scope, places[0] if len(places) > 1 else None, spelled[:1])
            value, value_unknown = self._type(scope, places[1] if len(places) > 1 else None, spelled[1:])
        else:
            key, key_unknown = Written(), None
            place = _TYPE_ARGUMENT.get(kind, 0)
            value, value_unknown = self._type(scope, places[0] if places else None, spelled[place : place + 1])
        return Descriptor(
            kind=kind,
            names=names,
            key=key,
            value=value,
            key_unknown=key_unknown,
            value_unknown=value_unknown,
            location=scope.unit.location(node),
        )

    def names(self, scope: ClassDecl, node: Node, given: Node | None) -> tuple[Maybe[str], ...]:
        """The names that an expression may give to a state, or to a timer service."""
        if given is not None:
            evaluated = self.evaluation.constants(given, scope)
            if evaluated:
                return evaluated
            changing = self.evaluation.changing(given, scope)
            if changing is not None:
                return (replace(self.unread(scope, given, changing), cause=Cause.NON_DETERMINISTIC),)
        reason = f"the name of the state, '{text(given)[:60] if given is not None else ''}', is computed"
        return (self.unread(scope, given if given is not None else node, reason),)

    def _type(self, scope: ClassDecl, node: Node | None, spelled: list[JavaType]) -> tuple[Written, Unknown | None]:
        """How a value is written, from the argument that describes it or else the type as spelled."""
        found = self.types.of(node, scope) if node is not None else Written()
        if found.type is not None:
            return found, None
        from_generics = self.types.of_ref(spelled[0]) if spelled else Written()
        if found.serializer is not None:
            both = _joined(found.classes, from_generics.classes if isinstance(found.serializer, Unknown) else ())
            return replace(found, type=from_generics.type, classes=both), None
        if node is None:
            return from_generics, None
        reason = f"the state's type '{text(node)[:60]}' can't be read from the source"
        unknown = self.unread(scope, node, reason)
        if from_generics.type is not None:
            return replace(from_generics, serializer=unknown), None
        return Written(), unknown

    def _own_subclass(self, scope: ClassDecl, node: Node, ref: TypeRef) -> Descriptor | None:
        found = self._index.resolve_type(ref, scope)
        if not isinstance(found, ClassDecl):
            return None
        for parent in self._index.ancestors(found):
            if isinstance(parent, External) and parent.simple in DESCRIPTORS:
                why = self.unread(scope, node, f"{found.name} decides the name of its state itself")
                return Descriptor(
                    kind=DESCRIPTORS[parent.simple],
                    names=(why,),
                    key=Written(),
                    value=Written(),
                    value_unknown=why,
                    location=scope.unit.location(node),
                )
        return None

    def kind_of(self, scope: ClassDecl, node: Node) -> StateKind | None:
        """The kind of descriptor that a variable or field is declared to be, where its value can't be followed."""
        node = unwrapped(node)
        if node.type == "field_access" and text(field(node, "object")) == "this":
            node = field(node, "field") or node
        if node.type != "identifier":
            return None
        local = find_local(node, text(node))
        if local is not None:
            return DESCRIPTORS.get(local[1].simple) if local[1] is not None else None
        declared = find_field(self._index, scope, text(node))
        return DESCRIPTORS.get(declared.type.simple) if declared is not None else None


def _calls(node: Node, name: str) -> bool:
    """Whether an expression calls a method of that name, or makes an object of the class of that name."""
    if node.type == "method_invocation":
        return text(field(node, "name")) == name
    return node.type == "object_creation_expression" and type_ref(field(node, "type")).simple == name
