"""The lines of source that a repair recommends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from checker.model.topology import Topology
from checker.repair.repairs import Edit, Field

HASHES_CLASS = "org.apache.flink.streaming.api.datastream.CustomSinkOperatorUidHashes"
_HASH_KEYS = {
    Field.WRITER_HASH: "writer",
    Field.COMMITTER_HASH: "committer",
    Field.GLOBAL_COMMITTER_HASH: "global_committer",
}
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
    CDC = "cdc"
    """By Flink CDC, of which a pipeline sets two options only."""


_CALLS = {
    Spelling.JAVA: {Field.UID: "uid", Field.UID_HASH: "setUidHash", Field.MAX_PARALLELISM: "setMaxParallelism"},
    Spelling.PYTHON: {Field.UID: "uid", Field.UID_HASH: "set_uid_hash", Field.MAX_PARALLELISM: "set_max_parallelism"},
}
_DOCUMENTS = (".yaml", ".yml", ".json", ".jsonl")
_PREFIX = "operator.uid.prefix"
_CALL = re.compile(r"\.(uid|setUidHash|setMaxParallelism)\(([^()]*)\)")


def spelling_of(topology: Topology) -> Spelling:
    """How a topology's files declare operators."""
    file = topology.files[0] if topology.files else ""
    if topology.extractor == Spelling.CDC.value:
        return Spelling.CDC
    if file.endswith(_DOCUMENTS):
        return Spelling.DOCUMENT
    return Spelling.PYTHON if file.endswith(".py") else Spelling.JAVA


def fluent(edits: Sequence[Edit], spelling: Spelling = Spelling.JAVA) -> str:
    """The edits of one declaration as they are written: behind the call that makes it, or as keys of a document."""
    if spelling is Spelling.DOCUMENT:
        return ", ".join(_keys(edits))
    if spelling is Spelling.CDC:
        return ", ".join(dict.fromkeys(_option(edit) for edit in edits))
    calls = _CALLS[spelling]
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
    hashes = [f"{_HASH_KEYS[e.field]}: {json.dumps(e.value)}" for e in edits if e.field in _SETTERS]
    if hashes:
        yield f"uid_hashes: {{{', '.join(hashes)}}}"


def _option(edit: Edit) -> str:
    """A uid as Flink CDC is told of it: behind the prefix of all stands the name of each operator."""
    prefix, found, _ = str(edit.value).rpartition(f"-{edit.transformation}")
    if edit.value is None:
        return f"remove {_PREFIX}"
    return f"{_PREFIX}: {json.dumps(prefix)}" if found else f"schema.operator.uid: {json.dumps(edit.value)}"


def respelled(text: str, spelling: Spelling) -> str:
    """Advice that names calls of Java's API, with those of another language or the keys of a document."""
    if spelling is Spelling.JAVA:
        return text
    fields = {call: field for field, call in _CALLS[Spelling.JAVA].items()}
    if spelling in (Spelling.DOCUMENT, Spelling.CDC):
        named = {"uid": _PREFIX} if spelling is Spelling.CDC else {}
        since = " (Flink CDC 3.5 and newer)" if named else ""
        return _CALL.sub(lambda found: f"{named.get(found[1], fields[found[1]])}: {found[2]}{since}", text)
    return _CALL.sub(lambda found: f".{_CALLS[spelling][fields[found[1]]]}({found[2]})", text)


def rewrite_command(old: str, new: str) -> str:
    """What gives the state of one operator of a savepoint to another id."""
    return f"savepoint-checker savepoint rewrite SAVEPOINT --out NEW_FOLDER --move {old}={new}"
