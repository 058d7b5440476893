"""Audits on Spark: the same report as in process; what was done is kept when Spark fails on the way."""

import gc
import json
import os
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark")

from checker.engines.choice import InProcessAudit
from checker.engines.progress import counted
from checker.engines.spark.session import SparkError, SparkRun
from checker.engines.spark.work import SparkAudit
from checker.model.nested import Json, to_json
from checker.workflows.audit.auditing import AuditEngine, run_audit
from checker.workflows.audit.datasets import datasets
from checker.workflows.audit.planning import Asked, audited, conditions_of

from .generated import Author, History, history, random_repository

pytestmark = [
    pytest.mark.spark,
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


def audit(engine: AuditEngine, repos: list[Path], asked: Asked, data: Path | str, **more: Any) -> str:
    with datasets(data) as opened:
        return to_json(run_audit([audited(None, r, asked) for r in repos], engine, opened, progress=counted, **more))


def test_both_engines_write_the_same_report(run: SparkRun, tmp_path: Path) -> None:
    repos = [random_repository(seed).write(tmp_path / f"repo{seed}") for seed in range(2)]
    repos.append(history(seed=1, jobs=4, commits=15).write(tmp_path / "long"))
    asked = Asked(range="main~1..main", what_if=conditions_of(["flink=2.1", "parallelism=7"]))
    on_spark = audit(SparkAudit(run), repos, asked, tmp_path / "spark", pipelines=("job[12]",))
    assert on_spark == audit(InProcessAudit(), repos, asked, tmp_path / "here", pipelines=("job[12]",))


def test_a_history_with_breaks_and_repairs_in_several_waves(
    run: SparkRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = history(seed=3, jobs=4, commits=25)
    first = written.commits[0][1]
    written.commits.append(("back to the start", dict(first)))
    repo = written.write(tmp_path / "repo")
    asked = Asked(range="main~25..main")
    here = audit(InProcessAudit(), [repo], asked, tmp_path / "here")
    monkeypatch.setattr("checker.workflows.audit.stretches.MAX_REVISIONS", 8)
    assert here == audit(SparkAudit(run), [repo], asked, tmp_path / "spark")
    assert json.loads(here)["counts"]["repaired"] > 0
    assert len(list((tmp_path / "spark" / "ledger").glob("*.json"))) > 2


def test_datasets_of_one_engine_serve_the_other(run: SparkRun, tmp_path: Path) -> None:
    repo = history(seed=5, jobs=2, commits=10).write(tmp_path / "repo")
    data = tmp_path / "data"
    audit(SparkAudit(run), [repo], Asked(range="main~9..main~4"), data)
    mixed = json.loads(audit(InProcessAudit(), [repo], Asked(range="main~9..main"), data))
    assert mixed["steps"] == {"computed": 4, "reused": 6}
    on_spark = json.loads(audit(SparkAudit(run), [repo], Asked(range="main~9..main"), data))
    assert on_spark["steps"] == {"computed": 0, "reused": 10}
    assert {**mixed, "steps": 0} == {**on_spark, "steps": 0}


def test_when_spark_fails_what_was_done_is_kept(run: SparkRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = history(seed=6, jobs=2, commits=20).write(tmp_path / "repo")
    asked, data = Asked(range="main~19..main"), tmp_path / "data"
    monkeypatch.setattr("checker.workflows.audit.stretches.MAX_REVISIONS", 8)
    engine = SparkAudit(run)
    do, waves = engine.run, []

    def failing(*arguments: Any) -> Iterator[Any]:
        waves.append(1)
        if len(waves) == 2:
            raise SparkError("Spark failed: the executors are gone")
        return do(*arguments)

    monkeypatch.setattr(engine, "run", failing)
    with pytest.raises(SparkError, match=r"executors are gone; 8 of 20 new revisions are computed and kept"):
        audit(engine, [repo], asked, data)
    again = json.loads(audit(SparkAudit(run), [repo], asked, data))
    assert again["steps"] == {"computed": 12, "reused": 8}


def test_a_repository_that_kills_its_worker_costs_itself(run: SparkRun, tmp_path: Path) -> None:
    """A reader of ours that crashes takes the process with it: Spark tries again, and the others are audited."""

    class Poisoned(SparkAudit):
        def run(self, tasks: Any, count: int) -> Iterator[Any]:
            def poisoned(number: int) -> Any:
                if tasks.tasks[number].repository == "bad":
                    os._exit(11)
                return tasks(number)

            poisoned.schema, poisoned.given_up = tasks.schema, tasks.given_up  # type: ignore[attr-defined]
            return super().run(poisoned if hasattr(tasks, "tasks") else tasks, count)  # type: ignore[arg-type]

    repos = [history(seed=n, jobs=2, commits=4).write(tmp_path / name) for n, name in enumerate(("good", "bad"))]
    asked = Asked(range="main~3..main")
    report = json.loads(audit(Poisoned(run), repos, asked, tmp_path / "data"))
    good, bad = report["repositories"]
    assert good["failure"] is None
    assert "its worker process died" in bad["failure"]
    alone = json.loads(audit(InProcessAudit(), repos[:1], asked, tmp_path / "alone"))
    assert report["changes"] == alone["changes"]
    again = json.loads(audit(SparkAudit(run), repos, asked, tmp_path / "data"))
    assert again["steps"] == {"computed": 4, "reused": 4}


def test_a_large_repository_is_shared_between_tasks(run: SparkRun, tmp_path: Path) -> None:
    repos = [history(seed=1, jobs=30, commits=4, java=True, size=2).write(tmp_path / "large")]
    repos += [history(seed=n, jobs=1, commits=4, java=True, size=2).write(tmp_path / f"small{n}") for n in range(4)]
    asked = Asked(range="main~3..main")
    counts: dict[str, int] = {}

    class Counting(SparkAudit):
        def run(self, tasks: Any, count: int) -> Iterator[Any]:
            counts.update({task.repository: task.shares for task in getattr(tasks, "tasks", ())})
            return super().run(tasks, count)

    on_spark = audit(Counting(run), repos, asked, tmp_path / "spark")
    assert counts["large"] > 1
    assert all(shares == 1 for name, shares in counts.items() if name != "large")
    assert on_spark == audit(InProcessAudit(), repos, asked, tmp_path / "here")


def test_a_pipeline_that_is_renamed_into_the_share_of_another_task(run: SparkRun, tmp_path: Path) -> None:
    author = Author(random.Random(7))
    jobs = [author.job(f"job{n}", java=True, size=4) for n in range(12)]
    written = History([("first", {job.path: job.text().encode() for job in jobs})])
    for number in range(6):
        at = author.rng.randrange(len(jobs))
        job = replace(jobs[at], name=f"other{number}")
        job = job if number % 3 == 0 else replace(job, operators=(author.operator(), *job.operators))
        written.commits.append((f"rename {number}", {jobs[at].path: None, job.path: job.text().encode()}))
        jobs[at] = job
    repo = written.write(tmp_path / "large")
    repos = [repo, *(history(seed=n, jobs=1, commits=4).write(tmp_path / f"small{n}") for n in range(2))]
    shares: dict[str, int] = {}

    class Counting(SparkAudit):
        def run(self, tasks: Any, count: int) -> Iterator[Any]:
            shares.update({task.repository: task.shares for task in getattr(tasks, "tasks", ())})
            return super().run(tasks, count)

    here = audit(InProcessAudit(), repos, Asked(range="main~3..main"), tmp_path / "here")
    assert here == audit(Counting(run), repos, Asked(range="main~3..main"), tmp_path / "spark")
    assert shares["large"] > 1
    found = json.loads(here)["changes"]
    assert found
    assert not any(change["status"] in ("added", "removed") for change in found)


def test_what_tasks_leave_behind_is_not_searched_for_garbage_after_each(run: SparkRun, tmp_path: Path) -> None:
    """PySpark does so: in a fleet of small repositories it would take longer than the work."""

    class Watching:
        schema = pa.schema([("number", pa.int64())])

        def __call__(self, number: int) -> list[Json]:
            def searched(phase: str, info: dict[str, int]) -> None:
                if phase == "start" and info["generation"] == 2:
                    (tmp_path / f"{os.getpid()}").write_text(str(len(gc.get_objects())))
                    gc.callbacks.remove(searched)

            kept.append([[] for _ in range(50_000)])
            gc.callbacks.append(searched)
            return [{"number": number}]

        def given_up(self, number: int, why: str) -> list[Json]:
            raise AssertionError(why)

    kept: list[list[list[int]]] = []
    assert len(list(SparkAudit(run).run(Watching(), 1))) == 1
    while not (found := list(tmp_path.iterdir())) or not found[0].read_text():
        time.sleep(0.05)
    assert int(found[0].read_text()) < 20_000
