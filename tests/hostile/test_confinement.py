"""What the kernel holds a planner's process to, whatever a repository made it do."""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import sleep

import pytest

from checker.extract.runtime.execution import Execution
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.workflows.check.records import SideToRead
from checker.workflows.planning_scripts import plan_scripts
from tests.flinks import jars_of

PROGRAM = """
import ctypes, os, pathlib, socket, sys
from checker.processes.confinement import confine
there, inside = pathlib.Path(sys.argv[1], "there"), pathlib.Path(sys.argv[1], "inside")
if not confine(inside):
    sys.exit(3)
version = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
signals = 2 if version >= 6 else 0
(inside / "made").write_text("made")
for attempt in (
    lambda: there.with_name("made").touch(), lambda: there.open("r+"), lambda: os.truncate(there, 0), there.unlink,
    lambda: os.rename(there, inside / "there"), lambda: os.execv("/bin/sh", ["sh", "-c", "exit 0"]),
    lambda: socket.create_connection(("127.0.0.1", 1)), lambda: there.with_name("folder").mkdir(),
    *[lambda: os.kill(os.getppid(), 0), lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + sys.argv[2])][:signals],
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
    with socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{tmp_path}")
        abstract.listen()
        arguments = (str(tmp_path), str(tmp_path))
        status = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], check=False).returncode
    if status == 3:
        pytest.skip("this kernel holds nothing")
    assert status == 0


def _served() -> set[str]:
    """The addresses at which a planner of ours waits for somebody to connect."""
    sockets = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if b"planner.child" in command and str(Path(__file__).parents[2]).encode() in command:
                sockets |= {os.readlink(opened) for opened in (process / "fd").iterdir()}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets}


@pytest.mark.flink
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_nobody_elsewhere_reaches_the_cluster_that_takes_a_savepoint() -> None:
    """Whoever does can have it run a program."""
    jars_of("1.20.5")
    script = (
        "CREATE TABLE a (s STRING) WITH ('connector' = 'datagen');\n"
        "CREATE TABLE b (s STRING, n BIGINT) WITH ('connector' = 'print');\n"
        "INSERT INTO b SELECT s, COUNT(*) FROM a GROUP BY s;\n"
    )
    entry = PipelineEntry(name="a", extract=ExtractorKind.SQL, file="a.sql", flink="1.20.5")
    side = SideToRead(name="head", files=MemoryFiles({"a.sql": script.encode()}), entries=[entry])
    planning = Thread(target=plan_scripts, args=([side], Execution(fetch=False)))
    planning.start()
    seen = set()
    while planning.is_alive():
        seen |= _served()
        sleep(0.02)
    assert seen
    assert {address for address in seen if not address.endswith("0100007F")} == set()
