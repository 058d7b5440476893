"""Whether an Avro record reads the bytes that another version of it wrote, by the schema resolution of Avro."""

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
