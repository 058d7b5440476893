"""What the kernel holds a planner's process to, whatever a repository made it do."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, pathlib, socket, sys
from checker.processes.confinement import confine
there, inside = pathlib.Path(sys.argv[1], "there"), pathlib.Path(sys.argv[1], "inside")
if not confine(inside):
    sys.exit(3)
(inside / "made").write_text("made")
for attempt in (
    lambda: there.with_name("made").touch(), lambda: there.open("r+"), lambda: os.truncate(there, 0), there.unlink,
    lambda: os.rename(there, inside / "there"), lambda: os.execv("/bin/sh", ["sh", "-c", "exit 0"]),
    lambda: socket.create_connection(("127.0.0.1", 1)), lambda: there.with_name("folder").mkdir(),
):
    try:
        attempt()
    except PermissionError:
        continue
    sys.exit(5)
"""


def test_it_writes_below_its_folder_only_and_starts_and_reaches_nothing(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "there").write_text("kept")
    status = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], check=False).returncode
    if status == 3:
        pytest.skip("this kernel holds nothing")
    assert status == 0
