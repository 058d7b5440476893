"""The canonical JSON of the gate and of a savepoint: what every other format of theirs renders."""

from collections.abc import Iterable, Sequence

from checker import __version__
from checker.model.findings import RestorePath, Severity, Verdict
from checker.model.nested import Json, picked, plain
from checker.model.restore import Attempt, OperatorOutcome
from checker.model.savepoint import MissingFiles, OperatorState, Savepoint
from checker.model.state_handles import SerializerSnapshot, StateHeaders, StateMeta

GATE_FORMAT = "savepoint-checker/gate"
SAVEPOINT_FORMAT = "savepoint-checker/savepoint"
VERSION = 1
RESTORE_RULES = "1"
"""Changes whenever a verdict on equal input can change."""


def gate_document(
    attempts: Sequence[Json],
    *,
    savepoints: Iterable[Json],
    candidate: Json,
    way: tuple[RestorePath, bool],
    command: str,
    fail_on: Severity | None,
    allow_uncompared: bool,
) -> Json:
    """The answer of ``gate`` from ``attempt_document`` of every attempt.

    State that could not be compared keeps the gate closed unless ``allow_uncompared``. ``way``, a path and whether
    state may be dropped, says which attempts decide; the others are reported all the same.
    """
    path, allow_non_restored_state = way
    deciding = [a for a in attempts if a["path"] == path and a["allow_non_restored_state"] is allow_non_restored_state]
    return {
        "format": GATE_FORMAT,
        "version": VERSION,
        "tool": {"name": "savepoint-checker", "version": __version__, "restore_rules": RESTORE_RULES},
        "verdict": _overall(deciding),
        "passes": fail_on is None
        or (_passes(deciding, fail_on) and (allow_uncompared or not any(a["open_questions"] for a in deciding))),
        "fail_on": fail_on.value if fail_on else None,
        "decided_by": {"path": path.value, "allow_non_restored_state": allow_non_restored_state},
        "command": command,
        "candidate": candidate,
        "savepoints": list(savepoints),
        "attempts": list(attempts),
    }


def _overall(attempts: Sequence[Json]) -> str:
    verdicts = {a["verdict"] for a in attempts}
    for verdict in (Verdict.FAILS, Verdict.UNDECIDED):
        if verdict in verdicts:
            return verdict.value
    return Verdict.RESTORES.value


def _passes(attempts: Sequence[Json], fail_on: Severity) -> bool:
    """What Flink refuses and what is undecided are errors, and so is state that is lost without a word."""
    if any(a["verdict"] != Verdict.RESTORES for a in attempts):
        return False
    return not any(Severity(w["severity"]).rank >= fail_on.rank for a in attempts for w in a["warnings"])


def attempt_document(attempt: Attempt) -> Json:
    """One savepoint × pipeline × path × flag."""
    return {
        **picked(attempt, "savepoint", "pipeline", "path", "allow_non_restored_state", "verdict", "rule", "moment"),
        **picked(attempt, "operator", "vertex", "message", "also"),
        "bytes_at_stake": attempt.bytes_at_stake,
        "operators": [_outcome(o) for o in attempt.operators],
        "warnings": [
            {**picked(w, "rule", "severity", "operator", "vertex", "state", "bytes", "message"), "declared": None}
            for w in attempt.warnings
        ],
        "open_questions": list(attempt.open_questions),
    }


def _outcome(row: OperatorOutcome) -> Json:
    return {
        "operator_id": row.id,
        **picked(row, "name", "uid", "verdict", "reason", "bytes", "key_groups", "claimed_by", "vertex", "in_snapshot"),
        "parallelism": {"before": row.parallelism, "after": row.new_parallelism},
        "max_parallelism": {"before": row.max_parallelism, "after": row.new_max_parallelism},
        "coordinator": plain(row.coordinator),
        "states": [picked(s, "name", "kind", "verdict", "reason") for s in row.states],
        "best_candidate": None
        if row.counterpart is None
        else {
            "operator_id": row.counterpart.id,
            **picked(row.counterpart, "name", "likeness", "evidence", "edit", "location"),
        },
        "location": plain(row.location),
    }


