"""A real session cluster on the loopback address: one JobManager, one TaskManager, from Flink's own jars."""

import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.flinks import compiled, java, packed

SECONDS = 120


class SessionCluster:
    """Its REST API, as somebody who deploys jobs uses it."""

    def __init__(self, address: str, folder: Path, jars: Path) -> None:
        self.address = address
        self._folder = folder
        self._jars = jars

    def run(self, source: Path, main: str, **given: Any) -> str:
        """Compile a program, submit it, and wait until it has checkpointed or failed. Gives the job's id."""
        jar = self._jar(source)
        boundary = "boundary"
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="jarfile"; filename="{jar.name}"\r\n'
        body = f"{head}Content-Type: application/x-java-archive\r\n\r\n".encode() + jar.read_bytes()
        uploaded = self._post(
            "jars/upload", body + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"
        )
        name = uploaded["filename"].rpartition("/")[2]
        job = str(self.post(f"jars/{name}/run", {"entryClass": main, **given})["jobid"])
        self.wait(lambda: self._settled(job))
        return job

    def _jar(self, source: Path) -> Path:
        classes = self._folder / f"classes-{time.monotonic_ns()}"
        return packed(compiled(classes, self._jars, source), classes.with_suffix(".jar"))

    def _settled(self, job: str) -> bool:
        return self.state(job) == "FAILED" or self.get(f"jobs/{job}/checkpoints")["counts"]["completed"] > 0

    def state(self, job: str) -> str:
        return str(self.get(f"jobs/{job}")["state"])

    def savepoint(self, job: str) -> str:
        """Take a savepoint; gives its path."""
        trigger = self.post(f"jobs/{job}/savepoints", {"cancel-job": False})["request-id"]
        answer: dict[str, Any] = {}

        def done() -> bool:
            answer.update(self.get(f"jobs/{job}/savepoints/{trigger}"))
            return bool(answer["status"]["id"] == "COMPLETED")

        self.wait(done)
        return str(answer["operation"]["location"])

    def cancel(self, job: str) -> None:
        request = urllib.request.Request(f"{self.address}/jobs/{job}", method="PATCH")
        urllib.request.urlopen(request, timeout=SECONDS).close()
        self.wait(lambda: self.state(job) in ("CANCELED", "FAILED"))

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.address}/{path}", timeout=SECONDS) as response:
            return json.load(response)

    def post(self, path: str, document: dict[str, Any]) -> Any:
        return self._post(path, json.dumps(document).encode(), "application/json")

    def _post(self, path: str, body: bytes, kind: str) -> Any:
        request = urllib.request.Request(f"{self.address}/{path}", body, {"Content-Type": kind}, method="POST")
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            return json.load(response)

    @staticmethod
    def wait(done: Any) -> None:
        deadline = time.monotonic() + SECONDS
        while not done():
            assert time.monotonic() < deadline, "the cluster takes too long"
            time.sleep(0.2)


@contextmanager
def started(jars: Path, folder: Path) -> Iterator[SessionCluster]:
    """A cluster that keeps its checkpoints below ``folder``, with one every second."""
    port, rpc = _free_port(), _free_port()
    settings = {
        "jobmanager.rpc.address": "localhost",
        "jobmanager.rpc.port": rpc,
        "jobmanager.bind-host": "localhost",
        "taskmanager.host": "localhost",
        "taskmanager.bind-host": "localhost",
        "rest.address": "localhost",
        "rest.bind-address": "localhost",
        "rest.port": port,
        "jobmanager.memory.process.size": "900m",
        "taskmanager.numberOfTaskSlots": 8,
        "taskmanager.cpu.cores": 1,
        "taskmanager.memory.framework.heap.size": "100m",
        "taskmanager.memory.framework.off-heap.size": "64m",
        "taskmanager.memory.task.heap.size": "100m",
        "taskmanager.memory.task.off-heap.size": "0b",
        "taskmanager.memory.managed.size": "64m",
        "taskmanager.memory.network.min": "16m",
        "taskmanager.memory.network.max": "16m",
        "taskmanager.memory.jvm-metaspace.size": "96m",
        "taskmanager.memory.jvm-overhead.min": "64m",
        "taskmanager.memory.jvm-overhead.max": "64m",
        "parallelism.default": 4,
        "pipeline.max-parallelism": 24,
        "restart-strategy.type": "none",
        "execution.checkpointing.interval": "1s",
        "execution.checkpointing.num-retained": 20,
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
        "execution.checkpointing.dir": (folder / "checkpoints").as_uri(),
        "execution.checkpointing.savepoint-dir": (folder / "savepoints").as_uri(),
        "web.tmpdir": str(folder),
        "io.tmp.dirs": str(folder),
    }
    (folder / "conf").mkdir()
    (folder / "conf" / "config.yaml").write_text("".join(f"{key}: {value}\n" for key, value in settings.items()))
    entry_points = ("entrypoint.StandaloneSessionClusterEntrypoint", "taskexecutor.TaskManagerRunner")
    processes = []
    try:
        for entry_point in entry_points:
            command = java(f"{jars}/*", memory="500m")
            command += [f"org.apache.flink.runtime.{entry_point}", "--configDir", str(folder / "conf")]
            log = (folder / f"{entry_point}.log").open("wb")
            processes.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT))
        cluster = SessionCluster(f"http://localhost:{port}", folder, jars)
        cluster.wait(lambda: _has_slots(cluster))
        yield cluster
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _has_slots(cluster: SessionCluster) -> bool:
    try:
        return bool(cluster.get("overview")["slots-total"])
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])
