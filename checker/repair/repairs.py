"""What a repair is, its kinds, and the words for each.

Edits of declarations that keep state, and the topology that they lead to.

Stable, readable uids for operators that have none: from their names, never from their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from checker.compare.revisions.likeness import DEFAULT_NAMES
from checker.model.changed_files import ChangedText
from checker.model.findings import OperatorSide
from checker.model.gathered import gathered
from checker.model.stream_graph import Role
from checker.model.topology import SinkUidHashes, Topology, Transformation


class RepairKind(StrEnum):
    """What kind of edit a repair is."""

    RESTORE_UID = "restore-uid"
    PIN = "pin"
    SINK_HASHES = "sink-hashes"
    MAX_PARALLELISM = "max-parallelism"
    NEW_UID = "new-uid"
    REWRITE = "rewrite"
    """No edit of the program helps: the savepoint has to be rewritten."""
    NONE = "none"
    """Nothing keeps all of the state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What to do for one broken operator.

    ``edits`` are verified together with those of the whole plan; ``text`` are lines of source to copy; ``offered``
    is False where no edit of the program keeps all of the state, and ``reason`` says why.
    """

    kind: RepairKind
    base: OperatorSide | None
    head: OperatorSide | None
    edits: tuple[Edit, ...] = ()
    text: str | None = None
    reason: str
    offered: bool
    back: ChangedText | None = None
    """The text of the program that is to be as it was, instead of the edits."""

    @property
    def name(self) -> str:
        """The operator, for people."""
        side = self.head or self.base
        return side.name if side is not None else "the job"


def edits_of(repairs: Iterable[Repair]) -> tuple[Edit, ...]:
    """All edits that are offered, each once."""
    return tuple(dict.fromkeys(e for r in repairs if r.offered for e in r.edits))


MOVED_ALONG = (
    "these uids are made of places: put what is new behind the others, keep the place of what is removed, or make each "
    "uid of its entry and pin the id that it had"
)
NO_PIN = {
    "source": "its coordinator finds its state by generated id only, so no pin helps: undo the edit that moved it, or "
    "rewrite the savepoint, which keeps the coordinator's state",
    "sink": "Flink takes no hash for this operator of a sink: rewrite the savepoint",
    "claimed": "its id is taken by operators that have state of their own: rewrite the savepoint, with a move for each",
}
REASONS = {
    RepairKind.RESTORE_UID: "with the uid as it was, the operator finds all of its state",
    RepairKind.PIN: "the state lies under this id; needed for one restore, remove it after the next savepoint",
    RepairKind.SINK_HASHES: "the state lies under these ids; needed for one restore, remove them after the next one",
    RepairKind.MAX_PARALLELISM: "the state was written with this max parallelism",
}


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


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOISE = re.compile(r"[^a-z0-9]+")
_PLACE = re.compile(r" ?#\d+")
_ENDINGS = ("-function", "-operator")


def slug(text: str) -> str:
    """``CountPerCustomer`` and ``Count per customer!`` are both ``count-per-customer``."""
    plain = _NOISE.sub("-", _CAMEL.sub("-", text).lower()).strip("-")
    for ending in _ENDINGS:
        plain = plain.removesuffix(ending)
    return plain


def readable_name(transformation: Transformation) -> str:
    """What an operator may be called: by the name it was given, by its function, else by what it is for.

    What it is for says its handle: the variable that holds it, and the call that makes it. A lambda says nothing.
    """
    function = (transformation.function or "").rpartition(".")[2].rpartition("$")[2]
    name = transformation.name if isinstance(transformation.name, str) else ""
    given = "" if name in DEFAULT_NAMES or name.removeprefix("Sink: ") in DEFAULT_NAMES else name
    variable, _, call = _PLACE.sub("", transformation.id.rpartition("/")[2]).rpartition(":")
    candidates = (given, function, f"{variable} {call}", transformation.operator or "", name, transformation.kind.value)
    return next((found for c in candidates if (found := slug(c)) and not _tells_nothing(found)), "operator")


def _tells_nothing(name: str) -> bool:
    return name.isdigit() or name in ("lambda", "function")


class Names:
    """Hands out uids that nothing in a topology has, nor the committers of its sinks."""

    def __init__(self, topology: Topology) -> None:
        self._taken = {t.uid for t in topology.operators() if isinstance(t.uid, str)}

    def give(self, transformation: Transformation, behind: Transformation | None = None) -> str:
        """A name for one operator; where it is taken, with what it reads in front, then with a number."""
        name = readable_name(transformation)
        if name in self._taken and behind is not None:
            name = f"{readable_name(behind)}-{name}"
        plain, number = name, 2
        while name in self._taken:
            name = f"{plain}-{number}"
            number += 1
        self._taken.add(name)
        return name
