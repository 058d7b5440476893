"""Lines of source to copy: what a repair is written as."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from checker.repair.edits import Edit, Field

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


def fluent(edits: Sequence[Edit]) -> str:
    """The edits of one declaration as they are written behind the call that makes it."""
    parts = []
    for edit in edits:
        if edit.field is Field.UID:
            parts.append("remove .uid(...)" if edit.value is None else f".uid({java_string(str(edit.value))})")
        elif edit.field is Field.UID_HASH:
            parts.append(f".setUidHash({java_string(str(edit.value))})")
        elif edit.field is Field.MAX_PARALLELISM:
            value = edit.value
            parts.append("remove .setMaxParallelism(...)" if value is None else f".setMaxParallelism({value})")
    if any(e.field in _SETTERS for e in edits):
        parts.append(f"sinkTo(sink, {sink_hashes(edits)})")
    return " ".join(parts)


def remap_snippet(renames: Iterable[tuple[str, str]]) -> str:
    """A program that renames operators inside a savepoint (State Processor API, Flink 1.17 and newer)."""
    changes = "\n".join(
        f'    .changeOperatorIdentifier(OperatorIdentifier.forUidHash("{old}"), OperatorIdentifier.forUidHash("{new}"))'
        for old, new in renames
    )
    return (
        "// flink-state-processor-api, Flink 1.17 and newer; run it as a batch job\n"
        "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        "env.setRuntimeMode(RuntimeExecutionMode.BATCH);\n"
        'SavepointWriter.fromExistingSavepoint(env, "<path of the old savepoint>")\n'
        f"{changes}\n"
        '    .write("<path of the new savepoint>");\n'
        'env.execute("rename operators");\n'
    )
