"""The states that a function's object registers: the methods that Flink calls on it are followed.

First ``setRuntimeContext``, ``initializeState`` and ``open``, as ``AbstractUdfStreamOperator`` calls them; then the
methods that process records, for what they ask for alone. Nothing of it stays: that runs in the cluster.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from checker.extract.connectors import tables as connectors
from checker.extract.datastream.table import words
from checker.extract.interpreting.memory import Trace
from checker.extract.interpreting.shapes import Decision, DivergedError, PathChoices
from checker.extract.java.flink_api.states import registering
from checker.extract.java.flink_api.states.held import MANY, key_of, reached_from, single_methods, ways_to
from checker.extract.java.flink_api.states.records import SINK, with_transactions
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.exceptions import ExitSignal, ImpureSignal, LimitSignal, Signal, ThrowSignal
from checker.extract.java.machine.flink_values import Registrations, StateContext
from checker.extract.java.machine.run_state import MAX_PATHS
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ExternalObject,
    Frame,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    Scope,
    Value,
    default_value,
)
from checker.extract.java.reached.roles import of_flink
from checker.extract.java.syntax.class_index import ClassIndex, External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import names_read
from checker.extract.java.syntax.tree import text, walk
from checker.extract.java.syntax.type_refs import modifiers
from checker.model.declared_state import StateDescriptor, StateKind, ways
from checker.model.unknowns import Cause, Maybe, Unknown

States = tuple[StateDescriptor, ...] | Unknown
_STEPS: Final = 30_000
"""Steps that are taken for one function."""
_FIRST: Final = ("setRuntimeContext", "setup", "initializeState", "open")
_LATER: Final = words("called_on_records")
"""Methods that Flink calls while records are processed, among them all that have no ``@Override`` in older code."""
_WITHOUT_CHECKPOINTS = re.compile(
    r"Object|Serializable|KeySelector|CheckpointListener|"
    r"(?:Rich)?(?:Parallel)?(?:Map|FlatMap|Filter|Reduce|Aggregate|CoMap|CoFlatMap|Sink|Source|Async|Window|AllWindow)Function|"
    r"(?:Keyed)?(?:Co|Broadcast|Join)?Process(?:Window|AllWindow|Join)?Function|RichFunction|AbstractRichFunction"
)
"""Types of Flink that bring no ``CheckpointedFunction`` with them."""
_LIST_CHECKPOINTED = "ListCheckpointed"
_NAMES = re.compile(r"\w+")
_WORDS = frozenset({*registering.ASKING, *registering.TIMERS, *registering.TIMER_SERVICES})


def states_of(run: Run, function: Instance) -> tuple[States, Maybe[bool]]:
    """(states, stateful) of a function's object, anonymous classes included; of equal objects they are read once."""
    key = key_of(function)
    if key not in run.limits.function_states:
        entered = run.entered
        run.limits.function_states[key] = _Following(run, function).states()
        run.entered = entered  # the graph does not come out of what runs in the cluster
    found: tuple[States, Maybe[bool]] = run.limits.function_states[key]
    return found


