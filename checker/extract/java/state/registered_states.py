"""State of user functions, read from their classes: what they register with Flink, in themselves or an ancestor.

Contract: ``state_of_function(shapes, decl, evaluation)`` gives the states, or why they are not known, and whether the
function keeps any state at all. Lambdas and method references register none: callers need not ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from checker.extract.connectors import tables as connectors
from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.constants import called_method, find_class
from checker.extract.java.state.descriptors import REGISTERING, DescriptorReader
from checker.extract.java.state.java_types import bindings_of, of_class
from checker.extract.java.state.transactions import SINK, with_transactions
from checker.extract.java.state.type_information import Evaluation
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, find_field
from checker.extract.java.syntax.tree import TYPE_DECLARATIONS, Node, field, text, walk
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.unknowns import Cause, Maybe, Unknown

_OPERATOR_KINDS = {"getUnionListState": StateKind.OPERATOR_UNION_LIST, "getBroadcastState": StateKind.BROADCAST}
_STORES = frozenset(
    {
        "RuntimeContext",
        "StreamingRuntimeContext",
        "FunctionInitializationContext",
        "ManagedInitializationContext",
        "StateInitializationContext",
        "OperatorStateStore",
        "KeyedStateStore",
    }
)
_STORE_CALLS = frozenset({"getRuntimeContext", "getOperatorStateStore", "getKeyedStateStore"})
_WINDOW_STORE_CALLS = frozenset({"globalState", "windowState"})
_TIMERS = frozenset({"registerEventTimeTimer", "registerProcessingTimeTimer"})
_TIMER_SERVICES = frozenset({"getInternalTimerService", "getAsyncInternalTimerService"})
"""Methods of operators (``AbstractStreamOperator``): the first argument is the service's name."""
_QUEUES = ("_timer_state/event_", "_timer_state/processing_")
"""What the states of a timer service are called before its name (``InternalTimerServiceImpl``)."""
_BY_FLINK = frozenset({"open", "initializeState", "snapshotState", "setRuntimeContext", "processElement", "onTimer"})
"""Methods that Flink calls whether or not the object's own code does, as an override calls its super class'."""
_INITIALIZE = "initializeState"
_CHECKPOINTED = "FunctionInitializationContext"
_WITHOUT_CHECKPOINTS = re.compile(
    r"Object|Serializable|KeySelector|CheckpointListener|"
    r"(?:Rich)?(?:Parallel)?(?:Map|FlatMap|Filter|Reduce|Aggregate|CoMap|CoFlatMap|Sink|Source|Async|Window|AllWindow)Function|"
    r"(?:Keyed)?(?:Co|Broadcast|Join)?Process(?:Window|AllWindow|Join)?Function|RichFunction|AbstractRichFunction"
)
"""Types of Flink that bring no ``CheckpointedFunction`` with them."""
_LIBRARY = ("org.apache.flink.", "java.", "javax.", "scala.", "kotlin.")
_LIST_CHECKPOINTED = "ListCheckpointed"
_MAX_READINGS = 120
_MAX_DEPTH = 12


def state_of_function(
    shapes: ShapeReader, decl: ClassDecl, evaluation: Evaluation
) -> tuple[tuple[StateDescriptor, ...] | Unknown, Maybe[bool]]:
    """(states, stateful) of a function class of the repository, anonymous classes included.

    ``evaluation`` knows what the fields of the function's object hold.
    """
    reader = _Reader(shapes, decl, evaluation)
    reader.read_class(decl)
    reader.read_ancestors(decl)
    reader.read_left_over()
    states = tuple({(_name(s), s.kind): s for s in reader.states}.values())
    if reader.unknown is not None:
        return reader.unknown, True if states else reader.unknown
    return states, bool(states)


def _name(state: StateDescriptor) -> str:
    return state.name if isinstance(state.name, str) else f"{state.name.reason} {state.name.derived_from}"


