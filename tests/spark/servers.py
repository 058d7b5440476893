"""Real Spark servers as processes on loopback, from PySpark's own distribution: started, and ended by their process."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent
_WAIT = 90


@contextmanager
def _process(log: Path, arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    own = {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    # Minutes of Java, not days: what the compiler would spend on making it fast is never earned back.
    env = {**os.environ, **own, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    with log.open("wb") as output:
        process = subprocess.Popen(arguments, stdout=output, stderr=output, env=env, start_new_session=True)
    try:
        yield process
    finally:
        # The shell script hands over to Java; workers have executors as children: the whole session goes.
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(timeout=10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
            break


def _until(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> re.Match[str]:
    ends = time.monotonic() + _WAIT
    while time.monotonic() < ends:
        found = re.search(pattern, log.read_text("utf-8", "replace"))
        if found:
            return found
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError(f"no {pattern!r} in:\n{log.read_text('utf-8', 'replace')[-2000:]}")


@contextmanager
def standalone(folder: Path, workers: int = 2) -> Iterator[str]:
    """A standalone master and its workers; its URL."""
    spark_class = str(HOME / "bin" / "spark-class")
    with ExitStack() as stack:
        log = folder / "master.log"
        arguments = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        master = stack.enter_context(_process(log, [spark_class, *arguments]))
        url = _until(log, r"Starting Spark master at (spark://\S+)", master)[1]
        for number in range(workers):
            work, log_of = folder / f"worker{number}", folder / f"worker{number}.log"
            arguments = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0",
                         "--cores", "1", "--memory", "1g", "--work-dir", str(work), url]  # fmt: skip
            worker = stack.enter_context(_process(log_of, [spark_class, *arguments]))
            _until(log_of, "Successfully registered with master", worker)
        yield url


@contextmanager
def connect_server(folder: Path) -> Iterator[str]:
    """A Spark Connect server; its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "connect.log"
    arguments = [
        str(HOME / "bin" / "spark-submit"), "--class", "org.apache.spark.sql.connect.service.SparkConnectServer",
        "--master", "local[2]", "--conf", f"spark.connect.grpc.binding.port={port}",
        "--conf", "spark.connect.grpc.binding.address=127.0.0.1", "--conf", "spark.ui.enabled=false",
        "--conf", f"spark.sql.warehouse.dir={folder / 'warehouse'}", "--name", "connect", "spark-internal",
    ]  # fmt: skip
    with _process(log, arguments) as server:
        _until(log, "Spark Connect server started", server)
        yield f"sc://127.0.0.1:{port}"