class _Following:
    """Follows the methods of one object."""

    def __init__(self, run: Run, function: Instance) -> None:
        self._run = run
        self._function = function
        self._decl = function.decl
        self._index = run.index
        self._owners = run.index.lineage(function.decl)
        self._unknown: Unknown | None = None
        self._states: dict[tuple[object, object], StateDescriptor] = {}

    def states(self) -> tuple[States, Maybe[bool]]:
        """(states, stateful)."""
        self._of_libraries()
        self._followed()
        states = tuple(self._states.values())
        if self._unknown is not None:
            return self._unknown, True if states else self._unknown
        return states, bool(states)

    def _open(self, unknown: Unknown) -> None:
        self._unknown = self._unknown or unknown

    # -- what comes with a class of a library --------------------------------------------------------------------

    def _of_libraries(self) -> None:
        for parent in self._index.ancestors(self._decl):
            if isinstance(parent, External):
                for state in self._of_library(parent):
                    self._states.setdefault((state.name, state.kind), state)

    def _of_library(self, parent: External) -> tuple[StateDescriptor, ...]:
        for name in parent.candidates:
            if name.endswith(_LIST_CHECKPOINTED) and name.startswith("org.apache.flink."):
                return (StateDescriptor(name="_default_", kind=StateKind.OPERATOR_LIST),)
            facts = connectors.lookup(name, self._run.api.minor)
            if facts is None:
                continue
            if isinstance(facts.state, Unknown):
                self._open(facts.state)
                return ()
            if parent.simple != SINK:
                return facts.state
            return tuple(with_transactions(self._run, self._function, state) for state in facts.state)
        foreign = _elsewhere(parent)
        if foreign is not None and self._is_class(parent):
            reason = f"{self._decl.name} extends {foreign}, which is not in the repository"
            self._open(Unknown(reason, Cause.EXTERNAL, location=self._decl.location))
        return ()

    def _is_class(self, parent: External) -> bool:
        """Interfaces register no state; only a superclass can."""
        classes = (owner for owner in self._owners if owner.kind is not ClassKind.INTERFACE)
        return any(self._index.superclass(owner) == parent for owner in classes)

    # -- what its own code does ----------------------------------------------------------------------------------

    def _followed(self) -> None:
        reached = reached_from(self._function)
        if len(reached) == MANY:
            self._open(self._limit("it holds more objects than are looked at"))
        self._holds_unknown()
        relevant = _relevant(self._index, self._owners, reached)
        if not relevant and not self._hands_on(reached):
            return
        run, limits = self._run, self._run.limits
        kept = (run.choices, run.region_mark, run.attempting, run.catching, run.loops, run.active, run.following)
        bounds = (limits.steps, limits.trace)
        mark = run.memory.mark()
        limits.steps, limits.trace = _STEPS, Trace()
        forced: tuple[Decision, ...] | None = ()
        ways: list[Registrations] = []
        choices = run.choices
        try:
            while forced is not None and len(ways) < MAX_PATHS:
                asked = Registrations(relevant=relevant)
                choices = PathChoices(forced=forced, parent=kept[0])
                run.choices, run.region_mark, run.attempting, run.catching = choices, None, False, 0
                run.loops, run.active, run.following = 0, {}, asked
                self._unpickle(reached)
                self._one_way(asked)
                self._keep(asked)
                ways.append(replace(asked))
                forced = choices.next_path()
                run.memory.rollback(mark)
            if forced is not None:
                self._open(self._limit("more ways than are followed"))
        except LimitSignal as signal:
            self._open(self._limit(signal.what))
        except (DivergedError, RecursionError, ImpureSignal):
            self._open(self._limit("an unknown condition decides where it goes"))
        finally:
            run.memory.rollback(mark)
            (run.choices, run.region_mark, run.attempting, run.catching, run.loops, run.active,
             run.following) = kept  # fmt: skip
            limits.steps, limits.trace = bounds
        self._add(ways)

    def _holds_unknown(self) -> None:
        """Collections of unknown content whose elements may ask for states, by their declared type."""
        for owner in self._owners:
            for declared in owner.fields.values():
                collection = self._function.fields.get(declared.name)
                content = () if not isinstance(collection, ListValue | MapValue) else collection.unknown
                found = [self._index.resolve(word, owner) for word in _NAMES.findall(str(declared.type))]
                asking = any(isinstance(d, ClassDecl) and _asks_anywhere(d) for d in found)
                if asking and collection is not None and isinstance(content, Unknown):
                    reason = f"cannot tell which objects {self._decl.name}.{declared.name} holds"
                    made = expression_of(collection, Cause.COLLECTION)
                    self._open(Unknown(reason, Cause.COLLECTION, location=self._decl.location, derived_from=made))

    def _hands_on(self, reached: tuple[Value, ...]) -> bool:
        """Whether its code has a state store, and it holds what may ask that for states and can't be read."""
        words = {word for owner in self._owners for word in owner.words}
        return not words.isdisjoint(registering.HANDING_ON) and any(map(_unread, reached))

    def _limit(self, what: str) -> Unknown:
        reason = f"what {self._decl.name} registers is not followed to its end: {what}"
        return Unknown(reason, Cause.LIMIT, None, self._decl.location)

    def _one_way(self, asked: Registrations) -> None:
        for name in _FIRST:
            for method in self._methods(name):
                self._call(asked, method)
        asked.lazily = True
        for method in self._callbacks(asked.relevant):
            self._call(asked, method)

    def _unpickle(self, reached: tuple[Value, ...]) -> None:
        """Transient fields of an object hold nothing where Flink runs it."""
        for made in reached:
            if isinstance(made, Instance) and made.name is None:
                for owner in self._index.lineage(made.decl):
                    for declared in owner.fields.values():
                        kept = not declared.static and declared.name in made.fields
                        if kept and "transient" in modifiers(declared.node):
                            self._run.memory.put(made.fields, declared.name, default_value(declared.type))

    def _methods(self, name: str) -> Iterator[MethodDecl]:
        """The methods of a name that the object runs, overridden ones left out."""
        seen: set[int] = set()
        for owner in self._owners:
            for method in owner.methods_named(name):
                count = len(method.parameters)
                if method.static or method.body is None or (count in seen and owner is not self._decl):
                    continue
                seen.add(count)
                if name == "initializeState" and count == 1 and self._ignored(method):
                    continue
                if name == "open" and not count and not self._is_operator:
                    continue  # a function's has a parameter
                yield method

    @property
    def _is_operator(self) -> bool:
        ancestors = self._index.ancestors(self._decl)
        return any(a.simple.endswith("Operator") for a in ancestors if isinstance(a, External))

    def _ignored(self, method: MethodDecl) -> bool:
        """Whether Flink does not call an ``initializeState``, since the function is no ``CheckpointedFunction``."""
        if method.parameters[0].type.simple != "FunctionInitializationContext":
            return False
        external = (above for above in self._index.ancestors(self._decl) if isinstance(above, External))
        return all(_WITHOUT_CHECKPOINTS.fullmatch(base.simple) for base in external)

    def _callbacks(self, relevant: frozenset[str]) -> Iterator[MethodDecl]:
        """The methods that Flink may call while records are processed and that may ask for states."""
        names = dict.fromkeys(method.name for owner in self._owners for method in owner.methods)
        for name in names:
            if name in relevant and name not in _FIRST and name != "<init>":
                yield from (m for m in self._methods(name) if name in _LATER or self._overrides_library(m))

    def _overrides_library(self, method: MethodDecl) -> bool:
        """Whether a method overrides one that the repository does not declare."""
        above = self._owners[self._owners.index(method.owner) + 1 :] if method.owner in self._owners else ()
        own = any(
            len(m.parameters) == len(method.parameters) for owner in above for m in owner.methods_named(method.name)
        )
        modifiers = text(method.node)[:200].partition("(")[0]
        return not own and "@Override" in modifiers

    def _call(self, asked: Registrations, method: MethodDecl) -> None:
        run, frame = self._run, Frame(self._decl, self._function, Scope())
        arguments = [self._argument(method, place) for place in range(len(method.parameters))]
        asked.doubt = None
        try:
            run.interpreter.call_method(method, self._function, Call(method.name, arguments, Site(None, frame)))
        except LimitSignal:
            raise
        except (ThrowSignal, ExitSignal) as signal:
            place = signal.location if isinstance(signal, ThrowSignal) else None
            reason = f"{method.owner.name}.{method.name}() ends with an exception"
            self._open(Unknown(reason, Cause.OTHER, None, place or method.location))
        except ImpureSignal:
            raise
        except Signal:
            pass

    def _argument(self, method: MethodDecl, place: int) -> Value:
        """What Flink hands to a method: a context, or something that only the running program knows."""
        parameter = method.parameters[place]
        found = self._index.resolve_type(parameter.type, method.owner) if not parameter.type.dimensions else None
        simple = parameter.type.simple
        if not isinstance(found, ClassDecl) and simple.endswith(("Context", "StateStore", "TimerService")):
            return StateContext(type=simple)
        unknown = Unknown(f"cannot tell the arguments of {method.name}()", Cause.EXTERNAL, None,
                          method.location)  # fmt: skip
        return Opaque(unknown, self._run.fresh(parameter.name), found)

    # -- what was found ------------------------------------------------------------------------------------------

    def _keep(self, asked: Registrations) -> None:
        """Note in which field of the function each state is kept, and whether its code uses that."""
        used = {name for owner in self._owners for name in names_read(owner.node)} if asked.found else set()
        kept = ways(ways_to(self._run, self._function)) if used else {}
        named = ((state, registering.symbol_of(state), doubt) for state, doubt in asked.found)
        asked.found = tuple((state.in_field(kept.get(symbol), used), doubt) for state, symbol, doubt in named)

    def _add(self, ways: list[Registrations]) -> None:
        for way in ways:
            for unknown in way.unread:
                self._open(unknown)
        everywhere = [{_id(state) for state, _ in way.found} for way in ways]
        for way in ways:
            for state, doubt in way.found:
                missing = not all(_id(state) in found for found in everywhere)
                self._add_state(state, doubt or (self._limit("an unknown condition") if missing else None))

    def _add_state(self, state: StateDescriptor, doubt: Unknown | None) -> None:
        if doubt is not None and isinstance(state.name, str):
            if _id(state) in self._states:
                return
            reason = f"cannot tell whether the state '{state.name}' is registered ({doubt.reason})"
            made = f"{state.name} if {doubt.derived_from or expression_of(NULL, Cause.OTHER)}"
            name = Unknown(reason, doubt.cause, doubt.settled_by, doubt.location or state.location, derived_from=made)
            state = replace(state, name=name)
        first = self._states.setdefault(_id(state), state)
        if first.location != state.location and state.location is not None and state.repeats(first):
            self._run.limits.trace.registered_again(state.location.file, state.location.line)


