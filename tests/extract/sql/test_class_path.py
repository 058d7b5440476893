"""The planner's class path, prepared once: the planner out of its loader, and an archive of its classes."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from checker.extract.sql.planner import child_process
from checker.extract.sql.planner.child_process import class_path_of


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(child_process, "user_folder", lambda: tmp_path / "cache")
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / "flink-dist-1.20.5.jar").write_bytes(b"dist")
    with zipfile.ZipFile(folder / "flink-table-planner-loader-1.20.5.jar", "w") as archive:
        archive.writestr("flink-table-planner.jar", b"planner")
    return folder


def test_the_planner_is_taken_out_of_its_loader_once(jars: Path) -> None:
    found = class_path_of(jars)
    assert [Path(jar).name for jar in found.jars] == ["flink-dist-1.20.5.jar", "flink-table-planner.jar"]
    assert Path(found.jars[-1]).read_bytes() == b"planner"
    assert class_path_of(jars) == found


def test_a_loader_that_holds_no_planner_stays_as_it_is(jars: Path) -> None:
    (jars / "flink-table-planner-loader-1.20.5.jar").write_bytes(b"no archive")
    assert len(class_path_of(jars).jars) == 2
    assert class_path_of(jars).jars[1].endswith("loader-1.20.5.jar")


def test_an_archive_is_written_by_who_may_and_used_by_all(jars: Path, tmp_path: Path) -> None:
    found = class_path_of(jars)
    made = tmp_path / "made.jsa"
    assert found.options(make=None) == ["-Xverify:none"]
    assert [found.archive_is_due() for _ in range(4)] == [False, False, True, True]
    assert found.options(make=made)[0] == f"-XX:ArchiveClassesAtExit={made}"
    older = found.archive.with_name("older.jsa")
    older.write_bytes(b"")
    made.write_bytes(b"classes")
    found.keep(made)
    assert not older.exists()
    assert not found.archive_is_due()
    assert found.options(make=None)[0] == f"-XX:SharedArchiveFile={found.archive}"


def test_other_jars_have_an_archive_of_their_own(jars: Path) -> None:
    before = class_path_of(jars)
    (jars / "flink-dist-1.20.5.jar").write_bytes(b"another dist")
    assert class_path_of(jars).archive != before.archive
