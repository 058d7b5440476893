"""Speed, memory and growth of ``audit``: histories and fleets, real and generated, in one process and on Spark.

    python -m benchmarks.audit_history [--repositories FOLDER...] [--commits 50] [--only KIND...] [--long]

One table, in about ten minutes: each line is a fresh process with a fresh folder of data and no cache. ``processor`` is
the user and system time of all its processes: other load on the machine distorts it less than the clock. Memory is the
peak of the sampled resident size: of the Python process that plans, of Java, and of all Python workers together.
``local[1]`` is held to one core, Java included. ``of it work`` is without Spark's start and end, and without asking git
before them. Spark's class archive is made first where there is none, as after a first run at a terminal.
``--long`` adds 100,000 units.
"""

import argparse
import gc
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from checker.cache import use_cache
from checker.engines.choice import InProcessAudit
from checker.engines.progress import counted
from checker.revisions import Repository
from checker.workflows.audit.auditing import run_audit
from checker.workflows.audit.datasets import datasets
from checker.workflows.audit.planning import Asked, AuditedRepository, fleet, members_of
from tests.spark.generated import history
from tests.spark.servers import standalone

ENGINES = ("in process", "local[1]", "local[2]")
CLUSTER = "two workers"
"""A standalone cluster of this machine: a master, and two workers of one core and 1 GiB for each executor."""
_EXECUTOR = b"CoarseGrainedExecutorBackend"


@dataclass(frozen=True)
class Work:
    """Repositories to audit: name, folder and range."""

    name: str
    repositories: tuple[tuple[str, str, str], ...]
    engines: tuple[str, ...] = ENGINES
    ready: bool = False
    """Whether work begins when Spark's Python processes run: so early that their start can't be hidden behind it."""


def child(engine: str, repositories: list[list[str]], data: Path, ready: bool) -> None:
    """One audit in this process; its measures as JSON."""
    gc.set_threshold(200_000)  # as the command does
    data.mkdir(parents=True, exist_ok=True)
    use_cache(data / "cache")
    with datasets(data / "datasets") as opened, ExitStack() as stack:
        if engine != "in process":
            if engine == "local[1]":  # Java's threads would use the other cores
                os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
            from checker.engines.spark.session import spark_run
            from checker.engines.spark.work import SparkAudit

            master = stack.enter_context(standalone(data)) if engine == CLUSTER else engine
            asked = _asked(repositories, data)
            with spark_run(master=master, remote=None, verbose=False) as run:
                start = time.perf_counter()
                on_spark = SparkAudit(run)
                if ready:
                    on_spark.beginning.join()
                    start = time.perf_counter()
                report = run_audit(asked, on_spark, opened, progress=counted)
                work = time.perf_counter() - start
        else:
            start = time.perf_counter()
            asked = _asked(repositories, data)
            report = run_audit(asked, InProcessAudit(), opened, progress=counted)
            work = time.perf_counter() - start
    counts = report["counts"]
    found = hashlib.sha256(json.dumps(report, sort_keys=True, default=str).encode()).hexdigest()
    print(json.dumps(
        {"work": work, "units": counts["units"], "failed": counts["unreadable_repositories"], "found": found}
    ))  # fmt: skip


def _asked(repositories: list[list[str]], data: Path) -> list[AuditedRepository]:
    tables = (f'[[repository]]\nname = "{name}"\npath = "{path}"\nrange = "{r}"\n' for name, path, r in repositories)
    file = data / "fleet.toml"
    file.write_text("".join(tables), encoding="utf-8")
    return fleet(members_of(file), Asked())


@dataclass
class Sampled:
    """What a process and its descendants used, sampled while they run."""

    peak: dict[str, int]
    """MiB of the process itself, of Java, of the others; of a cluster's executors each with its Python processes."""
    seconds: dict[int, tuple[str, float]]
    """Process → its kind, and processor seconds when it was last seen."""

    def sample(self, process: int) -> None:
        """Look at all processes once."""
        children: dict[int, list[int]] = {}
        found: dict[int, tuple[str, int, float]] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue
            fields = rest.split()
            children.setdefault(int(fields[1]), []).append(int(folder.name))
            used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            found[int(folder.name)] = (name, int(fields[21]) * 4096 // 2**20, used)
        now = {"driver": 0, "java": 0, "workers": 0}
        pending = [(process, "")]
        while pending:
            number, executor = pending.pop()
            name, size, used = found.get(number, ("", 0, 0.0))
            if not executor and name == "java" and _is_executor(number):
                executor = f"executor {number}"
            pending.extend((child, executor) for child in children.get(number, []))
            kind = executor or ("driver" if number == process else "java" if name == "java" else "workers")
            self.seconds[number] = kind, max(used, self.seconds.get(number, (kind, 0.0))[1])
            now[kind] = now.get(kind, 0) + size
        for kind, size in now.items():
            self.peak[kind] = max(self.peak.get(kind, 0), size)


def _is_executor(process: int) -> bool:
    try:
        return _EXECUTOR in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def measured(engine: str, work: Work, data: Path) -> dict[str, Any]:
    """One audit in a process of its own."""
    start = time.perf_counter()
    arguments = ["--child", engine, json.dumps(work.repositories), str(data), "ready" if work.ready else ""]
    process = subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)
    sampled, ended = Sampled({}, {}), threading.Event()

    def watch() -> None:
        while not ended.wait(0.3):
            sampled.sample(process.pid)

    thread = threading.Thread(target=watch)
    thread.start()
    out, _ = process.communicate()
    wall = time.perf_counter() - start
    ended.set()
    thread.join()
    if process.returncode:
        sys.exit(f"{work.name} on {engine}: failed")
    used = {kind: sum(s for k, s in sampled.seconds.values() if k == kind) for kind in sampled.peak}
    return {**json.loads(out.splitlines()[-1]), "wall": wall, "processor": used, "peak": sampled.peak}


