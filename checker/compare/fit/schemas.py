"""Whether an Avro record or a Protobuf message reads the bytes that another version of it wrote.

Sources: the schema resolution of the Avro specification, "Updating A Message Type" of Protobuf's language guide.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checker.compare.fit.types import SAME, Fit, TypeFit

if TYPE_CHECKING:
    from avro.schema import Schema


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


def protobuf_fit(before: str, after: str) -> TypeFit:
    """Whether messages written by one version are read by another: fields are known by number, and may come and go."""
    now_all: dict[str, dict[str, str]] = json.loads(after)
    for message, fields in json.loads(before).items():
        now = now_all.get(message, {})
        numbers = {_name(field): number for number, field in now.items()}
        for number, field in fields.items():
            subject = f"field {_name(field)} = {number} of message {message}"
            if numbers.get(_name(field), number) != number:
                return TypeFit(Fit.INCOMPATIBLE, f"{subject} has number {numbers[_name(field)]} now: it is not found")
            if number in now and _kind(now[number]) != _kind(field):
                return TypeFit(Fit.OPEN, f"{subject}: {_kind(field)} → {_kind(now[number])}")
        for number, field in now.items():
            if number not in fields and field.startswith("required "):
                return TypeFit(Fit.OPEN, f"field {_name(field)} = {number} of message {message} is required")
    return SAME


def _name(field: str) -> str:
    return field.rpartition(" ")[2]


def _kind(field: str) -> str:
    """The label and type of a field; nothing of a value of an enum."""
    return field.rpartition(" ")[0].removeprefix("optional ")
