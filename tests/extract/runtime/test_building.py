"""Builds run in an export of the revision, once for equal files, and only when that is allowed."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from checker.errors import ExtractionError
from checker.extract.runtime.execution import Execution
from checker.extract.runtime.extracting import built_jars
from checker.model.sources import MemoryFiles

FILES = MemoryFiles({"build.sh": b"#!/bin/sh\nmkdir -p target && cp src/a.txt target/job.jar\n", "src/a.txt": b"one"})
PATTERNS = ("target/*.jar",)
ALLOWED = Execution(allow_exec=True)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_nothing_runs_unless_it_is_allowed() -> None:
    with pytest.raises(ExtractionError, match="--allow-exec"):
        built_jars(FILES, "./build.sh", PATTERNS, Execution())


def test_a_build_sees_the_revisions_files_and_its_jars_are_kept() -> None:
    (jar,) = built_jars(FILES, "./build.sh", PATTERNS, ALLOWED)
    assert jar.read_bytes() == b"one"


def test_equal_files_are_built_once_and_changed_ones_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = f"echo built >> {log}; ./build.sh"
    for _ in range(2):
        built_jars(FILES, command, PATTERNS, ALLOWED)
    assert log.read_text() == "built\n"
    changed = MemoryFiles({**FILES.contents, "src/a.txt": b"two"})
    (jar,) = built_jars(changed, command, PATTERNS, ALLOWED)
    assert jar.read_bytes() == b"two"
    assert log.read_text() == "built\n" * 2


def test_a_failing_build_shows_the_end_of_its_output() -> None:
    with pytest.raises(ExtractionError) as caught:
        built_jars(FILES, "seq 1 100000; echo no such artifact >&2; exit 7", PATTERNS, ALLOWED)
    message = str(caught.value)
    assert "failed with status 7" in message
    assert "no such artifact" in message
    assert len(message) < 2000


def test_a_build_that_hangs_is_stopped() -> None:
    with pytest.raises(ExtractionError, match=r"did not end within 0\.5 s"):
        built_jars(FILES, "sleep 100", PATTERNS, Execution(allow_exec=True, build_seconds=0.5))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets orphans be adopted")
@pytest.mark.parametrize(("end", "seconds"), [("true", 60.0), ("sleep 100", 0.5)])
def test_what_a_build_leaves_behind_is_gone(end: str, seconds: float) -> None:
    command = f"mkdir target; touch target/a.jar; (setsid sleep 97531 &) & env -i setsid /bin/sleep 97532 & {end}"
    with contextlib.suppress(ExtractionError):
        built_jars(FILES, command, PATTERNS, Execution(allow_exec=True, build_seconds=seconds))
    processes = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "sleep 9753" not in processes


def test_a_build_without_the_wanted_jar_names_what_it_made() -> None:
    with pytest.raises(ExtractionError, match=r"no jar that matches build/\*\.jar; it made target/job\.jar"):
        built_jars(FILES, "./build.sh", ("build/*.jar",), ALLOWED)


def test_the_build_sees_no_other_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    command = 'mkdir -p target; echo "<$SECRET_TOKEN>" > target/x.jar'
    (jar,) = built_jars(FILES, command, PATTERNS, ALLOWED)
    assert jar.read_text() == "<>\n"


def test_paths_that_lead_out_of_the_export_are_refused() -> None:
    with pytest.raises(ExtractionError, match="can't be exported: "):
        built_jars(MemoryFiles({"../evil": b""}), "true", PATTERNS, ALLOWED)
