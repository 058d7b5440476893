"""Types as the source spells them."""

from __future__ import annotations

from dataclasses import dataclass

from checker.extract.java.syntax.tree import Node, children, field, text


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as written: ``name`` without type arguments (``Map.Entry``, ``int``), arguments, array depth.

    A wildcard is its bound (``? extends T`` is ``T``), an unbounded one is ``Object``; ``var`` stays ``var``.
    """

    name: str
    arguments: tuple[TypeRef, ...] = ()
    dimensions: int = 0

    @property
    def simple(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    def __str__(self) -> str:
        arguments = f"<{', '.join(str(a) for a in self.arguments)}>" if self.arguments else ""
        return f"{self.name}{arguments}{'[]' * self.dimensions}"


def type_ref(node: Node | None) -> TypeRef:
    """The type that a type node writes."""
    if node is None:
        return TypeRef("var")
    kind = node.type
    if kind == "generic_type":
        parts = children(node)
        base = type_ref(parts[0])
        arguments: tuple[TypeRef, ...] = ()
        if len(parts) > 1:
            arguments = tuple(type_ref(part) for part in children(parts[1]))
        return TypeRef(base.name, arguments, base.dimensions)
    if kind == "array_type":
        element = type_ref(field(node, "element"))
        return TypeRef(element.name, element.arguments, element.dimensions + text(field(node, "dimensions")).count("["))
    if kind == "scoped_type_identifier":
        parts = tuple(part for part in children(node) if part.type not in ("annotation", "marker_annotation"))
        return TypeRef(".".join(type_ref(part).name for part in parts))
    if kind == "annotated_type":
        return type_ref(children(node)[-1])
    if kind == "wildcard":
        parts = tuple(part for part in children(node) if part.type not in ("annotation", "marker_annotation", "super"))
        return type_ref(parts[-1]) if parts else TypeRef("Object")
    return TypeRef("".join(text(node).split()))
