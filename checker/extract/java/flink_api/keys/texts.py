"""A part of a key selector as a text, and when its type belongs to that text."""

from __future__ import annotations

from dataclasses import dataclass

from checker.extract.java.state.java_types import STRING, JavaType
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind


@dataclass(frozen=True)
class KeyText:
    """An expression: the operands of a concatenation of strings, or one operand for any other expression.

    ``part``: it is the element, or a field of it, whose type is none of the text yet.
    """

    operands: tuple[str, ...]
    type: JavaType | None = None
    part: bool = False

    @property
    def string(self) -> bool:
        """Whether it is known to be a string."""
        return self.type == STRING

    @property
    def spelled(self) -> str:
        """The text inside of another expression, without its type."""
        return f"({' + '.join(self.operands)})" if len(self.operands) > 1 else self.operands[0] or "element"

    @property
    def operand(self) -> str | None:
        """The text where a library's code or an operator works on the value: its type decides, too.

        None where it may depend on the repository's code, as in ``"" + object``.
        """
        if not self.part or self.string:
            return self.spelled
        if self.type is None or not self.type.known or self.type.simple in _ANY_OBJECT:
            return None
        if any(not plain_enum(decl) for decl in self.type.classes()):
            return None
        return f"{self.spelled}:{self.type}"


_ANY_OBJECT = frozenset(
    {"Object", "Serializable", "Cloneable", "Comparable", "CharSequence", "Number", "Record", "Enum"}
)
"""Types of a library whose objects may be of any class of the program."""


def plain_enum(decl: ClassDecl) -> bool:
    """Whether it is an enum whose constants are written by their names."""
    return decl.kind is ClassKind.ENUM and not decl.methods_named("toString")
