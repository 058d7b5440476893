"""What a repair is: the edit of a declaration that keeps state, the topology that it leads to, and its lines of source.

Uids for operators that have none are made of their names, never of their place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum

from checker.compare.revisions.likeness import DEFAULT_NAMES
from checker.model.changed_files import ChangedText
from checker.model.findings import OperatorSide
from checker.model.nested import gathered
from checker.model.stream_graph import Role
from checker.model.topology import SinkUidHashes, Topology, Transformation


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What to do for one broken operator.

    ``edits`` are verified together with those of the whole plan; ``text`` are lines of source to copy. There are none
    where no edit of the program keeps all of the state, and ``reason`` says why.
    """

    base: OperatorSide | None = None
    head: OperatorSide | None = None
    edits: tuple[Edit, ...] = ()
    text: str | None = None
    reason: str
    back: ChangedText | None = None
    """The text of the program that is to be as it was, instead of the edits."""

    @property
    def offered(self) -> bool:
        """Whether edits of the program keep all of the state."""
        return bool(self.edits)

    @property
    def name(self) -> str:
        """The operator, for people."""
        side = self.head or self.base
        return side.name if side is not None else "the job"


def edits_of(repairs: Iterable[Repair]) -> tuple[Edit, ...]:
    """All edits that are offered, each once."""
    return tuple(dict.fromkeys(e for r in repairs for e in r.edits))


MOVED_ALONG = (
    "these uids contain list positions: append new entries at the end and keep a placeholder for removed ones, or "
    "build each uid from its entry and pin the old id"
)
NO_PIN = {
    "source": "its coordinator finds its state by generated id only, so no pin helps: undo the edit that moved it, or "
    "rewrite the savepoint, which keeps the coordinator's state",
    "sink": "Flink takes no hash for this operator of a sink: rewrite the savepoint",
    "claimed": "its id is taken by operators that have state of their own: rewrite the savepoint, with a move for each",
    "inner": "the call that makes it gives another operator, which takes the uid and the hash: rewrite the savepoint",
}
OF_PLANNER = (
    "the planner's operators take no uid: leave the streams in front of the tables unchanged, and make the change in "
    "existing SQL or after the tables"
)


def is_inner(topology: Topology, declared: Transformation) -> bool:
    """Whether the call that makes an operator gives another one, which stands behind it: no call sets its uid."""
    of_call = [t for t in topology.operators() if not t.kind.virtual and t.location == declared.location]
    behind = of_call[of_call.index(declared) + 1 :] if declared.location is not None and declared in of_call else []
    return any(t.operator != declared.operator for t in behind)


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