def _elsewhere(parent: External) -> str | None:
    """The name of a class in a package that is neither Flink's nor Java's, unless Flink has one of that name."""
    if _WITHOUT_CHECKPOINTS.fullmatch(parent.simple) is not None and of_flink(parent):
        return None
    return next((name for name in parent.candidates if not registering.of_library(External((name,)))), None)


def _unread(value: Value) -> bool:
    """Whether code stands behind a value that is not in the repository."""
    if not isinstance(value, Opaque | ExternalObject):
        return False
    return not (isinstance(value.type, External) and value.type.name.startswith("java.lang."))


def _relevant(index: ClassIndex, owners: list[ClassDecl], reached: tuple[Value, ...]) -> frozenset[str]:
    """The names of methods that may ask for states: the function's, those of what it holds and of their helpers."""
    mentioned: dict[str, set[str]] = {}
    roots = dict.fromkeys(owners)
    helping: list[ClassDecl] = []
    for value in reached:
        if isinstance(value, Instance):
            roots.update(dict.fromkeys(index.lineage(value.decl)))
        elif isinstance(value, Lambda | MethodRef) and value.node is not None:
            words = set(_NAMES.findall(text(value.node)))
            for name in single_methods(index, value):
                mentioned.setdefault(name, set()).update(words)
            helping += _helping(index, value.frame.decl, words)
    around = {outer for owner in roots for outer in owner.outward()}.difference(roots)
    for decl in _with_helpers(index, [*roots, *helping]):
        for method in decl.methods:
            if decl in around and any(node.type == "class_body" for node in walk(method.node)):
                continue  # it makes functions, and helps none
            mentioned.setdefault(method.name, set()).update(_NAMES.findall(text(method.node)))
    asking = {name for name, words in mentioned.items() if words & _WORDS}
    if not asking and any(_asks(owner) for owner in roots):
        asking = {"<init>"}
    while grown := {name for name, words in mentioned.items() if name not in asking and words & asking}:
        asking |= grown
    return frozenset(asking)


