"""A standalone cluster and a Spark Connect server, real ones: same reports, and the truth when executors die."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from checker.engines import choice
from checker.engines.choice import InProcessAudit
from checker.engines.spark.session import SparkError, SparkRun, spark_run
from checker.engines.spark.work import SparkAudit, judge_on
from checker.workflows.audit.planning import Asked
from checker.workflows.check.comparing_revisions import plan_check

from .conftest import LocalSpark
from .generated import history, random_repository
from .servers import connect_server, standalone
from .test_audit_engines import audit

pytestmark = [
    pytest.mark.spark,
    pytest.mark.cluster,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


def agree(run: SparkRun, folder: Path) -> None:
    for seed in (0, 2):
        plan = plan_check(random_repository(seed).write(folder / str(seed)), base="main~1", head="main")
        assert judge_on(run, plan) == choice.judge_pipelines(plan)
    repo = history(seed=8, jobs=3, commits=8).write(folder / "history")
    asked = Asked(range="main~7..main")
    on_spark = audit(SparkAudit(run), [repo], asked, folder / "spark")
    assert on_spark == audit(InProcessAudit(), [repo], asked, folder / "here")


@pytest.fixture(scope="module")
def cluster(local_spark: LocalSpark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkRun]:
    local_spark.end()
    with (
        standalone(tmp_path_factory.mktemp("cluster")) as url,
        spark_run(master=url, remote=None, verbose=False) as run,
    ):
        yield run


def test_a_standalone_cluster(cluster: SparkRun, tmp_path: Path) -> None:
    assert not cluster.local
    agree(cluster, tmp_path)


def test_executors_use_the_code_that_was_sent(cluster: SparkRun) -> None:
    def places(batches: Any) -> Any:
        import pyarrow as pa

        import checker

        yield from (pa.RecordBatch.from_pydict({"file": [checker.__file__]}) for _ in batches)

    found = {row["file"] for row in cluster.session.range(2).mapInArrow(places, "file string").collect()}
    assert found
    assert all("savepoint_checker-" in file and ".zip" in file for file in found)


def test_executors_killed_on_the_way(cluster: SparkRun, tmp_path: Path) -> None:
    """Spark starts others in their place, and the report is the same as if nothing had happened."""
    repo = history(seed=9, jobs=6, commits=60, edits=3).write(tmp_path / "repo")
    asked = Asked(range="main~59..main")
    application = cluster.session.sparkContext.applicationId
    killed: list[int] = []

    def kill() -> None:
        for process in executors(application):
            os.kill(process, signal.SIGKILL)
            killed.append(process)

    engine, timer = SparkAudit(cluster), threading.Timer(1.0, kill)
    timer.start()
    on_spark = audit(engine, [repo], asked, tmp_path / "spark")
    timer.join()
    assert len(killed) == 2
    assert on_spark == audit(InProcessAudit(), [repo], asked, tmp_path / "here")


def executors(application: str) -> list[int]:
    """The executor processes of this very application, and of no other."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if "CoarseGrainedExecutorBackend" in command and application in command and "java" in command.split("\0")[0]:
            found.append(int(folder.name))
    return found


def test_a_spark_connect_server(tmp_path: Path) -> None:
    with connect_server(tmp_path) as url, spark_run(master="", remote=url, verbose=False) as run:
        agree(run, tmp_path)


def test_nobody_answers() -> None:
    for url, message in (
        ("sc://127.0.0.1:9", "no Spark Connect server answers there"),
        ("http://x", "must look like sc"),
    ):
        with pytest.raises(SparkError, match=message), spark_run(master="", remote=url, verbose=False):
            pass