REASONS = {
    Field.UID: "with the uid as it was, the operator finds all of its state",
    Field.UID_HASH: "the state lies under this id; needed for one restore, remove it after the next savepoint",
    Field.MAX_PARALLELISM: "the state was written with this max parallelism",
    **dict.fromkeys(
        SINK_HASHES.values(),
        "the state lies under these ids; needed for one restore, remove them after the next one",
    ),
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
            value = None if edit.value is None else str(edit.value)
            hashes = replace(transformation.uid_hashes or SinkUidHashes(), **{part: value})
            transformation = replace(transformation, uid_hashes=hashes)
        else:
            transformation = replace(transformation, **{field: edit.value})  # type: ignore[arg-type]
    return transformation


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
    tell = (found for c in candidates if (found := slug(c)) and found not in ("lambda", "function"))
    return next((found for found in tell if not found.isdigit()), "operator")


class Names:
    """Hands out uids that nothing in a topology has, nor the committers of its sinks."""

    def __init__(self, topology: Topology) -> None:
        self._taken = {t.uid for t in topology.operators() if isinstance(t.uid, str)}

    def give(self, transformation: Transformation) -> str:
        """A name for one operator, with a number where it is taken."""
        plain, number = readable_name(transformation), 2
        name = plain
        while name in self._taken:
            name = f"{plain}-{number}"
            number += 1
        self._taken.add(name)
        return name


HASHES_CLASS = "org.apache.flink.streaming.api.datastream.CustomSinkOperatorUidHashes"
_SETTERS = {
    Field.WRITER_HASH: "setWriterUidHash",
    Field.COMMITTER_HASH: "setCommitterUidHash",
    Field.GLOBAL_COMMITTER_HASH: "setGlobalCommitterUidHash",
}


def java_string(text: str) -> str:
    """A Java (and JSON) string literal."""
    return json.dumps(text, ensure_ascii=False)


def sink_hashes(edits: Iterable[Edit]) -> str:
    """The second argument of ``sinkTo``."""
    calls = "".join(f".{_SETTERS[e.field]}({java_string(str(e.value))})" for e in edits if e.field in _SETTERS)
    return f"{HASHES_CLASS}.builder(){calls}.build()"


class Spelling(Enum):
    """How the operators of a pipeline are declared."""

    JAVA = "java"
    PYTHON = "python"
    DOCUMENT = "document"


CALLS = {
    Spelling.JAVA: {Field.UID: "uid", Field.UID_HASH: "setUidHash", Field.MAX_PARALLELISM: "setMaxParallelism"},
    Spelling.PYTHON: {Field.UID: "uid", Field.UID_HASH: "set_uid_hash", Field.MAX_PARALLELISM: "set_max_parallelism"},
}
_DOCUMENTS = (".yaml", ".yml", ".json", ".jsonl")
_CALL = re.compile(r"\.(uid|setUidHash|setMaxParallelism)\(([^()]*)\)")


def spelling_of(topology: Topology) -> Spelling:
    """How a topology's files declare operators."""
    file = topology.files[0] if topology.files else ""
    if file.endswith(_DOCUMENTS):
        return Spelling.DOCUMENT
    return Spelling.PYTHON if file.endswith(".py") else Spelling.JAVA


def fluent(edits: Sequence[Edit], spelling: Spelling = Spelling.JAVA) -> str:
    """The edits of one declaration as they are written: behind the call that makes it, or as keys of a document."""
    if spelling is Spelling.DOCUMENT:
        return ", ".join(_keys(edits))
    calls = CALLS[spelling]
    parts = []
    for edit in edits:
        if edit.field in calls and edit.value is None:
            parts.append(f"remove .{calls[edit.field]}(...)")
        elif edit.field in calls:
            value = edit.value if isinstance(edit.value, int) else java_string(str(edit.value))
            parts.append(f".{calls[edit.field]}({value})")
    if any(e.field in _SETTERS for e in edits):
        parts.append(f"sinkTo(sink, {sink_hashes(edits)})")
    return " ".join(parts)


def _keys(edits: Sequence[Edit]) -> Iterator[str]:
    for edit in edits:
        if edit.field not in _SETTERS:
            yield f"remove {edit.field}" if edit.value is None else f"{edit.field}: {json.dumps(edit.value)}"
    hashes = [f"{e.field.partition('.')[2]}: {json.dumps(e.value)}" for e in edits if e.field in _SETTERS]
    if hashes:
        yield f"uid_hashes: {{{', '.join(hashes)}}}"


def respelled(text: str, spelling: Spelling) -> str:
    """Advice that names calls of Java's API, with those of another language or the keys of a document."""
    if spelling is Spelling.JAVA:
        return text
    fields = {call: field for field, call in CALLS[Spelling.JAVA].items()}
    if spelling is Spelling.DOCUMENT:
        return _CALL.sub(lambda found: f"{fields[found[1]]}: {found[2]}", text)
    return _CALL.sub(lambda found: f".{CALLS[spelling][fields[found[1]]]}({found[2]})", text)


def rewrite_command(old: str, new: str) -> str:
    """What gives the state of one operator of a savepoint to another id."""
    return f"savepoint-checker savepoint rewrite SAVEPOINT --out NEW_FOLDER --move {old}={new}"
