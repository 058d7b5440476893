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
from checker.extract.java.flink_api.states import held, registering
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
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import names_read
from checker.extract.java.syntax.tree import text
from checker.extract.java.syntax.type_refs import lambda_parameters, modifiers
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
_CODE = (Lambda, MethodRef, Instance)


def states_of(run: Run, function: Instance) -> tuple[States, Maybe[bool]]:
    """(states, stateful) of a function's object, anonymous classes included; of equal objects they are read once."""
    key = held.key_of(function)
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
        reached = held.reached_from(self._function)
        if len(reached) == held.MANY:
            self._open(self._limit("it holds more objects than are looked at"))
        self._holds_unknown()
        self._reached_before = frozenset(map(id, reached))
        relevant = held.may_ask(self._index, self._owners, reached)
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
                asked = Registrations(relevant=relevant, function=self._function)
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
                found = [self._index.resolve(word, owner) for word in held.NAMES.findall(str(declared.type))]
                asking = any(isinstance(d, ClassDecl) and held.asks_anywhere(d) for d in found)
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
        self._opened = tuple(held.ways_to(self._run, self._function)) if asked.found else ()
        later = (value for value in held.reached_from(self._function) if id(value) not in self._reached_before)
        made = tuple(value for value in later if isinstance(value, _CODE))
        if made:
            asked.relevant |= held.may_ask(self._index, self._owners, made)
        for method in self._callbacks(asked.relevant):
            self._call(asked, method)
        for value in made:  # a lambda that makes a state when that is needed
            if isinstance(value, Lambda) and not lambda_parameters(value.node) and held.asks(value):
                self._call(asked, value)

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

    def _call(self, asked: Registrations, called: MethodDecl | Lambda) -> None:
        run, site = self._run, Site(None, Frame(self._decl, self._function, Scope()))
        asked.doubt = None
        try:
            if isinstance(called, Lambda):
                run.interpreter.call_function(called, Call("get", [], site))
                return
            arguments = [self._argument(called, place) for place in range(len(called.parameters))]
            run.interpreter.call_method(called, self._function, Call(called.name, arguments, site))
        except LimitSignal:
            raise
        except (ThrowSignal, ExitSignal) as signal:
            owner, place = self._decl, signal.location if isinstance(signal, ThrowSignal) else None
            what = f"{called.owner.name}.{called.name}()" if isinstance(called, MethodDecl) else f"code of {owner.name}"
            self._open(Unknown(f"{what} ends with an exception", Cause.OTHER, None, place or owner.location))
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
        kept = ways((*self._opened, *held.ways_to(self._run, self._function))) if used else {}
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


def _id(state: StateDescriptor) -> tuple[object, object]:
    name = state.name
    return (name if isinstance(name, str) else f"{name.reason} {name.derived_from}", state.kind)