def works(folder: Path, asked: argparse.Namespace) -> list[Work]:
    """What is measured."""
    found = []
    kinds = asked.only or ("public", "java", "fleet", "documents")
    if asked.repositories and "public" in kinds:
        found.append(Work(f"{len(asked.repositories)} public repositories, {asked.commits} commits each", tuple(
            (place.name, str(place), _last(place, asked.commits)) for place in asked.repositories
        )))  # fmt: skip
    if "java" in kinds:
        java = history(seed=1, jobs=40, commits=300, java=True, size=12, edits=8).write(folder / "java")
        found.append(Work("40 generated Java programs, 300 commits", (("java", str(java), "main~299..main"),)))
    if "fleet" in kinds:
        fleet = [
            (f"fleet{n}", history(seed=n, jobs=3, commits=20, java=n % 2 == 0, size=6).write(folder / f"fleet{n}"))
            for n in range(200)
        ]
        members = tuple((name, str(place), "main~19..main") for name, place in fleet)
        found.append(Work("fleet of 200 generated repositories, 20 commits each", members))
    if "cluster" in kinds:
        repositories = [
            (f"fleet{n}", history(seed=n, jobs=3, commits=4, java=n % 2 == 0, size=6).write(folder / f"many{n}"))
            for n in range(1_000)
        ]
        members = tuple((name, str(place), "main~3..main") for name, place in repositories)
        found.append(Work("fleet of 1,000 generated repositories, 4 commits each", members, (*ENGINES, CLUSTER)))
    for units in (1_000, 10_000, *([100_000] if asked.long else [])) if "documents" in kinds else ():
        repo = history(seed=2, jobs=20, commits=units // 20, edits=2).write(folder / f"documents{units}")
        single = ((f"documents{units}", str(repo), f"main~{units // 20 - 1}..main"),)
        found.append(Work(f"documents, {units:,} units", single, ("in process", "local[2]")))
    return found


def _last(place: Path, commits: int) -> str:
    repository = Repository(place)
    first = repository._run("rev-list", "--first-parent", f"--max-count={commits}", "HEAD").split()[-1]
    return f"{first}..HEAD"


def main() -> None:
    if "--child" in sys.argv:
        _, _, engine, repositories, data, ready = sys.argv
        child(engine, json.loads(repositories), Path(data), ready == "ready")
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--repositories", type=Path, nargs="*", default=[])
    parser.add_argument("--commits", type=int, default=50)
    parser.add_argument("--only", nargs="*", metavar="KIND", help="public, java, fleet, documents, cluster")
    parser.add_argument("--long", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print("| work | engine | units | wall s | of it work s | processor s | of it the driver | of it Java "
              "| times as fast | driver MiB | Java MiB | workers MiB |")  # fmt: skip
        print("|" + " --- |" * 12)
        for number, work in enumerate(works(folder, asked)):
            alone: dict[str, Any] = {}
            for engine in work.engines:
                single = measured(engine, work, folder / f"data{number}{engine}")
                alone = alone or single
                shown(work.name, engine, single, alone["wall"] / single["wall"])
                if single["found"] != alone["found"]:
                    sys.exit(f"{work.name}: the report of {engine} is another one")
            if "Java" in work.name:
                new(work, folder)


def new(work: Work, folder: Path) -> None:
    """The last hundredth of a history after all that is before it."""
    (name, place, range_) = work.repositories[0]
    for engine in ("in process", "local[2]"):
        data = folder / f"incremental {engine}"
        measured(engine, Work(work.name, ((name, place, range_.replace("..main", "..main~1")),)), data)
        shown(f"{work.name}, then one more", engine, measured(engine, replace(work, ready=True), data), None)


def shown(name: str, engine: str, measures: dict[str, Any], faster: float | None) -> None:
    peak, used = measures["peak"], measures["processor"]
    failed = f" ({measures['failed']} repositories failed)" if measures["failed"] else ""
    executors = " + ".join(str(size) for kind, size in peak.items() if kind.startswith("executor"))
    print(
        f"| {name} | {engine} | {measures['units']}{failed} | {measures['wall']:.1f} | {measures['work']:.1f} "
        f"| {sum(used.values()):.1f} | {used['driver']:.1f} | {used['java']:.1f} "
        f"| {'' if faster is None else f'{faster:.2f}'} "
        f"| {peak['driver']} | {peak['java']} | {executors or peak['workers']} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
