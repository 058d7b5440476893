"""Whether a type can take over the state that another one wrote, from how the two are spelled.

Only what is certain is decided: basic types have a serializer of their own each, and classes fit as their shapes do
(``classes``). The rest is open, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from checker.model.declared_state import ClassShape
from checker.model.gathered import gathered
from checker.model.lists_in_texts import split_list
from checker.model.program_code import simple_name


class Fit(StrEnum):
    """Whether a type can take over the state that another one wrote."""

    SAME = "same"
    INCOMPATIBLE = "incompatible"
    OPEN = "open"
    """Depends on the classes themselves, which were not read."""


@dataclass(frozen=True, slots=True)
class TypeFit:
    """The answer. ``why`` names what decides it inside of the types: empty where the types as a whole do.

    ``dropped`` are the fields whose values a restore drops without a message.
    """

    fit: Fit
    why: str = ""
    dropped: tuple[str, ...] = ()


SAME = TypeFit(Fit.SAME)
_GRAVITY = {Fit.SAME: 0, Fit.OPEN: 1, Fit.INCOMPATIBLE: 2}
_PRIMITIVES = {
    "boolean": "Boolean", "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long", "float": "Float",
    "double": "Double", "char": "Character",
}  # fmt: skip
BASIC = frozenset(
    {
        "String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double", "Character", "BigInteger",
        "BigDecimal", "Date", "Instant", "LocalDate", "LocalTime", "LocalDateTime", "Void", "String[]",
        *(f"{name}[]" for pair in _PRIMITIVES.items() for name in pair),
    }
)  # fmt: skip
"""Types with a serializer of their own: two of them never fit each other. Arrays have one by their elements."""
_CONSTANTS = {"INT": "Integer", "CHAR": "Character", "BIG_DEC": "BigDecimal", "BIG_INT": "BigInteger"}
_HOLDERS = frozenset({"Types", "BasicTypeInfo", "LocalTimeTypeInfo"})
"""Classes whose constants are type information; what they hold may be imported by itself."""
_WRAPPED = re.compile(r"(?:TypeInformation\.of|Types\.POJO|Types\.GENERIC)\((.+)\)")
_CLASS = re.compile(r"(?!Object$)[A-Z][\w$]*(?:\.[A-Z][\w$]*)*")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,4}")
"""How type variables are called: a class of such a name is taken for one."""
_CONTAINERS = frozenset(
    {"List", "Map", "Set", "Row", "Either", "TaggedUnion", "Transaction", *(f"Tuple{n}" for n in range(26))}
)
_NAMED = re.compile(r"[A-Za-z_]\w*:")
"""The name of a row's field, before its type."""
_QUALIFIED = re.compile(r"\b(?:[a-z_][\w$]*\.)+(?=[A-Z])")
_CLASS_NAME = re.compile(r"[A-Za-z_$][\w$.]*")


def worst(fits: Iterable[TypeFit]) -> TypeFit:
    """The most severe of several fits (the first of equal ones), with everything that any of them drops."""
    found = tuple(fits)
    gravest = max(found, key=lambda fit: _GRAVITY[fit.fit], default=SAME)
    return TypeFit(gravest.fit, gravest.why, tuple(d for fit in found for d in fit.dropped))


def plain_type(text: str) -> str:
    """A type without packages, spaces and other spellings: ``java.lang.Long`` and ``Types.LONG`` are Long."""
    wrapped = _WRAPPED.fullmatch(text.strip())
    plain = _QUALIFIED.sub("", wrapped[1] if wrapped else text)
    plain = plain.replace(" ", "").removesuffix(".class").removesuffix("[]?")
    holder, _, name = plain.rpartition(".")
    if holder in _HOLDERS or (not holder and name.isupper()):
        name = name.removesuffix("_TYPE_INFO")
        constant = _CONSTANTS.get(name, "".join(part.capitalize() for part in name.split("_")))
        plain = constant if holder or constant in BASIC else plain
    return _PRIMITIVES.get(plain, plain)


def is_basic(text: str) -> bool:
    """Whether the type, however spelled, has a serializer of its own."""
    return plain_type(text) in BASIC


def is_container(text: str) -> bool:
    """Whether the type is one of Flink's that are made of others: tuples, lists, maps."""
    return plain_type(text).partition("<")[0] in _CONTAINERS


def class_name(text: str) -> str | None:
    """The simple name of a class without type arguments; None for anything else, type variables too."""
    plain = plain_type(text)
    return simple_name(plain) if _CLASS.fullmatch(plain) and not _VARIABLE.fullmatch(plain) else None


def fit_of_names(before: str, after: str) -> Fit:
    """The answer as far as names alone give it: equal names are the same type."""
    base, head = plain_type(before), plain_type(after)
    if base == head:
        return Fit.SAME
    if base in BASIC or head in BASIC:
        known = (p in BASIC or p.partition("<")[0] in _CONTAINERS or class_name(p) for p in (base, head))
        return Fit.INCOMPATIBLE if all(known) else Fit.OPEN
    if base.startswith("Row<") and head.startswith("Row<"):
        return _fit_of_rows(_parts(base)[1], _parts(head)[1])
    outer, inner = _parts(base), _parts(head)
    if outer[0] == inner[0] and outer[0] in _CONTAINERS and len(outer[1]) == len(inner[1]):
        return worst(TypeFit(fit_of_names(a, b)) for a, b in zip(outer[1], inner[1], strict=True)).fit
    containers = all(part[1] and part[0] in _CONTAINERS for part in (outer, inner))
    if outer[0] != inner[0] and containers and "Tuple" in outer[0] + inner[0]:
        return Fit.INCOMPATIBLE  # a tuple's serializer knows its class, and no other container's is one
    return Fit.OPEN


def traded_fields(before: str, after: str) -> tuple[str, ...]:
    """The fields of a row that are read from each other's place: ``Row<user:String,page:String>``."""
    sides = [_parts(plain_type(text)) for text in (before, after)]
    if not sides[0][0] == sides[1][0] == "Row":
        return ()
    old, new = ([part.partition(":")[0] for part in parts if _NAMED.match(part)] for _, parts in sides)
    traded = sorted(old) == sorted(new) and len(old) == len(sides[0][1])
    return tuple(a for a, b in zip(old, new, strict=True) if a != b) if traded else ()


def _fit_of_rows(before: tuple[str, ...], after: tuple[str, ...]) -> Fit:
    """Rows are written by places: names decide nothing for Flink, but a place is read by the name that it has."""
    if len(before) != len(after):
        return Fit.OPEN
    types = [[_NAMED.sub("", part) for part in side] for side in (before, after)]
    fit = worst(TypeFit(fit_of_names(a, b)) for a, b in zip(*types, strict=True)).fit
    row = [f"Row<{','.join(side)}>" for side in (before, after)]
    return Fit.OPEN if fit is Fit.SAME and traded_fields(*row) else fit


def classes_in(text: str, classes: Iterable[ClassShape]) -> tuple[ClassShape, ...]:
    """The program's own classes that a type's text names, in order. A name that several of them have is left out."""
    by_simple = gathered((simple_name(shape.name), shape) for shape in classes)
    named = (by_simple.get(simple_name(name), []) for name in _CLASS_NAME.findall(text))
    return tuple(dict.fromkeys(found[0] for found in named if len(found) == 1))


def _parts(text: str) -> tuple[str, tuple[str, ...]]:
    """``Tuple2<String,Map<K,V>>`` → ``Tuple2`` and its arguments."""
    if not text.endswith(">") or "<" not in text:
        return text, ()
    outer, _, rest = text[:-1].partition("<")
    return outer, tuple(split_list(rest))
