"""A local Spark that stays: a Spark Connect server of this user on the loopback address, for commands that follow.

It accepts only requests that carry its token, which lies in a file that only this user can read. One that was
started by other code of this tool is not used: its workers have that code in memory. Beside it stays a process that is
connected to it (``attendant``).
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from checker.cache import kept_folder, private_file, private_folder, this_code
from checker.engines.spark.session import AT_HOME, CONFIGURATION, SparkError, SparkRun, spark_run
from checker.engines.spark.surroundings import SEEN, archive_path, spark_environment
from checker.processes.starting import Process, started
from checker.processes.surroundings import environment, python_module
from checker.workflows.carried_files import CarriedWork

WAIT = 120.0
"""Seconds that each of the two processes may take to start."""
_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A server that was started."""

    process: int
    port: int
    token: str
    slots: int
    code: str
    session: str
    """The one session that all commands use: Spark starts its Python processes anew for every session."""
    attendant: int = 0
    """The process that takes the work of ``check`` to the server."""
    attendant_port: int = 0

    @property
    def url(self) -> str:
        """For Spark Connect; with the token."""
        return f"sc://localhost:{self.port}/;token={self.token};session_id={self.session}"

    @property
    def answers(self) -> bool:
        """Whether both processes listen."""
        return listens(self.port) and listens(self.attendant_port)


def standing() -> Standing | None:
    """The server that runs, None where none does, or one of other code."""
    found = recorded()
    return found if found is not None and found.code == this_code() and found.answers else None


def asked_of(standing: Standing, work: CarriedWork) -> list[dict[str, Any]]:
    """What the Spark that stays answers (rows of ``rows.JUDGED``). Raises SparkError."""
    try:
        with Client(("127.0.0.1", standing.attendant_port), authkey=standing.token.encode()) as connection:
            connection.send(work)
            answers = connection.recv()
    except (EOFError, OSError, AuthenticationError) as error:
        raise SparkError(f"the Spark that stays does not answer ({error!r}): stop it and start it again") from None
    if isinstance(answers, Exception):
        raise answers
    return cast("list[dict[str, Any]]", answers)


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
    with suppress(OSError):
        command = python_module("checker.engines.spark.surroundings")
        started(command, environment=environment(*SEEN), folder=private_folder(path.parent), stays=True)


def start(master: str) -> Standing:
    """Start a server, or find the one that runs. Raises SparkError."""
    found = standing()
    if found is not None:
        return found
    stop()
    folder, file = kept_folder(), _file()
    log, work = file.with_suffix(".log"), private_folder(folder / "spark")
    port, attendant_port = _free_ports()
    token = secrets.token_urlsafe(24)
    settings = {
        **CONFIGURATION,
        **AT_HOME,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.session.manager.defaultSessionTimeout": "3650d",
        "spark.sql.warehouse.dir": str(work / "warehouse"),
    }
    env = {**spark_environment(local=True), "SPARK_CONNECT_AUTHENTICATE_TOKEN": token}
    command = [f"{env['SPARK_HOME']}/bin/spark-submit", "--class", _SERVER, "--master", master]
    command += ["--name", "savepoint-checker"]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    command.append("spark-internal")
    with private_file(log) as output:
        process = started(
            command, environment=env, folder=work, output=output, complaints=output, stays=True, memory_mb=None
        )
    slots = master.removeprefix("local").strip("[]").split(",")[0]
    count = int(slots) if slots.isdecimal() else os.cpu_count() or 1
    found = Standing(
        process=process.pid, port=port, token=token, slots=count, code=this_code(), session=str(uuid4()),
        attendant_port=attendant_port,
    )  # fmt: skip
    _record(found)  # the attendant reads it
    with private_file(log, more=True) as output:
        command = python_module("checker.engines.spark.attendant", str(file))
        attendant = started(command, environment=env, folder=work, output=output, complaints=output, stays=True)
    found = replace(found, attendant=attendant.pid)
    _record(found)
    _await(process, port, log)
    _await(attendant, attendant_port, log)
    return found


def _await(process: Process, port: int, log: Path) -> None:
    ends = time.monotonic() + WAIT
    while not listens(port):
        if process.poll() is not None or time.monotonic() > ends:
            process.kill()
            stop()
            raise SparkError(f"Spark did not start; its log is {log}")
        time.sleep(0.1)


def listens(port: int) -> bool:
    """Whether a process of this machine does at that port."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _free_ports() -> tuple[int, int]:
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


def stop() -> bool:
    """End the server and its attendant. True where one was recorded."""
    found = recorded()
    _file().unlink(missing_ok=True)
    if found is None:
        return False
    # A process that does not listen is gone, and its number may be another's by now.
    running = [found.process] if listens(found.port) else []
    if found.attendant and (running or listens(found.attendant_port)):
        running.append(found.attendant)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in running:
            with suppress(ProcessLookupError):
                for _ in range(50):
                    os.killpg(process, number)
                    time.sleep(0.1)
    return True


def recorded(file: Path | None = None) -> Standing | None:
    """What was started last, whether or not it still runs."""
    try:
        return Standing(**json.loads((file or _file()).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _record(standing: Standing) -> None:
    with private_file(_file()) as written:
        written.write(json.dumps(asdict(standing)).encode())


def _file() -> Path:
    return kept_folder() / "spark.json"