def _helping(index: ClassIndex, decl: ClassDecl, words: set[str]) -> Iterator[ClassDecl]:
    """The classes whose methods a lambda in a class can call: those that it names, and the class itself."""
    named = (index.resolve(word, decl) for word in words if word[0].isupper())
    yield from (found for found in named if isinstance(found, ClassDecl) and _asks_anywhere(found))
    if any(method.name in words for method in decl.methods):
        yield decl


def _with_helpers(index: ClassIndex, owners: list[ClassDecl]) -> list[ClassDecl]:
    """The function's classes, and those of the repository whose methods their code can call, directly or not."""
    found, pending = dict.fromkeys(owners), list(owners)
    while pending and len(found) < 60 + len(owners):
        for near in _near(index, pending.pop(0)):
            if isinstance(near, ClassDecl) and near not in found and _asks_anywhere(near):
                found[near] = None
                pending.append(near)
    return list(found)


def _near(index: ClassIndex, decl: ClassDecl) -> Iterator[Resolved]:
    """What a class names, the classes around it, and those of which it imports members."""
    yield from (index.resolve(name, decl) for name in decl.capitalized)
    yield from decl.outward()
    unit = index.unit_of(decl)
    imported = (owner for name, owners in unit.static_imports.items() if name in decl.words for owner in owners)
    yield from (index.find(owner, decl.unit.path) for owner in (*imported, *unit.static_on_demand))


def _asks(decl: ClassDecl) -> bool:
    return not _WORDS.isdisjoint(decl.words)


def _asks_anywhere(decl: ClassDecl) -> bool:
    """Whether a class may ask for state, or hand a store on."""
    return _asks(decl) or any(word.endswith(("Context", "StateStore")) for word in decl.words)


def _id(state: StateDescriptor) -> tuple[object, object]:
    name = state.name
    return (name if isinstance(name, str) else f"{name.reason} {name.derived_from}", state.kind)
