"""The planner's child process: its class path, and what is said of one that gives no answer."""

import sys
import zipfile
from pathlib import Path

import pytest

from checker.extract.runtime.capture import capturing
from checker.extract.sql.planner import child_process
from checker.extract.sql.planner.child_process import class_path_of, run_child


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
    assert [Path(jar).name for jar in found] == ["flink-dist-1.20.5.jar", "flink-table-planner.jar"]
    assert Path(found[-1]).read_bytes() == b"planner"
    assert class_path_of(jars) == found


def test_a_loader_that_holds_no_planner_stays_as_it_is(jars: Path) -> None:
    (jars / "flink-table-planner-loader-1.20.5.jar").write_bytes(b"no archive")
    assert len(class_path_of(jars)) == 2
    assert class_path_of(jars)[1].endswith("loader-1.20.5.jar")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import time; time.sleep(20)", "did not come to an end within 1 s"),
        ("", "without a message"),
    ],
)
def test_a_planner_that_took_too_long_says_so_and_not_what_it_printed_last(
    program: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_process, "_WITHOUT_ANSWER", 1.0 if "sleep" in program else 60.0)
    monkeypatch.setattr(capturing, "python_module", lambda *_: [sys.executable, "-c", program])
    run = run_child([], "1.20.5", tmp_path, tmp_path, memory_mb=64)
    assert run.why().endswith(why)
