"""The type that a ``TypeInfoFactory`` of the program gives, where one expression of ``Types`` says it."""

from __future__ import annotations

from collections.abc import Iterable

from checker.extract.datastream.table import BASIC_TYPES, table
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import type_ref

_COMPOSITE = table("composite_types")
_OF_CLASS = frozenset({"of", "POJO", "ENUM"})
_TWICE = frozenset({"Date", "Time", "Timestamp"})
"""Simple names of two types each, whose serializers differ."""
_INNER = frozenset({"cast_expression", "parenthesized_expression"})


def factory_type(index: ClassIndex, factory: ClassDecl) -> str | None:
    """The type as Flink takes it, ``GenericType<…>`` for what Kryo writes; None where that is not said so plainly."""
    made = factory.methods_named("createTypeInfo")
    statements = children(made[0].body) if len(made) == 1 and made[0].body is not None else ()
    if not statements or statements[-1].type != "return_statement":
        return None
    variables: dict[str, Node] = {}
    for statement in statements[:-1]:
        if statement.type == "expression_statement" and children(statement)[0].type == "method_invocation":
            continue
        declared = [part for part in children(statement) if part.type == "variable_declarator"]
        value = field(declared[0], "value") if len(declared) == 1 else None
        if statement.type != "local_variable_declaration" or value is None:
            return None
        variables[text(field(declared[0], "name"))] = value
    given = children(statements[-1])
    return _Reader(index, factory, variables).text_of(given[0]) if given else None


class _Reader:
    def __init__(self, index: ClassIndex, factory: ClassDecl, variables: dict[str, Node]) -> None:
        self.index, self.factory, self.variables = index, factory, variables

    def text_of(self, node: Node, depth: int = 0) -> str | None:
        if depth > len(self.variables) + 12:
            return None
        if node.type in _INNER:
            return self.text_of(children(node)[-1], depth + 1)
        if node.type == "identifier" and text(node) in self.variables:
            return self.text_of(self.variables[text(node)], depth + 1)
        if node.type == "class_literal":
            return self._class(node)
        if node.type == "field_access" and self._is_flinks(field(node, "object"), "Types"):
            found = BASIC_TYPES.get(text(field(node, "field")))
            return None if found in _TWICE else found
        arguments = field(node, "arguments")
        given = children(arguments) if arguments is not None else ()
        if node.type == "object_creation_expression":
            named = type_ref(field(node, "type") or node).simple
            return self._composed(named, given, depth) if self._is_flinks(field(node, "type"), named) else None
        if node.type != "method_invocation" or not self._is_flinks(field(node, "object"), "Types", "TypeInformation"):
            return None
        name = text(field(node, "name"))
        if name in _OF_CLASS or name == "GENERIC":
            found = self._class(given[0]) if len(given) == 1 and given[0].type == "class_literal" else None
            generic = name == "GENERIC" and found is not None and not found.startswith("GenericType<")
            return f"GenericType<{found}>" if generic else found
        return self._composed(name, given, depth)

    def _is_flinks(self, node: Node | None, *names: str) -> bool:
        written = type_ref(node).name if node is not None else ""
        named = self.index.resolve(written, self.factory)
        candidates = named.candidates if isinstance(named, External) and named.simple in names else ()
        return any(candidate.startswith("org.apache.flink.") for candidate in candidates)

    def _composed(self, name: str, given: Iterable[Node], depth: int) -> str | None:
        parts = [self.text_of(part, depth + 1) for part in given]
        known = [part for part in parts if part is not None]
        if name not in _COMPOSITE or not parts or len(known) < len(parts):
            return None
        count = len(parts) if _COMPOSITE[name] == "Tuple" else ""
        return f"{_COMPOSITE[name]}{count}<{', '.join(known)}>"

    def _class(self, literal: Node) -> str | None:
        ref = type_ref(children(literal)[0])
        named = self.index.resolve_type(ref, self.factory)
        if ref.dimensions or named is None:
            return None
        if isinstance(named, ClassDecl):
            return named.name
        if ref.simple not in BASIC_TYPES.values():
            return f"GenericType<{ref.simple}>"
        return ref.simple if named.name.startswith("java.") and ref.simple not in _TWICE else None
