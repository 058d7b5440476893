"""``check`` and ``audit`` on Spark as processes: interrupted, without Java, without a master."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

pytest.importorskip("pyspark")

from .generated import history

pytestmark = [pytest.mark.spark, pytest.mark.cluster]
COMMAND = [sys.executable, "-m", "checker.cli"]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return history(seed=11, jobs=3, commits=4).write(tmp_path_factory.mktemp("history") / "repo")


MARK = "SAVEPOINT_CHECKER_TEST_MARK"


def javas(mark: str) -> list[int]:
    """Java processes that inherited a mark, whoever their parent is by now."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name = (folder / "comm").read_text().strip()
            if name == "java" and f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads /proc")
@pytest.mark.parametrize(
    ("number", "after"),
    [(signal.SIGINT, 3.0), (signal.SIGTERM, 0.1), (signal.SIGKILL, 0.8)],
)
def test_an_interrupted_run_leaves_no_java_behind(number: signal.Signals, after: float, repo: Path) -> None:
    mark = uuid4().hex
    arguments = ["audit", "--repo", str(repo), "--range", "main~3..main", "--spark-master", "local[1]"]
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, MARK: mark},
    )  # fmt: skip
    ends = time.monotonic() + 60
    while not javas(mark) and time.monotonic() < ends:
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(after)
    process.send_signal(number)
    process.wait(timeout=60)
    ends = time.monotonic() + 150  # a Java that is starting sees that nobody is there when it has started
    while javas(mark) and time.monotonic() < ends:
        time.sleep(0.1)
    left = javas(mark)
    for left_process in left:
        os.kill(left_process, signal.SIGKILL)
    assert not left
    assert process.stderr is not None
    err = process.stderr.read()
    if number == signal.SIGINT:
        assert process.returncode == 130, err
        assert "Traceback" not in err


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
    *waited, error = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert "Master must" in error
    assert all(line.startswith("starting Spark (") for line in waited)
