"""A part of a key selector as a text, when its type belongs to that text, and texts that are made of others."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from checker.extract.java.state.java_types import BOXED, STRING, JavaType
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
        return f"({' + '.join(self.operands)})" if len(self.operands) != 1 else self.operands[0] or "element"

    @property
    def operand(self) -> str | None:
        """The text where a library's code or an operator works on the value: its type decides, too.

        None where it may depend on the repository's code, as in ``"" + object``.
        """
        if self.string:
            return self.spelled
        if self.type is not None and any(not plain_enum(decl) for decl in self.type.classes()):
            return None
        if not self.part:
            return self.spelled
        if self.type is None or not self.type.known or self.type.simple in _ANY_OBJECT:
            return None
        return f"{self.spelled}:{self.type}"


_ANY_OBJECT = frozenset(
    {"Object", "Serializable", "Cloneable", "Comparable", "CharSequence", "Number", "Record", "Enum"}
)
"""Types of a library whose objects may be of any class of the program."""


def plain_enum(decl: ClassDecl) -> bool:
    """Whether it is an enum whose constants are written by their names."""
    return decl.kind is ClassKind.ENUM and not decl.methods_named("toString")


_CHARACTER = re.compile(r"'[^'\"\\]'")
"""A character that reads alike inside of a string."""
_LONGEST = 2_000
"""Characters of a text; longer ones come of methods that name their parameters often."""
_NUMBERS = frozenset({*BOXED, *BOXED.values()})
ORDER: Final = frozenset({"<", ">", "<=", ">="})
_WHOLE_NUMBERS = frozenset({"int", "long", "short", "byte", "char", "Integer", "Long", "Short", "Byte", "Character"})


def shown(found: KeyText | None) -> str | None:
    """The text of a whole key; the type of a key that is a part of the element is compared as the key's type."""
    if found is None:
        return None
    text = " + ".join(found.operands) or "element"
    return text if len(text) <= _LONGEST else None


def operands(*found: KeyText | None) -> list[str] | None:
    """The texts of values that an operator or a library's code works on; None where one is not known."""
    known = [operand for key in found if key is not None and (operand := key.operand) is not None]
    return known if len(known) == len(found) else None


def text_operands(found: KeyText, operand: str) -> tuple[str, ...]:
    """What a value adds to a concatenation of strings; ``operand`` is its text there."""
    if found.string:
        return tuple(each or "element" for each in found.operands)
    return (f'"{operand[1:-1]}"',) if _CHARACTER.fullmatch(operand) else (operand,)


def converted(found: KeyText, declared: JavaType) -> KeyText:
    """A value in a variable of that type, which converts numbers."""
    if declared.name in BOXED and not declared.dimensions and declared != found.type:
        operand = found.operand
        return KeyText((f"({declared}) {found.spelled if operand is None else operand}",), declared)
    return replace(found, type=declared) if found.type is None else found


def choice(
    condition: KeyText | None, yes: KeyText | None, no: KeyText | None, type_: JavaType | None
) -> KeyText | None:
    """One of two values; ``type_`` is what the source says of both together."""
    if condition is None or yes is None or no is None:
        return None
    if yes == no:
        return yes
    if yes.string and no.string:
        return KeyText((f"({condition.spelled} ? {yes.spelled} : {no.spelled})",), STRING)
    objects = all(side.type is not None and str(side.type) not in _NUMBERS for side in (yes, no))
    known = [yes.spelled, no.spelled] if objects else operands(yes, no)  # numbers are converted to a common type
    if known is None:
        return None
    return KeyText((f"({condition.spelled} ? {known[0]} : {known[1]})",), yes.type if yes.type == no.type else type_)


def equality(operator: str, left: KeyText | None, right: KeyText | None) -> KeyText | None:
    """``==`` or ``!=``, in whatever order the two stand."""
    if left is None or right is None:
        return None
    sides = [side.operand or side.spelled for side in (left, right)]  # whether objects or numbers are compared
    sides.sort(key=lambda side: (not side.startswith((".", "(", "element")), side))
    return KeyText((f"({sides[0]} {operator} {sides[1]})",), JavaType("boolean"))


def compared(operator: str, left: KeyText | None, right: KeyText | None) -> tuple[KeyText | None, bool]:
    """A comparison, and whether it is to be false: ``a != b`` is ``a == b`` turned round, ``i >= j`` is ``i < j``."""
    if operator not in ORDER:
        return equality("==", left, right), operator == "!="
    if operator in (">", "<="):
        left, right = right, left
    known = operands(left, right)
    if known is None or left is None or right is None:
        return None, False
    # Where one may be NaN, neither a < b nor a >= b is true.
    whole = all(side.type is not None and str(side.type) in _WHOLE_NUMBERS for side in (left, right))
    if operator in ("<", ">") or whole:
        return KeyText((f"({known[0]} < {known[1]})",), JavaType("boolean")), operator in ("<=", ">=")
    return KeyText((f"({known[0]} >= {known[1]})",), JavaType("boolean")), False
