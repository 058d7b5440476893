"""What names and calls inside of state descriptors stand for, as far as the source alone settles it.

``scope`` is the class that spells an expression, ``runtime`` the class whose object runs it: its methods come first.
"""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, FieldDecl, MethodDecl
from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, assigned_values, find_field
from checker.extract.java.syntax.parse import string_literal
from checker.extract.java.syntax.tree import TYPE_DECLARATIONS, Node, children, field, text, walk
from checker.extract.java.syntax.type_refs import TypeRef

_CLASSES: frozenset[NodeKind] = TYPE_DECLARATIONS | frozenset[NodeKind]({"class_body"})


def find_class(index: ClassIndex, scope: ClassDecl, node: Node) -> ClassDecl | None:
    """The repository class that an expression names, None for anything else."""
    if node.type not in ("identifier", "field_access", "scoped_identifier", "type_identifier"):
        return None
    name = "".join(text(node).split())
    if not name[:1].isupper() and "." not in name:
        return None
    found = index.resolve(name, scope)
    return found if isinstance(found, ClassDecl) else None


def named_value(index: ClassIndex, scope: ClassDecl, node: Node) -> tuple[Node, ClassDecl, TypeRef | None] | None:
    """What a name stands for: its only initializer or assignment, the class that holds it, and its written type."""
    if node.type == "identifier":
        name = text(node)
        local = find_local(node, name)
        if local is not None:
            declarator, written = local
            if declarator.type != "variable_declarator":
                return None
            block = declarator.parent.parent if declarator.parent is not None else None
            value, assigned = field(declarator, "value"), assigned_values(block, name, f"this.{name}")
            if value is None:
                value = assigned[0] if len(assigned) == 1 else None
            elif assigned:
                value = None
            return (value, scope, written) if value is not None else None
        return _field_value(index, find_field(index, scope, name))
    if node.type == "field_access":
        target, member = field(node, "object"), text(field(node, "field"))
        if target is None:
            return None
        if target.type == "this" or text(target).endswith(".this"):
            return _field_value(index, find_field(index, scope, member))
        owner = find_class(index, scope, target)
        return _field_value(index, find_field(index, owner, member)) if owner is not None else None
    return None


def _field_value(index: ClassIndex, declared: FieldDecl | None) -> tuple[Node, ClassDecl, TypeRef | None] | None:
    if declared is None:
        return None
    assigned = assigned_values(declared.owner.body, declared.name, f"this.{declared.name}")
    value = assigned[0] if len(assigned) == 1 else None
    if declared.value is not None:
        value = declared.value if declared.final or not assigned else None
    return (value, declared.owner, declared.type) if value is not None else None


def returned(method: MethodDecl) -> Node | None:
    """The expression that a method returns, where it has one return statement."""
    if method.body is None:
        return None
    found = [node for node in walk(method.body, _CLASSES) if node.type == "return_statement"]
    return children(found[0])[0] if len(found) == 1 and children(found[0]) else None


def called_method(
    index: ClassIndex, scope: ClassDecl, node: Node, runtime: ClassDecl | None = None
) -> MethodDecl | None:
    """The repository method that an unqualified or ``Class.method`` call means, by name and number of arguments."""
    name, target = text(field(node, "name")), field(node, "object")
    count = len(arguments_of(node))
    owners: Iterator[object]
    if target is None or target.type in ("this", "super"):
        own = (runtime is not None and target is None) or (target is not None and target.type == "this")
        below = runtime if own and runtime is not None and scope in tuple(index.ancestors(runtime)) else None
        starts = (*((below,) if below is not None else ()), *scope.outward())
        above = target is not None and target.type == "super"
        owners = (
            o for start in starts for o in (*(() if above and start is scope else (start,)), *index.ancestors(start))
        )
    else:
        owner = find_class(index, scope, target)
        owners = iter((owner, *index.ancestors(owner)) if owner is not None else ())
    for candidate in owners:
        if isinstance(candidate, ClassDecl):
            for method in candidate.methods_named(name):
                if len(method.parameters) == count:
                    return method
    return None


def literal_text(node: Node | None) -> str | None:
    """The text of string literals, also of several that are joined; None for other expressions."""
    if node is not None and node.type == "string_literal":
        return string_literal(text(node))
    sides = [literal_text(field(node, side)) for side in ("left", "right")] if node is not None else []
    known = [side for side in sides if side is not None]
    return "".join(known) if len(known) == 2 else None
