"""Annotations of declarations: their names, and the expressions that they are given."""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.java.syntax.tree import Node, children, field, text


def annotations_of(node: Node) -> Iterator[tuple[str, Node]]:
    """The annotations of a class, field, method or parameter: their simple names and nodes."""
    for holder in node.children:
        if holder.type == "modifiers":
            for part in holder.children:
                if part.type in ("annotation", "marker_annotation"):
                    yield text(field(part, "name")).rpartition(".")[2], part


def elements(annotation: Node) -> dict[str, Node]:
    """What an annotation is given, by name; a single unnamed one is called ``value``."""
    given = field(annotation, "arguments")
    found: dict[str, Node] = {}
    for part in children(given) if given is not None else ():
        name, value = field(part, "key"), field(part, "value")
        if part.type == "element_value_pair" and value is not None:
            found[text(name)] = value
        elif part.type != "element_value_pair":
            found["value"] = part
    return found
