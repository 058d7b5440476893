"""The planner's child process: bounded in time, and what is said of one that gives no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.extract.sql.planner import child_process
from checker.extract.sql.planner.child_process import run_child
from checker.extract.sql.planner.class_path import ClassPath


@pytest.mark.parametrize(
    ("seconds", "why"), [(0.1, "did not come to an end within 0.1 s"), (60.0, "without a message")]
)
def test_a_planner_that_took_too_long_says_so_and_not_what_it_printed_last(
    seconds: float, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_process, "_START_SECONDS", seconds)
    program = "import time; time.sleep(20)" if seconds < 1 else ""
    monkeypatch.setattr(child_process, "_CHILD", ("-c", program))
    jars = ClassPath((), tmp_path / "classes.jsa")
    run = run_child([], {}, jars, tmp_path, memory_mb=64, prepare=False)
    assert run.why().endswith(why)
