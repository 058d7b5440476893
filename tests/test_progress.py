"""What a person sees who waits, on terminals and elsewhere."""

import os
import pty
import subprocess
import sys

import pytest

WAITS = """
import time
from checker.engines import progress
with progress.waiting("looking for pipelines"):
    time.sleep({first})
    progress.counted("reading pipelines", 6, 45)
    time.sleep({then})
"""


def on_terminal(program: str, **environment: str) -> str:
    """What stands on the terminal that is a program's stderr."""
    ours, theirs = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k not in ("CI", "NO_COLOR")} | {"TERM": "xterm", **environment}
    with subprocess.Popen([sys.executable, "-c", program], stderr=theirs, env=env):
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
    os.close(ours)
    return shown.decode("utf-8", "replace")


def test_a_person_who_waits_sees_what_is_going_on_and_a_clean_line_at_the_end() -> None:
    shown = on_terminal(WAITS.format(first=1.5, then=1.5))
    assert "looking for pipelines" in shown
    assert "reading pipelines, 7 of 45" in shown
    assert shown.rindex("\x1b[2K") > shown.rindex("7 of 45"), "the line is taken away"


@pytest.mark.parametrize(("environment", "first"), [({"CI": "true"}, 0.7), ({"TERM": "dumb"}, 0.7), ({}, 0)])
def test_nothing_is_drawn_where_nobody_watches_or_waits(environment: dict[str, str], first: float) -> None:
    assert on_terminal(WAITS.format(first=first, then=0), **environment) == ""


def test_who_waits_long_in_a_pipe_reads_lines() -> None:
    program = WAITS.format(first=2, then=2).replace("with progress", "progress.EACH = 0.5\nwith progress")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    shown = done.stderr.splitlines()
    assert shown[0].startswith("looking for pipelines (")
    assert shown[-1].startswith("reading pipelines, 7 of 45 (")
    assert len(shown) <= 9
