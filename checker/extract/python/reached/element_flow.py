"""What functions of a script that run with records give to certain members of the elements that they make.

The same question as ``checker.extract.java.reached.element_flow`` answers: an edit before ``key_by`` that computes the
key in another way. Local variables stand for what they are set to, functions of the repository for their code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from checker.extract.effort import EffortError
from checker.extract.python.plain_code import without_logs
from checker.extract.python.reached.bindings import (
    FunctionNode,
    base_name,
    called,
    conditions,
    member_of,
    names_behind_results,
    only_into_attributes,
    parameters,
    targets,
)
from checker.extract.python.reached.call_sites import CallSites
from checker.extract.python.reached.declarations import Declared, names_in
from checker.extract.python.reached.detail import STATE_NAMES
from checker.extract.python.reached.file_values import FileValues
from checker.extract.python.reached.named_code import DEPTH, METHODS, Given, NamedCode
from checker.extract.python.reached.scopes import Found, Scope
from checker.extract.python.reached.value_texts import ValueTexts
from checker.model.declared_state import DESCRIPTORS
from checker.model.program_code import ELEMENT, FILE, WHOLE, Flow, Key

_CALLS = frozenset({"map", "flat_map", "process", "reduce", "apply"})
"""Calls that take such a function."""
_PLAIN = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.Constant, ast.JoinedStr)
"""Expressions whose values have no members."""
_COPIES = frozenset({"replace", "_replace"})
"""Calls that copy an object with other members, given by name."""
_FILLS = frozenset({"update", "setdefault", "append", "extend", "insert"})
"""Methods of collections that give them elements or members."""


class ElementFlow:
    """The functions of one script."""

    def __init__(
        self,
        declared: Mapping[Key, Declared],
        functions: Iterable[str],
        ancestors: Callable[[str], frozenset[str]],
        file_values: FileValues,
    ) -> None:
        """``functions`` are the qualified names of the classes that Flink calls."""
        self._declared = declared
        self._classes = frozenset(functions)
        self._as_written: set[Key] = set()
        """Functions whose expressions are too large to be written out."""
        self.named = NamedCode(declared, CallSites(declared, ancestors))
        self._file_values = file_values
        self.values = ValueTexts(declared, ancestors, self.named, self._function)

    def flows(self, wanted: frozenset[str]) -> Iterator[Flow]:
        """What each function gives to the wanted members."""
        for key, found in self._declared.items():
            if found.function is not None and key[0] in self._classes:
                if key[1] in METHODS and not self._only_in_state(key[0]):
                    yield self._flow(Given(key, found.function), None, wanted)
            elif found.function is not None and self.named.gives_members(key, found.function, wanted):
                whole = frozenset({ELEMENT}) if key[1] in wanted else frozenset()  # it gives the member itself
                yield self._flow(Given(key, found.function), None, wanted | whole)
            for node in (node for statement in found.body for node in ast.walk(statement)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) in _CALLS:
                    for given in self.named.given(key, node.args[0]) if node.args else ():
                        yield self._flow(given, node.func.end_lineno, wanted, key)

    def _only_in_state(self, owner: str) -> bool:
        """Whether a function only folds what a state keeps: all its objects are given to descriptors."""
        made = [call for _, call in self.named.sites.creations(owner)]
        return bool(made) and {id(call) for call in made} <= self._in_descriptors

    @cached_property
    def _in_descriptors(self) -> set[int]:
        nodes = (node for d in self._declared.values() for statement in d.body for node in ast.walk(statement))
        calls = (n for n in nodes if isinstance(n, ast.Call) and called(n) in DESCRIPTORS)
        return {id(given) for call in calls for given in (*call.args, *(k.value for k in call.keywords))}

    def _flow(self, given: Given, line: int | None, wanted: frozenset[str], site: Key | None = None) -> Flow:
        key, function = given.key, given.function
        ends = {key} if site is None else {key, site}
        found = Found(wanted, set(ends))
        try:
            if key in self._as_written:
                raise EffortError
            free = (name for name in parameters(function) if name not in given.bound)
            numbered = {name: f"${n}" for n, name in enumerate(free)}
            for name, (place, value) in given.bound.items():
                numbered[name] = self.values.text(found.aside(), value, self.values.caller(found, place), frozenset())
            self._function(found, function, self.values.scope(found, key, function, numbered))
            if found.texts:
                if site is not None or key[0] in self._classes:  # members of elements are wanted by their names
                    self.values.add_attributes(found)
                found.texts, read = self._file_values.resolved(found.texts)
                found.through.update((path, FILE) for path in read)
        except (EffortError, RecursionError):
            self._as_written.add(key)
            found = self._all_code
        return Flow(
            root=site or key,
            line=line,
            texts=frozenset(found.texts),
            names=frozenset(found.names),
            through=frozenset(found.through | ends),
        )

    @cached_property
    def _all_code(self) -> Found:
        """What counts for functions whose expressions are too large: all code, for whatever members are wanted."""
        declared = self._declared.values()
        nodes = [node for d in declared for node in (d.body if d.function is None else [d.function])]
        attributes = {node.attr for code in nodes for node in ast.walk(code) if isinstance(node, ast.Attribute)}
        return Found(frozenset(), set(self._declared), {ast.unparse(node) for node in nodes}, {ELEMENT, *attributes})

    def _function(self, found: Found, function: FunctionNode, scope: Scope) -> None:
        if isinstance(function, ast.Lambda):
            self._element(found, function.body, scope, frozenset())
            return
        before = set(found.texts)
        into_state = only_into_attributes(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
                element = self._without_tag(node.value)
                if element is node.value or isinstance(element, ast.Tuple | ast.Dict):
                    self._element(found, element, scope, frozenset())
            elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
                if any(member_of(target) in found.wanted for target in targets(node)):
                    found.texts.add(self.values.text(found, node.value, scope, frozenset()))
            elif isinstance(node, ast.Expr) and base_name(node.value) not in into_state:
                self._filled_in(found, node.value, scope)
        named = [name if value else "" for name, _, value in (t.partition(" = ") for t in found.texts - before)]
        if len(set(named)) < len(named):  # which of several it is, the conditions decide
            found.texts.update(self.values.text(found, test, scope, frozenset()) for test in conditions(function))
        for decorator in function.decorator_list:
            self._decorated(found, decorator, scope)

    def _without_tag(self, given: ast.expr) -> ast.expr:
        """What a function gives, without the tag of a side output before it."""
        if not isinstance(given, ast.Tuple) or len(given.elts) != 2:
            return given
        name = ast.unparse(given.elts[0]).rpartition(".")[2]
        values = (value for _, value in self.named.constants.get(name, ()))
        tagged = any(isinstance(value, ast.Call) and called(value) == "OutputTag" for value in values)
        return given.elts[1] if tagged else given

    def _filled_in(self, found: Found, call: ast.expr, scope: Scope) -> None:
        """What a statement puts into a collection: ``row.update(…)``, ``rows.append(…)``."""
        function = call.func if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or not isinstance(function, ast.Attribute):
            return
        if function.attr not in _FILLS or not call.args:
            return
        values = scope.locals.get(function.value.id, ()) if isinstance(function.value, ast.Name) else ()
        if isinstance(function.value, ast.Attribute) or not names_in(*values).isdisjoint(STATE_NAMES):
            return  # of the function itself, or a state
        first = call.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            self._parts(found, [(first.value, value) for value in call.args[1:]], scope, frozenset())
            return
        for argument in call.args:
            self._element(found, argument, scope, frozenset())
        self._parts(found, [(k.arg or "", k.value) for k in call.keywords], scope, frozenset())

    def _decorated(self, found: Found, decorator: ast.expr, scope: Scope) -> None:
        """A decorator of the repository: all of its code counts, for it decides what the function gives."""
        name = called(decorator) if isinstance(decorator, ast.Call) else ast.unparse(decorator).rpartition(".")[2]
        for key, code in self.named.functions.get(name, ()) if found.texts else ():
            found.through.add(key)
            found.texts.add(f"decorated by {ast.unparse(without_logs(code))}")

    def _element(self, found: Found, node: ast.expr, scope: Scope, seen: frozenset[str]) -> None:
        """An expression that is an element, or holds one."""
        found.effort.spend()
        match node:
            case ast.Tuple() | ast.List():
                self._parts(found, [(str(n), part) for n, part in enumerate(node.elts)], scope, seen)
            case ast.Dict():
                named = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
                self._parts(found, [(_constant_name(key), value) for key, value in named], scope, seen)
                for key, value in zip(node.keys, node.values, strict=True):
                    if key is None:
                        self._element(found, value, scope, seen)
            case ast.IfExp():
                before = len(found.texts)
                for way in (node.body, node.orelse):
                    self._element(found, way, scope, seen)
                if len(found.texts) > before + 1:
                    found.texts.add(self.values.text(found, node.test, scope, seen))
            case ast.Name():
                for value in scope.locals.get(node.id, ()) if node.id not in seen else ():
                    self._element(found, value, scope, seen | {node.id})
                if ELEMENT in found.wanted and node.id in scope.parameters:
                    found.texts.add(scope.parameters[node.id])
            case ast.Call():
                self._made_by(found, node, scope, seen)
            case ast.Lambda():
                return
            case _:
                if not isinstance(node, _PLAIN) or ELEMENT in found.wanted:
                    found.texts.add(self.values.text(found, node, scope, seen))

    def _parts(self, found: Found, parts: Iterable[tuple[str, ast.expr]], scope: Scope, seen: frozenset[str]) -> None:
        for name, part in parts:
            if not found.wanted.isdisjoint((name, WHOLE)):
                found.texts.add(f"{name} = {self.values.text(found, part, scope, seen)}")
            elif isinstance(part, ast.Tuple | ast.Dict):
                self._element(found, part, scope, seen)  # ``yield TAG, (…)`` and nested tuples

    def _made_by(self, found: Found, node: ast.Call, scope: Scope, seen: frozenset[str]) -> None:
        name = called(node)
        if name == "cls":  # of a class method
            name = scope.owner.rpartition(".")[2]
        callees = self.values.callees(node, scope) if scope.depth < DEPTH else []
        named = [(keyword.arg or "", keyword.value) for keyword in node.keywords]
        for key, function in callees:
            found.through.add(key)
            given = self.values.passed(found, function, node, scope, names_behind_results(function))
            self._function(found, function, self.values.scope(found, key, function, given, scope.depth + 1))
            if function.args.kwarg is not None:
                self._parts(found, named, scope, seen)
        if not callees and name in _COPIES and named:
            for argument in (node.func, *node.args):
                self._element(found, argument.value if isinstance(argument, ast.Attribute) else argument, scope, seen)
            self._parts(found, named, scope, seen)
        elif not callees and name in self.named.constructors:
            members = self.named.constructors[name]
            for parameter, value in (*zip(members, node.args, strict=False), *named):
                own = members.get(parameter, frozenset()) | {parameter, WHOLE}
                if not found.wanted.isdisjoint(own):
                    found.texts.add(f"{parameter} = {self.values.text(found, value, scope, seen)}")
                elif parameter == "":
                    self._element(found, value, scope, seen)
        elif not callees and (name[:1].isupper() or name == "__class__"):
            fields = self.named.fields_of_rows(len(node.args)) if name == "Row" else None
            for n, argument in enumerate(node.args):
                names = {str(n), *(names[n] for names in fields or ())}
                self._parts(found, [(name, argument) for name in names], scope, seen)
            self._parts(found, named, scope, seen)
            if fields is None and any(not w.isdecimal() for w in found.wanted):
                found.texts.update(self.values.text(found, argument, scope, seen) for argument in node.args)
        elif not callees:
            found.texts.add(self.values.text(found, node, scope, seen))


def _constant_name(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""
