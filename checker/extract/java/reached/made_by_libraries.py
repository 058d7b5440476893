"""Classes of elements whose objects are made by generated code or a library, and the methods that it calls then."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from checker.extract.java.reached.bodies import member_of, sets_field
from checker.extract.java.reached.filled_classes import filled_classes
from checker.extract.java.reached.wanted import Wanted
from checker.extract.java.syntax.annotations import annotations_of
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl

_MAKING = frozenset({"Builder", "SuperBuilder", "RecordBuilder", "JsonCreator"})
"""Annotations of Lombok, RecordBuilder and Jackson: generated or library code calls the constructor."""


class MadeByLibraries:
    """The classes of one program."""

    def __init__(self, types: Mapping[str, ClassDecl]) -> None:
        self._types = types

    def call(self, decl: ClassDecl, method: MethodDecl, wanted: Wanted) -> bool:
        """Whether a method sets a wanted member, and a builder or a library like Jackson may call it."""
        compact = method.node.type == "compact_constructor_declaration"
        if method.name == "<init>":
            marks = decl.annotation_names | {name for name, _ in annotations_of(method.node)}
            return not marks.isdisjoint(_MAKING) or (compact and decl.name in self._filled)
        sets = member_of(method.name, "set") in wanted and len(method.parameters) == 1 and not method.static
        return sets and not sets_field(method) and decl.name in self._filled

    @cached_property
    def _filled(self) -> frozenset[str]:
        return filled_classes(self._types)
