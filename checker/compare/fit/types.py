"""Whether a type can take over the state that another one wrote, from how the source spells the two.

Only what is certain is told: basic types have a serializer of their own each, and classes fit as their shapes do
(``class_fit``). The rest is open, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from checker.model.topology import ClassShape


class Fit(StrEnum):
    """Whether a type can take over the state that another one wrote."""

    SAME = "same"
    INCOMPATIBLE = "incompatible"
    OPEN = "open"
    """Depends on the classes themselves, which nobody looked at."""


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
_BASIC = frozenset(
    {
        "String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double", "Character", "BigInteger",
        "BigDecimal", "Date", "Instant", "LocalDate", "LocalTime", "LocalDateTime", "Void", "byte[]",
    }
)  # fmt: skip
"""Types with a serializer of their own: two of them never fit each other."""
_PRIMITIVES = {
    "boolean": "Boolean", "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long", "float": "Float",
    "double": "Double", "char": "Character",
}  # fmt: skip
_CONTAINERS = frozenset({"List", "Map", *(f"Tuple{n}" for n in range(26))})
_QUALIFIED = re.compile(r"\b(?:[a-z_][\w$]*\.)+(?=[A-Z])")
_CLASS_NAME = re.compile(r"[A-Za-z_$][\w$.]*")


def worst(fits: Iterable[TypeFit]) -> TypeFit:
    """The gravest of several, the first of equals, with all that they drop."""
    found = tuple(fits)
    gravest = max(found, key=lambda one: _GRAVITY[one.fit], default=SAME)
    return TypeFit(gravest.fit, gravest.why, tuple(d for one in found for d in one.dropped))


def plain_type(text: str) -> str:
    """A type without packages, spaces and other spellings: ``java.lang.Long`` and ``Types.LONG`` are Long."""
    plain = _QUALIFIED.sub("", text).replace(" ", "").removesuffix(".class").removesuffix("[]?")
    if plain.startswith("Types."):
        constant = plain.removeprefix("Types.")
        plain = {"INT": "Integer", "BIG_DEC": "BigDecimal", "BIG_INT": "BigInteger"}.get(
            constant, "".join(part.capitalize() for part in constant.split("_"))
        )
    return _PRIMITIVES.get(plain, plain)


def is_basic(text: str) -> bool:
    """Whether the type, however spelled, has a serializer of its own."""
    return plain_type(text) in _BASIC


def fit_of_names(before: str, after: str) -> Fit:
    """The answer as far as names alone give it: equal names are the same type."""
    one, other = plain_type(before), plain_type(after)
    if one == other:
        return Fit.SAME
    if one in _BASIC and other in _BASIC:
        return Fit.INCOMPATIBLE
    outer, inner = _parts(one), _parts(other)
    if (one in _BASIC) != (other in _BASIC) and not (_is_variable(one) or _is_variable(other)):
        return Fit.INCOMPATIBLE if outer[0] in _CONTAINERS or inner[0] in _CONTAINERS else Fit.OPEN
    if outer[0] == inner[0] and outer[0] in _CONTAINERS and len(outer[1]) == len(inner[1]):
        return worst(TypeFit(fit_of_names(a, b)) for a, b in zip(outer[1], inner[1], strict=True)).fit
    return Fit.OPEN


def classes_in(text: str, classes: Iterable[ClassShape]) -> tuple[ClassShape, ...]:
    """The program's own classes that a type's text names, in order. A name that several of them have is left out."""
    by_simple: dict[str, list[ClassShape]] = {}
    for shape in classes:
        by_simple.setdefault(_simple(shape.name), []).append(shape)
    named = (by_simple.get(_simple(name), []) for name in _CLASS_NAME.findall(text))
    return tuple(dict.fromkeys(found[0] for found in named if len(found) == 1))


def _simple(name: str) -> str:
    return re.split(r"[.$]", name.rstrip(".$"))[-1]


def _is_variable(text: str) -> bool:
    return len(text) <= 2 and text.isupper()


def _parts(text: str) -> tuple[str, tuple[str, ...]]:
    """``Tuple2<String,Map<K,V>>`` → ``Tuple2`` and its arguments."""
    if not text.endswith(">") or "<" not in text:
        return text, ()
    outer, _, rest = text[:-1].partition("<")
    arguments, depth, start = [], 0, 0
    for place, char in enumerate(rest):
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            arguments.append(rest[start:place])
            start = place + 1
    return outer, (*arguments, rest[start:])
