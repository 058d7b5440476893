"""A component of a record by what the record is made with."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from checker.extract.java.reached.members import method_key
from checker.extract.java.reached.scopes import Found, Scope
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.nodes import arguments_of
from checker.extract.java.syntax.tree import Node, children, text
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref


class Values(Protocol):
    """What writes values out."""

    def text_of(self, found: Found, node: Node | None, scope: Scope) -> str:
        """The text of a value."""

    def callees(self, node: Node, scope: Scope) -> list[MethodDecl]:
        """The methods of the repository that a call may mean."""

    def called(self, found: Found, method: MethodDecl, given: list[Node], scope: Scope) -> Scope:
        """The scope of a method's body."""


def component(values: Values, index: ClassIndex, found: Found, value: Node, name: str, scope: Scope) -> str | None:
    """A component of a record by what the record is made with; None where no code in sight makes it."""
    found.effort.spend()
    if value.type == "parenthesized_expression":
        return component(values, index, found, children(value)[0], name, scope)
    if value.type == "identifier" and text(value) not in scope.open and len(scope.locals.get(text(value), ())) == 1:
        inside = replace(scope, open=scope.open | {text(value)})
        return component(values, index, found, scope.locals[text(value)][0], name, inside)
    if value.type == "object_creation_expression":
        return _argument_for(values, index, found, value, name, scope)
    methods = values.callees(value, scope) if value.type == "method_invocation" else []
    if len(methods) != 1 or methods[0].body is None:
        return None
    statements = children(methods[0].body)
    if len(statements) != 1 or statements[0].type != "return_statement":
        return None
    found.through.add(method_key(methods[0]))
    inside = values.called(found, methods[0], arguments_of(value), scope)
    return component(values, index, found, children(statements[0])[0], name, inside)


def _argument_for(
    values: Values, index: ClassIndex, found: Found, creation: Node, name: str, scope: Scope
) -> str | None:
    """The argument for a component of a record whose constructor and accessor are none of the program's."""
    decl = index.resolve_type(type_ref(part(creation, "type")), scope.owner)
    given = arguments_of(creation)
    if not isinstance(decl, ClassDecl) or decl.constructors or decl.methods_named(name):
        return None
    names = [each.name for each in decl.record_components]
    if name not in names or len(names) != len(given):
        return None
    return values.text_of(found, given[names.index(name)], scope)
