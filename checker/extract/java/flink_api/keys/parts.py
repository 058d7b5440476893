"""A key that is a plain part of the element, as a text: getters of the repository read as the fields that they return.

``o -> o.getUser().id`` and ``o -> o.user.id`` read ``.user.id``. Whatever computes anything, or may be overridden, is
no plain part: it is compared by its code.
"""

from dataclasses import replace

from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, of_class
from checker.extract.java.state.reachable_code import SUBCLASSES
from checker.extract.java.state.read_by_libraries import ANY_OBJECT
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassKind
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, find_field
from checker.extract.java.syntax.tree import Node, children, text
from checker.extract.java.syntax.tree import field as part

_OF_OBJECTS = frozenset({"toString", "hashCode", "getClass"})


def part_of(typer: Typer, node: Node | None, element: str) -> str | None:
    """What an expression, or a block that only returns one, takes of the variable ``element``; empty for all of it."""
    if node is None:
        return None
    match node.type:
        case "block" if [child.type for child in children(node)] == ["return_statement"]:
            return part_of(typer, next(iter(children(children(node)[0])), None), element)
        case "parenthesized_expression":
            return part_of(typer, children(node)[0], element)
        case "identifier" | "this" if text(node) == element:
            return ""
        case "identifier" if element == "this" and find_local(node, text(node)) is None:
            return _member(typer, of_class(typer.scope), text(node))
        case "field_access" | "method_invocation":
            target = part(node, "object")
            before = part_of(typer, target, element)
            owner = typer.of(target)
            found: str | None = None
            if node.type == "field_access":
                found = _member(typer, owner, text(part(node, "field")))
            elif owner is not None and not arguments_of(node):
                found = given_by(typer, owner, text(part(node, "name")))
            return None if before is None or found is None else before + found
    return None


def _member(typer: Typer, owner: JavaType | None, name: str) -> str | None:
    """A field of an object, or of one whose class is not known; those of an enum are set by its code."""
    if owner is not None and owner.decl is not None:
        declared = find_field(typer.index, owner.decl, name)
        static = declared is not None and declared.static
        if static or owner.decl.kind is ClassKind.ENUM or typer.member(owner, name) is None:
            return None
    return f".{name}"


def given_by(typer: Typer, owner: JavaType, name: str) -> str | None:
    """The part of an object that a method without arguments gives."""
    if owner.decl is None:
        known = isinstance(owner.target, External) and owner.simple not in ANY_OBJECT and not any(owner.classes())
        return f".{name}()" if known and name not in _OF_OBJECTS else None
    found = next(typer.methods(owner, name, 0), None)
    below = typer.index.implementations(owner.decl)
    own = (next(typer.methods(of_class(decl), name, 0), found) for decl in below)
    if len(below) >= SUBCLASSES or any(method is not found for method in own):
        return None
    if found is not None and not found.abstract:
        return None if found.static else part_of(replace(typer, scope=found.owner, names={}), found.body, "this")
    bare = name.removeprefix("get").removeprefix("is")
    fields = (_member(typer, owner, candidate) for candidate in (name, bare[:1].lower() + bare[1:]))
    return None if found is not None and owner.decl.abstract else next(filter(None, fields), None)
