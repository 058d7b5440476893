"""The local variable or parameter that a name means."""

from __future__ import annotations

from checker.extract.java.syntax.tree import Node, above, children, field, text
from checker.extract.java.syntax.type_refs import TypeRef, type_ref


def find_local(node: Node, name: str) -> tuple[Node, TypeRef | None] | None:
    """The variable that a name inside of a method means: its declarator or parameter node, and its written type."""
    for current in above(node, "class_body"):
        if current.type in ("block", "constructor_body", "switch_block_statement_group", "lambda_expression"):
            for child in current.named_children:
                if child.start_byte >= node.start_byte:
                    break
                if child.type == "local_variable_declaration":
                    for declarator in children(child):
                        if declarator.type == "variable_declarator" and text(field(declarator, "name")) == name:
                            return declarator, type_ref(field(child, "type"))
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
