"""What a person sees who waits, on terminals and elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

WAITS = """
import sys, time
from checker.engines import progress
with progress.waiting("looking for pipelines"):
    time.sleep({first})
    progress.counted("reading pipelines", 6, 45)
    time.sleep({then})
print("rich" in sys.modules)
"""


def on_terminal(program: str, **environment: str) -> tuple[str, str]:
    """What a program prints on stdout, and what stands on the terminal that is its stderr."""
    ours, theirs = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k not in ("CI", "NO_COLOR")} | {"TERM": "xterm", **environment}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=theirs, env=env) as child:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        assert child.stdout is not None
        printed = child.stdout.read().decode()
    os.close(ours)
    return printed, shown.decode("utf-8", "replace")


def test_a_person_who_waits_sees_what_is_going_on_and_a_clean_line_at_the_end() -> None:
    printed, shown = on_terminal(WAITS.format(first=1.5, then=1.5))
    assert "looking for pipelines" in shown
    assert "reading pipelines, 7 of 45" in shown
    assert shown.rindex("\x1b[2K") > shown.rindex("7 of 45"), "the line is taken away"
    assert printed.split() == ["True"]


@pytest.mark.parametrize("environment", [{"CI": "true"}, {"TERM": "dumb"}])
def test_nothing_is_drawn_where_nobody_watches(environment: dict[str, str]) -> None:
    printed, shown = on_terminal(WAITS.format(first=0.7, then=0), **environment)
    assert shown == ""
    assert printed.split() == ["False"], "what draws is not even imported"


def test_nothing_is_drawn_in_a_pipe() -> None:
    program = WAITS.format(first=0.7, then=0)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == (["False"], "")


def test_who_waits_long_in_a_pipe_reads_lines() -> None:
    program = WAITS.format(first=0.5, then=0.5).replace("with progress", "progress.EACH = 0.2\nwith progress")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    shown = done.stderr.splitlines()
    assert (shown[0], shown[-1]) == ("looking for pipelines (0 s)", "reading pipelines, 7 of 45 (1 s)")
    assert len(shown) <= 5


def test_who_does_not_wait_pays_nothing() -> None:
    printed, shown = on_terminal(WAITS.format(first=0, then=0))
    assert (printed.split(), shown) == (["False"], "")
