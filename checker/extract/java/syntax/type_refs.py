"""Types as the source spells them, the names of ``java.lang``, and the primitive types with their boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from checker.extract.datastream.table import words
from checker.extract.java.syntax.tree import Node, children, field, text

JAVA_LANG = words("java_lang")
NUMERIC: Final = ("byte", "short", "char", "int", "long", "float", "double")
"""The primitive types of numbers and characters, the narrowest first."""
BOXES: Final = {
    "byte": "Byte", "short": "Short", "char": "Character", "int": "Integer", "long": "Long", "float": "Float",
    "double": "Double", "boolean": "Boolean",
}  # fmt: skip
UNBOXED: Final = {box: primitive for primitive, box in BOXES.items()}

JAVA_UTIL: Final = frozenset(
    {"ArrayDeque", "ArrayList", "Arrays", "BitSet", "Calendar", "Collection", "Collections", "Comparator",
     "Date", "Deque", "EnumMap", "EnumSet", "HashMap", "HashSet", "Iterator", "LinkedHashMap", "LinkedHashSet",
     "LinkedList", "List", "Locale", "Map", "NavigableMap", "NavigableSet", "Objects", "Optional",
     "PriorityQueue", "Properties", "Queue", "Random", "Scanner", "Set", "SortedMap", "SortedSet", "Stack",
     "TimeZone", "TreeMap", "TreeSet", "UUID", "Vector"}
)  # fmt: skip
"""Usual classes of that package: where several packages are imported as a whole, they are of this one."""


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

    def with_dimensions(self, declarator: Node) -> TypeRef:
        """The type of a variable that has brackets behind its name."""
        more = text(field(declarator, "dimensions")).count("[")
        return TypeRef(self.name, self.arguments, self.dimensions + more) if more else self

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
        return type_ref(field(node, "element")).with_dimensions(node)
    if kind == "scoped_type_identifier":
        parts = tuple(part for part in children(node) if part.type not in ("annotation", "marker_annotation"))
        return TypeRef(".".join(type_ref(part).name for part in parts))
    if kind == "annotated_type":
        return type_ref(children(node)[-1])
    if kind == "wildcard":
        parts = tuple(part for part in children(node) if part.type not in ("annotation", "marker_annotation", "super"))
        return type_ref(parts[-1]) if parts else TypeRef("Object")
    return TypeRef("".join(text(node).split()))


def modifiers(node: Node) -> frozenset[str]:
    """The modifier keywords of a declaration, annotations left out."""
    for child in node.children:
        if child.type == "modifiers":
            return frozenset(part.type for part in child.children if not part.is_named)
    return frozenset()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A formal parameter."""

    name: str
    type: TypeRef
    varargs: bool = False


def parameters_of(node: Node | None) -> tuple[Parameter, ...]:
    """The parameters in a ``formal_parameters`` node."""
    found: list[Parameter] = []
    for child in children(node) if node is not None else ():
        if child.type == "formal_parameter":
            written = type_ref(field(child, "type"))
            found.append(Parameter(text(field(child, "name")), written.with_dimensions(child)))
        elif child.type == "spread_parameter":
            parts = [part for part in children(child) if part.type != "modifiers"]
            element = type_ref(parts[0])
            name = field(parts[-1], "name") if parts[-1].type == "variable_declarator" else parts[-1]
            found.append(
                Parameter(text(name), TypeRef(element.name, element.arguments, element.dimensions + 1), varargs=True)
            )
    return tuple(found)


def lambda_parameters(node: Node) -> tuple[str, ...]:
    """The names of a lambda expression's parameters."""
    written = field(node, "parameters")
    if written is None:
        return ()
    if written.type == "identifier":
        return (text(written),)
    if written.type == "inferred_parameters":
        return tuple(text(child) for child in children(written))
    return tuple(parameter.name for parameter in parameters_of(written))
