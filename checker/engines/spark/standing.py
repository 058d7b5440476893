"""A local Spark that stays: a Spark Connect server of this user on the loopback address, for commands that follow.

It accepts only requests that carry its token, which lies in a file that only this user can read. One that was
started by other code of this tool is not used: its workers have that code in memory.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from checker.cache import folder_of, this_code
from checker.engines.spark.class_archive import archive_path
from checker.engines.spark.session import CONFIGURATION, WORKERS, SparkError, SparkRun, java_options, spark_run

_WAIT = 60.0
"""Seconds that a server may take to start."""
_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@dataclass(frozen=True)
class Standing:
    """A server that was started."""

    process: int
    port: int
    token: str
    slots: int
    code: str
    session: str
    """The one session that all commands use: Spark starts its Python processes anew for every session."""

    @property
    def url(self) -> str:
        """For Spark Connect; with the token."""
        return f"sc://localhost:{self.port}/;token={self.token};session_id={self.session}"

    @property
    def answers(self) -> bool:
        """Whether a server listens there."""
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True


def standing() -> Standing | None:
    """The server that runs, None where none does, or one of other code."""
    found = _recorded()
    return found if found is not None and found.code == this_code() and found.answers else None


@contextmanager
def nearest_run(*, master: str, remote: str | None, verbose: bool) -> Iterator[SparkRun]:
    """A session in the server that stays, where one runs and nothing else is asked for; else one of its own."""
    found = standing() if remote is None and master.startswith("local") else None
    with spark_run(
        master=master,
        remote=remote if found is None else found.url,
        verbose=verbose,
        here=None if found is None else found.slots,
    ) as run:
        yield run
    if found is None and remote is None and sys.stderr.isatty():
        archive_when_idle()


def archive_when_idle() -> None:
    """Have the class archive made by a process of its own, after everything else, where there is none yet."""
    path = archive_path()
    if path is None or path.exists():
        return
    print("making an archive of Spark's classes in the background: the next start is faster", file=sys.stderr)
    command = ["nice", "-n", "19", sys.executable, "-m", "checker.engines.spark.class_archive"]
    with suppress(OSError):
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip


def start(master: str) -> Standing:
    """Start a server, or find the one that runs. Raises SparkError."""
    found = standing()
    if found is not None:
        return found
    stop()
    import pyspark

    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    file, log = _file(), _file().with_suffix(".log")
    file.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_urlsafe(24)
    settings = {
        **CONFIGURATION,
        **WORKERS,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.session.manager.defaultSessionTimeout": "3650d",
        "spark.sql.warehouse.dir": str(file.parent / "warehouse"),
    }
    command = [
        str(home / "bin" / "spark-submit"),
        "--class",
        _SERVER,
        "--master",
        master,
        "--name",
        "savepoint-checker",
    ]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    own = {"SPARK_CONNECT_AUTHENTICATE_TOKEN": token, "SPARK_HOME": str(home), "SPARK_SUBMIT_OPTS": java_options()}
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, **own}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "spark-internal"], env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip
    slots = master.removeprefix("local").strip("[]").split(",")[0]
    count = int(slots) if slots.isdecimal() else os.cpu_count() or 1
    found = Standing(process.pid, port, token, count, this_code(), str(uuid4()))
    ends = time.monotonic() + _WAIT
    while not found.answers:
        if process.poll() is not None or time.monotonic() > ends:
            raise SparkError(f"Spark did not start; its log is {log}")
        time.sleep(0.1)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as written:
        json.dump(asdict(found), written)
    return found


def stop() -> bool:
    """End the server. True where one was recorded."""
    found = _recorded()
    _file().unlink(missing_ok=True)
    if found is None or not found.answers:
        return found is not None
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            for _ in range(50):
                os.killpg(found.process, number)
                time.sleep(0.1)
    return True


def _recorded() -> Standing | None:
    try:
        return Standing(**json.loads(_file().read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _file() -> Path:
    folder = folder_of(None)
    assert folder is not None
    return folder / "spark.json"
