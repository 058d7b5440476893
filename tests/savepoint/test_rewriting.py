"""Rewritten savepoints hold what the original holds, under other ids; whatever goes wrong leaves nothing behind."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.errors import CheckerError, SavepointError, UsageError
from checker.flink.operator_ids import operator_id
from checker.model.savepoint import FileCounts, OperatorState
from checker.savepoint.places import METADATA, PathMapping
from checker.savepoint.reader import read_savepoint
from checker.workflows.gate import rewriting as writing
from checker.workflows.gate.rewriting import planned_moves, read_for_rewriting, rewrite
from tests.savepoint.mutations import mutated

CASES = [
    *("1.20.5/filesink", "1.20.5/finish_full", "1.20.5/finish_part", "1.20.5/keyed", "1.20.5/keyed_native"),
    *("1.20.5/keyed_rocksdb_native", "1.20.5/nouid", "1.20.5/op_files", "2.3.0/keyed", "2.3.0/keyed_changelog_fs"),
    *("2.3.0/keyed_merge", "2.3.0/keyed_rocksdb_ckpt", "2.3.0/keyed_rocksdb_heaptimers", "2.3.0/op_merge", "2.3.0/ua2"),
    *("2.3.0/window", "rewritten/finish_full_v5", "rewritten/finish_part_v3", "rewritten/keyed_master_v3"),
    *("rewritten/keyed_master_v6", "rewritten/keyed_v2", "rewritten/op_files_v2"),
]


def snapshot(snapshots: Path, case: str) -> str:
    (metadata,) = [p for p in (snapshots / case).rglob(METADATA) if "_dstl" not in p.parts][:1]
    return str(metadata.parent)


def rewritten(path: str, out: Path, *moves: str, mappings: tuple[PathMapping, ...] = ()) -> Path:
    savepoint = read_for_rewriting(path, mappings)
    rewrite(savepoint, path, out, planned_moves(savepoint, moves), mappings)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def operators(path: str | Path, mappings: tuple[PathMapping, ...] = ()) -> list[OperatorState]:
    """The operators without the one thing that a rewriting changes of them: where their files lie."""
    return [
        replace(
            o,
            keyed_headers=(),
            operator_headers=(),
            files=FileCounts(absolute=o.files.absolute + o.files.relative),
        )
        for o in read_savepoint(str(path), mappings=mappings).operators
    ]


def test_files_below_a_folder_with_any_name_are_found(snapshots: Path, tmp_path: Path) -> None:
    """Flink's ``Path`` takes ``%20`` in a path as it stands there."""
    original = tmp_path / "a%20b"
    shutil.copytree(snapshot(snapshots, "1.20.5/op_files"), original)
    savepoint = read_savepoint(str(rewritten(f"file://{original}", tmp_path / "out", "opf=other")))
    assert savepoint.files is not None
    assert (savepoint.files.missing_count, savepoint.files.unreachable) == (0, ())


@pytest.mark.parametrize("case", CASES)
def test_every_operator_under_another_id(
    case: str, snapshots: Path, mappings: tuple[PathMapping, ...], tmp_path: Path
) -> None:
    path = snapshot(snapshots, case)
    before, original = operators(path, mappings), contents(Path(path))
    ids = [o.operator_id for o in before]
    moves = [f"{i}=new {n}" for n, i in enumerate(ids)]
    out = rewritten(path, tmp_path / "out", *moves, mappings=mappings)
    after = operators(out, mappings)
    assert [o.operator_id for o in after] == [operator_id(f"new {n}") for n in range(len(ids))]
    for n, (old, new) in enumerate(zip(before, after, strict=True)):
        uid = None if old.uid is None else f"new {n}"
        assert new == replace(old, operator_id=new.operator_id, uid=uid)
    assert contents(Path(path)) == original
    savepoint = read_savepoint(str(out), mappings=mappings)
    assert savepoint.files is not None
    assert (savepoint.files.missing_count, savepoint.files.unreachable) == (0, ())
    assert all(not o.files.relative for o in savepoint.operators)
    assert list(contents(out)) == [METADATA]


@pytest.mark.parametrize("case", CASES)
def test_back_again_is_the_original_byte_by_byte(case: str, snapshots: Path, tmp_path: Path) -> None:
    path = snapshot(snapshots, case)
    before = read_savepoint(path, check_files=False, headers=False)
    if any(o.files.relative for o in before.operators):
        pytest.skip("its files are named in another way now")
    ids = [o.operator_id for o in before.operators]
    pairs = list(zip(ids, [*ids[1:], ids[0]], strict=True))
    there = rewritten(path, tmp_path / "there", *(f"{a}={b}" for a, b in pairs))
    back = rewritten(str(there), tmp_path / "back", *(f"{b}={a}" for a, b in pairs))
    if before.metadata_version < 5:
        assert (back / METADATA).read_bytes() == (Path(path) / METADATA).read_bytes()
    assert [o.operator_id for o in read_savepoint(str(back)).operators] == ids


def test_two_trade_ids_and_others_stay(snapshots: Path, tmp_path: Path) -> None:
    path = snapshot(snapshots, "2.3.0/multi")
    before = {o.operator_id: o for o in operators(path)}
    after = {o.operator_id: o for o in operators(rewritten(path, tmp_path / "out", "a=c", "c=a"))}
    for old, new in (("a", "c"), ("c", "a")):
        moved = before[operator_id(old)]
        assert after[operator_id(new)] == replace(moved, operator_id=operator_id(new), uid=new)
    assert after[operator_id("b")] == before[operator_id("b")]


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (["kp"], "must be OLD=NEW"),
        (["nobody=kp"], "has no operator with that id or uid"),
        (["kp=src"], "the id of another operator"),
        (["kp=x", "m=x"], "never made one"),
        (["kp=x", "kp=y"], "one owner"),
        (["kp=kp"], "has that id already"),
    ],
)
def test_what_can_not_be_done_is_said(moves: list[str], message: str, snapshots: Path) -> None:
    savepoint = read_savepoint(snapshot(snapshots, "2.3.0/keyed"))
    with pytest.raises(UsageError, match=message):
        planned_moves(savepoint, moves)


