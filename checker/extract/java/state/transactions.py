"""What ``TwoPhaseCommitSinkFunction`` keeps: pending transactions and a context, by serializers handed to ``super``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from checker.extract.java.state.descriptors import DescriptorReader
from checker.extract.java.state.java_types import lineage, of_class
from checker.extract.java.state.type_information import Written
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node, children, field, walk
from checker.model.declared_state import StateDescriptor
from checker.model.unknowns import Maybe, Unknown

SINK = "TwoPhaseCommitSinkFunction"


def with_transactions(
    index: ClassIndex, decl: ClassDecl, reader: DescriptorReader, state: StateDescriptor
) -> StateDescriptor:
    """The sink's state with the types of its transactions and of its context."""
    owner = next((c for c in (decl, *index.ancestors(decl)) if isinstance(c, ClassDecl) and _extends(index, c)), None)
    given = _handed_over(owner) if owner is not None else []
    parts = [reader.types.of(node, owner) for node in given] if owner is not None else []
    spelled = next((ancestor for ancestor in lineage(index, of_class(decl)) if ancestor.simple == SINK), None)
    if spelled is not None and len(spelled.arguments) == 3:
        named = [reader.types.of_ref(argument) for argument in spelled.arguments[1:]]
    else:
        named = [Written(), Written()]
    types = [part.type or "?" for part in named]
    classes = {shape.name: shape for part in (*named, *parts) for shape in part.classes}
    return replace(
        state,
        value_type=f"Transaction<{', '.join(types)}>",
        serializer=_serializer(parts),
        classes=tuple(classes[name] for name in sorted(classes)),
    )


def _serializer(parts: list[Written]) -> Maybe[str] | None:
    for part in parts:
        if isinstance(part.serializer, Unknown):
            return part.serializer
    return ", ".join(str(part.serializer or part.type) for part in parts) or None


def _extends(index: ClassIndex, decl: ClassDecl) -> bool:
    parent = index.superclass(decl) if decl.superclass is not None else None
    return isinstance(parent, External) and parent.simple == SINK


def _handed_over(decl: ClassDecl) -> Sequence[Node]:
    for constructor in decl.constructors:
        for node in walk(constructor.body) if constructor.body is not None else ():
            if node.type == "explicit_constructor_invocation" and field(node, "constructor") is not None:
                arguments = field(node, "arguments")
                return children(arguments)[:2] if arguments is not None else []
    return []
