"""Where snapshots and their files are found: folders, file names, URLs, mapped paths."""

import builtins
import re
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from checker.errors import SavepointError
from checker.model.state_handles import StreamHandle, StreamKind
from checker.savepoint import remote_files
from checker.savepoint.places import PathMapping, SnapshotPlace, scheme_of
from checker.savepoint.reader import read_savepoint


def test_folder_and_metadata_file_are_the_same(snapshots: Path) -> None:
    folder = snapshots / "2.3.0" / "keyed_files" / "savepoint"
    by_folder = read_savepoint(str(folder))
    by_file = read_savepoint(str(folder / "_metadata"))
    assert by_folder.operators == by_file.operators
    assert by_folder.files == by_file.files
    assert read_savepoint(f"file://{folder}").operators == by_folder.operators


def test_a_folder_without_metadata_and_a_path_that_is_not_there(snapshots: Path) -> None:
    with pytest.raises(SavepointError, match="without a _metadata file"):
        read_savepoint(str(snapshots / "2.3.0"))
    with pytest.raises(SavepointError, match="does not exist"):
        read_savepoint(str(snapshots / "nowhere"))


def test_files_of_a_checkpoint_are_found_through_a_mapping(snapshots: Path) -> None:
    (checkpoint,) = (snapshots / "2.3.0" / "keyed_rocksdb_ckpt" / "ckpt").glob("*/chk-*")
    unmapped = read_savepoint(str(checkpoint))
    assert unmapped.files is not None
    assert unmapped.files.unreachable
    assert not unmapped.files.missing
    mapped = read_savepoint(str(checkpoint), mappings=[PathMapping.parse(f"file:/var/flink/state/={snapshots}/")])
    assert mapped.files is not None
    assert (mapped.files.checked, mapped.files.missing) == (mapped.files.total, ())
    elsewhere = read_savepoint(str(checkpoint), mappings=[PathMapping.parse(f"/var/flink/state={snapshots}/other")])
    assert elsewhere.files is not None
    assert elsewhere.files.missing_count > 0


@pytest.mark.parametrize("text", ["", "a", "=b", "a="])
def test_a_mapping_is_from_and_to(text: str) -> None:
    with pytest.raises(SavepointError, match="FROM=TO"):
        PathMapping.parse(text)


@pytest.mark.parametrize(
    ("path", "scheme"),
    [
        ("/a/b", None),
        ("a:b", None),
        ("file:/a", None),
        ("s3://b/k", "s3"),
        ("hdfs://n:1/a", "hdfs"),
        ("S3A://b", "s3a"),
    ],
)
def test_schemes(path: str, scheme: str | None) -> None:
    assert scheme_of(path) == scheme


