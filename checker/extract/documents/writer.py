"""Topology → document: the inverse of ``documents``, with defaults left out. Reading it back gives the same record."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from checker.extract.documents.fields import topology_of
from checker.model.declared_state import ClassShape
from checker.model.topology import FORMAT_VERSION, Kind, Topology, Transformation
from checker.model.unknowns import Location, Unknown

_DEFAULTS: dict[type, dict[str, Any]] = {}


def topology_document(topology: Topology) -> dict[str, Any]:
    """The document of one topology, as ``extract`` prints it and Spark rows carry it."""
    document: dict[str, Any] = {"topology": FORMAT_VERSION, **_record(topology)}
    if topology.variants:
        document["variants"] = [_record(v) for v in topology.variants]
    document["transformations"] = [_value(t) for t in topology.transformations]
    return document


def class_documents(classes: tuple[ClassShape, ...]) -> list[Any]:
    """``classes`` of a state, or ``key_classes``."""
    return [_value(shape) for shape in classes]


def _record(record: Any) -> dict[str, Any]:
    """The fields of a record, those that have a default only where they differ from it."""
    kind = type(record)
    defaults = _DEFAULTS.get(kind)
    if defaults is None:
        defaults = _DEFAULTS[kind] = {f.name: f.default for f in fields(record)}
    out: dict[str, Any] = {}
    for name, default in defaults.items():
        value = getattr(record, name)
        if value is not None and value != default and value != ():
            out[name] = _value(value)
    return out


def _value(value: Any) -> Any:
    if isinstance(value, Unknown):
        return _unknown(value)
    if isinstance(value, Location):
        return {"file": value.file, "line": value.line, "column": value.column}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    if is_dataclass(value):
        record = _record(value)
        if isinstance(value, Transformation) and value.kind is Kind.UNKNOWN and value.unknown is not None:
            record["unknown"] = _unknown(value.unknown)
        return record
    return value


def _unknown(unknown: Unknown) -> dict[str, Any]:
    record = _record(unknown)
    return {"unknown": record.pop("reason"), **record}


def as_text(topology: Topology | None) -> str | None:
    """The document of a topology as JSON."""
    return None if topology is None else json.dumps(topology_document(topology), ensure_ascii=False)


def from_text(text: str | None) -> Topology | None:
    """The topology of such a text. Raises BadFieldError."""
    return None if text is None else topology_of(json.loads(text))
