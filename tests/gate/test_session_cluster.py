"""``gate --cluster`` against a real session cluster, whose own answer to each candidate is the judge."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from typer.testing import CliRunner

from checker.commands.app import app
from checker.errors import ExtractionError
from checker.extract.runtime.distribution import flink_jars
from tests.gate.session_cluster import SessionCluster, started
from tests.scratch import Scratch

pytestmark = [pytest.mark.flink, pytest.mark.timeout(600)]

SOURCE = Path(__file__).parent / "java" / "shop" / "Totals.java"
PARALLELISM = 3
CHANGES = {
    "same": ("", ""),
    "renamed uid": ('.uid("total")', '.uid("sum")'),
    "map without uid": ('.map(Totals::slowly).uid("slow")', ".map(Totals::slowly)"),
}


@pytest.fixture(scope="module", params=["1.20.5", "2.3.0"])
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionCluster]:
    try:
        jars = flink_jars(request.param)
        if shutil.which("javac") is None:
            raise ExtractionError("no JDK: 'javac' is not on the PATH")
    except ExtractionError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no Flink {request.param} to ask: {error}")
    with started(jars, tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def job(cluster: SessionCluster) -> Iterator[str]:
    running = cluster.run(SOURCE, "shop.Totals", parallelism=PARALLELISM)
    assert cluster.state(running) == "RUNNING"
    yield running
    cluster.cancel(running)


def candidate(folder: Path, change: str) -> tuple[Path, Path]:
    """A repository with the program after a change, and its source."""
    before, after = CHANGES[change]
    text = SOURCE.read_text()
    assert before in text
    repository = Scratch(folder)
    path = "src/main/java/shop/Totals.java"
    repository.commit(**{path: text.replace(before, after) if before else text})
    return folder, folder / path


def gate(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["gate", "--format", "json", *arguments])
    assert done.stdout, repr(done.exception)
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.parametrize("change", CHANGES)
def test_what_the_gate_says_the_cluster_does(cluster: SessionCluster, job: str, tmp_path: Path, change: str) -> None:
    repository, source = candidate(tmp_path / "repository", change)
    code, report = gate("--cluster", cluster.address, "--job", "totals", "--repo", str(repository))
    (reading,) = report["candidate"]["reading"]
    assert f"parallelism {PARALLELISM}, maximum parallelism 24, Flink " in reading
    restored = starts(cluster, source, cluster.savepoint(job))
    assert (code, report["verdict"]) == ((0, "restores") if restored else (1, "fails")), report["attempts"]
    assert restored is (change != "renamed uid")


def starts(cluster: SessionCluster, source: Path, savepoint: str) -> bool:
    """Whether the cluster itself starts the candidate from a savepoint."""
    try:
        tried = cluster.run(source, "shop.Totals", parallelism=PARALLELISM, savepointPath=savepoint)
    except HTTPError as refused:
        if "Cannot map checkpoint/savepoint state" not in refused.read().decode():
            raise
        return False
    restored = cluster.state(tried) == "RUNNING"
    if restored:
        cluster.cancel(tried)
    return restored


def test_the_newest_is_taken(cluster: SessionCluster, job: str, tmp_path: Path) -> None:
    repository, _ = candidate(tmp_path / "repository", "same")
    code, report = gate("--cluster", cluster.address, "--job", job, "--repo", str(repository))
    (snapshot,) = report["savepoints"]
    assert code == 0
    assert f"{job}/chk-" in snapshot["path"]
    assert report["candidate"]["running_job"].startswith(f"totals ({job}) of {cluster.address}, RUNNING: newest ")


def test_nothing_is_changed_there(cluster: SessionCluster, job: str, tmp_path: Path) -> None:
    repository, _ = candidate(tmp_path / "repository", "renamed uid")
    before = states_of_jobs(cluster)
    gate("--cluster", cluster.address, "--job", job, "--repo", str(repository))
    assert states_of_jobs(cluster) == before


def states_of_jobs(cluster: SessionCluster) -> dict[str, str]:
    """The state of each job by its id: the overview lists jobs in no fixed order."""
    return {job["jid"]: job["state"] for job in cluster.get("jobs/overview")["jobs"]}
