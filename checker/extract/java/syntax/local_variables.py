"""The local variable or parameter that a name means."""

from __future__ import annotations

from collections.abc import Callable

from checker.extract.java.syntax.tree import Node, above, children, field, text
from checker.extract.java.syntax.type_refs import TypeRef, type_ref


def find_local(node: Node, name: str) -> tuple[Node, TypeRef | None] | None:
    """The variable that a name inside of a method means: its declarator or parameter node, and its written type."""
    for current in above(node, "class_body"):
        if current.type in ("block", "constructor_body", "switch_block_statement_group", "lambda_expression"):
            for child in current.named_children:
                if child.start_byte >= node.start_byte:
                    break
                if (declarator := _declarator(child, name)) is not None:
                    return declarator, type_ref(field(child, "type"))
        init = field(current, "init") if current.type == "for_statement" else None
        if init is not None and (declarator := _declarator(init, name)) is not None:
            return declarator, type_ref(field(init, "type"))
        if current.type == "enhanced_for_statement" and text(field(current, "name")) == name:
            return current, type_ref(field(current, "type"))
        parameters = field(current, "parameters")
        if parameters is not None:
            for parameter in children(parameters) if parameters.type != "identifier" else [parameters]:
                written = field(parameter, "name")
                if text(written if written is not None else parameter) == name:
                    kind = field(parameter, "type")
                    return parameter, type_ref(kind) if kind is not None else None
    return None


def _declarator(statement: Node, name: str) -> Node | None:
    """The declarator of a variable in a statement that declares it."""
    declared = children(statement) if statement.type == "local_variable_declaration" else ()
    return next((d for d in declared if d.type == "variable_declarator" and text(field(d, "name")) == name), None)


FieldType = Callable[[str], TypeRef | None]
"""The written type of the field that a name means."""
ParameterType = Callable[[str, int], TypeRef | None]
"""The written type of a parameter, by its place, of the one method of a name that an unqualified call means."""


def created_type(creation: Node, field_type: FieldType, parameter_type: ParameterType) -> TypeRef | None:
    """The type after ``new``; with the arguments of the target type where a diamond stands and both are one class."""
    node = field(creation, "type")
    if node is None:
        return None
    written = type_ref(node)
    if node.type != "generic_type" or written.arguments:
        return written
    target = _target(creation, field_type, parameter_type)
    if target is None or target.dimensions or target.simple != written.simple:
        return written
    return TypeRef(written.name, target.arguments)


def _target(node: Node, field_type: FieldType, parameter_type: ParameterType) -> TypeRef | None:
    """The written type that the place of an expression wants."""
    outer = node.parent
    while outer is not None:
        match outer.type:
            case "variable_declarator":
                return type_ref(field(outer.parent, "type")) if outer.parent is not None else None
            case "assignment_expression":
                return _assigned(field(outer, "left"), field_type)
            case "return_statement":
                around = above(outer, "lambda_expression", "class_body")
                methods = (n for n in around if n.type == "method_declaration")
                return next((type_ref(field(method, "type")) for method in methods), None)
            case "argument_list":
                return _passed(outer, children(outer).index(node), parameter_type)
            case "ternary_expression" if field(outer, "condition") != node:
                pass
            case "parenthesized_expression":
                pass
            case _:
                return None
        node, outer = outer, outer.parent
    return None


def _assigned(left: Node | None, field_type: FieldType) -> TypeRef | None:
    if left is None:
        return None
    if left.type == "identifier":
        local = find_local(left, text(left))
        return local[1] if local is not None else field_type(text(left))
    if left.type == "field_access" and text(field(left, "object")) == "this":
        return field_type(text(field(left, "field")))
    return None


def _passed(arguments: Node, place: int, parameter_type: ParameterType) -> TypeRef | None:
    call = arguments.parent
    if call is None or call.type != "method_invocation" or field(call, "object") is not None:
        return None
    return parameter_type(text(field(call, "name")), place)
