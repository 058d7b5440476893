"""``gate`` asks what runs: a cluster that answers like Flink, and custom resources with their status."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from checker import cluster as flinks_answers
from checker.cluster import newest_snapshot, running_job
from checker.commands.app import app
from checker.errors import ClusterError
from checker.extract.deployments import job_of_resource
from checker.model.deployments import SnapshotKind, UpgradeMode
from checker.savepoint.places import PathMapping
from checker.workflows.gate.candidates import Asked, ask, snapshot_path

JOB = "fc8685d49d70b97b1bc9e90d58d79acd"
OTHER = "0" * 32


def completed(number: int, **more: Any) -> dict[str, Any]:
    place = f"file:/flink/ck/{JOB}/chk-{number}"
    common = {"id": number, "status": "COMPLETED", "is_savepoint": False, "trigger_timestamp": 1000 * number}
    return {**common, "external_path": place, "discarded": False, **more}


SAVEPOINT = completed(3, is_savepoint=True, external_path="s3://b/sp")
ANSWERS: dict[str, Any] = {
    "/config": {"flink-version": "1.20.5"},
    "/jobs/overview": {"jobs": [{"jid": JOB, "name": "totals", "state": "RUNNING"}]},
    f"/jobs/{JOB}": {"jid": JOB, "maxParallelism": 24, "vertices": []},
    f"/jobs/{JOB}/config": {"jid": JOB, "execution-config": {"job-parallelism": 3, "user-config": {}}},
    f"/jobs/{JOB}/checkpoints": {"latest": {"completed": completed(7), "savepoint": None}, "history": [completed(7)]},
    f"/jobs/{JOB}/checkpoints/config": {"state_backend": "EmbeddedRocksDBStateBackend"},
    "/jobmanager/config": [{"key": "parallelism.default", "value": "2"}],
}


class Cluster:
    """A server on the loopback address. Every request is remembered."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.asked: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        cluster = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                cluster.asked.append((self.command, self.path))
                cluster.headers.append(dict(self.headers))
                found = answers.get(self.path)
                self.send_response(found if isinstance(found, int) else 404 if found is None else 200)
                if found == 302:
                    self.send_header("Location", f"http://127.0.0.1:{cluster.port}/stolen")
                self.end_headers()
                self.wfile.write(found if isinstance(found, bytes) else json.dumps(found).encode())

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = int(self._server.server_address[1])
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def answers() -> dict[str, Any]:
    return dict(ANSWERS)


@pytest.fixture
def cluster(answers: dict[str, Any]) -> Iterator[Cluster]:
    started = Cluster(answers)
    yield started
    started.close()


def test_the_only_job_is_taken_with_what_it_was_given(cluster: Cluster) -> None:
    job = running_job(f"{cluster.address}/")
    assert (job.name, job.id, job.state, job.state_backend) == ("totals", JOB, "RUNNING", "rocksdb")
    given = job.deployment
    assert (given.parallelism, given.max_parallelism, given.flink) == (3, 24, "1.20")
    assert given.configuration == (("parallelism.default", "2"),)
    assert given.args is None
    assert job.snapshot is not None
    assert (job.snapshot.kind, job.snapshot.path) == (SnapshotKind.CHECKPOINT, f"file:/flink/ck/{JOB}/chk-7")
    assert {method for method, _ in cluster.asked} == {"GET"}  # http.server answers 501 to what it does not know


