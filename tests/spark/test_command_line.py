"""``check`` and ``audit`` on Spark as processes: interrupted, without Java, without a master."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from .generated import history

pytestmark = pytest.mark.spark
COMMAND = [sys.executable, "-m", "checker.cli"]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return history(seed=11, jobs=3, commits=4).write(tmp_path_factory.mktemp("history") / "repo")


def javas(of: int) -> list[int]:
    """Java processes whose ancestor is a process."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text()
        except OSError:
            continue
        name, _, rest = text.partition("(")[2].rpartition(")")
        parents[int(folder.name)], names[int(folder.name)] = int(rest.split()[1]), name
    found = []
    for process, name in names.items():
        above = process
        while above > 1 and above != of:
            above = parents.get(above, 0)
        if above == of and name == "java":
            found.append(process)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_java_behind(number: signal.Signals, repo: Path) -> None:
    arguments = ["audit", "--repo", str(repo), "--range", "main~3..main", "--spark-master", "local[1]"]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ends = time.monotonic() + 60
    while not (java := javas(process.pid)) and time.monotonic() < ends:
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == 130, err
        assert "Traceback" not in err
    ends = time.monotonic() + 30
    while any(Path(f"/proc/{p}").exists() for p in java) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not [p for p in java if Path(f"/proc/{p}").exists()]


def test_without_java_the_work_is_done_in_process(repo: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "JAVA_HOME": str(tmp_path)}
    arguments = ["audit", "--repo", str(repo), "--range", "main~1..main", "--fail-on", "never"]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=environment, check=True)
    assert "holds no Java: running in process instead" in done.stderr
    assert "6 units" in done.stdout


def test_a_master_that_is_none(repo: Path) -> None:
    arguments = ["audit", "--repo", str(repo), "--range", "main~1..main", "--spark-master", "nonsense"]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Master must" in done.stderr
    assert len(done.stderr.splitlines()) == 1
