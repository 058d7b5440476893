"""The fields of a topology document: what each may hold, and the record it becomes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from checker.extract.documents.values import (
    BadFieldError,
    Fields,
    Path,
    boolean,
    integer,
    items,
    kind_of,
    location_of,
    one_of,
    text,
    unknown_of,
)
from checker.model.topology import (
    FORMAT_VERSION,
    ChainingStrategy,
    ClassShape,
    Exchange,
    FieldShape,
    Kind,
    Maybe,
    Mode,
    PartitionerKind,
    Serialization,
    SerializerTree,
    SinkUidHashes,
    StateDescriptor,
    StateKind,
    Topology,
    Transformation,
    Unknown,
    Variant,
)

T = TypeVar("T")
MAX_MAX_PARALLELISM = 32768
_FLINK_VERSION = re.compile(r"\d+\.\d+(\.\d+)?")
_STATE = frozenset({"name", "kind", "key_type", "value_type", "serializer", "ttl", "classes",
                    "namespace_serializer", "user_key_serializer", "value_serializer", "location"})  # fmt: skip
_TREE = frozenset({"name", "types", "nested"})
_CLASS = frozenset({"name", "serialization", "fields", "unwritten", "constants", "code", "schema", "identity"})
_FIELD = frozenset({"name", "type", "declared_by", "generic", "code"})
_UID_HASHES = frozenset({"writer", "committer", "global_committer"})
_VARIANT = frozenset({"when", "decision", "transformations"})
_EVERYWHERE = frozenset({"id", "kind", "location"})
_PHYSICAL = frozenset(
    {
        "name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group", "co_location_group",
        "chaining", "function", "iteration", "meaning", "state", "stateful", "uid_depends_on", "uid_location",
        "uid_hash_location",
    }
)  # fmt: skip
_KEY = frozenset({"key", "key_type", "key_classes", "key_serializer"})
_OPERATOR = _KEY | {"keyed", "operator", "window", "yielding", "output_at_end"}
_IGNORED_BY_FLINK = frozenset({"name", "uid", "uid_hash", "slot_sharing_group", "uid_location", "uid_hash_location"})
"""Flink takes these on objects that make no node, and ignores them: a rule tells the author."""
_SINK = frozenset({"committer", "global_committer", "uid_hashes", "pre_write", "pre_commit", "post_commit"})
FIELDS_BY_KIND: dict[Kind, frozenset[str]] = {
    Kind.SOURCE: _EVERYWHERE | _PHYSICAL | {"operator", "inputs"},
    Kind.LEGACY_SOURCE: _EVERYWHERE | _PHYSICAL | {"operator", "inputs"},
    Kind.OPERATOR: _EVERYWHERE | _PHYSICAL | _OPERATOR | {"inputs"},
    Kind.PARTITION: _EVERYWHERE | _IGNORED_BY_FLINK | _KEY | {"inputs", "partitioner", "exchange"},
    Kind.UNION: _EVERYWHERE | _IGNORED_BY_FLINK | {"inputs"},
    Kind.SIDE_OUTPUT: _EVERYWHERE | _IGNORED_BY_FLINK | {"inputs", "tag"},
    Kind.SINK: _EVERYWHERE | _PHYSICAL | _SINK | {"inputs", "operator"},
    Kind.LEGACY_SINK: _EVERYWHERE | _PHYSICAL | {"inputs", "operator"},
    Kind.FEEDBACK: _EVERYWHERE | {"inputs", "feedback", "co_feedback", "parallelism", "max_parallelism"}
    | _IGNORED_BY_FLINK,
    Kind.CACHE: _EVERYWHERE | _IGNORED_BY_FLINK | {"inputs"},
    Kind.UNKNOWN: _EVERYWHERE | _PHYSICAL | _OPERATOR | {"inputs", "unknown"},
}  # fmt: skip
_DOCUMENT = frozenset(
    {
        "topology", "name", "flink", "parallelism", "max_parallelism", "chaining", "auto_generate_uids",
        "chain_different_max_parallelism", "mode",
        "vertex_index_prefix", "transformations", "variants", "variants_unknown", "location",
        "extractor", "files", "disagreements", "unstable",
    }
)  # fmt: skip


def state_of(value: Any, path: Path) -> StateDescriptor:
    """One entry of ``state``."""
    fields = Fields(value, path, _STATE)
    name, kind = fields.maybe("name", text), fields.maybe("kind", one_of(StateKind))
    if name is None or kind is None:
        raise BadFieldError((*path, "kind" if kind is None else "name"), "is required")
    return StateDescriptor(
        name=name,
        kind=kind,
        key_type=fields.maybe("key_type", text),
        value_type=fields.maybe("value_type", text),
        serializer=fields.maybe("serializer", text),
        ttl=fields.maybe("ttl", boolean),
        classes=fields.known("classes", items(class_of)) or (),
        namespace_serializer=fields.known("namespace_serializer", tree_of),
        user_key_serializer=fields.known("user_key_serializer", tree_of),
        value_serializer=fields.known("value_serializer", tree_of),
        location=fields.known("location", location_of),
    )


def tree_of(value: Any, path: Path) -> SerializerTree:
    """A serializer with the types it is made for and what it nests."""
    fields = Fields(value, path, _TREE)
    return SerializerTree(
        name=fields.required("name", text),
        types=fields.known("types", items(text)) or (),
        nested=fields.known("nested", items(tree_of)) or (),
    )


def class_of(value: Any, path: Path) -> ClassShape:
    """One entry of ``classes``."""
    fields = Fields(value, path, _CLASS)
    serialization = fields.maybe("serialization", one_of(Serialization))
    if serialization is None:
        raise BadFieldError((*path, "serialization"), "is required")
    return ClassShape(
        name=fields.required("name", text),
        serialization=serialization,
        fields=fields.known("fields", items(_field_of)) or (),
        unwritten=fields.known("unwritten", items(_field_of)) or (),
        constants=fields.known("constants", items(text)) or (),
        code=fields.known("code", text),
        schema=fields.known("schema", text),
        identity=fields.known("identity", text),
    )


def _field_of(value: Any, path: Path) -> FieldShape:
    fields = Fields(value, path, _FIELD)
    return FieldShape(
        name=fields.required("name", text),
        type=fields.required("type", text),
        declared_by=fields.known("declared_by", text),
        generic=fields.known("generic", boolean) or False,
        code=fields.known("code", text),
    )


def uid_hashes_of(value: Any, path: Path) -> SinkUidHashes:
    """``uid_hashes`` of a sink."""
    fields = Fields(value, path, _UID_HASHES)
    return SinkUidHashes(
        writer=fields.maybe("writer", text),
        committer=fields.maybe("committer", text),
        global_committer=fields.maybe("global_committer", text),
    )


def transformation_of(value: Any, path: Path) -> Transformation:
    """One transformation; how its inputs hang together is checked by ``_check_inputs``."""
    if not isinstance(value, dict):
        raise BadFieldError(path, f"must be a mapping, not {kind_of(value)}")
    if value.get("kind") is None:
        raise BadFieldError((*path, "kind"), "is required")
    if isinstance(value["kind"], dict) and "unknown" in value["kind"]:
        value = {**value, "kind": "unknown", "unknown": value["kind"]}
    kind = one_of(Kind)(value["kind"], (*path, "kind"))
    fields = Fields(value, path, FIELDS_BY_KIND[kind])
    given: dict[str, Any] = {"kind": kind, "id": fields.required("id", text)}
    for name, raw in value.items():
        if raw is None or name in given:
            continue
        if isinstance(raw, dict) and "unknown" in raw and name in _MAY_BE_UNKNOWN:
            given[name] = unknown_of(raw, (*path, name))
        else:
            given[name] = _READERS[name](raw, (*path, name))
    transformation = Transformation(**given)
    _check_shape(transformation, path)
    return transformation


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


def reason_of(value: Any, path: Path) -> Unknown:
    """``unknown`` on kind ``unknown``: the reason as text, or in full."""
    return unknown_of(value, path) if isinstance(value, dict) else Unknown(text(value, path))


def _nested(value: Any, path: Path) -> tuple[Transformation, ...]:
    return items(transformation_of)(value, path)


_READERS: dict[str, Callable[[Any, Path], Any]] = {
    "inputs": items(text),
    "name": text,
    "uid": text,
    "uid_hash": text,
    "parallelism": integer(1),
    "max_parallelism": integer(1, MAX_MAX_PARALLELISM),
    "slot_sharing_group": text,
    "co_location_group": text,
    "chaining": one_of(ChainingStrategy),
    "keyed": boolean,
    "key": text,
    "key_type": text,
    "key_classes": items(class_of),
    "key_serializer": tree_of,
    "operator": text,
    "function": text,
    "meaning": text,
    "iteration": text,
    "window": text,
    "state": items(state_of),
    "stateful": boolean,
    "yielding": boolean,
    "output_at_end": boolean,
    "partitioner": one_of(PartitionerKind),
    "exchange": one_of(Exchange),
    "tag": text,
    "committer": boolean,
    "global_committer": boolean,
    "uid_hashes": uid_hashes_of,
    "pre_write": _nested,
    "pre_commit": _nested,
    "post_commit": _nested,
    "feedback": items(text),
    "co_feedback": boolean,
    "unknown": reason_of,
    "uid_depends_on": items(text),
    "location": location_of,
    "uid_location": location_of,
    "uid_hash_location": location_of,
}
_MAY_BE_UNKNOWN = frozenset(
    {
        "name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group", "co_location_group",
        "chaining", "key", "key_type", "window", "state", "stateful", "partitioner", "tag", "committer",
        "global_committer",
    }
)  # fmt: skip


def _transformations_of(value: Any, path: Path) -> tuple[Transformation, ...]:
    transformations = items(transformation_of)(value, path)
    _check_inputs(transformations, path, first=())
    return transformations


def _check_inputs(transformations: tuple[Transformation, ...], path: Path, first: tuple[str, ...]) -> None:
    """Ids are unique, inputs name transformations declared before; only feedback may look ahead."""
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
        for number, name in enumerate(transformation.feedback):
            if name not in everything:
                raise BadFieldError((*where, "feedback", number), f"'{name}' is declared nowhere")
        for stage in ("pre_write", "pre_commit", "post_commit"):
            _check_inputs(getattr(transformation, stage), (*where, stage), first=("@",))
        declared.add(transformation.id)
        consumable[transformation.id] = transformation.kind


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
    fields = Fields(raw, (), _DOCUMENT)
    known, maybe = fields.known, fields.maybe
    flink = known("flink", text)
    if flink is not None and not _FLINK_VERSION.fullmatch(flink):
        raise BadFieldError(("flink",), f'must be a version such as "1.20" or "1.20.5", not \'{flink}\'')
    variants = known("variants", items(_variant_of)) or ()
    transformations = (
        variants[0].transformations if variants and "transformations" not in raw
        else fields.required("transformations", _transformations_of)
    )  # fmt: skip

    def default(value: Maybe[T] | None, otherwise: T) -> Maybe[T]:
        return otherwise if value is None else value

    variants_unknown = raw.get("variants_unknown")
    return Topology(
        name=fields.required("name", text),
        transformations=transformations,
        flink=flink,
        parallelism=default(maybe("parallelism", integer(1)), 1),
        max_parallelism=maybe("max_parallelism", integer(1, MAX_MAX_PARALLELISM)),
        chaining=default(maybe("chaining", boolean), True),
        auto_generate_uids=default(maybe("auto_generate_uids", boolean), True),
        chain_different_max_parallelism=default(maybe("chain_different_max_parallelism", boolean), True),
        mode=default(maybe("mode", one_of(Mode)), Mode.STREAMING),
        vertex_index_prefix=default(maybe("vertex_index_prefix", boolean), False),
        variants=variants,
        variants_unknown=None if variants_unknown is None else unknown_of(variants_unknown, ("variants_unknown",)),
        location=known("location", location_of),
        extractor=known("extractor", text),
        disagreements=known("disagreements", items(text)) or (),
        unstable=known("unstable", items(text)) or (),
        files=known("files", items(text)) or (),
    )


def _variant_of(value: Any, path: Path) -> Variant:
    fields = Fields(value, path, _VARIANT)
    return Variant(
        when=fields.required("when", text),
        decision=fields.known("decision", text),
        transformations=fields.required("transformations", _transformations_of),
    )
