"""Real Flink starts from rewritten snapshots with default options, and has all of the state, value by value.

A started job processes nothing: the savepoint that it takes holds what it got from Flink's own restore. That is held
against what the job under its old uids got from the original.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checker.flink.operator_ids import operator_id
from checker.savepoint.cursor import Cursor
from checker.savepoint.detail import SnapshotDetails
from checker.savepoint.headers import _offsets, read_header
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.reader import read_savepoint
from checker.workflows.gate.moves import Asked, plan_rewriting
from checker.workflows.gate.rewriting import read_for_rewriting, rewrite
from tests.flinks import compiled, jars_of, java
from tests.savepoint.test_rewriting import details

pytestmark = [pytest.mark.flink, pytest.mark.timeout(1800)]

VERSIONS = tuple(os.environ.get("GATE_FLINK", "1.16.3 1.20.5 2.0.2 2.3.0").split())
SOURCE = Path(__file__).parent / "java" / "RewriteLab.java"
_ROCKSDB = "state.backend.type=rocksdb,state.backend=rocksdb"
_INCREMENTAL = "state.backend.incremental=true,execution.checkpointing.incremental=true"
_RETAINED = (
    "execution.checkpointing.externalized-checkpoint-retention=RETAIN_ON_CANCELLATION,"
    "state.checkpoints.dir=file:@ckpt,execution.checkpointing.dir=file:@ckpt"
)
_CHANGELOG = "state.changelog.enabled=true,state.backend.changelog.enabled=true"
SNAPSHOTS = {
    "inline": ("canonical", "inline=true"),
    "files": ("canonical", ""),
    "rocksdb": ("canonical", _ROCKSDB),
    "heap-native": ("native", ""),
    "rocksdb-native": ("native", f"{_ROCKSDB},{_INCREMENTAL}"),
    "rocksdb-checkpoint": ("checkpoint", f"{_ROCKSDB},{_INCREMENTAL},{_RETAINED}"),
    "changelog": ("checkpoint", f"{_CHANGELOG},{_RETAINED}"),
    "merged": ("checkpoint", f"execution.checkpointing.file-merging.enabled=true,{_RETAINED}"),
}
"""What kind of snapshot is taken, and with which configuration."""
MERGES_FILES = ("1.20", "2.")
TRADED = {"left": "right", "right": "left"}
COMMITTABLES = "streaming_committer_raw_states"
UIDS = (
    *("numbers", "lists", "timestamps", "keyed", "rows", "files", "Sink Committer: files", "left", "right"),
    *("hours", "sessions", "ends", "after"),
)


class Lab:
    """A process that takes snapshots and starts jobs from them."""

    def __init__(self, version: str, folder: Path) -> None:
        self.version, self.folder = version, folder
        jars = jars_of(version)
        command = java(compiled(folder / "classes", jars, SOURCE), f"{jars}/*")
        self._log = (folder / "log").open("w")
        self._process = subprocess.Popen(
            [*command, "RewriteLab", str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True,
        )  # fmt: skip

    def ask(self, *words: str) -> str:
        """The path of the snapshot that was taken."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(*words, sep="\t", file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().rstrip("\n").split("\t")
        assert answer[:2] == [words[1], "path"], (answer, (self.folder / "log").read_text()[-3000:])
        return answer[2]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._log.close()


@pytest.fixture(scope="module", params=VERSIONS)
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    version = str(request.param)
    found = Lab(version, tmp_path_factory.mktemp(f"flink-{version}"))
    yield found
    found.close()


def values(path: str) -> dict[str, dict[str, Any]]:
    """By operator id all that a canonical savepoint holds, value by value."""
    place, savepoint = SnapshotPlace(path), read_savepoint(path)
    details = {o["operator_id"]: o for o in SnapshotDetails(place).operators()}
    found: dict[str, dict[str, Any]] = {}
    for operator in savepoint.operators:
        detail = details[operator.operator_id]
        found[operator.operator_id] = {
            "coordinator": detail["coordinator_state_bytes"],
            "finished": (detail["fully_finished"], detail["finished_subtasks"]),
            "keyed": sorted(entry for source in operator.keyed_headers for entry in keyed_entries(place, source)),
            "operator": {s.subtask: _elements(place, s, detail) for s in operator.operator_headers},
        }
    return found


def _elements(place: SnapshotPlace, source: Any, detail: dict[str, Any]) -> dict[str, list[bytes]]:
    """The elements of each state of an operator's subtask; Flink hands those of a union out in any order.

    What a committer keeps has the number of the checkpoint that the new run takes: of it only the size counts.
    """
    (handle,) = detail["subtasks"][str(source.subtask)]["managed_operator"]
    file, start, size = place.open_stream(source.stream)
    with file:
        file.seek(start)
        data = file.read(size)
    offsets = sorted(offset for part in handle["partitions"].values() for offset in part["offsets"])
    ends = dict(zip(offsets, [*offsets, size][1:], strict=True))
    states = {name: sorted(data[o : ends[o]] for o in part["offsets"]) for name, part in handle["partitions"].items()}
    return {name: [bytes(len(e)) for e in all_] if name == COMMITTABLES else all_ for name, all_ in states.items()}