def test_the_sign_in_the_middle_is_the_one_behind_an_operator(snapshots: Path, tmp_path: Path) -> None:
    path = snapshot(snapshots, "2.3.0/keyed")
    out = rewritten(path, tmp_path / "out", "kp=a=b")
    back = read_for_rewriting(str(out))
    (move,) = planned_moves(back, ["a=b=kp"]).values()
    assert (move.old, move.new) == (operator_id("a=b"), operator_id("kp"))


def test_nothing_is_written_where_something_is(snapshots: Path, tmp_path: Path) -> None:
    path = snapshot(snapshots, "2.3.0/keyed")
    for out in (tmp_path, Path(path) / "inside"):
        with pytest.raises(UsageError, match=r"exists already|inside of the savepoint"):
            rewritten(path, out, "kp=sum")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="exists already"):
        rewritten(path, tmp_path / "link", "kp=sum")


def test_what_can_not_be_rewritten_is_refused(snapshots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SavepointError, match="misses state files"):
        read_for_rewriting(str(snapshots / "broken" / "missing_file"))
    monkeypatch.setattr(writing, "NEWEST_VERSION", 5)
    with pytest.raises(SavepointError, match="version 6, which no released Flink writes"):
        read_for_rewriting(snapshot(snapshots, "2.3.0/nouid"))


def test_a_folder_seen_under_another_path(snapshots: Path, tmp_path: Path) -> None:
    path = snapshot(snapshots, "1.20.5/keyed_native")
    seen = PathMapping("s3://bucket/flink", str(snapshots))
    savepoint = read_savepoint(path, mappings=(seen,))
    rewritten(path, tmp_path / "out", "kp=sum", mappings=(seen,))
    assert b"s3://bucket/flink/1.20.5/keyed_native/savepoint/" in (tmp_path / "out" / METADATA).read_bytes()
    assert read_savepoint(str(tmp_path / "out"), mappings=(seen,)).files == savepoint.files


_FILES: list[Path] = []


@settings(
    max_examples=int(os.environ.get("MUTATIONS", "150")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(place=st.integers(0, 10_000), seed=st.integers(0, 2**32))
def test_mutated_savepoints_are_rewritten_whole_or_not_at_all(
    snapshots: Path, tmp_path_factory: pytest.TempPathFactory, place: int, seed: int
) -> None:
    if not _FILES:
        _FILES.extend(sorted(p for p in snapshots.glob("*/*/**/_metadata") if "broken" not in p.parts))
    random_ = random.Random(seed)
    folder = tmp_path_factory.mktemp("mutated")
    original = _FILES[place % len(_FILES)]
    for file in original.parent.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    (folder / METADATA).write_bytes(mutated(original.read_bytes(), random_))
    out, before = folder.with_name(f"{folder.name}-out"), contents(folder)
    mappings = (PathMapping("/var/flink/state", str(snapshots)),)
    try:
        savepoint = read_for_rewriting(str(folder), mappings)
        ids = [o.operator_id for o in savepoint.operators]
        random_.shuffle(ids)
        moves = planned_moves(savepoint, [f"{a}=new {a}" for a in ids[1:]])
        rewrite(savepoint, str(folder), out, moves, mappings)
    except CheckerError:
        assert not out.exists()
    else:
        after = read_savepoint(str(out), mappings=mappings)
        assert {o.operator_id for o in after.operators} == {*ids[:1], *(operator_id(f"new {a}") for a in ids[1:])}
    assert contents(folder) == before
    assert not list(folder.parent.glob(f".{out.name}.*"))


def _slow_program(path: str, out: Path) -> str:
    """Rewrites, and writes so slowly that it can be killed at any point."""
    return (
        "import time\n"
        "from pathlib import Path\n"
        "from checker.savepoint import rewriting\n"
        "from checker.workflows.gate import rewriting as writing\n"
        "splice = rewriting._Splicer.replace\n"
        "rewriting._Splicer.replace = lambda *a: (time.sleep(0.02), splice(*a))[1]\n"
        f"found = writing.read_for_rewriting({path!r})\n"
        f"asked = writing.planned_moves(found, ['kp=sum', 'src=numbers'])\n"
        "print('begun', flush=True)\n"
        f"writing.rewrite(found, {path!r}, Path({str(out)!r}), asked)\n"
    )


def test_killed_at_any_point_there_is_no_half_of_it(snapshots: Path, tmp_path: Path) -> None:
    path = snapshot(snapshots, "1.20.5/keyed_rocksdb_native")
    seen = set()
    for number in range(8):
        out = tmp_path / f"out-{number}"
        child = subprocess.Popen([sys.executable, "-c", _slow_program(path, out)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(number * 0.08)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        seen.add(out.exists())
        if out.exists():
            assert {o.operator_id for o in operators(out)} >= {operator_id("sum"), operator_id("numbers")}
    assert False in seen


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_one_error(snapshots: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No space left on device"):
        rewritten(snapshot(snapshots, "2.3.0/keyed"), tmp_path / "out", "kp=sum")
    assert list(tmp_path.iterdir()) == []
