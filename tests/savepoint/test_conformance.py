"""Every recorded snapshot reads to exactly what Flink's own classes read, state headers included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.model.savepoint import Savepoint
from checker.savepoint.detail import SnapshotDetails, properties_text
from checker.savepoint.places import PathMapping, SnapshotPlace
from checker.savepoint.reader import read_savepoint
from tests.savepoint.in_memory import read_savepoint_bytes

RECORDED_ONLY = {
    "flink_version", "case", "job", "options", "job_config", "cluster_config", "kind", "path", "restored_from",
    "description", "seen_by_functions", "metadata_magic", "files", "source",
}  # fmt: skip

WITH_OUTPUT_PATHS = {"filesink"}


def cases(snapshots: Path, count: int = 79) -> list[Path]:
    found = sorted(p.parent for p in snapshots.glob("*/*/truth.json"))
    assert len(found) == count
    return found


def test_metadata_and_headers_are_what_flink_read(snapshots: Path, mappings: tuple[PathMapping, ...]) -> None:
    compare_with_flink(cases(snapshots), mappings)


def test_further_cases_are_what_flink_read(more: Path) -> None:
    compare_with_flink(cases(more, 14), (PathMapping("/var/flink/state", str(more)),))


def compare_with_flink(folders: list[Path], mappings: tuple[PathMapping, ...]) -> None:
    for case in folders:
        truth = json.loads((case / "truth.json").read_text())
        folder = case / truth["path"]
        operators = list(SnapshotDetails(SnapshotPlace(str(folder), mappings)).operators())
        if truth["case"] in WITH_OUTPUT_PATHS:
            for operator in operators:
                for subtask in operator["subtasks"].values():
                    for handle in subtask["managed_operator"]:
                        handle["delegate"].pop("sha1", None)
        ours = {**head(read_savepoint(str(folder), mappings=mappings)), "operators": without_our_own(operators)}
        assert ours == _comparable(truth), case.name
        names = {line.rsplit(":", 1)[0]: int(line.rsplit(":", 1)[1]) for line in truth["files"]}
        assert names == {str(p.relative_to(folder)): p.stat().st_size for p in folder.rglob("*") if p.is_file()}


def head(savepoint: Savepoint) -> dict[str, Any]:
    return {
        "metadata_bytes": savepoint.metadata_size,
        "metadata_version": savepoint.metadata_version,
        "checkpoint_id": savepoint.checkpoint_id,
        "properties": properties_text(savepoint.properties) or "null",
        "master_states": [{"name": m.name, "version": m.version, "bytes": m.size} for m in savepoint.master_states],
    }


def without_our_own(value: Any) -> Any:
    """Without what the recording did not ask Flink for: fields of POJOs and the like."""
    if isinstance(value, list):
        return [without_our_own(v) for v in value]
    if isinstance(value, dict):
        serializer = "class" in value and "version" in value
        extra = {"type", "fields", "constants", "schema"} if serializer else set()
        return {k: without_our_own(v) for k, v in value.items() if k not in extra}
    return value


def _comparable(truth: dict[str, Any]) -> dict[str, Any]:
    kept = {k: v for k, v in truth.items() if k not in RECORDED_ONLY}
    for operator in kept["operators"]:
        for subtask in operator["subtasks"].values():
            for handle in subtask["managed_keyed"]:
                if handle["type"] == "KeyGroupsSavepointStateHandle":
                    del handle["StateHandleId"]  # not stored: Flink makes a new random one at every reading
            if truth["case"] in WITH_OUTPUT_PATHS:
                for handle in subtask["managed_operator"]:
                    handle["delegate"].pop("sha1", None)  # the output path inside was replaced after recording
    return kept


def summarised(savepoint: Savepoint, truth: dict[str, Any]) -> None:
    assert [o.operator_id for o in savepoint.operators] == [o["operator_id"] for o in truth["operators"]]
    for ours, theirs in zip(savepoint.operators, truth["operators"], strict=True):
        assert ours.state_size == theirs["state_size"]
        assert ours.subtasks == len(theirs["subtasks_present"])
        assert ours.finished_subtasks == len(theirs["finished_subtasks"])
        assert ours.fully_finished == theirs["fully_finished"]
        assert ours.has_subtask_state == theirs["has_state"]
        assert ours.has_coordinator_state == (theirs["coordinator_state_bytes"] is not None)
        assert (ours.parallelism, ours.max_parallelism) == (theirs["parallelism"], theirs["max_parallelism"])


def test_summary_agrees_with_the_parts(snapshots: Path, mappings: tuple[PathMapping, ...]) -> None:
    for case in cases(snapshots):
        truth = json.loads((case / "truth.json").read_text())
        savepoint = read_savepoint(str(case / truth["path"]), mappings=mappings)
        summarised(savepoint, truth)
        assert savepoint.files is not None
        assert savepoint.files.checked == savepoint.files.total
        assert not savepoint.files.missing
        for ours, theirs in zip(savepoint.operators, truth["operators"], strict=True):
            assert ours.headers is not None
            assert ours.headers.complete
            names = {
                f"{m.backend_type.name.lower()}:{m.name}" + (f":[{m.kind}]" if m.options else "")
                for m in ours.headers.states
            }
            names |= {f"operator:{s.name}" for s in ours.operator_states}
            assert sorted(names) == theirs["state_names"], (case, ours.operator_id)


def test_bytes_read_like_the_file(snapshots: Path) -> None:
    for case in cases(snapshots):
        truth = json.loads((case / "truth.json").read_text())
        summarised(read_savepoint_bytes("x", (case / truth["path"] / "_metadata").read_bytes()), truth)


def test_pojo_fields_are_named(snapshots: Path) -> None:
    savepoint = read_savepoint(str(snapshots / "2.3.0" / "pojo" / "savepoint"))
    headers = next(o.headers for o in savepoint.operators if o.uid == "kp")
    assert headers is not None
    (value,) = [m.serializer("VALUE_SERIALIZER") for m in headers.states if m.name == "person"]
    assert value is not None
    assert value.type_name == "lab.Person"
    assert [(f.name, f.serializer and f.serializer.short_name, f.declared_by) for f in value.fields] == [
        ("age", "Int", "lab.Person"),
        ("name", "String", "lab.Person"),
    ]


@pytest.mark.parametrize("name", ["truncated", "bad_magic", "bad_version"])
def test_broken_metadata_is_one_clear_error(snapshots: Path, name: str) -> None:
    from checker.errors import SavepointError

    with pytest.raises(SavepointError, match=r"damaged|unrecognized"):
        read_savepoint(str(snapshots / "broken" / name))


def test_a_missing_state_file_is_told(snapshots: Path) -> None:
    savepoint = read_savepoint(str(snapshots / "broken" / "missing_file"))
    assert savepoint.files is not None
    assert savepoint.files.missing == ("0ef79461-1fdf-442e-9e66-973a17abe569",)
    assert savepoint.files.owners == ("79905d1bb8afd98f33ca8b3501e11266",)


def test_what_the_state_processor_api_wrote_reads(snapshots: Path) -> None:
    """It writes no properties: a null object stands in their place."""
    data = (snapshots / "2.3.0" / "keyed" / "savepoint" / "_metadata").read_bytes()
    start = data.rindex(b"\xac\xed\x00\x05")
    whole, bare = read_savepoint_bytes("x", data), read_savepoint_bytes("x", data[:start] + b"\xac\xed\x00\x05p")
    assert bare.properties is None
    assert bare.operators == whole.operators
