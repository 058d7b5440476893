"""What the fields of functions are set to: by their own methods, and by the code that calls their constructors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property

from checker.extract.java.reached.bodies import own_nodes, words
from checker.extract.java.reached.members import method_key
from checker.extract.java.reached.roles import MAKES_ELEMENTS, STATE_NAMES, role_of
from checker.extract.java.reached.scopes import DEPTH, Found, Scope
from checker.extract.java.reached.value_texts import ValueTexts
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import CALL, CREATION, Called, ClassDecl, MethodDecl
from checker.extract.java.syntax.nodes import arguments_of, assigned_member
from checker.extract.java.syntax.tree import Node, above, children, text
from checker.extract.java.syntax.tree import field as part
from checker.model.gathered import gathered
from checker.model.program_code import Key, Role

_WORD = re.compile(r"\w+")
_METHODS = frozenset({"method_declaration", "constructor_declaration", "static_initializer"})


class FunctionFields:
    """The fields of the functions of one program."""

    def __init__(self, types: Mapping[str, ClassDecl], index: ClassIndex, values: ValueTexts) -> None:
        self._types = types
        self._index = index
        self._values = values
        declaring = (decl for decl in types.values() if role_of(decl, index) is Role.DATA)
        self._building = [method for decl in declaring for method in decl.methods]

    @cached_property
    def _sites(self) -> Mapping[Called, list[tuple[MethodDecl, Node]]]:
        """The calls in the code that builds the program: by their kind, what they name, and the count of arguments."""
        return gathered((called, (method, node)) for method in self._building for called, node in method.calls)

    @cached_property
    def _extending(self) -> list[tuple[ClassDecl, object]]:
        """The classes that extend another one, with that one."""
        found = ((decl, self._index.superclass(decl)) for decl in self._types.values())
        return [(decl, above) for decl, above in found if above is not None]

    def _scope_of(self, method: MethodDecl) -> Scope:
        assert method.body is not None
        return self._values.root_scope(method.owner, [p.name for p in method.parameters], method.body)

    def add_to(self, found: Found, owner: ClassDecl) -> None:
        """Add what those fields of a function are set to that its elements depend on; states are left out."""
        found.fields.intersection_update(_WORD.findall(" ".join(found.texts)))
        for method in (method for decl in self._index.lineage(owner) for method in decl.methods):
            if method.body is None or method.name in MAKES_ELEMENTS:
                continue
            owner = method.owner
            names = [p.name for p in method.parameters]
            sites = self._creations(found, owner, len(names)) if method.name == "<init>" else ()
            scope = self._values.root_scope(owner, names, method.body)
            for node in own_nodes(method.body):
                name = assigned_member(node)
                value = part(node, "right")
                if name not in found.fields or value is None or not words(value).isdisjoint(STATE_NAMES):
                    continue
                found.through.add(method_key(method))
                for key, given, around in sites:
                    found.through.add(key)
                    made = self._values.called(found, method, given, around)
                    found.texts.add(f"{name} = {self._values.text_of(found, value, made)}")
                if not sites:
                    found.texts.add(f"{name} = {self._values.text_of(found, value, scope)}")

    def _creations(
        self, found: Found, owner: ClassDecl, count: int, depth: int = 0
    ) -> list[tuple[Key, list[Node], Scope]]:
        """The calls of a class's constructor with ``count`` parameters: declaration, arguments and scope of each."""
        sites = []
        uncalled = []
        for method, node in self._sites.get((CREATION, owner.name, count), ()):
            sites.append((method_key(method), arguments_of(node), self._scope_of(method)))
        below = [decl for decl, above in self._extending if above is owner]
        delegating = [(owner, "this"), *((decl, "super") for decl in below)]
        for decl, how in delegating if depth < DEPTH else ():
            for constructor in decl.constructors:
                for given in _delegated(constructor, how, count):
                    key, names = method_key(constructor), [p.name for p in constructor.parameters]
                    outer = self._creations(found, decl, len(names), depth + 1)
                    found.through.update(site for site, _, _ in outer)
                    for _, values, around in outer:
                        sites.append((key, given, self._values.called(found, constructor, values, around)))
                    if not outer and constructor.body is not None:
                        uncalled.append((key, given, self._values.root_scope(decl, names, constructor.body)))
        return sites or uncalled

    def inside(self, found: Found, node: Node, owner: ClassDecl, names: list[str], body: Node) -> Scope:
        """The scope of a function written in a method, whose variables and parameters it may read."""
        scope = self._values.root_scope(owner, names, body)
        method = next((outer for outer in above(node) if outer.type in _METHODS), None)
        around = part(method, "body") if method is not None else None
        read = words(node) - scope.parameters.keys() - scope.locals.keys()
        if method is None or around is None or not read:
            return scope
        outside = {name: values for name, values in self._values.locals_of(around).items() if name in read}
        given = self._given(found, method, read)
        return replace(scope, locals={**outside, **scope.locals}, parameters={**given, **scope.parameters})

    def _given(self, found: Found, method: Node, read: AbstractSet[str]) -> dict[str, str]:
        """What calls of a method of the program give to those of its parameters that are read."""
        name, parameters = text(part(method, "name")), part(method, "parameters")
        names = [text(part(p, "name")) for p in children(parameters)] if parameters is not None else []
        given: dict[str, set[str]] = {}
        for caller, node in self._sites.get((CALL, name, len(names)), ()) if names else ():
            found.through.add(method_key(caller))
            scope = self._scope_of(caller)
            for parameter, value in zip(names, arguments_of(node), strict=True):
                if parameter in read:
                    given.setdefault(parameter, set()).add(self._values.text_of(found, value, scope))
        return {name: " | ".join(sorted(texts)) for name, texts in given.items()}

    def code_of(self, found: Found, owner: ClassDecl) -> Iterator[tuple[ClassDecl, Node]]:
        """The code that sets a function's fields outside of the methods that make elements; states are left out."""
        for method in owner.methods:
            if method.body is None or method.name in MAKES_ELEMENTS:
                continue
            for node in own_nodes(method.body):
                name = assigned_member(node)
                sets = name in owner.fields or node.type == "explicit_constructor_invocation"
                if sets and words(node).isdisjoint(STATE_NAMES):
                    found.through.add(method_key(method))
                    yield owner, node
            count = len(method.parameters)
            sites = self._creations(found, owner, count, DEPTH) if method.name == "<init>" else ()
            for key, given, around in sites:
                found.through.add(key)
                pending, seen = list(given), set[str]()
                while pending:
                    node = pending.pop()
                    yield around.owner, node
                    names = words(node) & around.locals.keys() - seen
                    seen |= names
                    pending.extend(value for name in sorted(names) for value in around.locals[name])


def _delegated(constructor: MethodDecl, how: str, count: int) -> Iterator[list[Node]]:
    """The arguments of calls ``this(...)`` or ``super(...)`` in a constructor that has ``count`` of them."""
    for node in children(constructor.body) if constructor.body is not None else ():
        if node.type == "explicit_constructor_invocation" and text(node).startswith(how):
            given = arguments_of(node)
            if len(given) == count:
                yield given
