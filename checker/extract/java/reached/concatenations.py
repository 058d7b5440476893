"""Strings that one expression puts together: by ``+``, ``String.join``, ``String.format`` or a ``StringBuilder``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from checker.extract.java.syntax.nodes import arguments_of
from checker.extract.java.syntax.tree import Node, text
from checker.extract.java.syntax.tree import field as part

_PLACE = re.compile(r"(%s)")
_CHARACTER = re.compile(r"'[^'\"\\\\]'")
_BUILDERS: Final = frozenset({"StringBuilder", "StringBuffer"})


def concatenated(node: Node) -> list[Node | str] | None:
    """The parts of a string, in order; None where an expression is not known to put one together.

    Types are not known here: parts before the first literal stay together in a sum, which may be one of numbers.
    """
    if node.type == "binary_expression":
        return _sum(node) if text(part(node, "operator")) == "+" else None
    name, receiver, given = text(part(node, "name")), part(node, "object"), arguments_of(node)
    if text(receiver) == "String" and name == "join" and len(given) > 2 and given[0].type == "string_literal":
        return [_part(each) for value in given[1:] for each in (given[0], value)][1:]
    if text(receiver) == "String" and name == "format" and given and given[0].type == "string_literal":
        return _formatted(text(given[0]), given[1:])
    if name == "toString" and not given and receiver is not None:
        appended = list(_appended(receiver))
        return None if None in appended or not appended else [_part(each) for each in appended if each is not None]
    return None


def _sum(node: Node) -> list[Node | str] | None:
    sums = [node]
    while text(part(sums[0], "operator")) == "+" and (left := part(sums[0], "left")) is not None:
        sums.insert(0, left)
    parts = [sums[0], *(right for each in sums[1:] if (right := part(each, "right")) is not None)]
    first = next((number for number, each in enumerate(parts) if each.type == "string_literal"), None)
    if first is None:
        return None
    return [_part(each) for each in (*sums[first - 1 : first], *parts[first:])]


def _part(node: Node | str) -> Node | str:
    """A part; a character reads like a string."""
    if isinstance(node, Node) and node.type == "character_literal" and _CHARACTER.fullmatch(text(node)):
        return f'"{text(node)[1:-1]}"'
    return node


def _formatted(pattern: str, given: list[Node]) -> list[Node | str] | None:
    pieces = _PLACE.split(pattern[1:-1])
    if not pattern.endswith('"') or "%" in "".join(pieces[::2]) or len(pieces) // 2 != len(given) or not given:
        return None
    literals: list[str | None] = [f'"{piece}"' if piece else None for piece in pieces[::2]]
    return [
        each for pair in zip(literals, [*map(_part, given), None], strict=True) for each in pair if each is not None
    ]


def _appended(node: Node) -> Iterator[Node | None]:
    """What a builder made in the expression is given, None for anything else that is done to it."""
    if node.type == "object_creation_expression":
        given = arguments_of(node)
        made = text(part(node, "type")).rpartition(".")[2] in _BUILDERS
        yield from given if made and not any(each.type.endswith("integer_literal") for each in given) else (None,)
        return
    receiver, given = part(node, "object"), arguments_of(node)
    appends = node.type == "method_invocation" and text(part(node, "name")) == "append" and len(given) == 1
    if receiver is None or not appends:
        yield None
        return
    yield from _appended(receiver)
    yield given[0]
