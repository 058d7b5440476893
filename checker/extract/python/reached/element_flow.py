"""What functions of a script that run with records give to certain members of the elements that they make.

The same question as ``checker.extract.java.reached.element_flow`` answers: an edit before ``key_by`` that computes the
key in another way. Local variables stand for what they are set to, functions of the repository for their code.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from checker.extract.effort import EffortError
from checker.extract.python.reached.bindings import (
    FunctionNode,
    arguments,
    attribute_of_self,
    called,
    conditions,
    is_property,
    locals_of,
    member_of,
    parameters,
    targets,
)
from checker.extract.python.reached.call_sites import CallSites
from checker.extract.python.reached.declarations import Declared, names_in
from checker.extract.python.reached.detail import STATE_NAMES
from checker.extract.python.reached.named_code import DEPTH, METHODS, Given, NamedCode
from checker.extract.python.reached.scopes import Entered, Filled, Found, Scope, either, is_module, only_members_read
from checker.model.program_code import ELEMENT, WHOLE, Flow, Key

_CALLS = frozenset({"map", "flat_map", "process", "reduce", "apply"})
"""Calls that take such a function."""
_PLAIN = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.Constant, ast.JoinedStr)
"""Expressions whose values have no members."""
_COPIES = frozenset({"replace", "_replace"})
"""Calls that copy an object with other members, given by name."""
_FILLS = frozenset({"update", "setdefault", "append", "extend", "insert"})
"""Methods of collections that give them elements or members."""
_DECIDING = frozenset({"default", "type", "action", "const", "choices", "nargs"})
"""What of an option's declaration decides its value."""
_LIFECYCLE = frozenset({"open", "close", *METHODS})
"""Methods that Flink calls: what they are given stands nowhere in the program."""


