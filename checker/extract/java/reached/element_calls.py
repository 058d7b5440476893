"""Names of calls that emit elements, set their members or hold them, and of types that have a part in this."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from checker.extract.java.reached.bodies import body_around, member_of, own_nodes
from checker.extract.java.reached.scopes import Scope
from checker.extract.java.reached.wanted import Wanted
from checker.extract.java.syntax.declarations import MethodDecl
from checker.extract.java.syntax.java_lang import UNBOXED
from checker.extract.java.syntax.nodes import arguments_of
from checker.extract.java.syntax.tree import Node, children, text
from checker.extract.java.syntax.tree import field as part

OF_ONE_ELEMENT: Final = frozenset({"map", "flatMap", "processElement", "filter"})
"""Methods that Flink gives one element, as their first argument, or several of one key."""
FOLDING: Final = frozenset({"reduce", "add", "merge"})
"""Methods that Flink gives elements or accumulators of one key."""
EMITTING: Final = frozenset({"collect", "output", "complete"})
MAIN_OUTPUT: Final = frozenset({"collect", "complete"})
MAIN_EMITTERS: Final = frozenset({"Collector", "ResultFuture"})
EMITTERS: Final = frozenset(
    {"Collector", "ResultFuture", "Context", "OnTimerContext", "ReadOnlyContext", "ReadOnlyOnTimerContext"}
)
"""Types of what a function emits elements with."""
_WITH_EMPTY: Final = re.compile(r'(\.split\("(?:[^"\\]|\\.)*"), \(- \d+\)\) (\[ \d+ \])$')
SETTING: Final = frozenset({"put", "set", "setField", "add", "addField"})
"""Calls that set what their first argument names."""
BUILDING: Final = frozenset({"builder", "newBuilder", "toBuilder"})
HOLDERS: Final = frozenset({"Collections", "List", "Set", "Arrays", "Optional", "Stream"})
HOLDING: Final = frozenset(
    {"singleton", "singletonList", "of", "ofNullable", "asList", "empty", "emptyList", "emptySet"}
)
"""Calls of Java's library that give what holds their arguments."""
_TAKING: Final = frozenset({"get", "orElse", "orElseThrow"})
"""Calls that take out what an ``Optional`` holds."""
FOR_EACH: Final = frozenset({"forEach", "ifPresent", "ifPresentOrElse"})
"""Calls that hand all that something holds to their first argument."""
VALUES: Final = frozenset({*UNBOXED, "Math", "String"})
"""Classes whose static methods return plain values, which have no members."""
_COMPARING: Final = frozenset({"equals", "equalsIgnoreCase", "compareTo", "contains"})
_TAKES_NEXT: Final = re.compile(r"next(?:Token|Element|Line|Int|Long|Double|Boolean)|read[A-Z]\w*")
"""Calls of Java's library that give another part each time."""
STATIC_OF_STRING: Final = frozenset({"valueOf", "copyValueOf", "format", "join"})


def emits(node: Node) -> bool:
    """Whether a call emits its last argument: on some object, for a method of the same class may be called alike."""
    collecting = any(text(given).startswith("Collectors.") for given in arguments_of(node))
    return text(part(node, "name")) in EMITTING and part(node, "object") is not None and not collecting


def named_by(node: Node) -> str:
    """The member that a call names by its first argument: a variable that is called like one names none."""
    return "" if node.type == "identifier" else text(node).strip('"')


def sets(node: Node, wanted: Wanted | frozenset[str]) -> str:
    """The wanted member that a call of one argument sets; empty for other calls."""
    name = text(part(node, "name"))
    member = member_of(name, "set", "with")
    setting = len(arguments_of(node)) == 1 and part(node, "object") is not None and name not in _COMPARING
    return member if setting and member in wanted else ""


def order_of(node: Node) -> str:
    """For a call that takes the next part of a text or stream: how many of these its body makes before on that."""
    receiver = part(node, "object")
    if receiver is None or receiver.type != "identifier" or _TAKES_NEXT.fullmatch(text(part(node, "name"))) is None:
        return ""
    alike = [n for n in own_nodes(body_around(node)) if n.type == "method_invocation"]
    alike = [
        n for n in alike if _TAKES_NEXT.fullmatch(text(part(n, "name"))) and text(part(n, "object")) == text(receiver)
    ]
    return f"#{sum(n.start_byte < node.start_byte for n in alike)}" if len(alike) > 1 else ""


def holds(node: Node) -> bool:
    """Whether a call of Java's library gives what holds its arguments."""
    return (
        node.type == "method_invocation"
        and text(part(node, "name")) in HOLDING
        and text(part(node, "object")).rpartition(".")[2] in HOLDERS
    )


def gives(returning: Node) -> bool:
    """Whether a statement returns anything: no null, and nothing that holds no element."""
    return not all(n.type == "null_literal" or (holds(n) and not arguments_of(n)) for n in children(returning))


def is_store(written: str) -> bool:
    """Whether a text only says that a member is set to the builder's own of that name."""
    name, _, value = written.partition(" =  ")
    return name == value


def default_of(node: Node) -> tuple[Node, Node] | None:
    """The value, or key, that a call of Java's library asks for, and what the call gives where there is none."""
    name, receiver, given = text(part(node, "name")), part(node, "object"), arguments_of(node)
    if name == "getOrDefault" and len(given) == 2:
        return given[0], given[1]
    if name in ("orElse", "orElseGet") and receiver is not None and text(part(receiver, "name")) == "ofNullable":
        given = [*arguments_of(receiver), *given]
    elif name not in ("requireNonNullElse", "requireNonNullElseGet"):
        return None
    instead = given[-1] if len(given) == 2 else None
    if instead is not None and name.endswith("Get"):
        instead = part(instead, "body") if instead.type == "lambda_expression" else None
    return (given[0], instead) if instead is not None and instead.type != "block" else None


def contents_of(node: Node, scope: Scope, callees: Callable[[Node, Scope], list[MethodDecl]]) -> list[Node] | None:
    """The expressions whose elements a call gives on: it puts them into something, or takes them out of it."""
    if holds(node):
        return arguments_of(node)
    default = default_of(node) if text(part(node, "name")) != "getOrDefault" else None
    if default is not None:
        return list(default)
    receiver = part(node, "object")
    if text(part(node, "name")) not in _TAKING or receiver is None or callees(node, scope):
        return None
    values = scope.locals.get(text(receiver), ()) if receiver.type == "identifier" else (receiver,)
    calls = [value for value in values if value.type == "method_invocation"]
    results = {m.return_type.simple if m.return_type else "" for call in calls for m in callees(call, scope)}
    optional = results == {"Optional"} or (not results and all(map(holds, calls)))
    return [receiver, *arguments_of(node)] if calls and len(calls) == len(values) and optional else None


def part_of(text: str) -> str:
    """An element of an array: of a text that was split, whether empty parts at its end are kept or not."""
    return _WITH_EMPTY.sub(r"\1) \2", text)
