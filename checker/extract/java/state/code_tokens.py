"""Code as tokens: without comments and layout, local variables by their place."""

from collections.abc import Callable

from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import is_log, stands_for_value
from checker.extract.java.syntax.tree import COMMENTS, Node, field, text

RUNNING = frozenset(
    {"method_declaration", "lambda_expression", "method_reference", "method_invocation", "object_creation_expression"}
)
"""Code that other code may be called by."""
_DECLARING = frozenset({"variable_declarator", "formal_parameter"})


def tokens(node: Node, known: Callable[[Node], str | None] = lambda _: None) -> str:
    """The tokens of a piece of code: without comments and layout, local variables by their place.

    ``known`` says how a part is spelled that is not spelled by its tokens.
    """
    found: list[str] = []
    locals_: dict[int, int] = {}
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type in COMMENTS or is_log(current):
            continue
        if (spelled := known(current)) is not None:
            found.append(spelled)
        elif not current.children or current.type in ("string_literal", "character_literal"):
            declared = declared_inside(current, node)
            number = None if declared is None else locals_.setdefault(declared.start_byte, len(locals_))
            found.append(text(current) if number is None else f"§{number}")
        else:
            pending.extend(reversed(current.children))
    return " ".join(found)


def declared_inside(node: Node, whole: Node) -> Node | None:
    """The declaration of the local variable that an identifier of a piece of code means; None for other names."""
    parent = node.parent
    if node.type != "identifier" or parent is None or not (stands_for_value(node) or parent.type in _DECLARING):
        return None
    local = find_local(node, text(node))
    inside = local is not None and whole.start_byte <= local[0].start_byte < whole.end_byte
    return local[0] if local is not None and inside else None


def may_name(node: Node, name: str) -> bool:
    """Whether code names a field, or calls a method of its class, which may."""
    return text(node) == name or (node.type == "method_invocation" and field(node, "object") is None)
