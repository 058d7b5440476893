"""Parameters of methods and lambdas, and modifiers of declarations."""

from __future__ import annotations

from dataclasses import dataclass

from checker.extract.java.syntax.tree import Node, children, field, text
from checker.extract.java.syntax.type_refs import TypeRef, type_ref


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
            dimensions = text(field(child, "dimensions")).count("[")
            written = type_ref(field(child, "type"))
            found.append(
                Parameter(
                    text(field(child, "name")),
                    TypeRef(written.name, written.arguments, written.dimensions + dimensions),
                )
            )
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
