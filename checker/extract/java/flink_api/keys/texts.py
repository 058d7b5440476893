"""A part of a key selector as a text, when its type belongs to that text, and texts that are made of others.

Among these are calls of libraries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import BOXED, STRING, JavaType
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind


@dataclass(frozen=True)
class KeyText:
    """An expression. ``part``: it is the element, or a field of it, whose type is none of the text yet."""

    text: str
    """Empty for the element itself."""
    type: JavaType | None = None
    part: bool = False

    @property
    def string(self) -> bool:
        """Whether it is known to be a string."""
        return self.type == STRING

    @property
    def spelled(self) -> str:
        """The text inside of another expression, without its type."""
        return self.text or "element"

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
        if self.type is not None and self.type.decl is not None:
            return f"{self.spelled}:{constants_of(self.type.decl)}"
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


def constants_of(decl: ClassDecl) -> str:
    """The names that the constants of an enum may be written by."""
    return f"enum {decl.qualified_name}({', '.join(sorted(constant.name for constant in decl.enum_constants))})"


_LONGEST = 2_000
"""Characters of a text; longer ones come of methods that name their parameters often."""


def shown(found: KeyText | None) -> str | None:
    """The text of a whole key; the type of a key that is a part of the element is compared as the key's type."""
    if found is None:
        return None
    return found.spelled if len(found.spelled) <= _LONGEST else None


def operands(*found: KeyText | None) -> list[str] | None:
    """The texts of values that an operator or a library's code works on; None where one is not known."""
    known = [operand for key in found if key is not None and (operand := key.operand) is not None]
    return known if len(known) == len(found) else None


def converted(found: KeyText, declared: JavaType) -> KeyText:
    """A value in a variable of that type, which converts numbers."""
    if declared.name in BOXED and not declared.dimensions and declared != found.type:
        operand = found.operand
        return KeyText(f"({declared}) {found.spelled if operand is None else operand}", declared)
    return replace(found, type=declared) if found.type is None else found


# -- calls of libraries -------------------------------------------------------------------------------------------

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
