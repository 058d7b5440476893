"""The fields of a topology document: what each may hold, and the record it becomes.

Topology → document is the inverse, with defaults left out. Reading it back gives the same record.
"""

import json
import re
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from checker.extract.documents.values import (
    PLAIN,
    BadFieldError,
    Path,
    RecordReader,
    integer,
    items,
    kind_of,
    one_of,
    or_unknown,
    text,
    unknown_of,
)
from checker.model.declared_state import ClassShape, Meaning, StateDescriptor
from checker.model.topology import FIELDS_BY_KIND, FORMAT_VERSION, Kind, Topology, Transformation, Variant
from checker.model.unknowns import Location, Unknown

MAX_MAX_PARALLELISM = 32768
_FLINK_VERSION = re.compile(r"\d+\.\d+(\.\d+)?")
state_of = RecordReader(StateDescriptor)
"""One entry of ``state``."""
class_of = RecordReader(ClassShape)
"""One entry of ``classes``."""


def _reason_of(value: Any, path: Path) -> Unknown:
    """``unknown`` on kind ``unknown``: the reason as text, or in full."""
    return unknown_of(value, path) if isinstance(value, dict) else Unknown(text(value, path))


_meaning = RecordReader(Meaning)


def _meaning_of(value: Any, path: Path) -> Meaning:
    """``meaning``: what is computed as text, or with what is kept."""
    return Meaning(computes=value) if isinstance(value, str) else _meaning(value, path)


_max_parallelism = or_unknown(integer(1, MAX_MAX_PARALLELISM))
_transformation = RecordReader(
    Transformation, readers={"unknown": _reason_of, "max_parallelism": _max_parallelism, "meaning": _meaning_of}
)


def transformation_of(value: Any, path: Path) -> Transformation:
    """One transformation; how its inputs hang together is checked by ``_check_inputs``."""
    if not isinstance(value, dict):
        raise BadFieldError(path, f"must be a mapping, not {kind_of(value)}")
    if value.get("kind") is None:
        raise BadFieldError((*path, "kind"), "is required")
    if isinstance(value["kind"], dict) and "unknown" in value["kind"]:
        value = {**value, "kind": "unknown", "unknown": value["kind"]}
    kind: Kind = one_of(Kind)(value["kind"], (*path, "kind"))
    transformation = _transformation(value, path, FIELDS_BY_KIND[kind])
    _check_shape(transformation, path)
    return transformation


PLAIN[Transformation] = transformation_of


def _check_shape(transformation: Transformation, path: Path) -> None:
    """What a kind needs: inputs, a partitioner, a tag."""
    kind, inputs = transformation.kind, transformation.inputs
    if not inputs and not kind.source and kind is not Kind.UNKNOWN:
        raise BadFieldError((*path, "inputs"), f"is required on kind {kind}")
    if inputs and kind.source:
        raise BadFieldError((*path, "inputs"), f"must be empty on kind {kind}: sources read from outside")
    if len(inputs) > 1 and kind not in (Kind.OPERATOR, Kind.UNION, Kind.UNKNOWN):
        raise BadFieldError((*path, "inputs"), f"kind {kind} takes one input; declare a union for several")
    if kind is Kind.PARTITION and transformation.partitioner is None:
        raise BadFieldError((*path, "partitioner"), "is required on kind partition")
    if kind is Kind.SIDE_OUTPUT and transformation.tag is None:
        raise BadFieldError((*path, "tag"), "is required on kind side-output")


def _transformations_of(value: Any, path: Path) -> tuple[Transformation, ...]:
    transformations = items(transformation_of)(value, path)
    _check_inputs(transformations, path, first=())
    return transformations


def _check_inputs(transformations: tuple[Transformation, ...], path: Path, first: tuple[str, ...]) -> None:
    """Ids are unique, inputs name transformations declared before."""
    everything = {t.id for t in transformations}
    consumable: dict[str, Kind] = dict.fromkeys(first, Kind.OPERATOR)
    declared = set(first)
    for place, transformation in enumerate(transformations):
        where = (*path, place)
        if transformation.id in declared:
            raise BadFieldError(
                (*where, "id"), f"'{transformation.id}' is declared twice; ids are unique in a document"
            )
        for number, name in enumerate(transformation.inputs):
            if name not in declared:
                hint = "is declared later; inputs come first" if name in everything else "is declared nowhere"
                raise BadFieldError((*where, "inputs", number), f"'{name}' {hint}")
            if consumable[name] in (Kind.SINK, Kind.LEGACY_SINK):
                raise BadFieldError((*where, "inputs", number), f"'{name}' is a sink; nothing can be read from it")
        for stage in ("pre_write", "pre_commit", "post_commit"):
            if inner := getattr(transformation, stage):
                _check_inputs(inner, (*where, stage), first=("@",))
        declared.add(transformation.id)
        consumable[transformation.id] = transformation.kind


_variant = RecordReader(Variant, readers={"transformations": _transformations_of})
_topology = RecordReader(
    Topology,
    readers={"transformations": _transformations_of, "variants": items(_variant), "max_parallelism": _max_parallelism},
)


_DOCUMENT = frozenset({"topology", *(f.name for f in fields(Topology))})


def topology_of(raw: Any) -> Topology:
    """One whole document. Raises BadFieldError at the first thing that breaks the format."""
    if not isinstance(raw, dict):
        raise BadFieldError((), f"a topology document is a mapping, not {kind_of(raw)}")
    if "topology" not in raw:
        raise BadFieldError(
            ("topology",), f"is required: 'topology: {FORMAT_VERSION}' says that this is a topology document"
        )
    if raw["topology"] != FORMAT_VERSION or isinstance(raw["topology"], bool):
        raise BadFieldError(("topology",), f"must be {FORMAT_VERSION}, not {raw['topology']!r}")
    first_variant = bool(raw.get("variants")) and "transformations" not in raw
    topology = _topology({**raw, "transformations": []} if first_variant else raw, (), _DOCUMENT)
    flink = topology.flink
    if flink is not None and not _FLINK_VERSION.fullmatch(flink):
        raise BadFieldError(("flink",), f'must be a version such as "1.20" or "1.20.5", not \'{flink}\'')
    return replace(topology, transformations=topology.variants[0].transformations) if first_variant else topology


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
