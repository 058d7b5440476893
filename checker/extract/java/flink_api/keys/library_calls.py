"""Calls of libraries in key selectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from checker.extract.java.flink_api.keys.texts import KeyText, operands
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import STRING, JavaType
from checker.extract.java.syntax.class_index import External

_MAKES_STRINGS: Final = frozenset(
    {("String", "valueOf"), ("String", "format"), ("String", "join"), ("Objects", "toString")}
)


def is_of_java(type_: JavaType) -> bool:
    """Whether a class is Java's own: no edit changes its constants."""
    return isinstance(type_.target, External) and type_.target.name.startswith("java.")


def of_library(
    typer: Typer, owner: JavaType, name: str, given: Sequence[KeyText], receiver: KeyText | None
) -> KeyText | None:
    """A call of a method that is none of the repository's."""
    if receiver is None and owner.simple.startswith("Tuple") and name == "of":
        return KeyText(f"new Tuple{len(given)}({', '.join(argument.spelled for argument in given)})")
    known, called = operands(*given), str(owner) if receiver is None else receiver.operand
    if known is None or called is None:
        return None
    type_ = STRING if (owner.simple, name) in _MAKES_STRINGS else typer.result(owner, name, len(given))
    return KeyText(f"{called}.{name}({', '.join(known)})", type_)
