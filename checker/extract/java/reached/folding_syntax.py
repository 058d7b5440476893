"""Syntax of bodies that fold values: the members that are named, conditions, calls that put something in."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

from checker.extract.java.reached.bodies import member_of, own_nodes, parameters_of, words
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.nodes import arguments_of
from checker.extract.java.syntax.tree import Node, above, children, text
from checker.extract.java.syntax.tree import field as part
from checker.model.reductions import OF_STATE

PUTS: Final = frozenset({"add", "addAll", "put", "putAll", "putIfAbsent", "offer", "push", "merge", "compute",
                          "computeIfAbsent", "computeIfPresent"})  # fmt: skip
"""Calls that change a collection also where their result is used; others do so as statements of their own."""
TAKES_OUT: Final = frozenset(
    {"clear", "remove", "removeAll", "removeIf", "retainAll", "poll", "pop", "reset", "subList", "removeFirst",
     "removeLast", "pollFirst", "pollLast", "pollFirstEntry", "pollLastEntry"}
)  # fmt: skip
"""Calls that take something out of a collection, or give a part of it to do so."""
_BRANCHES: Final = frozenset({"if_statement", "while_statement", "for_statement", "ternary_expression", "do_statement",
                              "switch_expression"})  # fmt: skip
_ENDS: Final[frozenset[NodeKind]] = frozenset(
    {"method_declaration", "constructor_declaration", "lambda_expression", "class_body"}
)


def conditions_of(node: Node) -> Iterator[Node]:
    """The conditions around a node, and those on which code before it leaves the body."""
    current = node
    while current.parent is not None and current.type not in _ENDS:
        around = current.parent
        condition = part(around, "condition") if around.type in _BRANCHES else None
        if condition is not None and condition != current:
            yield condition
        if around.type == "block":
            for statement in children(around):
                if statement.start_byte >= current.start_byte:
                    break
                left = part(statement, "condition") if statement.type == "if_statement" else None
                if left is not None and "return" in text(statement) and "null" not in text(left):
                    yield left
        current = around


def changes(body: Node, name: str) -> Iterator[Node]:
    """What is put into an object by its variable: arguments of calls on it, and what its members are set to."""
    for node in own_nodes(body):
        if node.type == "method_invocation" and text(part(node, "object")) == name:
            yield from arguments_of(node)
        elif node.type == "assignment_expression" and text(part(part(node, "left") or node, "object")) == name:
            value = part(node, "right")
            if value is not None:
                yield value


def emptied_by(node: Node) -> Node | None:
    """What an expression leaves nothing in: it clears that, takes all out of it, or sets it to a new object."""
    if node.type == "method_invocation":
        emptied = text(part(node, "name")) == "clear" or _until_empty(node)
        return part(node, "object") if emptied else None
    value = part(node, "right") if node.type == "assignment_expression" else None
    made = value is not None and value.type == "object_creation_expression" and not arguments_of(value)
    absent = made and any("null" in text(condition) for condition in conditions_of(node))
    return part(node, "left") if made and not absent else None


def _until_empty(taking: Node) -> bool:
    """Whether a call takes something out of a collection as long as there is anything in it."""
    target = text(part(taking, "object"))
    name = text(part(taking, "name"))
    around = next((n for n in above(taking, *_ENDS) if n.type in _BRANCHES), None) if name in TAKES_OUT else None
    whole = around is not None and around.type == "while_statement"
    condition = "".join(text(part(around, "condition")).split()) if around is not None and whole else ""
    return bool(target) and condition in (f"(!{target}.isEmpty())", f"({target}.size()>0)", f"({target}.size()!=0)")


def taken_from(node: Node) -> Node | None:
    """What an expression takes some of the contents out of."""
    name = text(part(node, "name")) if node.type == "method_invocation" else ""
    return part(node, "object") if name in TAKES_OUT - {"clear", "reset"} and not _until_empty(node) else None


def forgotten(node: Node, body: Node, member: str) -> bool:
    """Whether a statement that always runs before an expression empties the member."""
    current = node
    while current.parent is not None and current != body:
        around = current.parent
        if around.type == "block":
            for statement in children(around):
                if statement.start_byte >= current.start_byte:
                    break
                if _empties(statement, member):
                    return True
        current = around
    return False


def _empties(statement: Node, member: str) -> bool:
    inner = next(iter(children(statement)), None) if statement.type == "expression_statement" else None
    if inner is None:
        return False
    if inner.type == "method_invocation":
        return text(part(inner, "name")) == "clear" and last_name(part(inner, "object")) == member
    value = part(inner, "right") if inner.type == "assignment_expression" else None
    plain = value is not None and text(part(inner, "operator")) == "=" and member not in words(value)
    return plain and last_name(part(inner, "left")) == member


def gives_only(combining: Node) -> Node | None:
    """What a lambda gives an entry of a map that makes no use of what lay there; None for all others."""
    function = arguments_of(combining)[-1:]
    if not function or function[0].type != "lambda_expression":
        return None
    names, body = parameters_of(function[0]), part(function[0], "body")
    before = names[0 if text(part(combining, "name")) == "merge" else -1] if len(names) == 2 else ""
    return body if body is not None and before and before not in words(body) else None


def is_literal(value: Node) -> bool:
    """Whether a value stands in the code as it is."""
    return value.type.endswith("_literal") or value.type in ("true", "false")


def is_alone(node: Node) -> bool:
    """Whether a call is a statement."""
    return node.type == "method_invocation" and node.parent is not None and node.parent.type == "expression_statement"


def puts_into(body: Node, name: str) -> bool:
    """Whether a body calls what may put something into a parameter's object."""
    calls = (n for n in own_nodes(body) if n.type == "method_invocation" and text(part(n, "object")) == name)
    return any(text(part(call, "name")) in PUTS for call in calls)


