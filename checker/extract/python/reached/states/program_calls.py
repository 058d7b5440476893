"""What calls do: of the program's functions, which are followed, of its classes, of libraries."""

from __future__ import annotations

import ast
import builtins
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from checker.extract.effort import Effort
from checker.extract.python.reached.bindings import FunctionNode, base_name, called
from checker.extract.python.reached.declarations import Function
from checker.extract.python.reached.kept_shapes import Functions
from checker.extract.python.reached.states.calls import StateCalls
from checker.extract.python.reached.states.conditions import entry
from checker.extract.python.reached.states.values import ANY, NOTHING, Attributes, Value, Way, merged

GETTERS: Final = frozenset(
    {"get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state",
     "get_broadcast_state", "get_partitioned_state"}
)  # fmt: skip
SUPER: Final = "super()."
"""Begins the names of methods that another one of the class stands in front of: once for each such."""
_REGISTERS_TIMERS: Final = frozenset({"register_event_time_timer", "register_processing_time_timer"})
_COLLECTIONS: Final = frozenset({"dict", "list", "set", "tuple", "deque", "defaultdict", "OrderedDict", "Counter"})
_READING: Final = frozenset(
    {
        "most_common",
        "elements",
        "items",
        "keys",
        "values",
        "get",
        "copy",
        "index",
        "count",
        "total",
        "isoformat",
        "union",
    }
)
"""Methods of Python's own collections that change nothing."""
_ENTRIES: Final = frozenset({"get", "setdefault", "pop"})
"""Those that give an entry."""
_PURE: Final = frozenset(vars(builtins)) - {"setattr", "next", "delattr", "vars"}
_DEPTH: Final = 8
_STEPS: Final = 40_000
Methods = Mapping[str, Function]


@dataclass
class Frame:
    """One call of a function."""

    owner: str
    """The class of its object; empty for the class that Flink calls."""
    entry: str | None = None
    """Its name where Flink calls it."""
    returned: list[Value] = field(default_factory=list)
    ends: list[Way] = field(default_factory=list)
    loops: list[list[Way]] = field(default_factory=list)


