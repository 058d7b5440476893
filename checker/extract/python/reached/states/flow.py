"""What a function of a script does with its states, followed statement by statement on every way through its code.

Where that is in doubt, a value counts as made of a state, and a state as used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from checker.extract.python.plain_code import logs
from checker.extract.python.reached.bindings import FunctionNode, base_name, targets
from checker.extract.python.reached.decorators import by_place, wrappers_of
from checker.extract.python.reached.states.conditions import constant, if_
from checker.extract.python.reached.states.expressions import Expressions
from checker.extract.python.reached.states.program_calls import Frame
from checker.extract.python.reached.states.values import NOTHING, Value, Way, merged

ACCUMULATOR: Final = "the accumulator"
"""The state that Flink keeps for a function that reduces or aggregates."""
MERGED: Final = "the merged accumulator"
"""The one that Flink keeps where windows become one."""
_ACCUMULATED: Final = {"add": 1, "get_result": 0, "reduce": 0}
"""Methods that are given it, and as which parameter."""


OPENING: Final = ("__init__", "open")
"""Methods that run before all records."""
_WITH_CONTEXT: Final = frozenset(
    {"process_element", "process_element1", "process_element2", "process_broadcast_element", "on_timer", "process"}
)
"""Methods whose second parameter is a context."""


class StateFlow(Expressions):
    """The code of one function's class, and of all that it calls in the program."""

    def forget(self) -> None:
        """Begin anew, with what attributes are known to hold."""
        self.done.clear()
        self.kept.clear()
        self.registered.clear()

    def run(self, name: str) -> Way | None:
        """Follow a method that Flink calls; where it ends. Raises EffortError."""
        method = self._classes[""][name]
        given: dict[str, Value] = {}
        place = _ACCUMULATED.get(name)
        free = [argument.arg for argument in method.args.args if argument.arg != "self"]
        self.opening = name in OPENING
        given.update((parameter, Value(context=True)) for parameter in free[1:2] if name in _WITH_CONTEXT)
        if place is not None and self._accumulates(name) and place < len(free):
            given[free[place]] = self._read(ACCUMULATOR, Way())
        frame, way = self._enter(method, "", given, Way(), name)
        if _accumulator_given(name) and self._accumulates(name):
            for value in frame.returned:
                self._written(ACCUMULATOR, value, way or Way())
                self.kept.replaced(ACCUMULATOR, value)
                self._of(ACCUMULATOR).changes |= ACCUMULATOR not in value.as_was
            made = frozenset().union(*(value.depends_on for value in frame.returned))
            way = (way or Way()).holding(ACCUMULATOR, made)
        return way

    def forgets(self, function: FunctionNode) -> bool:
        """Whether a function that Flink reduces values with gives nothing that is made of what it reduced before."""
        first = [argument.arg for argument in function.args.args][:1]
        given = {name: Value(depends_on=frozenset({ACCUMULATOR})) for name in first}
        frame, _ = self._enter(function, "", given, Way())
        return bool(given) and not any(ACCUMULATOR in value.depends_on for value in frame.returned)

    def merges(self) -> bool:
        """Whether a function makes one accumulator of all that is in two."""
        method = self._classes[""]["merge"]
        for name in [argument.arg for argument in method.args.args if argument.arg != "self"][:2]:
            frame, _ = self._enter(method, "", {name: Value(depends_on=frozenset({ACCUMULATOR}))}, Way())
            if not any(ACCUMULATOR in value.depends_on for value in frame.returned):
                return False
        return True

    def _accumulates(self, name: str) -> bool:
        return name == "reduce" or "create_accumulator" in self._classes[""]

    def _enter(
        self, function: FunctionNode, owner: str, given: Mapping[str, Value], way: Way, entry: str | None = None
    ) -> tuple[Frame, Way | None]:
        """Follow a function with some arguments: its frame, and where it ends, with its own variables.

        Of a decorated one what the decorators put around it comes first, which may call it.
        """
        around = next((w for w in wrappers_of(function, self._functions) if w.function not in self._running), None)
        if around is not None:
            given = {**_by_place(given, function, around.function), around.parameter: Value(function=function)}
            function = around.function
        caller, self._frame = self._frame, Frame(owner, entry)
        self._running.append(function)
        try:
            of = given.get("self", NOTHING)
            this = Value(objects=frozenset({owner}), depends_on=of.depends_on, as_was=of.as_was, places=of.places)
            inner = replace(way, variables={**given, "self": this})
            if isinstance(function, ast.Lambda):
                value, after = self._value(function.body, inner)
                self._frame.returned.append(value)
                end: Way | None = after
            else:
                end = merged(self._body(function.body, inner), *self._frame.ends)
            return self._frame, end
        finally:
            self._running.pop()
            self._frame = caller

    def _body(self, body: Iterable[ast.stmt], way: Way | None) -> Way | None:
        for statement in body:
            if way is None:
                return None
            way = self._statement(statement, way)
        return way

    def _statement(self, node: ast.stmt, way: Way) -> Way | None:
        self._effort.spend()
        match node:
            case ast.Expr() if logs(node):
                return way
            case ast.Expr(value=value):
                return self._effect(value, way)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                return self._assigned(node, way)
            case ast.Return():
                if node.value is not None:
                    found, way = self._value(node.value, way)
                    self._result(found.and_of(way.under), way)
                self._frame.ends.append(way)
                return None
            case ast.Raise():
                self._used((self._value(node.exc, way)[0] if node.exc else NOTHING).depends_on | way.under)
                return None
            case ast.Break() | ast.Continue():
                if self._frame.loops:
                    self._frame.loops[-1].append(way)
                return None
            case ast.If():
                return self._if(node, way)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node, way)
            case ast.Try():
                return self._try(node, way)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    found, way = self._value(item.context_expr, way)
                    way = self._bound(item.optional_vars, found, way) if item.optional_vars is not None else way
                return self._body(node.body, way)
            case ast.Match():
                found, way = self._value(node.subject, way)
                inner = way.deciding(found.depends_on)
                for name in (n for c in node.cases for n in _captured(c.pattern)):
                    inner = inner.setting(name, found.inside())
                cases = [self._body(case.body, inner) for case in node.cases]
                complete = any(isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None for c in node.cases)
                return self._after([*cases, *([] if complete else [inner])], way)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._nested.add(node)
                return way.setting(node.name, Value(function=node))
            case ast.Delete() | ast.Assert():
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.expr):
                        way = self._value(part.value if isinstance(part, ast.Subscript) else part, way)[1]
        return way

    def _effect(self, node: ast.expr, way: Way) -> Way:
        """An expression whose value nothing takes."""
        found, after = self._value(node, way)
        if isinstance(node, ast.Call) and not self._own_code(node, way):
            local = base_name(node.func)
            if local is not None and local != "self" and local in way.variables and not way.variables[local].states:
                return after  # it changes a variable
            self._used(found.depends_on | way.under)
        return after

    def _result(self, value: Value, way: Way) -> None:
        """A value that a function gives."""
        self._frame.returned.append(value)
        if self._frame.entry is not None and not (
            _accumulator_given(self._frame.entry) and self._accumulates(self._frame.entry)
        ):
            self._used(value.depends_on | way.under)

    def _assigned(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, way: Way) -> Way:
        if node.value is None:
            return way
        found, way = self._value(node.value, way)
        self._setting = node
        if isinstance(node, ast.AugAssign):
            before, way = self._value(_loaded(node.target), way)
            self._may_change(before, certainly=True)
            if isinstance(node.value, ast.List | ast.ListComp):
                self.kept.changed(before, node)
            found = replace(before.joined(found), read_of=None, as_was=frozenset(), fresh=False, places=frozenset())
        found = found.and_of(way.under)
        for target in targets(node):
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else None
            values = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else ()
            if parts is not None and len(parts) == len(values) and not any(isinstance(p, ast.Starred) for p in values):
                taken = [self._value(value, way)[0].and_of(way.under) for value in values]
                for part, value in zip(parts, taken, strict=True):
                    way = self._bound(part, value, way)
            else:
                way = self._bound(target, found, way)
        return way

    def _if(self, node: ast.If, way: Way) -> Way | None:
        test = constant(node.test)
        if test is not None:
            return self._body(node.body if test else node.orelse, way)
        found, way = self._value(node.test, way)
        self.kept.goes(found, "if")
        there, missing = self._where(node.test, way)
        first = self._body(node.body, there.deciding(found.told_by, if_(node.test)))
        second = self._body(node.orelse, missing.deciding(found.told_by, if_(node.test, holds=False)))
        return self._after([first, second], way)

    def _after(self, ways: list[Way | None], before: Way) -> Way | None:
        """Where branches meet: what comes behind one that ends depends on the condition."""
        end = merged(*ways)
        return end.decided_as(before) if end is not None and all(w is not None for w in ways) else end

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, way: Way) -> Way | None:
        endless = isinstance(node, ast.While) and constant(node.test) is True
        if isinstance(node, ast.While) and constant(node.test) is False:
            return self._body(node.orelse, way)
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
            return self._each(node, node.iter.elts, way)
        left: list[Way] = []
        self._frame.loops.append(left)
        current: Way | None = way
        for _ in range(2):
            if current is None:
                break
            if isinstance(node, ast.While):
                found, inner = self._value(node.test, current)
            else:
                found, inner = self._value(node.iter, current)
                if found.states:
                    found = found.joined(*(self._read(state, inner) for state in found.states))
                inner = self._bound(node.target, found.part("[]", inner), inner)
            current = merged(current, self._body(node.body, inner.deciding(found.depends_on)), *left)
        self._frame.loops.pop()
        if endless:
            return merged(*left)
        ended = merged(current, *left)
        return self._body(node.orelse, ended if left else ended.decided_as(way)) if ended else None

    def _each(self, node: ast.For, elements: list[ast.expr], way: Way) -> Way | None:
        """A loop over a few values that are written out."""
        left: list[Way] = []
        self._frame.loops.append(left)
        current: Way | None = way
        for element in elements:
            if current is not None:
                found, current = self._value(element, current)
                current = self._body(node.body, self._bound(node.target, found, current))
        self._frame.loops.pop()
        return merged(self._body(node.orelse, current), *left)

    def _try(self, node: ast.Try, way: Way) -> Way | None:
        after = self._body(node.body, way)
        start = merged(way, after) or way
        ways = [self._body(handler.body, start) for handler in node.handlers]
        ways.append(self._body(node.orelse, after))
        return self._body(node.finalbody, merged(*ways))


def _by_place(given: Mapping[str, Value], function: FunctionNode, wrapper: FunctionNode) -> dict[str, Value]:
    """What is given to a function as what is given to another one by the same places."""
    names, rest = by_place(wrapper)
    found = {name: value for name, value in given.items() if name == "self"}
    for number, name in enumerate(by_place(function)[0]):
        target = names[number] if number < len(names) else rest
        if name in given and target:
            found[target] = found.get(target, NOTHING).joined(given[name])
    return found


def _accumulator_given(name: str) -> bool:
    """Whether what a method returns is the new accumulator."""
    return name in ("add", "reduce")


def _captured(pattern: ast.pattern) -> list[str]:
    return [n.name for n in ast.walk(pattern) if isinstance(n, ast.MatchAs | ast.MatchStar) and n.name]


def _loaded(node: ast.expr) -> ast.expr:
    """A target of an assignment as an expression."""
    match node:
        case ast.Name():
            return ast.Name(node.id, ast.Load())
        case ast.Attribute():
            return ast.Attribute(node.value, node.attr, ast.Load())
        case ast.Subscript():
            return ast.Subscript(node.value, node.slice, ast.Load())
    return node
