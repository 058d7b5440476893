"""The planner's child process: bounded in time, and what is said of one that gives no answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checker.extract.sql.planner import child_process
from checker.extract.sql.planner.child_process import ClassPath, run_child


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import time; time.sleep(20)", "did not come to an end within 1 s"),
        ("import sys; sys.exit(75)", "did not come to an end within 120 s"),
        ("", "without a message"),
    ],
)
def test_a_planner_that_took_too_long_says_so_and_not_what_it_printed_last(
    program: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_process, "_WITHOUT_ANSWER", 1.0 if "sleep" in program else 60.0)
    monkeypatch.setattr(child_process, "python_module", lambda *_: [sys.executable, "-c", program])
    jars = ClassPath((), tmp_path / "classes.jsa")
    run = run_child([], {}, jars, tmp_path, memory_mb=64, prepare=False)
    assert run.why().endswith(why)


def test_processor_time_ends_a_script_and_waiting_does_not() -> None:
    program = """
import time
from checker.extract.sql.planner.child import _Limit
limit = _Limit(1.0, 75)
time.sleep(2)
print("waited", flush=True)
while True:
    pass
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)
    assert (ended.returncode, ended.stdout) == (75, "waited\n")
