"""Throughput, growth and memory of ``audit`` over a generated history, on Spark and without.

    python benchmarks/audit_history.py [--units 10000] [--jobs 20]

Every line is a fresh process. ``processor`` is the user and system time of all its processes: other load on the
machine distorts it less than the clock. Memory is the peak of the sampled resident size: of the Python process that
plans, of Java, and of all Python workers together.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from checker.engines.audit_in_process import InProcessAudit
from checker.engines.in_process import quiet
from checker.workflows.audit.auditing import run_audit
from checker.workflows.audit.datasets import datasets
from checker.workflows.audit.planning import Asked, audited
from tests.spark.generated import history


def pool_part(work: tuple[Any, Path]) -> None:
    InProcessAudit().compute(*work)


class PoolAudit(InProcessAudit):
    """The same functions in a plain process pool."""

    slots = 2

    def compute(self, stretches: Any, staging: Path) -> None:
        parts = [(stretches.slice(n, 1), staging / f"part{n}") for n in range(stretches.num_rows)]
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(pool_part, parts))
        for number, (_, part) in enumerate(parts):
            for file in sorted(part.glob("**/*.parquet")):
                place = staging / file.relative_to(part).with_name(f"{number}.parquet")
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)


def child(engine: str, repo: Path, data: Path, range_: str) -> None:
    repositories = [audited("generated", repo, Asked(range=range_))]
    with datasets(data) as held:
        if engine.startswith("local"):
            from checker.engines.spark.audit import SparkAudit
            from checker.engines.spark.session import spark_run

            with spark_run(master=engine, remote=None, verbose=False) as run:
                start = time.perf_counter()
                report = run_audit(repositories, SparkAudit(run), held, progress=quiet)
        else:
            start = time.perf_counter()
            report = run_audit(repositories, InProcessAudit() if engine == "1" else PoolAudit(), held, progress=quiet)
        work = time.perf_counter() - start
    print(json.dumps({"work": work, "units": report["counts"]["units"], "steps": report["steps"]}))


def resident(process: int) -> dict[str, int]:
    """MiB of a process and its descendants: of itself, of Java, of the others."""
    children: dict[int, list[int]] = {}
    sizes: dict[int, tuple[str, int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
            fields = rest.split()
            children.setdefault(int(fields[1]), []).append(int(folder.name))
            sizes[int(folder.name)] = (name, int(fields[21]) * 4096 // 2**20)
        except (OSError, IndexError, ValueError):
            continue
    found, todo = {"driver": sizes.get(process, ("", 0))[1], "java": 0, "workers": 0}, list(children.get(process, []))
    while todo:
        one = todo.pop()
        todo.extend(children.get(one, []))
        name, size = sizes.get(one, ("", 0))
        found["java" if name == "java" else "workers"] += size
    return found


def measured(engine: str, repo: Path, data: Path, range_: str) -> dict[str, Any]:
    before, start = os.times(), time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, __file__, "--child", engine, str(repo), str(data), range_], stdout=subprocess.PIPE, text=True
    )
    peak = {"driver": 0, "java": 0, "workers": 0}
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(0.2):
            for name, size in resident(process.pid).items():
                peak[name] = max(peak[name], size)

    thread = threading.Thread(target=sample)
    thread.start()
    out, _ = process.communicate()
    wall = time.perf_counter() - start
    ended.set()
    thread.join()
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return {**json.loads(out.splitlines()[-1]), "wall": wall, "processor": used, "peak": peak}


def main() -> None:
    if "--child" in sys.argv:
        _, _, engine, repo, data, range_ = sys.argv
        child(engine, Path(repo), Path(data), range_)
        return
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: orphans become ours to wait for
    parser = argparse.ArgumentParser()
    parser.add_argument("--units", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=20)
    asked = parser.parse_args()
    commits = asked.units // asked.jobs
    new = max(1, commits // 100)
    cases = [
        ("in process, 1 core", "1", commits), ("process pool, 2 cores", "2", commits),
        ("Spark local[1]", "local[1]", commits), ("Spark local[2]", "local[2]", commits),
        ("in process, a tenth", "1", commits // 10), ("Spark local[2], a tenth", "local[2]", commits // 10),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        repo = history(seed=1, jobs=asked.jobs, commits=commits, edits=2).write(folder / "repo")
        print(f"{asked.jobs} pipelines × {commits} commits, 2 edits a commit; load {os.getloadavg()[0]:.1f}")
        print("| | units | wall s | of it work s | processor s | units/s | driver MiB | Java MiB | workers MiB |")
        print("|" + " --- |" * 9)
        for name, engine, steps in cases:
            shown(name, measured(engine, repo, folder / name, f"main~{steps - 1}..main"))
        for name, engine in (("in process", "1"), ("Spark local[2]", "local[2]")):
            data = folder / f"incremental {engine}"
            measured(engine, repo, data, f"main~{commits - 1}..main~{new}")
            shown(f"{name}, 1 % new", measured(engine, repo, data, f"main~{commits - 1}..main"))


def shown(name: str, m: dict[str, Any]) -> None:
    peak = m["peak"]
    print(
        f"| {name} | {m['units']} | {m['wall']:.1f} | {m['work']:.1f} | {m['processor']:.1f} "
        f"| {m['units'] / m['work']:.0f} | {peak['driver']} | {peak['java']} | {peak['workers']} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