def provenance_document(savepoint: Savepoint) -> Json:
    """Which snapshot it was, in few words."""
    return {
        **picked(savepoint, "path", "kind", "metadata_version"),
        "metadata_bytes": savepoint.metadata_size,
        "sha256": savepoint.metadata_sha256,
        "checkpoint_id": savepoint.checkpoint_id,
        "checkpoint_properties": savepoint.properties and picked(savepoint.properties, "type", "format", "action"),
        "operators": len(savepoint.operators),
        "state_size": savepoint.state_size,
        "error": None,
    }


def unreadable_document(path: str, message: str) -> Json:
    """A snapshot that could not be read, with the same keys."""
    keys = (
        "kind",
        "metadata_version",
        "metadata_bytes",
        "sha256",
        "checkpoint_id",
        "checkpoint_properties",
        "operators",
    )
    return {"path": path, **dict.fromkeys(keys), "state_size": 0, "error": message}


def savepoint_document(savepoint: Savepoint) -> Json:
    """The answer of ``savepoint``: what it holds, by operator."""
    return {
        "format": SAVEPOINT_FORMAT,
        "version": VERSION,
        **provenance_document(savepoint),
        "master_states": [{**picked(m, "name", "version"), "bytes": m.size} for m in savepoint.master_states],
        "files": _files(savepoint.files),
        "operators": [_operator(o) for o in savepoint.operators],
    }


def _files(files: MissingFiles | None) -> Json | None:
    if files is None:
        return None
    return {
        "total": files.total,
        "checked": files.checked,
        "missing": files.missing_count,
        "missing_paths": list(files.missing),
        "not_checked_because": list(files.unreachable),
    }


def _operator(state: OperatorState) -> Json:
    headers = state.headers or StateHeaders()
    sizes = state.sizes
    names = {_label(m) for m in headers.states} | {f"operator:{s.name}" for s in state.operator_states}
    return {
        **picked(state, "operator_id", "name"),
        "uid": state.uid or None,
        **picked(state, "parallelism", "max_parallelism", "fully_finished"),
        "coordinator_state_bytes": sizes.coordinator if state.has_coordinator_state else None,
        "state_size": state.state_size,
        "subtasks_present": _indices(state.present),
        "finished_subtasks": _indices(state.finished),
        "has_state": state.has_subtask_state,
        "state_names": sorted(names),
        "sizes": {
            **picked(sizes, "coordinator", "managed_operator", "raw_operator", "managed_keyed", "raw_keyed"),
            "input_channel": sizes.input_channels,
            "result_subpartition": sizes.result_subpartitions,
        },
        "keyed_state": [k.value for k in state.keyed_kinds],
        "key_groups": state.key_groups,
        "key_serializer": _serializer(headers.key_serializer) if headers.key_serializer else None,
        "compressed": headers.compressed,
        "states": [_state(m) for m in headers.states],
        "operator_states": [picked(s, "name", "mode", "entries") for s in state.operator_states],
        "headers": picked(headers, "complete", "problems"),
        "files": picked(state.files, "relative", "absolute"),
    }


def _serializer(snapshot: SerializerSnapshot) -> Json:
    """A serializer snapshot; what only some have (class, fields, constants, schema) is left out where absent."""
    out: Json = {"class": snapshot.class_name, "version": snapshot.version}
    if snapshot.type_name is not None:
        out["type"] = snapshot.type_name
    if snapshot.fields:
        out["fields"] = {f.name: _serializer(f.serializer) if f.serializer else None for f in snapshot.fields}
    if snapshot.constants:
        out["constants"] = list(snapshot.constants)
    if snapshot.schema is not None:
        out["schema"] = snapshot.schema
    if snapshot.types:
        out["sql_types"] = list(snapshot.types)
    if not snapshot.read:
        out["body"] = "skipped"
    if snapshot.nested:
        out["nested"] = [_serializer(n) for n in snapshot.nested]
    return out


def _state(meta: StateMeta) -> Json:
    """A registered state with its serializers by role."""
    return {
        "name": meta.name,
        "backend_type": meta.backend_type.name,
        "backend_type_ordinal": meta.backend_type.value,
        "options": dict(meta.options),
        "serializers": {role: _serializer(s) for role, s in meta.serializers},
    }


def _label(meta: StateMeta) -> str:
    """``key_value:lst:[LIST]``: kind, name and options in one word."""
    options = f":[{', '.join(v for _, v in meta.options)}]" if meta.options else ""
    return f"{meta.backend_type.name.lower()}:{meta.name}{options}"


def _indices(bits: int) -> list[int]:
    return [i for i in range(bits.bit_length()) if bits >> i & 1]