def keyed_entries(place: SnapshotPlace, source: Any) -> Iterator[tuple[str, bytes, bytes]]:
    names = [meta.name for meta in read_header(place, source, keyed=True).states]  # type: ignore[union-attr]
    file, start, _size = place.open_stream(source.stream)
    with file:
        cursor = Cursor(file, place.path)
        for offset in filter(None, _offsets(place, source)):
            cursor.seek(start + offset)
            state = cursor.i16() & 0xFFFF
            while state != 0xFFFF:
                key = bytearray(cursor.take(cursor.i32()))
                last, key[0] = key[0] & 0x80, key[0] & 0x7F
                yield names[state], bytes(key), cursor.take(cursor.i32())
                if last:
                    state = cursor.i16() & 0xFFFF


@pytest.mark.parametrize(
    ("name", "copied"), [*((name, False) for name in SNAPSHOTS), ("files", True), ("rocksdb-checkpoint", True)]
)
def test_flink_has_every_value_back_under_other_ids(name: str, copied: bool, lab: Lab) -> None:
    if name == "merged" and not lab.version.startswith(MERGES_FILES):
        pytest.skip("files are not merged")
    kind, configuration = SNAPSHOTS[name]
    taken = lab.ask("take", name, kind, configuration)
    ids = {o.operator_id for o in read_savepoint(taken).operators}
    moves = [f"{uid}=new-{TRADED.get(uid, uid)}" for uid in UIDS if operator_id(uid) in ids]
    moves = [move.replace("new-Sink Committer: ", "Sink Committer: new-") for move in moves]
    assert len(moves) == len(ids)
    configuration = configuration.replace(_CHANGELOG, "")  # which takes no snapshot after a start without claiming
    savepoint, out = read_for_rewriting(taken), str(lab.folder / f"{name}-{copied}")
    rewrite(savepoint, taken, out, plan_rewriting(savepoint, Asked(moves=moves)), (), copy=copied)
    expected = values(lab.ask("start", "as it was", taken, configuration, ""))
    if copied:
        shutil.rmtree(taken)
    got = values(lab.ask("start", "rewritten", out, configuration, "new-"))
    renamed = {operator_id(m.split("=")[0]): operator_id(m.split("=")[1]) for m in moves}
    assert got.keys() == set(renamed.values())
    for old, new in renamed.items():
        assert (old, got[new]) == (old, expected[old])
    assert len(expected[operator_id("lists")]["operator"][0]["ounion"]) == 6
    assert len(expected[operator_id("keyed")]["keyed"]) > 40
    assert expected[operator_id("left")]["keyed"] != expected[operator_id("right")]["keyed"]
    assert got[operator_id("new-left")]["keyed"] == expected[operator_id("right")]["keyed"]


CASES = ("keyed", "keyed_native", "keyed_rocksdb_native", "op_files", "filesink", "window", "finish_part", "nouid")


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_the_same_states_as_by_the_state_processor_api(version: str, snapshots: Path, tmp_path: Path) -> None:
    """As ``changeOperatorIdentifier`` renames them by Flink's own classes, but for coordinators, which it drops."""
    jars = jars_of(version)
    asked: dict[str, tuple[Path, list[str]]] = {}
    for case in CASES:
        folder = snapshots / version / case / "savepoint"
        ids = [o.operator_id for o in read_savepoint(str(folder)).operators]
        asked[case] = folder, [f"{old}={operator_id(f'new {old}')}" for old in ids]
    lines = (
        "\t".join([str(folder), str(tmp_path / f"{case}.theirs"), *moves]) for case, (folder, moves) in asked.items()
    )
    command = [*java(compiled(tmp_path, jars, SOURCE.with_name("RenameByFlink.java")), f"{jars}/*"), "RenameByFlink"]
    subprocess.run(command, input="\n".join(lines), check=True, capture_output=True, text=True)
    for case, (folder, moves) in asked.items():
        theirs, ours = tmp_path / f"{case}.theirs", tmp_path / case
        savepoint = read_for_rewriting(str(folder))
        rewrite(savepoint, str(folder), str(ours), plan_rewriting(savepoint, Asked(moves=moves)), (), copy=True)
        theirs.rename(ours / "theirs")
        got = {o["operator_id"]: o for o in details(ours)}
        expected = {o["operator_id"]: o for o in details(ours / "theirs")}
        assert got.keys() == expected.keys() == {move.partition("=")[2] for move in moves}
        coordinators = {i for i, o in got.items() if o["coordinator_state_bytes"] is not None}
        assert coordinators
        for i, operator in got.items():
            dropped = (
                {"coordinator_state_bytes": None, "state_size": expected[i]["state_size"]} if i in coordinators else {}
            )
            assert (case, {**operator, **dropped}) == (case, expected[i])
