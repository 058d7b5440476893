"""What is said of a child process of the planner that gives no answer."""

import sys
from pathlib import Path

import pytest

from checker.extract.runtime.capture import capturing
from checker.extract.sql.planner import child_process
from checker.extract.sql.planner.child_process import run_child


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