class ElementFlow:
    """The functions of one script."""

    def __init__(
        self, declared: Mapping[Key, Declared], functions: Iterable[str], ancestors: Callable[[str], frozenset[str]]
    ) -> None:
        """``functions`` are the qualified names of the classes that Flink calls."""
        self._declared = declared
        self._classes = frozenset(functions)
        self._as_written: set[Key] = set()
        """Functions whose expressions are too large to be written out."""
        self._ancestors = ancestors
        self._sites = CallSites(declared, ancestors)
        self._entered: dict[tuple[Key, int], Entered] = {}
        self._code = NamedCode(declared)

    def flows(self, wanted: frozenset[str]) -> Iterator[Flow]:
        """What each function gives to the wanted members."""
        for key, found in self._declared.items():
            if found.function is not None and key[0] in self._classes:
                if key[1] in METHODS:
                    yield self._flow(Given(key, found.function), None, wanted)
            elif found.function is not None and self._code.gives_members(key, found.function, wanted):
                yield self._flow(Given(key, found.function), None, wanted)
            for node in (node for statement in found.body for node in ast.walk(statement)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) in _CALLS:
                    for given in self._code.given(key, node.args[0]) if node.args else ():
                        yield self._flow(given, node.func.end_lineno, wanted, key)

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
                numbered[name] = self._text(found.aside(), value, self._caller(found, place), frozenset())
            self._function(found, function, self._scope(found, key, function, numbered))
            if found.texts:
                self._attributes(found)
        except (EffortError, RecursionError):
            self._as_written.add(key)
            found = self._all_code
        lines = line if site == key or site is None else None
        return Flow(
            root=key,
            line=lines,
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

    # -- what attributes, parameters and free variables stand for ------------------------------------------------

    def _attributes(self, found: Found) -> None:
        """What those attributes are set to that elements depend on; states are left out."""
        done: set[tuple[str, str]] = set()
        while pending := found.attributes - done:
            for owner, name in sorted(pending):
                done.add((owner, name))
                lineage = self._ancestors(owner)
                setting = [d for key, d in self._declared.items() if key[0].rpartition(".")[2] in lineage]
                texts = {text for declared in setting for text in self._set_to(found, declared, name)}
                if not texts and not any(d.declaration.key[1] == "__init__" for d in setting):
                    texts = {self._made(found, site, call) for site, call in self._sites.creations(owner)}
                found.texts.update(texts)

    def _set_to(self, found: Found, declared: Declared, name: str) -> Iterator[str]:
        """What a declaration of a class sets one of its attributes to."""
        key, function = declared.declaration.key, declared.function
        if function is None:
            values = [value for place, value in self._code.constants.get(name, ()) if place == key]
        elif key[1] in METHODS:
            return
        else:
            values = [
                node.value
                for node in ast.walk(function)
                if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None
                for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
                if attribute_of_self(target) == name
            ]
        for value in values:
            if names_in(value).isdisjoint(STATE_NAMES):
                found.through.add(key)
                yield f"{name} = {self._text(found.aside(), value, self._caller(found, key), frozenset())}"

    def _made(self, found: Found, site: Key, call: ast.Call) -> str:
        """The arguments that an object is made with."""
        found.through.add(site)
        return self._text(found.aside(), call, self._caller(found, site), frozenset())

    def _caller(self, found: Found, key: Key, depth: int = 0) -> Scope:
        """The scope of a declaration's own code, its parameters as its callers give them."""
        function = self._declared[key].function
        if function is None:
            return Scope(key[0], {}, {}, depth)
        entered = self._entry(key, depth)
        found.through.update(entered.through)
        return Scope(key[0], {}, locals_of(function), depth, entered.values)

    def _entry(self, key: Key, depth: int) -> Entered:
        """What a function's parameters are given by the calls of it."""
        known = self._entered.get((key, depth))
        if known is not None:
            return known
        function = self._declared[key].function
        assert function is not None
        found = Found(frozenset(), set())
        given: dict[str, set[str]] = {}
        sites = self._sites.of(key) if depth < DEPTH and key[1] not in _LIFECYCLE else []
        for site, call in sites:
            found.through.add(site)
            scope = self._caller(found, site, depth + 1)
            for name, value in arguments(function, call).items():
                given.setdefault(name, set()).add(self._text(found.aside(), value, scope, frozenset()))
        if not sites:
            scope = Scope(key[0], {}, {}, depth + 1)
            for name, value in arguments(function, None).items():
                given[name] = {self._text(found.aside(), value, scope, frozenset())}
        values = {name: either(texts) for name, texts in given.items()}
        self._entered[key, depth] = Entered(values, frozenset(found.through))
        return self._entered[key, depth]

    def _scope(self, found: Found, key: Key, function: FunctionNode, given: Mapping[str, str], depth: int = 0) -> Scope:
        """The scope of a function; one inside of a declaration sees what that one has."""
        own = locals_of(function)
        if function is self._declared[key].function:
            return Scope(key[0], given, own, depth)
        outer = self._caller(found, key, depth)
        around = {name: value for name, value in outer.locals.items() if name not in given}
        return Scope(key[0], given, {**around, **own}, depth, outer.around)

    def _passed(self, found: Found, function: FunctionNode, call: ast.Call, scope: Scope) -> dict[str, str]:
        """What a call gives a function's parameters."""
        given = arguments(function, call)
        return {n: self._text(found, given[n], scope, frozenset()) if n in given else n for n in parameters(function)}

    def _constant(self, found: Found, name: str, scope: Scope) -> str | None:
        """What a name outside of all functions stands for: of the file, of a module or a class."""
        module, _, simple = name.rpartition(".")
        module = module.rpartition(".")[2]
        texts: set[str] = set()
        named = self._code.constants.get(simple, []) if scope.depth < DEPTH else []
        own = [c for c in named if (is_module(c[0][0], module) if module else scope.owner.startswith(c[0][0]))]
        if not own and (module or not hasattr(builtins, simple)):  # imported by way of another module, or with ``*``
            own = [constant for constant in named if constant[0][0].endswith(".py")]
        for key, value in own:
            found.through.add(key)
            inside = Scope(key[0], {}, {}, scope.depth + 1)
            texts.add(self._text(found.aside(), value, inside, frozenset()))
        return either(texts) if texts else None

    # -- what is given to members --------------------------------------------------------------------------------

    def _function(self, found: Found, function: FunctionNode, scope: Scope) -> None:
        if isinstance(function, ast.Lambda):
            self._element(found, function.body, scope, frozenset())
            return
        given = len(found.texts)
        for node in ast.walk(function):
            if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
                self._element(found, node.value, scope, frozenset())
            elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
                if any(member_of(target) in found.wanted for target in targets(node)):
                    found.texts.add(self._text(found, node.value, scope, frozenset()))
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self._filled_in(found, node.value, scope)
        if len(found.texts) > given + 1:  # which of them it is, the conditions decide
            found.texts.update(self._text(found, test, scope, frozenset()) for test in conditions(function))
        for decorator in function.decorator_list:
            self._decorated(found, decorator, scope)

    def _filled_in(self, found: Found, call: ast.Call, scope: Scope) -> None:
        """What a statement puts into a collection: ``row.update(…)``, ``rows.append(…)``."""
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr not in _FILLS or not call.args:
            return
        if isinstance(function.value, ast.Attribute):
            return  # of the function itself: state
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
        for key, code in self._code.functions.get(name, ()) if found.texts else ():
            found.through.add(key)
            found.texts.add(f"decorated by {ast.unparse(code)}")

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
                    found.texts.add(self._text(found, node.test, scope, seen))
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
                    found.texts.add(self._text(found, node, scope, seen))

    def _parts(self, found: Found, parts: Iterable[tuple[str, ast.expr]], scope: Scope, seen: frozenset[str]) -> None:
        for name, part in parts:
            if not found.wanted.isdisjoint((name, WHOLE)):
                found.texts.add(f"{name} = {self._text(found, part, scope, seen)}")
            elif isinstance(part, ast.Tuple | ast.Dict):
                self._element(found, part, scope, seen)  # ``yield TAG, (…)`` and nested tuples

    def _made_by(self, found: Found, node: ast.Call, scope: Scope, seen: frozenset[str]) -> None:
        name = called(node)
        callees = self._callees(node, scope) if scope.depth < DEPTH else []
        named = [(keyword.arg or "", keyword.value) for keyword in node.keywords]
        for key, function in callees:
            found.through.add(key)
            given = self._passed(found, function, node, scope)
            self._function(found, function, self._scope(found, key, function, given, scope.depth + 1))
            if function.args.kwarg is not None:
                self._parts(found, named, scope, seen)
        if not callees and name in _COPIES and named:
            for argument in (node.func, *node.args):
                self._element(found, argument.value if isinstance(argument, ast.Attribute) else argument, scope, seen)
            self._parts(found, named, scope, seen)
        elif not callees and name in self._code.constructors:
            members = self._code.constructors[name]
            for parameter, value in (*zip(members, node.args, strict=False), *named):
                own = members.get(parameter, frozenset()) | {parameter, WHOLE}
                if not found.wanted.isdisjoint(own):
                    found.texts.add(f"{parameter} = {self._text(found, value, scope, seen)}")
                elif parameter == "":
                    self._element(found, value, scope, seen)
        elif not callees and (name[:1].isupper() or name in ("cls", "__class__")):
            self._parts(found, [*((str(n), a) for n, a in enumerate(node.args)), *named], scope, seen)
            if name != "Row" and any(not w.isdecimal() for w in found.wanted):
                found.texts.update(self._text(found, argument, scope, seen) for argument in node.args)
        elif not callees:
            found.texts.add(self._text(found, node, scope, seen))

    def _text(self, found: Found, node: ast.expr, scope: Scope, seen: frozenset[str]) -> str:
        """What an expression is computed from. Raises EffortError where that gets too large."""
        found.effort.spend()
        used: dict[str, str] = {}
        code: set[str] = set()
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id not in used:
                used[inner.id] = self._variable(found, inner.id, scope, seen)
            elif isinstance(inner, ast.Attribute):
                found.names.add(inner.attr)
                code.update(self._attribute(found, inner, scope))
                code.update(self._option(found, inner.attr, scope))
            elif isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Constant):
                if not isinstance(inner.value, ast.Call) or isinstance(inner.slice.value, str):
                    found.names.add(str(inner.slice.value))
                code.update(self._option(found, str(inner.slice.value), scope))
        bare = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} & scope.parameters.keys()
        if any(not only_members_read(node, name) for name in bare):
            found.names.add(ELEMENT)
        followed: set[tuple[int, str]] = set()
        for name, call, functions in self._followed(node, scope) if scope.depth < DEPTH else ():
            for key, function in functions:
                passed, defaults = arguments(function, call), arguments(function, None)
                given = {
                    parameter: ast.unparse(defaults[parameter])
                    if parameter in defaults and passed.get(parameter) is defaults[parameter]
                    else parameter
                    for parameter in parameters(function)
                }
                if (id(function), str(given)) in followed:
                    continue
                followed.add((id(function), str(given)))
                found.through.add(key)
                inner_found = Found(
                    frozenset({ELEMENT, WHOLE}),
                    found.through,
                    names=found.names,
                    attributes=found.attributes,
                    effort=found.effort,
                )
                body = self._scope(found, key, function, given, scope.depth + 1)
                self._function(inner_found, function, body)
                code.add(f"{name} = {sorted(inner_found.texts)}")
        written = " where ".join([ast.unparse(Filled(used).visit(copy.deepcopy(node))), *sorted(code)])
        found.effort.spend(written)
        return written

    def _followed(
        self, node: ast.expr, scope: Scope
    ) -> Iterator[tuple[str, ast.Call | None, list[tuple[Key, FunctionNode]]]]:
        """The functions that an expression calls, gives to other code to call, or reads as properties.

        With the name, and the call where there is one.
        """
        called_by_name = {id(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                yield called(inner), inner, self._callees(inner, scope)
            elif id(inner) in called_by_name:
                continue
            elif isinstance(inner, ast.Attribute):
                found = [place for place in self._code.functions.get(inner.attr, ()) if is_property(place[1])]
                yield inner.attr, None, found
            elif isinstance(inner, ast.Name) and inner.id not in scope.locals and inner.id not in scope.parameters:
                name = inner.id.rpartition(".")[2]
                yield (
                    name,
                    None,
                    [place for place in self._code.functions.get(name, ()) if "self" not in parameters(place[1])],
                )

    def _callees(self, call: ast.Call, scope: Scope) -> list[tuple[Key, FunctionNode]]:
        """The functions that a call may call: a function of a module is no method of a value."""
        found = self._code.functions.get(called(call), [])
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        module = isinstance(receiver, ast.Name) and not (receiver.id in scope.locals or receiver.id in scope.parameters)
        return found if receiver is None or module else [p for p in found if (p[0][0], "<header>") in self._declared]

    def _option(self, found: Found, name: str, scope: Scope) -> Iterator[str]:
        """How the options of the command line are declared whose value has a name."""
        for key, call in self._code.options.get(name, ()) if scope.depth < DEPTH else ():
            found.through.add(key)
            inside = Scope(key[0], {}, {}, scope.depth + 1)
            named = [k for k in call.keywords if k.arg in _DECIDING]
            texts = [f"{k.arg}={self._text(found.aside(), k.value, inside, frozenset())}" for k in named]
            yield f"option {name} = {', '.join(texts)}"

    def _attribute(self, found: Found, node: ast.Attribute, scope: Scope) -> Iterator[str]:
        """What an attribute depends on: of ``self``, or of a module."""
        if not isinstance(node.value, ast.Name):
            return
        name = node.value.id
        if name == "self":
            found.attributes.add((scope.owner, node.attr))
        elif name not in scope.locals and name not in scope.parameters and name not in scope.around:
            value = self._constant(found, f"{name}.{node.attr}", scope)
            if value is not None:
                yield f"{name}.{node.attr} = {value}"

    def _variable(self, found: Found, name: str, scope: Scope, seen: frozenset[str]) -> str:
        if name in scope.locals and name not in seen:
            values = {self._text(found, v, scope, seen | {name}) for v in scope.locals[name]}
            return either(values)
        if name in scope.parameters:
            return scope.parameters[name]
        return scope.around.get(name) or self._constant(found, name, scope) or name


def _constant_name(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""
