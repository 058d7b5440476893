"""A type as a text, and whether it can take over the state that another one wrote: the answer and its words.

Texts are spelled as Flink takes types: ``GenericType<…>`` is what Kryo writes as a whole, ``List<…>`` what
``ListSerializer`` writes, ``NullableList<…>`` what Flink 2 makes of a collection that it extracts itself.

Whether an Avro record reads the bytes that another version of it wrote: the schema resolution of Avro's specification.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

from checker.model.nested import split_list

if TYPE_CHECKING:
    from avro.schema import Schema


class Fit(StrEnum):
    """Whether a type can take over the state that another one wrote."""

    SAME = "same"
    INCOMPATIBLE = "incompatible"
    OPEN = "open"
    """Depends on the classes themselves, which were not read."""


@dataclass(frozen=True, slots=True)
class TypeFit:
    """The answer. ``why`` names what decides it inside of the types: empty where the types as a whole do.

    ``dropped`` are the fields whose values a restore drops without a message. ``effect`` says what happens where Flink
    takes the new serializer for compatible, and what was written is of no use to it.
    """

    fit: Fit
    why: str = ""
    dropped: tuple[str, ...] = ()
    effect: str = ""


SAME = TypeFit(Fit.SAME)
_GRAVITY = {Fit.SAME: 0, Fit.OPEN: 1, Fit.INCOMPATIBLE: 2}
_PRIMITIVES = {
    "boolean": "Boolean", "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long", "float": "Float",
    "double": "Double", "char": "Character",
}  # fmt: skip
BASIC = frozenset(
    {
        "String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double", "Character", "BigInteger",
        "BigDecimal", "Date", "Time", "Timestamp", "Instant", "LocalDate", "LocalTime", "LocalDateTime", "Void",
        "String[]", *(f"{name}[]" for pair in _PRIMITIVES.items() for name in pair),
    }
)  # fmt: skip
"""Types with a serializer of their own: two of them never fit each other. Arrays have one by their elements."""
_CONSTANTS = {"INT": "Integer", "CHAR": "Character", "BIG_DEC": "BigDecimal", "BIG_INT": "BigInteger"}
_HOLDERS = frozenset({"Types", "BasicTypeInfo", "LocalTimeTypeInfo"})
"""Classes whose constants are type information; what they hold may be imported by itself."""
_WRAPPED = re.compile(r"(?:TypeInformation\.of|Types\.POJO|Types\.GENERIC)\((.+)\)")
_NAMED = re.compile(r"([A-Za-z_]\w*):(.+)")
"""A row's field: its name before its type."""
_QUALIFIED = re.compile(r"\b(?:[a-z_][\w$]*\.){1,20}(?=[A-Z])")
ARRAY = "[]"
KRYO = "GenericType"


def worst(fits: Iterable[TypeFit]) -> TypeFit:
    """The most severe of several fits (the first of equal ones), with everything that any of them drops."""
    found = tuple(fits)
    gravest = max(found, key=lambda fit: _GRAVITY[fit.fit], default=SAME)
    return TypeFit(gravest.fit, gravest.why, tuple(d for fit in found for d in fit.dropped), gravest.effect)


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


@dataclass(frozen=True, slots=True)
class Spelled:
    """``Map<String, Order[]>`` as a tree; ``label`` is the name of a row's field."""

    name: str
    arguments: tuple[Spelled, ...] = ()
    label: str = ""

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.arguments))
        text = f"{inner}[]" if self.name == ARRAY else f"{self.name}<{inner}>" if inner else self.name
        return f"{self.label}:{text}" if self.label else text


@cache
def spelled(text: str) -> Spelled:
    """A text as a tree."""
    plain = plain_type(text)
    if plain in BASIC:
        return Spelled(plain)
    if plain.endswith(ARRAY):
        return Spelled(ARRAY, (spelled(plain.removesuffix(ARRAY)),))
    outer, opened, rest = plain.partition("<")
    if not opened or not rest.endswith(">"):
        return Spelled(plain)
    return Spelled(outer, tuple(_labelled(part) for part in split_list(rest[:-1])))


