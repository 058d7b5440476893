"""Real Flink starts from rewritten snapshots with default options, and has all of the state, value by value.

A started job processes nothing: the savepoint that it takes holds what it got from Flink's own restore. That is held
against what the job under its old uids got from the original.
"""

import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from checker.flink.operator_ids import operator_id
from checker.model.state_handles import HeaderSource, KeyedHandle, Offsets, OperatorHandle
from checker.savepoint.cursor import Cursor
from checker.savepoint.metadata import MetadataReader
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.reader import read_savepoint
from checker.savepoint.state_files import read_header
from checker.workflows.gate.rewriting import planned_moves, read_for_rewriting, rewrite
from tests.flinks import asked, compiled, jars_of, java
from tests.savepoint.test_rewriting import operators

pytestmark = [pytest.mark.flink, pytest.mark.timeout(1800)]

VERSIONS = asked("1.20.5", "2.0.2", "2.3.0")
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
BETWEEN = {"2.0.2": ("rocksdb-checkpoint", "merged")}
"""Of 2.0, whose metadata is of a version of its own, one snapshot of each form: 1.20 and 2.3 are asked for all."""
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


@pytest.fixture(scope="module")
def labs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Lab]]:
    """One process a version, however the tests come one after another."""
    with ExitStack() as stack:
        yield cache(
            lambda version: stack.enter_context(closing(Lab(version, tmp_path_factory.mktemp(f"flink-{version}"))))
        )


def values(path: str) -> dict[str, dict[str, Any]]:
    """By operator id all that a canonical savepoint holds, value by value."""
    place = SnapshotPlace(path)
    found: dict[str, dict[str, Any]] = {}
    for operator in MetadataReader(place.open_metadata(), path).operators():
        subtasks = list(operator.subtasks)
        found[operator.operator_id] = {
            "coordinator": None if operator.coordinator is None else operator.coordinator.size,
            "finished": (operator.fully_finished, [s.index for s in subtasks if s.finished]),
            "keyed": sorted(e for s in subtasks if s.managed_keyed for e in keyed_entries(place, s.managed_keyed)),
            "operator": {s.index: _elements(place, s.managed_operator) for s in subtasks if s.managed_operator},
        }
    return found


def _offsets(place: SnapshotPlace, offsets: Offsets) -> list[int]:
    with place.open_metadata() as metadata:
        metadata.seek(offsets.position)
        return [offset for (offset,) in struct.iter_unpack(">q", metadata.read(8 * offsets.count))]


def _elements(place: SnapshotPlace, handle: OperatorHandle) -> dict[str, list[bytes]]:
    """The elements of each state of an operator's subtask; Flink hands those of a union out in any order.

    What a committer keeps has the number of the checkpoint that the new run takes: of it only the size counts.
    """
    file, start, size = place.open_stream(handle.stream)
    with file:
        file.seek(start)
        data = file.read(size)
    parts = {part.name: _offsets(place, part.offsets) for part in handle.states}
    starts = sorted(offset for offsets in parts.values() for offset in offsets)
    ends = dict(zip(starts, [*starts, size][1:], strict=True))
    states = {name: sorted(data[o : ends[o]] for o in offsets) for name, offsets in parts.items()}
    return {name: [bytes(len(e)) for e in all_] if name == COMMITTABLES else all_ for name, all_ in states.items()}


def keyed_entries(place: SnapshotPlace, handle: KeyedHandle) -> Iterator[tuple[str, bytes, bytes]]:
    assert handle.stream is not None
    assert handle.offsets is not None
    source = HeaderSource(stream=handle.stream, end=handle.offsets.first)
    names = [meta.name for meta in read_header(place, source, keyed=True).states]
    file, start, _size = place.open_stream(handle.stream)
    with file:
        cursor = Cursor(file, place.path)
        for offset in filter(None, _offsets(place, handle.offsets)):
            cursor.seek(start + offset)
            state = cursor.i16() & 0xFFFF
            while state != 0xFFFF:
                key = bytearray(cursor.take(cursor.i32()))
                last, key[0] = key[0] & 0x80, key[0] & 0x7F
                yield names[state], bytes(key), cursor.take(cursor.i32())
                if last:
                    state = cursor.i16() & 0xFFFF


@pytest.mark.parametrize(("version", "name"), [(v, name) for v in VERSIONS for name in BETWEEN.get(v, SNAPSHOTS)])
def test_flink_has_every_value_back_under_other_ids(version: str, name: str, labs: Callable[[str], Lab]) -> None:
    lab = labs(version)
    kind, configuration = SNAPSHOTS[name]
    taken = lab.ask("take", name, kind, configuration)
    ids = {o.operator_id for o in read_savepoint(taken).operators}
    moves = [f"{uid}=new-{TRADED.get(uid, uid)}" for uid in UIDS if operator_id(uid) in ids]
    moves = [move.replace("new-Sink Committer: ", "Sink Committer: new-") for move in moves]
    assert len(moves) == len(ids)
    configuration = configuration.replace(_CHANGELOG, "")  # which takes no snapshot after a start without claiming
    savepoint, out = read_for_rewriting(taken), lab.folder / f"{name}-renamed"
    rewrite(savepoint, taken, out, planned_moves(savepoint, moves))
    expected = values(lab.ask("start", "as it was", taken, configuration, ""))
    got = values(lab.ask("start", "rewritten", str(out), configuration, "new-"))
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
    moved: dict[str, tuple[Path, list[str]]] = {}
    for case in CASES:
        folder = snapshots / version / case / "savepoint"
        ids = [o.operator_id for o in read_savepoint(str(folder)).operators]
        moved[case] = folder, [f"{old}={operator_id(f'new {old}')}" for old in ids]
    lines = (
        "\t".join([str(folder), str(tmp_path / f"{case}.theirs"), *moves]) for case, (folder, moves) in moved.items()
    )
    command = [*java(compiled(tmp_path, jars, SOURCE.with_name("RenameByFlink.java")), f"{jars}/*"), "RenameByFlink"]
    subprocess.run(command, input="\n".join(lines), check=True, capture_output=True, text=True)
    for case, (folder, moves) in moved.items():
        theirs = tmp_path / case
        shutil.copytree(folder, theirs)
        (tmp_path / f"{case}.theirs").rename(theirs / "_metadata")
        savepoint = read_for_rewriting(str(folder))
        rewrite(savepoint, str(folder), tmp_path / f"{case}.ours", planned_moves(savepoint, moves))
        got = {o.operator_id: o for o in operators(tmp_path / f"{case}.ours")}
        expected = {o.operator_id: o for o in operators(theirs)}
        assert got.keys() == expected.keys() == {move.partition("=")[2] for move in moves}
        coordinators = {i for i, o in got.items() if o.has_coordinator_state}
        assert coordinators
        for i, operator in got.items():
            sizes = replace(operator.sizes, coordinator=0)
            assert (case, replace(operator, has_coordinator_state=False, sizes=sizes)) == (case, expected[i])