def taken_of_another(node: Node, given: Set[str]) -> bool:
    """Whether a member of the object itself, or of a parameter, is set to the same one of another parameter."""
    left, right = part(node, "left"), part(node, "right")
    if (
        node.type != "assignment_expression"
        or text(part(node, "operator")) != "="
        or last_name(left) != last_name(right)
    ):
        return False
    target, source = (text(part(side, "object")) if side is not None else "" for side in (left, right))
    return source in given and source != target and target in {*given, "this", ""}


def gives_back(body: Node, names: Set[str]) -> bool:
    """Whether a body returns nothing but some of its parameters."""
    returned = [n for n in own_nodes(body) if n.type == "return_statement"]
    return bool(returned) and all(text(value) in names for n in returned for value in children(n))


def replaced(body: Node, name: str) -> int | None:
    """Where a parameter always gets another value that is not made of it."""
    for statement in children(body):
        made = next(iter(children(statement)), None) if statement.type == "expression_statement" else None
        value = part(made, "right") if made is not None and made.type == "assignment_expression" else None
        if made is not None and value is not None and text(part(made, "left")) == name and name not in words(value):
            return made.start_byte
    return None


def named_member(node: Node | None, members: frozenset[str], own: frozenset[str]) -> str:
    """The member of an object that an expression names: by its field, its accessor, or in its own class."""
    if node is None:
        return ""
    if node.type == "identifier":
        return text(node) if text(node) in own else ""
    if node.type == "method_invocation" and text(part(node, "name")) in ("value", "get"):
        of_state = f"{text(part(node, 'object'))}{OF_STATE}"
        return of_state if of_state in members else ""
    name = last_name(node)
    return name if node.type in ("field_access", "method_invocation") and name in members else ""


def last_name(node: Node | None) -> str:
    """The name that an expression ends with; of an accessor, its member."""
    if node is None:
        return ""
    if node.type == "method_invocation":
        return member_of(text(part(node, "name")), "get") if not arguments_of(node) else ""
    return text(part(node, "field") or node)


def is_reducing(function: Node) -> bool:
    """Whether a function is given to a call that reduces values of Flink's: no stream of Java's library does."""
    call = function.parent.parent if function.parent is not None else None
    if call is None:
        return False
    if call.type == "object_creation_expression":
        return text(part(call, "type")).startswith("ReducingStateDescriptor")
    target = part(call, "object")
    while target is not None and target.type == "method_invocation":
        if text(part(target, "name")) in ("stream", "parallelStream", "mapToObj", "boxed"):
            return False
        target = part(target, "object")
    return text(part(call, "name")) == "reduce" and text(target) not in ("Stream", "IntStream", "LongStream", "Arrays")


def keeps_tuples(owner: ClassDecl) -> bool:
    """Whether a class has states of tuples in fields."""
    types = (declared.type for declared in owner.fields.values() if declared.type.simple.endswith("State"))
    return any(argument.simple.startswith("Tuple") for kept in types for argument in kept.arguments)