class _Reader:
    def __init__(self, shapes: ShapeReader, runtime: ClassDecl, evaluation: Evaluation) -> None:
        self._index = shapes.index
        self._api = shapes.api
        self._runtime = runtime
        bindings = bindings_of(shapes.index, of_class(runtime))
        self._descriptors = DescriptorReader(shapes, evaluation, bindings, runtime)
        self._seen: set[int] = set()
        self._followed: set[int] = set()
        """Methods that were read where they are called."""
        self._called: set[str] | None = None
        self._depth = 0
        self._readings = 0
        self.states: list[StateDescriptor] = []
        self.unknown: Unknown | None = None

    def read_ancestors(self, decl: ClassDecl) -> None:
        for parent in self._index.ancestors(decl):
            if isinstance(parent, ClassDecl):
                self.read_class(parent)
            else:
                self._read_external(parent, decl)

    def _read_external(self, parent: External, decl: ClassDecl) -> None:
        for name in parent.candidates:
            if name.endswith(_LIST_CHECKPOINTED) and name.startswith("org.apache.flink."):
                self.states.append(StateDescriptor(name="_default_", kind=StateKind.OPERATOR_LIST))
                return
            facts = connectors.lookup(name, self._api.minor)
            if facts is not None:
                if isinstance(facts.state, Unknown):
                    self._open(facts.state)
                elif parent.simple == SINK:
                    reader, runtime = self._descriptors, self._runtime
                    self.states.extend(with_transactions(self._index, runtime, reader, s) for s in facts.state)
                else:
                    self.states.extend(facts.state)
                return
        if not any(name.startswith(_LIBRARY) for name in parent.candidates) and self._may_be_class(parent, decl):
            self._open(
                Unknown(
                    f"{decl.name} extends {parent.name}, which is not in the repository",
                    Cause.EXTERNAL,
                    location=decl.location,
                )
            )

    def _may_be_class(self, parent: External, decl: ClassDecl) -> bool:
        """Interfaces register no state; only a superclass can."""
        classes = (owner for owner in self._index.lineage(decl) if owner.kind is not ClassKind.INTERFACE)
        return any(self._index.superclass(owner) == parent for owner in classes)

    def _open(self, unknown: Unknown) -> None:
        if self.unknown is None:
            self.unknown = unknown

    def read_class(self, decl: ClassDecl) -> None:
        """Read all code of one class, member classes left out."""
        if decl.body is not None:
            self.read_code(decl, decl.body, self._descriptors)

    def read_code(self, scope: ClassDecl, body: Node, descriptors: DescriptorReader) -> None:
        """Read one body: what it registers, and whom it hands a store to.

        Methods with parameters that the class calls itself are read where it calls them.
        """
        whole = body.type.endswith("_body") and body.type != "constructor_body"
        self._readings += 1
        if self._readings > _MAX_READINGS or (whole and body.id in self._seen):
            return
        self._seen.add(body.id)
        outer, self._descriptors = self._descriptors, descriptors
        self._depth += 1
        for node in _code(body, self._helpers(scope) if whole else frozenset()):
            if node.type == "method_invocation":
                name, given = text(field(node, "name")), arguments_of(node)
                if name in REGISTERING and len(given) == 1:
                    self._registered(scope, node, name, given[0])
                elif name in _TIMERS and given:
                    self._timers(scope, node, ("user-timers",))
                elif name in _TIMER_SERVICES and len(given) == 3:
                    self._timers(scope, node, self._descriptors.names(scope, node, given[0]))
                else:
                    self._follow(scope, node, given)
            elif node.type == "object_creation_expression":
                self._follow(scope, node, arguments_of(node))
        self._depth -= 1
        self._descriptors = outer

    def _helpers(self, scope: ClassDecl) -> frozenset[int]:
        """Methods with parameters that code of the object calls on itself and that ask for state."""
        if scope not in self._owners:
            return frozenset()
        if self._called is None:
            self._called = {
                text(field(node, "name"))
                for owner in self._owners
                for node in (walk(owner.body) if owner.body is not None else ())
                if node.type == "method_invocation" and _on_itself(node)
            }
        called = self._called - _BY_FLINK
        return frozenset(
            m.node.id
            for m in scope.methods
            if m.parameters and m.body is not None and (self._ignored(m) or (m.name in called and _asks(m.body)))
        )

    @property
    def _owners(self) -> list[ClassDecl]:
        return self._index.lineage(self._runtime)

    @cached_property
    def _not_checkpointed(self) -> bool:
        """Whether the function is certainly no ``CheckpointedFunction``."""
        external = (a for a in self._index.ancestors(self._runtime) if isinstance(a, External))
        return all(_WITHOUT_CHECKPOINTS.fullmatch(base.simple) for base in external)

    def _ignored(self, method: MethodDecl) -> bool:
        """Whether Flink does not call an ``initializeState``, since the function is no ``CheckpointedFunction``."""
        taken = [parameter.type.simple for parameter in method.parameters]
        return method.name == _INITIALIZE and taken == [_CHECKPOINTED] and self._not_checkpointed

    def read_left_over(self) -> None:
        """Read such methods that no call was seen of, without their arguments."""
        for decl in self._owners:
            for method in decl.methods:
                left = method.node.id in self._helpers(decl) and method.node.id not in self._followed
                if left and not self._ignored(method):
                    self._read_method(decl, method, [])

    def _timers(self, scope: ClassDecl, node: Node, services: tuple[Maybe[str], ...]) -> None:
        """A timer service, once used, keeps both of its queues."""
        location = scope.unit.location(node)
        self.states.extend(
            StateDescriptor(
                name=queue + name if isinstance(name, str) else name, kind=StateKind.TIMERS, location=location
            )
            for name in services
            for queue in _QUEUES
        )

    def _registered(self, scope: ClassDecl, node: Node, method: str, argument: Node) -> None:
        found = self._descriptors.at(scope, argument)
        store = field(node, "object")
        kind = _OPERATOR_KINDS.get(method)
        operator_store = store is not None and self._is_operator_store(scope, store)
        if found is None:
            declared = self._descriptors.kind_of(scope, argument)
            if declared is None and not self._is_store(scope, store):
                return
            reason = f"the descriptor '{text(argument)[:60]}' can't be followed in the source"
            why = self._descriptors.unread(scope, argument, reason)
            kind = kind or (StateKind.OPERATOR_LIST if operator_store else declared)
            location = scope.unit.location(node)
            self.states.append(StateDescriptor(name=why, kind=kind or why, value_type=why, location=location))
            return
        if kind is None and operator_store:
            kind = StateKind.OPERATOR_LIST
        states = found.states(kind or found.kind)
        per_window = _per_window(store)
        self.states.extend(
            replace(state, per_window=per_window) if per_window is not None else state for state in states
        )

    def _is_operator_store(self, scope: ClassDecl, store: Node) -> bool:
        if "getOperatorStateStore" in text(store):
            return True
        written = self._type_of_name(scope, store)
        return written is not None and written.simple == "OperatorStateStore"

    def _is_store(self, scope: ClassDecl, store: Node | None) -> bool:
        if store is None:
            return False
        if store.type == "method_invocation":
            return text(field(store, "name")) in _STORE_CALLS | _WINDOW_STORE_CALLS
        written = self._type_of_name(scope, store)
        return written is not None and written.simple in _STORES

    def _type_of_name(self, scope: ClassDecl, node: Node) -> TypeRef | None:
        """The written type of a variable or field."""
        if node.type == "field_access" and text(field(node, "object")) == "this":
            declared = find_field(self._index, scope, text(field(node, "field")))
            return declared.type if declared is not None else None
        if node.type != "identifier":
            return None
        local = find_local(node, text(node))
        if local is not None:
            return local[1]
        declared = find_field(self._index, scope, text(node))
        return declared.type if declared is not None else None

    # -- stores handed on ----------------------------------------------------------------------------------------

    def _follow(self, scope: ClassDecl, node: Node, given: Sequence[Node]) -> None:
        """Code that is handed a store may register states: read it, or say that it can't be read."""
        handed = any(self._is_store(scope, argument) for argument in given)
        if not handed:
            if node.type == "method_invocation" and given and _on_itself(node):
                method = called_method(self._index, scope, node, self._runtime)
                if method is not None and method.node.id in self._helpers(method.owner):
                    self._read_method(scope, method, given)
            return
        if node.type == "object_creation_expression":
            ref = type_ref(field(node, "type"))
            target = self._index.resolve_type(ref, scope)
            self._into(scope, node, target, str(ref))
            return
        method = called_method(self._index, scope, node, self._runtime)
        if method is not None:
            self._read_method(scope, method, given)
            return
        receiver = field(node, "object")
        if receiver is None or receiver.type in ("super", "this"):
            return
        owner = find_class(self._index, scope, receiver)
        written = self._type_of_name(scope, receiver)
        target = owner or (self._index.resolve_type(written, scope) if written is not None else None)
        self._into(scope, node, target, text(receiver)[:60])

    def _read_method(self, scope: ClassDecl, method: MethodDecl, given: Sequence[Node]) -> None:
        """Read a method with the arguments of one call."""
        if method.body is None or self._depth > _MAX_DEPTH:
            return
        self._followed.add(method.node.id)
        names = [parameter.name for parameter in method.parameters]
        bound = {name: (node, scope) for name, node in zip(names, given, strict=False)} if not method.varargs else {}
        self.read_code(method.owner, method.body, self._descriptors.given(bound))

    def _into(self, scope: ClassDecl, node: Node, target: object, written: str) -> None:
        if isinstance(target, ClassDecl):
            self.read_class(target)
            self.read_ancestors(target)
            return
        self._open(
            Unknown(
                f"{written} is handed the function's state store and is not in the repository",
                Cause.EXTERNAL,
                location=scope.unit.location(node),
            )
        )


def _per_window(store: Node | None) -> bool | None:
    """Whether a window function's store keeps state once per window; None for other stores."""
    if store is not None and store.type == "identifier":
        local = find_local(store, text(store))
        store = field(local[0], "value") if local is not None else None
    called = text(field(store, "name")) if store is not None and store.type == "method_invocation" else ""
    return called == "windowState" if called in _WINDOW_STORE_CALLS else None


def _on_itself(node: Node) -> bool:
    target = field(node, "object")
    return target is None or target.type in ("this", "super")


def _asks(body: Node) -> bool:
    """Whether a method's code asks for state itself."""
    return any(n.type == "method_invocation" and text(field(n, "name")) in REGISTERING for n in walk(body))


def _code(body: Node, without: frozenset[int] = frozenset()) -> Iterator[Node]:
    """All nodes of a body but those of member and local classes (anonymous ones belong to it)."""
    pending = [body]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(
            c for c in reversed(current.named_children) if c.type not in TYPE_DECLARATIONS and c.id not in without
        )
