"""Classes whose objects a library makes and fills by their setters, as Jackson does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.model.reaching import reached

_TYPING = frozenset(
    {"of", "POJO", "GENERIC", "returns", "getLogger", "registerType", "registerPojoType", "registerKryoType",
     "getForClass", "createTypeInfo", "getResource", "getResourceAsStream"}
)  # fmt: skip
"""Calls with a class that make no objects of it."""
_NAME = re.compile(r"[A-Z]\w*")


def filled_classes(types: Mapping[str, ClassDecl]) -> frozenset[str]:
    """Simple names of the classes that a program may give to such a library, and of those that their fields are of."""

    def in_fields(name: str) -> Iterator[str]:
        fields = (f for decl in types.values() if decl.name == name for f in decl.fields.values())
        return (word for f in fields for word in _NAME.findall(str(f.type)))

    return frozenset(reached((word for decl in types.values() for word in _given(decl.node)), in_fields))


def _given(node: Node) -> Iterator[str]:
    """Classes as arguments of calls other than those which say what types elements or states have."""
    for inner in walk(node):
        if inner.type == "class_literal" and inner.parent is not None and inner.parent.type == "argument_list":
            call = inner.parent.parent
            called = None if call is None else part(call, "name") or part(call, "type")
            name = text(called).partition("<")[0] if called is not None else ""
            if name not in _TYPING and not name.endswith("Descriptor"):
                yield text(inner).removesuffix(".class").rpartition(".")[2]
        elif inner.type == "object_creation_expression" and text(part(inner, "type")).startswith("TypeReference<"):
            yield from _NAME.findall(text(part(inner, "type")))
