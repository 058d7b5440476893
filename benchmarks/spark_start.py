"""Where the seconds of a small ``check`` on Spark go, and what each measure takes out.

    python benchmarks/spark_start.py [--rounds 3]

Every line is a fresh process; the best round counts, since everything else on the machine only adds. ``processor`` is
the user and system time of all processes, those of a Spark that stays included, which other load on the machine
distorts less than the clock.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.spark.generated import history

PLAIN = """
import json, time
T = [time.perf_counter()]
def lap(): T.append(time.perf_counter())
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
import pyarrow as pa
from pyspark.sql import SparkSession
lap()
session = SparkSession.builder.master("local[2]").getOrCreate()
lap()
frame = session.createDataFrame(pa.table({"a": ["x", "y"]}))
def same(batches): yield from batches
frame.mapInArrow(same, "a string").toArrow()
lap()
session.stop()
lap()
print(json.dumps([b - a for a, b in zip(T, T[1:])]))
"""
OURS = """
import json, time
T = [time.perf_counter()]
def lap(): T.append(time.perf_counter())
from checker.engines.spark import session as spark_session
from checker.engines.spark.check import judge_on
from checker.engines.spark.attendant import training_plan
spark_session._COMPILER = {compiler}
lap()
with spark_session.spark_run(master="local[2]", remote=None, verbose=False) as run:
    lap()
    judge_on(run, training_plan())
    lap()
lap()
print(json.dumps([b - a for a, b in zip(T, T[1:])]))
"""
IN_PROCESS = """
import json, time
T = [time.perf_counter()]
from checker.engines.in_process import judge_pipelines
from checker.engines.spark.attendant import training_plan
T.append(time.perf_counter())
judge_pipelines(training_plan())
T.append(time.perf_counter())
print(json.dumps([T[1] - T[0], 0, T[2] - T[1], 0]))
"""
CHECK = """
import io, json, sys, time
T = [time.perf_counter()]
from checker.cli import run
T.append(time.perf_counter())
shown, sys.stdout = sys.stdout, io.StringIO()
run(["--cache", "off", "check", "--repo", {repo!r}, "--base", "main~1", "--head", "main",
     "--engine", "spark", "--spark-master", "local[2]"])
sys.stdout = shown
T.append(time.perf_counter())
print(json.dumps([T[1] - T[0], 0, T[2] - T[1], 0]))
"""


@dataclass(frozen=True)
class Case:
    name: str
    script: str
    env: dict[str, str] = field(default_factory=dict)
    beside: frozenset[int] = frozenset()
    """Sessions of processes that were there before and stay, whose time counts too."""


def measured(case: Case) -> tuple[float, float, list[float]]:
    staying, before, start = time_of(case.beside), os.times(), time.perf_counter()
    env = {**os.environ, **case.env}
    done = subprocess.run([sys.executable, "-c", case.script], capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        sys.exit(f"{case.name}: {done.stderr}")
    wall = time.perf_counter() - start
    while True:  # the driver's Java outlives PySpark for a moment; it counts too
        try:
            os.wait()
        except ChildProcessError:
            break
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    processor += time_of(case.beside) - staying
    return wall, processor, json.loads(done.stdout.splitlines()[-1])


def time_of(sessions: frozenset[int]) -> float:
    """Processor seconds of all processes of some sessions."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*") if sessions else ():
        with suppress(OSError):
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) in sessions:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    adopt_orphans(True)
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as nothing:
        cases = [
            Case("PySpark as it comes, identity job", PLAIN),
            Case("ours, without quick compiler and archive", OURS.format(compiler=()), {"XDG_CACHE_HOME": nothing}),
            Case(
                "ours, quick compiler", OURS.format(compiler=("-XX:TieredStopAtLevel=1",)), {"XDG_CACHE_HOME": nothing}
            ),
            Case("ours, quick compiler and class archive", OURS.format(compiler=("-XX:TieredStopAtLevel=1",))),
            Case("in process", IN_PROCESS),
        ]
        check = CHECK.format(repo=str(history(seed=1, jobs=4, commits=2).write(Path(nothing) / "repo")))
        cases.append(Case("whole check", check))
        from checker.engines.spark.surroundings import archive_path, make_archive

        path = archive_path()
        if path is not None and not path.exists():
            make_archive()
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, best of {rounds}")
        print(
            "| | wall s | processor s | imports | session | job | stop |\n| --- | --- | --- | --- | --- | --- | --- |"
        )
        for case in cases:
            show(case, rounds)
        with what_stays(Path(nothing) / "cache") as (env, sessions):
            show(Case("whole check beside a Spark that stays", check, env, sessions), rounds)


def show(case: Case, rounds: int) -> None:
    wall, processor, laps = min((measured(case) for _ in range(rounds)), key=lambda m: m[0])
    print(f"| {case.name} | {wall:.1f} | {processor:.1f} | " + " | ".join(f"{lap:.2f}" for lap in laps) + " |")


def adopt_orphans(adopt: bool) -> None:
    """Whether processes whose parent ends become ours to wait for (PR_SET_CHILD_SUBREAPER)."""
    ctypes.CDLL(None).prctl(36, int(adopt))


@contextmanager
def what_stays(cache: Path) -> Iterator[tuple[dict[str, str], frozenset[int]]]:
    """A Spark that stays: the environment of commands that use it, and the sessions of its processes."""
    env = {"XDG_CACHE_HOME": str(cache)}
    adopt_orphans(False)  # what stays ends later
    try:
        spark(env, "start")
        record = json.loads((cache / "savepoint-checker" / "spark.json").read_text())
        adopt_orphans(True)
        yield env, frozenset({record["process"], record["attendant"]})
    finally:
        spark(env, "stop")


def spark(env: dict[str, str], what: str) -> None:
    """``savepoint-checker spark start`` or ``stop``."""
    command = [sys.executable, "-m", "checker.cli", "spark", what, "--spark-master", "local[2]"]
    subprocess.run(command, env={**os.environ, **env}, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
