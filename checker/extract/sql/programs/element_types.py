"""Types of a stream's elements, as the readers spell them, for the planner."""

from __future__ import annotations

import re
from typing import Any

from checker.model.declared_state import ClassShape, Serialization
from checker.model.lists_in_texts import split_list
from checker.model.table_programs import HandedStream
from checker.model.unknowns import Unknown

Record = dict[str, Any]

_BASIC = {
    "String": "STRING", "Boolean": "BOOLEAN", "Byte": "BYTE", "Short": "SHORT", "Integer": "INT", "Long": "LONG",
    "Float": "FLOAT", "Double": "DOUBLE", "Character": "CHAR", "BigDecimal": "BIG_DEC", "BigInteger": "BIG_INT",
    "Instant": "INSTANT", "LocalDate": "LOCAL_DATE", "LocalTime": "LOCAL_TIME", "LocalDateTime": "LOCAL_DATE_TIME",
    "Timestamp": "SQL_TIMESTAMP",
}  # fmt: skip
"""Class → the constant of ``Types``."""
_COMPOSITE = {"List": "list", "Map": "map", "Array": "array"}
_NAMED = re.compile(r"(\w+):")
"""The name of a row's field before its type."""


def type_record(stream: HandedStream) -> Record:
    """The type of a stream, or why it is not known."""
    if not isinstance(stream.type, str):
        why = stream.type.reason if isinstance(stream.type, Unknown) else "the type of a stream's elements is not known"
        return {"type": None, "why": why}
    by_program = next((kind.name for kind in stream.classes if _typed_by_program(kind)), None)
    if by_program is not None:
        name = by_program.rpartition(".")[2].replace("$", ".")
        return {"type": None, "why": f"code of the program says the type of {name} (@TypeInfo), and is not run"}
    found = _type(stream.type, stream.classes)
    if found is not None and stream.names and found["kind"] == "row" and len(stream.names) == len(found["of"]):
        found = {**found, "names": list(stream.names)}
    return {"type": found, "why": f"a stream of {stream.type} is not handed to the planner"}


def _type(text: str, classes: tuple[ClassShape, ...]) -> Record | None:
    if text in _BASIC:
        return {"kind": "basic", "name": _BASIC[text]}
    name, opened, rest = text.partition("<")
    if not opened:
        return _own(text, classes)
    parts = split_list(rest.removesuffix(">"))
    named = [_NAMED.match(part) for part in parts] if name == "Row" else []
    names = [found[1] for found in named if found is not None]
    inner = [_type(_NAMED.sub("", part, count=1) if names else part, classes) for part in parts]
    if None in inner:
        return None
    if name == f"Tuple{len(inner)}":
        return {"kind": "tuple", "of": inner}
    if name == "Row":
        return {"kind": "row", "names": names if len(names) == len(parts) else [], "of": inner}
    return {"kind": _COMPOSITE[name], "of": inner} if name in _COMPOSITE else None


def _typed_by_program(shape: ClassShape) -> bool:
    """Whether a ``TypeInfoFactory`` of the program decides on the type of a class or of one of its fields."""
    return shape.serialization is Serialization.OWN or any(field.code is not None for field in shape.fields)


def _own(text: str, classes: tuple[ClassShape, ...]) -> Record | None:
    """A class of the program, known by the last part of its name."""
    named = [
        class_.name
        for class_ in classes
        if class_.name == text or class_.name.endswith(tuple(f"{s}{text}" for s in "$."))
    ]
    return {"kind": "own", "name": named[0]} if len(named) == 1 else None
