"""Edits of declarations that keep state, and the topology that they lead to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from checker.model.gathered import gathered
from checker.model.stream_graph import Role
from checker.model.topology import SinkUidHashes, Topology, Transformation


class Field(StrEnum):
    """The attribute of a declaration that an edit sets."""

    UID = "uid"
    UID_HASH = "uid_hash"
    WRITER_HASH = "uid_hashes.writer"
    COMMITTER_HASH = "uid_hashes.committer"
    GLOBAL_COMMITTER_HASH = "uid_hashes.global_committer"
    MAX_PARALLELISM = "max_parallelism"


SINK_HASHES = {
    Role.WRITER: Field.WRITER_HASH,
    Role.COMMITTER: Field.COMMITTER_HASH,
    Role.GLOBAL_COMMITTER: Field.GLOBAL_COMMITTER_HASH,
}


@dataclass(frozen=True, slots=True)
class Edit:
    """One value set on one declaration; None removes it."""

    transformation: str
    field: Field
    value: str | int | None


def edited(topology: Topology, edits: Iterable[Edit]) -> Topology:
    """The topology with the edits made, in all its variants."""
    by_handle = gathered((edit.transformation, edit) for edit in edits)
    return replace(
        topology,
        transformations=tuple(_edited(t, by_handle.get(t.id, [])) for t in topology.transformations),
        variants=tuple(
            replace(v, transformations=tuple(_edited(t, by_handle.get(t.id, [])) for t in v.transformations))
            for v in topology.variants
        ),
    )


def _edited(transformation: Transformation, edits: list[Edit]) -> Transformation:
    for edit in edits:
        field, _, part = edit.field.value.partition(".")
        if part:
            hashes = transformation.uid_hashes or SinkUidHashes()
            transformation = replace(transformation, uid_hashes=_with(hashes, part, edit.value))
        else:
            transformation = replace(transformation, **{field: edit.value})  # type: ignore[arg-type]
    return transformation


def _with(hashes: SinkUidHashes, part: str, value: str | int | None) -> SinkUidHashes:
    text = None if value is None else str(value)
    return SinkUidHashes(
        writer=text if part == "writer" else hashes.writer,
        committer=text if part == "committer" else hashes.committer,
        global_committer=text if part == "global_committer" else hashes.global_committer,
    )
