"""What a value in the code of a script is computed from, as a text: equal in two revisions only if the values are.

Local variables stand for what they are set to, parameters for the arguments of calls, functions of the repository for
what they give. What this does not follow stands in the text as it is written: it can only differ too often.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from checker.extract.python.plain_code import expression_of
from checker.extract.python.reached.bindings import (
    FunctionNode,
    arguments,
    attribute_of_self,
    called,
    is_property,
    locals_of,
    parameters,
    targets,
)
from checker.extract.python.reached.declarations import Declared, names_in
from checker.extract.python.reached.detail import STATE_NAMES
from checker.extract.python.reached.named_code import DEPTH, METHODS, NamedCode
from checker.extract.python.reached.scopes import Entered, Found, Scope, either, filled, is_module, only_members_read
from checker.model.program_code import ELEMENT, WHOLE, Key

_DECIDING = frozenset({"default", "type", "action", "const", "choices", "nargs"})
"""What of an option's declaration decides its value."""
_BINDING = frozenset({"staticmethod", "classmethod"})
_LIFECYCLE = frozenset({"open", "close", *METHODS})
"""Methods that Flink calls: what they are given stands nowhere in the program."""


class ValueTexts:
    """The values in the code of one script."""

    def __init__(
        self,
        declared: Mapping[Key, Declared],
        ancestors: Callable[[str], frozenset[str]],
        code: NamedCode,
        give: Callable[[Found, FunctionNode, Scope], None],
    ) -> None:
        """``give`` adds what a function gives to the wanted members."""
        self._declared = declared
        self._ancestors = ancestors
        self.code = code
        self._give = give
        self._sites = code.sites
        self._entered: dict[tuple[Key, int], Entered] = {}

    def add_attributes(self, found: Found) -> None:
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
            values = [value for place, value in self.code.constants.get(name, ()) if place == key]
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
                yield f"{name} = {self.text(found.aside(), value, self.caller(found, key), frozenset())}"

    def _made(self, found: Found, site: Key, call: ast.Call) -> str:
        """The arguments that an object is made with."""
        found.through.add(site)
        return self.text(found.aside(), call, self.caller(found, site), frozenset())

    def caller(self, found: Found, key: Key, depth: int = 0) -> Scope:
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
            scope = self.caller(found, site, depth + 1)
            for name, value in arguments(function, call).items():
                given.setdefault(name, set()).add(self.text(found.aside(), value, scope, frozenset()))
        if key[1] in _LIFECYCLE:
            given.update({name: {f"${number}"} for number, name in enumerate(parameters(function)) if name != "self"})
        if not sites:
            scope = Scope(key[0], {}, {}, depth + 1)
            for name, value in arguments(function, None).items():
                given[name] = {self.text(found.aside(), value, scope, frozenset())}
        values = {name: either(texts) for name, texts in given.items()}
        self._entered[key, depth] = Entered(values, frozenset(found.through))
        return self._entered[key, depth]

    def scope(self, found: Found, key: Key, function: FunctionNode, given: Mapping[str, str], depth: int = 0) -> Scope:
        """The scope of a function; one inside of a declaration sees what that one has."""
        own = locals_of(function)
        if function is self._declared[key].function:
            return Scope(key[0], given, own, depth)
        outer = self.caller(found, key, depth)
        around = {name: value for name, value in outer.locals.items() if name not in given}
        return Scope(key[0], given, {**around, **own}, depth, outer.around)

    def passed(
        self, found: Found, function: FunctionNode, call: ast.Call, scope: Scope, used: Container[str] | None = None
    ) -> dict[str, str]:
        """What a call gives a function's parameters, where only some are used these."""
        given = {n: v for n, v in arguments(function, call).items() if used is None or n in used}
        return {n: self.text(found, given[n], scope, frozenset()) if n in given else n for n in parameters(function)}

    def _constant(self, found: Found, name: str, scope: Scope) -> str | None:
        """What a name outside of all functions stands for: of the file, of a module or a class."""
        module, _, simple = name.rpartition(".")
        module = module.rpartition(".")[2]
        texts: set[str] = set()
        named = self.code.constants.get(simple, []) if scope.depth < DEPTH else []
        own = [c for c in named if (is_module(c[0][0], module) if module else scope.owner.startswith(c[0][0]))]
        if not own and (module or not hasattr(builtins, simple)):  # imported by way of another module, or with ``*``
            own = [constant for constant in named if constant[0][0].endswith(".py")]
        for key, value in own:
            found.through.add(key)
            inside = Scope(key[0], {}, {}, scope.depth + 1)
            texts.add(self.text(found.aside(), value, inside, frozenset()))
        return either(texts) if texts else None

    def text(self, found: Found, node: ast.expr, scope: Scope, seen: frozenset[str]) -> str:
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
        calls: dict[int, str] = {}
        inside: set[int] = set()
        for name, call, functions in self._followed(node, scope) if scope.depth < DEPTH else ():
            if id(call) in inside:
                continue
            written = self._inlined(found, call, functions, scope, seen) if call is not None else None
            if written is not None:
                calls[id(call)] = written
                inside.update(map(id, ast.walk(call) if call is not None else ()))
                continue
            if call is not None:
                code.update(self._constructed(found, name, scope))
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
                body = self.scope(found, key, function, given, scope.depth + 1)
                self._give(inner_found, function, body)
                code.add(f"{name} = {sorted(inner_found.texts)}")
        whole = filled(node, used, calls, code)
        found.effort.spend(whole)
        return whole

    def _inlined(
        self,
        found: Found,
        call: ast.Call,
        functions: list[tuple[Key, FunctionNode]],
        scope: Scope,
        seen: frozenset[str],
    ) -> str | None:
        """What a call gives whose function is one expression, written in its place; None for other functions."""
        if len(functions) != 1 or any(isinstance(argument, ast.Starred) for argument in call.args):
            return None
        ((key, function),) = functions
        body: list[ast.stmt] = [ast.Return(function.body)] if isinstance(function, ast.Lambda) else function.body
        expression, given = expression_of(body), arguments(function, call)
        free = [name for name in parameters(function) if name not in ("self", "cls")]
        decorated = not isinstance(function, ast.Lambda) and {*map(ast.unparse, function.decorator_list)} - _BINDING
        if expression is None or decorated or not set(free) <= given.keys() or function.args.kwarg:
            return None
        found.through.add(key)
        texts = {name: self.text(found, given[name], scope, seen) for name in free}
        around = self.scope(found, key, function, texts, scope.depth + 1)
        inside = replace(around, locals={n: v for n, v in around.locals.items() if n not in locals_of(function)})
        return self.text(found, expression, inside, frozenset())

    def _constructed(self, found: Found, name: str, scope: Scope) -> Iterator[str]:
        """What a class of the repository sets in its objects, in order: Python pickles them so."""
        for owner in sorted(owner for owner in self._classes if owner.rpartition(".")[2] == name):
            lineage = self._ancestors(owner)
            for above in sorted(o for o in self._classes if o.rpartition(".")[2] in lineage):
                made = self._declared.get((above, "__init__"))
                if made is not None and made.function is not None:
                    found.through.add((above, "__init__"))
                    own = {p: p for p in parameters(made.function)}
                    inner = Scope(above, own, locals_of(made.function), scope.depth + 1)
                    values = [
                        f"{attribute} = {self.text(found.aside(), node.value, inner, frozenset())}"
                        for node in ast.walk(made.function)
                        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
                        for target in targets(node)
                        if (attribute := attribute_of_self(target)) is not None
                    ]
                    yield f"{name} = {values}"

    @cached_property
    def _names(self) -> frozenset[str]:
        """Classes and variables of the program."""
        return frozenset({*self.code.constants, *(owner.rpartition(".")[2] for owner in self._classes)})

    @cached_property
    def _classes(self) -> frozenset[str]:
        return frozenset(owner for owner, name in self._declared if name == "<header>")

    def _followed(
        self, node: ast.expr, scope: Scope
    ) -> Iterator[tuple[str, ast.Call | None, list[tuple[Key, FunctionNode]]]]:
        """The functions that an expression calls, gives to other code to call, or reads as properties.

        With the name, and the call where there is one.
        """
        called_by_name = {id(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                yield called(inner), inner, self.callees(inner, scope)
            elif id(inner) in called_by_name:
                continue
            elif isinstance(inner, ast.Attribute):
                found = [place for place in self.code.functions.get(inner.attr, ()) if is_property(place[1])]
                yield inner.attr, None, found
            elif isinstance(inner, ast.Name) and inner.id not in scope.locals and inner.id not in scope.parameters:
                name = inner.id.rpartition(".")[2]
                yield (
                    name,
                    None,
                    [place for place in self.code.functions.get(name, ()) if "self" not in parameters(place[1])],
                )

    def callees(self, call: ast.Call, scope: Scope) -> list[tuple[Key, FunctionNode]]:
        """The functions that a call may call: a function of a module is no method of a value."""
        found = self.code.functions.get(called(call), [])
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if receiver is None:
            return found
        own_object = isinstance(receiver, ast.Name) and receiver.id in ("self", "cls")
        if not isinstance(receiver, ast.Name) or own_object or receiver.id in {*scope.locals, *scope.parameters}:
            return [place for place in found if (place[0][0], "<header>") in self._declared]
        name = receiver.id.rpartition(".")[2]
        own = [place for place in found if is_module(place[0][0], name)]
        named = name in self._names or any(is_module(owner, name) for owner, _ in self._declared)
        return own or (found if named else [])  # the rest are functions of libraries

    def _option(self, found: Found, name: str, scope: Scope) -> Iterator[str]:
        """How the options of the command line are declared whose value has a name."""
        for key, call in self.code.options.get(name, ()) if scope.depth < DEPTH else ():
            found.through.add(key)
            inside = Scope(key[0], {}, {}, scope.depth + 1)
            named = [k for k in call.keywords if k.arg in _DECIDING]
            texts = [f"{k.arg}={self.text(found.aside(), k.value, inside, frozenset())}" for k in named]
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
            values = {self.text(found, v, scope, seen | {name}) for v in scope.locals[name]}
            return either(values)
        if name in scope.parameters:
            return scope.parameters[name]
        return scope.around.get(name) or self._constant(found, name, scope) or name