def test_any_fsspec_url(snapshots: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    folder = snapshots / "2.3.0" / "keyed_files" / "savepoint"
    where = f"/bucket-{uuid.uuid4().hex}/savepoint"
    for file in folder.iterdir():
        memory.pipe(f"{where}/{file.name}", file.read_bytes())
    local, remote = read_savepoint(str(folder)), read_savepoint(f"memory:/{where}")
    assert remote.operators == local.operators
    assert remote.files == local.files
    memory.rm(f"{where}/{next(f.name for f in folder.iterdir() if f.name != '_metadata')}")
    damaged = read_savepoint(f"memory:/{where}")
    assert damaged.files is not None
    assert damaged.files.missing_count == 1
    with pytest.raises(SavepointError, match="does not exist"):
        read_savepoint(f"memory:/{where}-not")


@pytest.mark.parametrize(("url", "extra"), [("s3://b/k", "s3"), ("gs://b/k", "gs"), ("abfss://c@a/k", "abfs")])
def test_a_missing_package_is_named(url: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.split(".")[0] in ("fsspec", "s3fs", "gcsfs", "adlfs"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SavepointError, match=rf"pip install 'savepoint-checker\[{extra}\]'"):
        read_savepoint(url)


def test_an_unknown_scheme_is_one_error() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(SavepointError, match="not a store that fsspec knows"):
        read_savepoint("nosuchthing://b/k")


def test_a_relative_file_can_not_leave_the_folder(snapshots: Path, tmp_path: Path) -> None:
    folder = snapshots / "2.3.0" / "keyed_files" / "savepoint"
    data = (folder / "_metadata").read_bytes()
    name = next(f.name for f in folder.iterdir() if f.name != "_metadata").encode()
    escaped = (b"../" * 20)[: len(name)]
    assert name in data
    (tmp_path / "_metadata").write_bytes(data.replace(name, escaped))
    savepoint = read_savepoint(str(tmp_path))
    assert savepoint.files is not None
    assert any("can't be one" in reason for reason in savepoint.files.unreachable)


def test_a_place_where_flink_keeps_no_state_is_not_asked(snapshots: Path, tmp_path: Path) -> None:
    (checkpoint,) = (snapshots / "2.3.0" / "keyed_rocksdb_ckpt" / "ckpt").glob("*/chk-*")
    data = (checkpoint / "_metadata").read_bytes()
    elsewhere = b"http://127.0.0.1:9/aa"
    assert len(elsewhere) == len(b"file:/var/flink/state")
    (tmp_path / "_metadata").write_bytes(data.replace(b"file:/var/flink/state", elsewhere))
    savepoint = read_savepoint(str(tmp_path))
    assert savepoint.files is not None
    assert all("http:// is not a place where Flink keeps state" in reason for reason in savepoint.files.unreachable)
    assert savepoint.files.unreachable


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
def test_files_that_are_there_and_cant_be_read_are_one_error(snapshots: Path, tmp_path: Path) -> None:
    data = (snapshots / "2.3.0" / "keyed_files" / "savepoint" / "_metadata").read_bytes()
    relative = re.compile(rb"\x06\x00\x24.{36}(.{8})", re.DOTALL)
    data, count = relative.subn(lambda file: b"\x02" + file[1] + b"\x00\x0e/proc/self/mem", data)
    assert count
    (tmp_path / "_metadata").write_bytes(data)
    problems = [p for o in read_savepoint(str(tmp_path)).operators for p in (o.headers.problems if o.headers else ())]
    assert any("/proc/self/mem can't be read" in problem for problem in problems)
    (tmp_path / "_metadata").unlink()
    (tmp_path / "_metadata").symlink_to("/proc/self/mem")
    with pytest.raises(SavepointError):
        read_savepoint(str(tmp_path))


@pytest.mark.parametrize("scheme", ["hdfs", "webhdfs", "swebhdfs"])
def test_a_host_that_only_the_savepoint_names_is_not_asked(
    scheme: str, snapshots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec")
    monkeypatch.setattr(remote_files.RemoteFiles, "size", lambda *_: 1)
    here, there = (StreamHandle(kind=StreamKind.FILE, size=1, path=f"{scheme}://{host}/x") for host in ("a:1", "b"))
    place = SnapshotPlace(str(snapshots / "2.3.0" / "keyed_files" / "savepoint"))
    for handle in (here, there):
        with pytest.raises(SavepointError, match="on a host that only the savepoint names: not asked"):
            place.has(handle)
    place = SnapshotPlace(f"{scheme}://a:1/savepoint", [PathMapping(f"{scheme}://b", f"{scheme}://b")])
    assert place.has(here)
    assert place.has(there)


def test_after_three_stores_without_an_answer_no_further_is_asked(
    snapshots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec")
    asked: list[str] = []

    def without_answer(scheme: str, name: str) -> Any:
        asked.append(scheme)
        raise SavepointError(f"{scheme} does not answer")

    monkeypatch.setattr(remote_files.RemoteFiles, "plain", lambda _self, path: path)
    monkeypatch.setattr(remote_files, "_fsspec_class", without_answer)
    remote_files.remote_files.cache_clear()
    place = SnapshotPlace(str(snapshots / "2.3.0" / "keyed_files" / "savepoint"))
    reasons = []
    for number in range(20):
        handle = StreamHandle(kind=StreamKind.FILE, size=1, path=f"s3://bucket{number % 5}/x")
        with pytest.raises(SavepointError) as error:
            place.open_stream(handle)
        reasons.append(str(error.value))
    assert len(asked) == 3
    assert "did not answer: no further is asked" in reasons[-1]
    remote_files.remote_files.cache_clear()


def test_hadoop_files_as_pyarrow_gives_them(snapshots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrow = pytest.importorskip("pyarrow.fs")
    wrapped = pytest.importorskip("fsspec.implementations.arrow").ArrowFSWrapper(arrow.LocalFileSystem())
    monkeypatch.setattr(remote_files.RemoteFiles, "_connected", lambda _self: wrapped)  # libhdfs alone is not there
    folder = snapshots / "2.3.0" / "keyed_files" / "savepoint"
    for url in (f"hdfs://namenode:8020{folder}", f"hdfs://{folder}/_metadata", f"viewfs://cluster{folder}/"):
        savepoint = read_savepoint(url)
        assert savepoint.operators == read_savepoint(str(folder)).operators
        assert savepoint.files == read_savepoint(str(folder)).files
    with pytest.raises(SavepointError, match=f"hdfs://namenode{folder}x does not exist"):
        read_savepoint(f"hdfs://namenode{folder}x")
