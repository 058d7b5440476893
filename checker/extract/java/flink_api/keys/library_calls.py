"""Calls of Java's library in key selectors: strings that are put together in several ways read alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from checker.extract.java.flink_api.keys.texts import KeyText, operands, text_operands
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import STRING, JavaType
from checker.extract.java.syntax.class_index import External

BUILDERS: Final = frozenset({"StringBuilder", "StringBuffer"})
_BUILDER: Final = JavaType("StringBuilder")
_MAKES_STRINGS: Final = frozenset(
    {("String", "valueOf"), ("String", "format"), ("String", "join"), ("Objects", "toString")}
)
_PLACE = re.compile(r"(%s)")


def is_of_java(type_: JavaType) -> bool:
    """Whether a class is Java's own: no edit changes its constants."""
    return isinstance(type_.target, External) and type_.target.name.startswith("java.")


def of_library(
    typer: Typer, owner: JavaType, name: str, given: Sequence[KeyText], receiver: KeyText | None
) -> KeyText | None:
    """A call of a method that is none of the repository's."""
    if receiver is None and owner.simple.startswith("Tuple") and name == "of":
        return KeyText((f"new Tuple{len(given)}({', '.join(argument.spelled for argument in given)})",))
    whole = _concatenated(owner, name, given, receiver)
    if whole is not None:
        return whole
    known, called = operands(*given), str(owner) if receiver is None else receiver.operand
    if known is None or called is None:
        return None
    type_ = STRING if (owner.simple, name) in _MAKES_STRINGS else typer.result(owner, name, len(given))
    return KeyText((f"{called}.{name}({', '.join(known)})",), type_)


def builder(given: Sequence[KeyText]) -> KeyText | None:
    """``new StringBuilder(...)`` with its first text."""
    return KeyText(given[0].operands if given else (), _BUILDER) if all(key.string for key in given) else None


def _concatenated(owner: JavaType, name: str, given: Sequence[KeyText], receiver: KeyText | None) -> KeyText | None:
    """The concatenation of strings that a call gives; None for other calls."""
    strings = all(key.string for key in given)
    match owner.simple, name:
        case "String", "join" if len(given) > 2 and strings:
            return _of_parts([key for value in given[1:] for key in (given[0], value)][1:])
        case "String", "concat" if receiver is not None and receiver.string and strings:
            return _of_parts([receiver, *given])
        case "String", "format" if receiver is None and given and _PLACE.search(given[0].spelled):
            return _formatted(given[0].spelled, given[1:])
        case (("StringBuilder" | "StringBuffer"), "append") if receiver is not None and len(given) == 1:
            added = _of_parts(given)
            return None if added is None else KeyText((*receiver.operands, *added.operands), _BUILDER)
        case (("StringBuilder" | "StringBuffer"), "toString") if receiver is not None and not given:
            return KeyText(receiver.operands or ('""',), STRING)
    return None


def _formatted(pattern: str, given: Sequence[KeyText]) -> KeyText | None:
    """``String.format`` of a literal with ``%s`` only."""
    pieces = _PLACE.split(pattern[1:-1])
    if pattern[:1] != '"' or '"' in pattern[1:-1] or "%" in "".join(pieces[::2]) or len(pieces) // 2 != len(given):
        return None
    literals = [KeyText((f'"{piece}"',), STRING) if piece else None for piece in pieces[::2]]
    parts = [key for pair in zip(literals, [*given, None], strict=True) for key in pair if key is not None]
    return _of_parts(parts)


def _of_parts(parts: Sequence[KeyText]) -> KeyText | None:
    known = operands(*parts)
    if known is None:
        return None
    return KeyText(
        tuple(each for key, text in zip(parts, known, strict=True) for each in text_operands(key, text)), STRING
    )
