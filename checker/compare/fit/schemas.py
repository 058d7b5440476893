"""Whether a Protobuf message or an Avro record reads the bytes that another version of it wrote.

Sources: "Updating A Message Type" of Protobuf's language guide, buf's breaking rules for the wire, and the schema
resolution of the Avro specification.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checker.compare.fit.types import SAME, Fit, TypeFit, worst

if TYPE_CHECKING:
    from avro.schema import Schema


_ALIKE = (
    frozenset({"int32", "uint32", "int64", "uint64", "bool", "enum"}),
    frozenset({"sint32", "sint64"}),
    frozenset({"fixed32", "sfixed32"}),
    frozenset({"fixed64", "sfixed64"}),
    frozenset({"string", "bytes"}),
)
"""Scalars that read each other's bytes."""
_WIDENED = {
    "int32": {"int64"}, "uint32": {"uint64", "int64"}, "bool": {"int32", "int64", "uint32", "uint64"},
    "enum": {"int32", "int64"},
}  # fmt: skip
"""Types → those that hold all of their values."""
_SCALARS = frozenset({"double", "float"}).union(*_ALIKE) - {"enum"}
_BYTES = frozenset({"string", "bytes"})


def protobuf_fit(before: str, after: str) -> TypeFit:
    """Whether messages written by one version are read by another."""
    if before == after:
        return SAME
    old, new = json.loads(before), json.loads(after)
    return _Messages(old["types"], new["types"]).message(old["message"], new["message"])


class _Messages:
    def __init__(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        self._before, self._after = before, after
        self._open: set[tuple[str, str]] = set()

    def message(self, old: str, new: str) -> TypeFit:
        if (old, new) in self._open:
            return SAME
        self._open.add((old, new))
        fields = {f["number"]: f for f in self._before[old].get("fields", ())}
        now = {f["number"]: f for f in self._after[new].get("fields", ())}
        names = {f["name"]: f["number"] for f in now.values()}
        found: list[TypeFit] = []
        for number, field in fields.items():
            subject = f"field {field['name']} = {number} of message {old}"
            if number in now:
                found.append(self._field(subject, field, now[number]))
            elif field["name"] in names:
                why = f"{subject} has number {names[field['name']]} now: its value is not found"
                found.append(TypeFit(Fit.INCOMPATIBLE, why))
            else:
                found.append(TypeFit(Fit.SAME, dropped=(subject,)))
        for number, field in now.items():
            if number not in fields and field["label"] == "required":
                why = f"field {field['name']} = {number} of message {new} is required, and old messages have none"
                found.append(TypeFit(Fit.INCOMPATIBLE, why))
        return worst(found)

    def _field(self, subject: str, old: dict[str, Any], new: dict[str, Any]) -> TypeFit:
        was, now = f"{old['label']} {old['type']}", f"{new['label']} {new['type']}"
        if ("map" in (old["label"], new["label"])) and old["label"] != new["label"]:
            return TypeFit(Fit.OPEN, f"{subject}: {was} → {now}")
        if old["label"] == "map" and not _same_wire(old["key"], new["key"]):
            return TypeFit(Fit.INCOMPATIBLE, f"{subject}: keys {old['key']} → {new['key']}")
        if (old["label"] == "repeated") != (new["label"] == "repeated"):
            return TypeFit(Fit.OPEN, f"{subject}: {was} → {now}")
        if old["oneof"] != new["oneof"] and new["oneof"] is not None:
            return TypeFit(Fit.OPEN, f"{subject} is part of oneof {new['oneof']} now")
        return self._type(subject, str(old["type"]), str(new["type"]))

    def _type(self, subject: str, old: str, new: str) -> TypeFit:
        first, second = self._kind(old, self._before), self._kind(new, self._after)
        if "unknown" in (first, second):
            return SAME if old == new else TypeFit(Fit.OPEN, f"{subject}: {old} → {new}")
        if first == second == "message":
            return self.message(old, new)
        if first == second == "enum":
            gone = set(self._before[old]["enum"]) - set(self._after[new]["enum"])
            why = f"{subject}: values {', '.join(sorted(gone))} of enum {old} are gone"
            return TypeFit(Fit.OPEN, why) if gone else SAME
        if "message" in (first, second):
            scalar = second if first == "message" else first
            fit = Fit.OPEN if scalar == "bytes" else Fit.INCOMPATIBLE
            return TypeFit(fit, f"{subject}: {old} → {new}")
        if _same_wire(first, second):
            narrowed = first != second and {first, second} != _BYTES and second not in _WIDENED.get(first, ())
            return TypeFit(Fit.OPEN, f"{subject}: {old} → {new} may change values") if narrowed else SAME
        return TypeFit(Fit.INCOMPATIBLE, f"{subject}: {old} → {new} are different bytes")

    @staticmethod
    def _kind(name: str, known: dict[str, Any]) -> str:
        if name in _SCALARS:
            return name
        return "unknown" if name not in known else "enum" if "enum" in known[name] else "message"


def _same_wire(before: str, after: str) -> bool:
    return before == after or any({before, after} <= alike for alike in _ALIKE)


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
    gone = sorted(_field_names(before) - _field_names(after))
    return TypeFit(Fit.SAME, dropped=tuple(f"field {field} of Avro record {name}" for field in gone))


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


def _field_names(schema: str) -> set[str]:
    """Names and aliases of the record's own fields."""
    document: Any = json.loads(schema)
    fields = document.get("fields", ()) if isinstance(document, dict) else ()
    return {name for field in fields for name in (field["name"], *field.get("aliases", ()))}
