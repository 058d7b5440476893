"""What ``TwoPhaseCommitSinkFunction`` keeps: pending transactions and a context, by serializers handed to ``super``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from checker.extract.java.state.descriptors import DescriptorReader
from checker.extract.java.state.java_types import lineage, of_class
from checker.extract.java.state.type_information import Written
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.members import library_ancestor, superclasses
from checker.extract.java.syntax.nodes import arguments_of
from checker.extract.java.syntax.tree import Node, field, walk
from checker.model.declared_state import StateDescriptor
from checker.model.unknowns import Maybe, Unknown

SINK = "TwoPhaseCommitSinkFunction"


def with_transactions(
    index: ClassIndex, decl: ClassDecl, reader: DescriptorReader, state: StateDescriptor
) -> StateDescriptor:
    """The sink's state with the types of its transactions and of its context."""
    *_, owner = superclasses(index, decl)
    parent = library_ancestor(index, decl)
    given = _handed_over(owner) if parent is not None and parent.simple == SINK else ()
    parts = [reader.types.of(node, owner) for node in given]
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


def _handed_over(decl: ClassDecl) -> Sequence[Node]:
    for constructor in decl.constructors:
        for node in walk(constructor.body) if constructor.body is not None else ():
            if node.type == "explicit_constructor_invocation" and field(node, "constructor") is not None:
                return arguments_of(node)[:2]
    return ()
