"""The local variable or parameter that a name means."""

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


def created_type(creation: Node) -> TypeRef | None:
    """The type after ``new``; with the arguments of the target type where a diamond stands and both are one class."""
    node = field(creation, "type")
    if node is None:
        return None
    written = type_ref(node)
    if node.type != "generic_type" or written.arguments:
        return written
    target = target_of(creation)
    wanted = type_ref(target) if target is not None else None
    if wanted is None or wanted.dimensions or wanted.simple != written.simple:
        return written
    return TypeRef(written.name, wanted.arguments)


def target_of(node: Node, passes: Callable[[Node], bool] = lambda _: False) -> Node | None:
    """What tells the type that an expression is wanted with: that of its variable, method or cast, or who is assigned.

    ``passes`` says of a node around it that what it is wanted with decides on the expression.
    """
    outer = node.parent
    while outer is not None:
        match outer.type:
            case "variable_declarator":
                return field(outer.parent, "type") if outer.parent is not None else None
            case "assignment_expression":
                return field(outer, "left")
            case "cast_expression":
                return field(outer, "type")
            case "return_statement":
                around = above(outer, "lambda_expression", "class_body")
                return next((field(n, "type") for n in around if n.type == "method_declaration"), None)
            case "ternary_expression" if field(outer, "condition") != node:
                pass
            case "parenthesized_expression":
                pass
            case _ if not passes(outer):
                return None
        node, outer = outer, outer.parent
    return None