class ProgramCalls(StateCalls):
    """The calls in the code of one function's class, and of all that it calls in the program."""

    def __init__(
        self,
        methods: Methods,
        helpers: Mapping[str, Methods],
        functions: Functions,
        asked_for: Callable[[ast.Call, Function | None], str] = lambda call, _: ast.unparse(call),
        attributes: Mapping[tuple[str, str], frozenset[str]] | None = None,
    ) -> None:
        """``attributes`` are the states that attributes of classes hold, the class of the function being empty."""
        super().__init__()
        self._classes: dict[str, Methods] = {**helpers, "": methods}
        self._functions = functions
        self._asked_for = asked_for
        self._attributes = Attributes(attributes or {})
        self._effort = Effort(_STEPS)
        self._running: list[FunctionNode] = []
        self._nested: set[FunctionNode] = set()
        self._frame = Frame("")
        self._setting: ast.stmt | None = None
        """The assignment that was followed last."""
        self.opening = False
        """Whether what is followed runs once, before all records."""
        self.registered: dict[str, set[frozenset[str]]] = {}
        """The states that are asked for, each with the conditions of that where it is opened."""
        self.registers_timers = False
        self.may_register_timers = False
        """Code that is not followed is given what timers can be registered with."""

    @abstractmethod
    def _enter(
        self, function: FunctionNode, owner: str, given: Mapping[str, Value], way: Way, entry: str | None = None
    ) -> tuple[Frame, Way | None]:
        """Follow a function with some arguments: its frame, and where it ends, with its own variables."""

    @abstractmethod
    def _result(self, value: Value, way: Way) -> None:
        """A value that a function gives."""

    @abstractmethod
    def _value(self, node: ast.expr, way: Way) -> tuple[Value, Way]:
        """What an expression gives, and the point behind it."""

    @abstractmethod
    def _changed(self, node: ast.expr, value: Value, way: Way) -> Way:
        """An object that is given a value: whatever variable or attribute has it."""

    def _call_of(
        self,
        function: FunctionNode,
        owner: str,
        node: ast.Call,
        arguments: list[Value],
        way: Way,
        this: Value = NOTHING,
    ) -> tuple[Value, Way]:
        """The result of a call of the program's code."""
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        decorated = isinstance(node.func, ast.Name) and node.func.id in way.variables  # its object is an argument
        if names[:1] in (["self"], ["cls"]) and not decorated:
            names = names[1:]
        given: dict[str, Value] = {"self": this}
        if isinstance(function, ast.Lambda) or function in self._nested:
            given.update(way.variables)
        for number, value in enumerate(arguments[: len(node.args)]):
            if number < len(names) and not isinstance(node.args[number], ast.Starred):
                given[names[number]] = value
            else:
                spread = [n for n in (*names[number:], _variadic(function)) if n]
                given.update({name: given.get(name, NOTHING).joined(value.inside()) for name in spread})
        for keyword, value in zip(node.keywords, arguments[len(node.args) :], strict=True):
            given[keyword.arg or (function.args.kwarg.arg if function.args.kwarg else "")] = value
        frame, end = self._enter(function, owner, given, way)
        if end is None:
            return NOTHING, way
        after = replace(way, contents=end.contents)
        passed = [(n, a) for n, a in zip(names, node.args, strict=False)]
        passed += [(k.arg, k.value) for k in node.keywords if k.arg]
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(receiver, ast.Name) and receiver.id != "self" and receiver.id in after.variables:
            after = taking_in(receiver.id, NOTHING.joined(*arguments), after)
        for name, argument in passed:  # what it does to its arguments
            if isinstance(argument, ast.Name) and name in end.variables and argument.id in after.variables:
                made = end.variables[name].depends_on
                after = after.setting(argument.id, after.variables[argument.id].and_of(made))
        return NOTHING.joined(*frame.returned) if len(frame.returned) != 1 else frame.returned[0], after

    def _may_enter(self, function: FunctionNode) -> bool:
        return function not in self._running and len(self._running) < _DEPTH

    def _own_code(self, node: ast.Call, way: Way) -> bool:
        """Whether a call runs nothing but code of the program, or is one of a state."""
        receiver = self._value(node.func.value, way)[0] if isinstance(node.func, ast.Attribute) else NOTHING
        return bool(receiver.states) or bool(self._callees(node, receiver, way))

    def _callees(self, node: ast.Call, receiver: Value, way: Way) -> list[tuple[str, FunctionNode]]:
        """The functions of the program that a call may run, each with the class of its object."""
        name = called(node)
        if isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Call) and called(node.func.value) == "super":
                above = self._above(name)
                return [(self._frame.owner, above)] if above is not None else []
            owners = [owner for owner in sorted(receiver.objects) if name in self._classes.get(owner, {})]
            if not owners and not isinstance(node.func.value, ast.Name) and not receiver.depends_on:
                owners = [o for o, methods in self._classes.items() if o and name in methods and name[:2] != "__"]
            if owners or receiver.objects:
                return [(owner, self._classes[owner][name]) for owner in owners]
        elif (local := way.variables.get(name)) is not None:
            return [(self._frame.owner, local.function)] if local.function is not None else []
        if isinstance(node.func, ast.Attribute) and not (
            isinstance(node.func.value, ast.Name) and node.func.value.id not in way.variables
        ):
            return []
        found = [f for f in self._functions(name) if not f.args.args[:1] or f.args.args[0].arg not in ("self", "cls")]
        return [("", function) for function in found]

    def _above(self, name: str) -> Function | None:
        """What ``super()`` has by a name in the method that runs."""
        methods = self._classes[self._frame.owner]
        own = next((key for key, method in methods.items() if method in self._running[-1:] and key.endswith(name)), "")
        return methods.get(f"{SUPER}{own or name}", None if own else methods.get(name))

    def _call(self, node: ast.Call, way: Way) -> tuple[Value, Way]:
        name = called(node)
        receiver = NOTHING
        if isinstance(node.func, ast.Attribute):
            receiver, way = self._value(node.func.value, way)
        values: list[Value] = []
        for part in (*node.args, *(keyword.value for keyword in node.keywords)):
            found, way = self._value(part.value if isinstance(part, ast.Starred) else part, way)
            self.kept.goes(found, name, len(values))
            values.append(found)
        if name in GETTERS:
            function = self._running[-1] if self._running else None
            text = self._asked_for(node, None if isinstance(function, ast.Lambda) else function)
            if name != "get_broadcast_state":  # Flink registers it, not the function
                self.registered.setdefault(text, set()).add(way.tests if self.opening else frozenset())
            return Value(states=frozenset({text})), way
        if receiver.states:
            return self._called_on_state(receiver, node, values, way)
        if name in self._classes and name and not receiver.objects:
            return self._made(name, node, values, way)
        callees = [(owner, f) for owner, f in self._callees(node, receiver, way) if self._may_enter(f)]
        if not callees:
            return self._foreign(node, receiver, values, way)
        self.walked.calls.setdefault(node, set()).update(function for _, function in callees)
        results = [self._call_of(function, owner, node, values, way, receiver) for owner, function in callees]
        after = merged(*(end for _, end in results)) or way
        first, *rest = (value for value, _ in results)
        return first.joined(*rest) if rest else first, after.decided_as(way)

    def _foreign(self, node: ast.Call, receiver: Value, values: list[Value], way: Way) -> tuple[Value, Way]:
        """A call of a library, or of something that is not known."""
        self.registers_timers |= called(node) in _REGISTERS_TIMERS
        self.may_register_timers |= any(value.context for value in values)
        if called(node) == "getattr":
            own = (self._attributes.any_of(owner) for owner in values[0].objects)
            return NOTHING.joined(*own, *values).inside(), way
        found, way = self._elsewhere(NOTHING.joined(receiver, *values), way)
        if receiver.places and called(node) in _ENTRIES and values:
            part = receiver.part(entry(node.args[0]) if node.args else "[]", way)
            found = part.joined(*values[1:]).and_of(values[0].depends_on)
        elif receiver.places and called(node) == "values":
            found = replace(found, places=receiver.places)
        found = replace(
            found,
            context=receiver.context and called(node) == "timer_service",
            fresh=called(node) in _COLLECTIONS and all(value.fresh for value in values),
        )
        for value in values:
            self._may_change(value, certainly=False)
        if isinstance(node.func, ast.Attribute) and base_name(node.func) == "self" and not receiver.places:
            self._used(found.depends_on)
        return found, way if called(node) in _READING else self._changing(node, receiver, values, found, way)

    def _changing(self, node: ast.Call, receiver: Value, values: list[Value], found: Value, way: Way) -> Way:
        """A call that may change what it is called on, and what it is given."""
        if called(node) == "clear":
            way = self.kept.set(receiver, "", NOTHING, None, way)
        elif called(node) not in _PURE:
            for value in (receiver, *values):
                self.kept.changed(Value(places=value.places), node)
        if isinstance(node.func, ast.Attribute):
            way = self._changed(node.func.value, NOTHING.joined(*values), way)
        for argument in node.args:
            if isinstance(argument, ast.Name) and len(node.args) > 1 and called(node) not in _PURE:
                way = self._changed(argument, Value(depends_on=found.depends_on), way)
        return way

    def _made(self, name: str, node: ast.Call, values: list[Value], way: Way) -> tuple[Value, Way]:
        """A new object of a class of the program."""
        for keyword, value in zip(node.keywords, values[len(node.args) :], strict=True):
            self._attributes.give(name, keyword.arg or ANY, value)
        if "__init__" not in self._classes[name]:
            for value in values[: len(node.args)]:
                self._attributes.give(name, ANY, value)
        for maker in ("__init__", "__post_init__"):
            function = self._classes[name].get(maker)
            if function is not None and self._may_enter(function):
                way = self._call_of(function, name, node if maker == "__init__" else ast.Call(node.func, [], []),
                                    values if maker == "__init__" else [], way)[1]  # fmt: skip
        fresh = all(value.fresh for value in values)
        return Value(depends_on=NOTHING.joined(*values).depends_on, objects=frozenset({name}), fresh=fresh), way


def taking_in(variable: str, value: Value, way: Way) -> Way:
    """The way behind a statement that gives a value to the object of a variable."""
    after = way.variables[variable].and_of(value.depends_on | way.under)
    return way.setting(variable, after.joined(value.inside()) if value.states or value.objects else after)


def _variadic(function: FunctionNode) -> str:
    return function.args.vararg.arg if function.args.vararg is not None else ""