def test_headers_come_from_the_environment(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(flinks_answers.HEADERS, "Authorization: Bearer secret-token\nX-Tenant: one\n")
    running_job(cluster.address)
    assert all(h["Authorization"] == "Bearer secret-token" and h["X-Tenant"] == "one" for h in cluster.headers)


def test_a_redirect_is_not_followed(cluster: Cluster, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(flinks_answers.HEADERS, "Authorization: Bearer secret-token")
    answers["/jobs/overview"] = 302
    with pytest.raises(ClusterError, match="redirects are not followed"):
        running_job(cluster.address)
    assert [path for _, path in cluster.asked] == ["/jobs/overview"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [(401, "credentials"), (404, "is this the address"), (b"<html>", "not JSON"), (b"[" * 100_000, "not JSON"),
     ([], "no job runs"), ({"jobs": [{"jid": "../../etc", "name": "x", "state": "RUNNING"}]}, "names no job id")],
)  # fmt: skip
def test_answers_that_are_none(cluster: Cluster, answers: dict[str, Any], answer: Any, message: str) -> None:
    answers["/jobs/overview"] = answer
    with pytest.raises(ClusterError, match=message):
        running_job(cluster.address)


def test_a_cluster_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flinks_answers, "SECONDS", 0.3)
    silent = threading.Event()

    class Silent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            for _ in range(100):  # a byte now and then: no single read is late
                self.wfile.write(b" ")
                if silent.wait(0.05):
                    return

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    with pytest.raises(ClusterError, match="no answer within"):
        running_job(f"http://127.0.0.1:{server.server_address[1]}")
    silent.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("address", ["ftp://host", "host:8081", "http://", "http://user:geheim@host:8081"])
def test_addresses_that_are_refused(address: str) -> None:
    with pytest.raises(ClusterError) as refused:
        running_job(address)
    assert "geheim" not in str(refused.value)


def test_jobs_are_chosen_by_name_or_id(cluster: Cluster, answers: dict[str, Any]) -> None:
    twice = [{"jid": JOB, "name": "totals", "state": "RUNNING"}, {"jid": OTHER, "name": "totals", "state": "RUNNING"}]
    ended = {"jid": "1" * 32, "name": "totals", "state": "CANCELED"}
    answers["/jobs/overview"] = {"jobs": [*twice, ended]}
    with pytest.raises(ClusterError, match="say which one"):
        running_job(cluster.address)
    with pytest.raises(ClusterError, match="several jobs are called 'totals'"):
        running_job(cluster.address, "totals")
    with pytest.raises(ClusterError, match="no job 'orders' runs"):
        running_job(cluster.address, "orders")
    assert running_job(cluster.address, JOB).id == JOB
    answers["/jobs/overview"] = {"jobs": [twice[0], ended]}
    assert running_job(cluster.address, "totals").id == JOB
    answers["/jobs/overview"] = {"jobs": [{**ended, "jid": JOB}]}
    assert running_job(cluster.address, "totals").id == JOB
    with pytest.raises(ClusterError, match="no job runs"):
        running_job(cluster.address)


@pytest.mark.parametrize(
    ("latest", "history", "newest"),
    [
        ({"completed": completed(2), "savepoint": SAVEPOINT}, [], "s3://b/sp"),
        ({"completed": completed(4), "savepoint": SAVEPOINT}, [], "chk-4"),
        ({"completed": completed(4, discarded=True)}, [completed(3)], "chk-3"),
        ({"completed": completed(4, external_path="<checkpoint-not-externally-addressable>")}, [], None),
        ({"completed": None, "restored": {"id": 1, "external_path": "s3://b/restored"}}, [], "s3://b/restored"),
        ({}, [completed(5, status="FAILED"), completed(1)], "chk-1"),
        ({}, [], None),
    ],
)  # fmt: skip
def test_the_newest_snapshot(latest: dict[str, Any], history: list[Any], newest: str | None) -> None:
    found = newest_snapshot({"latest": latest, "history": history})
    assert (found is None) if newest is None else (found is not None and found.path.endswith(newest))


RESOURCE = {
    "apiVersion": "flink.apache.org/v1beta1",
    "kind": "FlinkDeployment",
    "metadata": {"name": "totals", "namespace": "prod"},
    "spec": {
        "flinkVersion": "v1_20",
        "flinkConfiguration": {"state.backend.type": "rocksdb", "pipeline.max-parallelism": "24"},
        "job": {"jarURI": "local:///opt/totals.jar", "entryClass": "shop.Totals", "parallelism": 3,
                "upgradeMode": "last-state", "args": ["--keys", "10"]},
    },
    "status": {"jobStatus": {"jobId": JOB, "jobName": "totals", "state": "RUNNING", "savepointInfo": {
        "lastSavepoint": {"location": "s3://b/savepoint-1", "timeStamp": 1000}}}},
}  # fmt: skip


def test_a_custom_resource_with_its_status() -> None:
    job = job_of_resource(json.dumps(RESOURCE), "totals.json")
    assert (job.name, job.id, job.state, job.state_backend) == ("totals", JOB, "RUNNING", "rocksdb")
    assert job.deployment.args == ("--keys", "10")
    assert job.deployment.upgrade_mode is UpgradeMode.LAST_STATE
    assert job.snapshot is not None
    assert job.snapshot.path == "s3://b/savepoint-1"
    assert snapshot_path(job, [PathMapping.parse("/flink=/mnt")]) == "s3://b/savepoint-1"


def test_snapshot_resources_beside_it_count() -> None:
    snapshot = {
        "apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkStateSnapshot", "metadata": {"name": "now"},
        "spec": {"jobReference": {"kind": "FlinkDeployment", "name": "totals"}, "checkpoint": {}},
        "status": {"state": "COMPLETED", "path": "s3://b/chk-9", "resultTimestamp": "2026-01-01T00:00:00.000000Z"},
    }  # fmt: skip
    foreign = {
        **snapshot,
        "spec": {"jobReference": {"name": "another"}},
        "status": {"state": "COMPLETED", "path": "s3://x"},
    }
    job = job_of_resource(json.dumps({"kind": "List", "items": [RESOURCE, snapshot, foreign]}), "-")
    assert job.snapshot is not None
    assert (job.snapshot.kind, job.snapshot.path) == (SnapshotKind.CHECKPOINT, "s3://b/chk-9")


@pytest.mark.parametrize("text", ["", "[]", "{", json.dumps({"kind": "Deployment"})])
def test_a_file_without_a_job(text: str) -> None:
    with pytest.raises(ClusterError, match="no FlinkDeployment"):
        job_of_resource(text, "-")


def test_resource_and_cluster_together(cluster: Cluster) -> None:
    job = ask(Asked(cluster=cluster.address, resource=json.dumps(RESOURCE)))
    assert job.deployment.args == ("--keys", "10")
    assert job.snapshot is not None
    assert job.snapshot.path.endswith("chk-7")


def test_a_running_job_without_a_snapshot(cluster: Cluster, answers: dict[str, Any]) -> None:
    answers[f"/jobs/{JOB}/checkpoints"] = {"latest": {}, "history": []}
    done = CliRunner().invoke(app, ["gate", "--cluster", cluster.address])
    assert isinstance(done.exception, ClusterError)
    assert "take a savepoint" in str(done.exception)


def test_what_was_replaced_is_asked_for_again(
    cluster: Cluster, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/jobs/{JOB}/checkpoints"
    answers[path] = {"latest": {"completed": completed(7, discarded=True)}}
    waits: list[float] = []

    def later(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            answers[path] = {"latest": {"completed": completed(8)}}

    monkeypatch.setattr("checker.cluster.time.sleep", later)
    job = running_job(cluster.address)
    assert job.snapshot is not None
    assert job.snapshot.path.endswith("chk-8")


def test_a_job_needs_a_cluster(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["gate", "--savepoint", str(tmp_path), "--job", "totals"])
    assert "--job names a job of --cluster" in str(done.exception)