def _labelled(text: str) -> Spelled:
    named = _NAMED.fullmatch(text)
    if named is None:
        return spelled(text)
    inner = spelled(named[2])
    return Spelled(inner.name, inner.arguments, named[1])


def traded_fields(before: Spelled, after: Spelled) -> tuple[str, ...]:
    """The fields of a row that are read from each other's place: ``Row<user:String, page:String>``."""
    old, new = ([field.label for field in side.arguments] for side in (before, after))
    traded = sorted(old) == sorted(new) and all(old)
    return tuple(a for a, b in zip(old, new, strict=True) if a != b) if traded else ()


def avro_fit(before: str, after: str, *, migrates: bool) -> TypeFit:
    """Whether records written by one schema are read by another. Keys must not need to be written anew."""
    if before == after:
        return SAME
    from avro.errors import AvroException
    from avro.schema import parse

    try:
        writer, reader = parse(before), parse(after)
    except (AvroException, ValueError, RecursionError) as error:
        return TypeFit(Fit.OPEN, f"an Avro schema can't be read: {error}")
    name = str(getattr(reader, "fullname", "the record"))
    found = _checked(reader, writer)
    if found is not None:
        return TypeFit(Fit.INCOMPATIBLE, f"the Avro schema of {name} can't read the old one: {found}")
    if not migrates:
        return TypeFit(Fit.INCOMPATIBLE, f"the Avro schema of {name} changed, and keys can't be migrated")
    was, now = dict(_units(json.loads(before))), dict(_units(json.loads(after)))
    for field in (field for field in was if now.get(field) and was[field] and was[field] != now[field]):
        return TypeFit(Fit.OPEN, f"Avro reads the numbers of field {field}, written as {was[field]}, as {now[field]}")
    old, new = _parts_by_type(before), _parts_by_type(after)
    gone = ((owner or name, part) for owner in old.keys() & new.keys() for part in old[owner] - new[owner])
    return TypeFit(Fit.SAME, dropped=tuple(f"{part} of Avro type {owner}" for owner, part in sorted(gone)))


_UNIT = re.compile(r'"logicalType": "([\w-]+)"|"(scale": \d+)')


def _units(part: Any) -> Iterator[tuple[str, str]]:
    """Field of a record → the logical types of its values, which say what their numbers mean."""
    for inner in part if isinstance(part, list) else ():
        yield from _units(inner)
    if isinstance(part, dict):
        for field in part.get("fields", ()):
            written = _UNIT.findall(json.dumps(field["type"]))
            yield f"{part.get('name')}.{field['name']}", " ".join(a or b.replace('"', "") for a, b in written)
        for inner in (*part.get("fields", ()), *(part.get(key) for key in ("type", "items", "values"))):
            yield from _units(inner)


def _checked(reader: Schema, writer: Schema) -> str | None:
    from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType

    checker = ReaderWriterCompatibilityChecker()  # type: ignore[no-untyped-call]
    result = checker.get_compatibility(reader, writer)
    if result.compatibility is SchemaCompatibilityType.compatible:
        return None
    kinds = ", ".join(
        sorted({str(incompatibility.name).replace("_", " ") for incompatibility in result.incompatibilities})
    )
    return f"{kinds} ({'; '.join(sorted(result.messages))})"


def _parts_by_type(schema: str) -> dict[str, set[str]]:
    """What values hold, by record and enum: fields with their aliases, symbols. The outermost type has no name here."""
    document: Any = json.loads(schema)
    found: dict[str, set[str]] = {}
    pending = [document]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending.extend(part)
        elif isinstance(part, dict):
            owner = "" if part is document else f"{part.get('namespace', '')}.{part.get('name', '')}".lstrip(".")
            fields = part.get("fields", ())
            names = {f"field {name}" for field in fields for name in (field["name"], *field.get("aliases", ()))}
            if "fields" in part or "symbols" in part:
                found[owner] = names | {f"symbol {name}" for name in part.get("symbols", ())}
            pending.extend([*fields, *(part.get(key) for key in ("type", "items", "values"))])
    return found
