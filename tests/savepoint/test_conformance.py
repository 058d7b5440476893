"""Every recorded snapshot reads to exactly what Flink's own classes read, state headers included."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from checker.model.savepoint import CheckpointProperties
from checker.report.gate.document import savepoint_document
from checker.savepoint.places import PathMapping
from checker.savepoint.reader import read_savepoint
from tests.savepoint.in_memory import read_savepoint_bytes


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
        savepoint = read_savepoint(str(case / truth["path"]), mappings=mappings)
        assert savepoint.files is not None
        assert savepoint.files.checked == savepoint.files.total
        assert not savepoint.files.missing
        document = savepoint_document(savepoint)
        for key in ("metadata_bytes", "metadata_version", "checkpoint_id", "master_states"):
            assert document[key] == truth[key], (case, key)
        assert printed_of(savepoint.properties) <= set(re.findall(r"\w+='?[\w ]+", truth["properties"]))
        for ours, theirs in zip(document["operators"], truth["operators"], strict=True):
            subtasks = theirs.pop("subtasks").values()
            assert {key: ours[key] for key in theirs} == theirs, case
            for part in PARTS:
                size = sum(handle["size"] for subtask in subtasks for handle in subtask[part])
                assert ours["sizes"][part] == size, (case, part)
            headers = [h for s in subtasks for part in PARTS for handle in s[part] for h in headers_of(handle)]
            states = {(s["name"], s["backend_type"]): s for h in headers for s in states_of(h)}
            assert ours["headers"]["complete"] is ("changelog" not in ours["keyed_state"] or bool(states)), case
            assert {(s["name"], s["backend_type"]): without_our_own(s) for s in ours["states"]} == states, case
            keys = [header["key_serializer"] for header in headers if "key_serializer" in header]
            assert not keys or without_our_own(ours["key_serializer"]) == keys[0], case


PARTS = ("managed_operator", "raw_operator", "managed_keyed", "raw_keyed", "input_channel", "result_subpartition")


def printed_of(properties: CheckpointProperties | None) -> set[str]:
    """What Flink prints of properties: ``name='Savepoint``, ``formatType=CANONICAL``."""
    if properties is None:
        return set()
    names = {"postCheckpointAction": properties.action, "formatType": properties.format}
    return {f"name='{properties.type}", *(f"{name}={value}" for name, value in names.items() if value is not None)}


def headers_of(handle: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from (handle[key] for key in ("keyed_header", "operator_header") if key in handle)
    for inner in handle.get("materialized", ()):
        yield from headers_of(inner)


def states_of(header: dict[str, Any]) -> list[dict[str, Any]]:
    return [state for kind in ("states", "operator_states", "broadcast_states") for state in header.get(kind, ())]


def without_our_own(value: Any) -> Any:
    """Without what the recording did not ask Flink for: fields of POJOs and the like."""
    if isinstance(value, list):
        return [without_our_own(v) for v in value]
    if isinstance(value, dict):
        serializer = "class" in value and "version" in value
        extra = {"type", "fields", "constants", "schema"} if serializer else set()
        return {k: without_our_own(v) for k, v in value.items() if k not in extra}
    return value


def test_bytes_read_like_the_file(snapshots: Path) -> None:
    for case in cases(snapshots):
        truth = json.loads((case / "truth.json").read_text())
        folder = case / truth["path"]
        whole = read_savepoint(str(folder), headers=False, check_files=False)
        bare = read_savepoint_bytes("x", (folder / "_metadata").read_bytes())
        assert [replace(o, headers=None) for o in bare.operators] == list(whole.operators)


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
