"""Runs a program in a child process up to the graphs that it submits, and says plainly when that fails."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from checker.errors import ExtractionError
from checker.extract.runtime.capture.jvm import without_old_scala
from checker.extract.runtime.execution import Rehearsing
from checker.model.nested import Json
from checker.processes.starting import LOCALE, PIPE, environment, python_module, supervised, waited

BESIDE_THE_HEAP_MB = 3_000
"""What a process with a JVM takes beside its heap, at most."""
_KEPT_OUTPUT = 16_384
_CHILD = "checker.extract.sql.planner.program_child"
_MISSING = ("java.lang.NoClassDefFoundError", "java.lang.ClassNotFoundException")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnableProgram:
    """A main class and all that its run depends on."""

    main: str
    flink_jars: Path
    as_it_is: bool = False
    """The folder is the deployment's own: no jar of it is left out for a program that brings another Scala."""
    jars: tuple[Path, ...] = ()
    args: tuple[str, ...] = ()
    parallelism: int = 1
    """What the deployment passes with ``-p``."""
    configuration: Mapping[str, str] = field(default_factory=dict)
    """Keys of Flink's configuration file."""
    seconds: float = 120.0
    memory_mb: int = 1024
    pass_environment: tuple[str, ...] = ()
    java_home: Path | None = None
    rehearsing: Rehearsing | None = None
    """Jobs of Java programs also run, without their sources and sinks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a run submitted before it ended, and what a reader has to know about how it ended."""

    jobs: tuple[Json, ...]
    notes: tuple[str, ...] = ()


def run(program: RunnableProgram) -> Run:
    """Run the program once and return the graphs of its jobs, in the order of submission.

    The process and everything that it started are gone when this returns. Raises ExtractionError when the program
    could not be started, ran out of time, or ended without having submitted a job.
    """
    return _judged(program, _run_child(program))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """The child's records and how its process ended."""

    records: tuple[Json, ...]
    status: int | None
    """Exit status, None when time ran out."""
    output: str

    @property
    def jobs(self) -> tuple[Json, ...]:
        """Each as it was written last: first without its states, then with them."""
        return tuple({record["number"]: record["graph"] for record in self.records if "graph" in record}.values())

    @property
    def last(self) -> Json:
        return next((record for record in self.records if "end" in record), {})

    @property
    def started(self) -> bool:
        return any("started" in record for record in self.records)

    @property
    def thrown(self) -> list[Json]:
        """The exception that ended the program, outermost first."""
        thrown: list[Json] = self.last.get("thrown") or []
        wrapper = "java.lang.reflect.InvocationTargetException"
        return [exception for exception in thrown if exception["class"] != wrapper] or thrown


def _judged(program: RunnableProgram, ended: _Ended) -> Run:
    """Jobs and notes of a run, or the reason why there are none."""
    notes: list[str] = []
    unsupported = [job["unsupported"] for job in ended.jobs if "unsupported" in job]
    jobs = tuple(job for job in ended.jobs if "unsupported" not in job)
    if unsupported and not jobs:
        raise ExtractionError(
            f"{program.main} submits a {unsupported[0].rpartition('.')[2]}, not a stream graph: "
            "programs of the DataSet API keep no state and are not compared"
        )
    how = _how_it_ended(program, ended)
    if jobs and "refused" in jobs[-1]:
        how = None  # whatever the program did with Flink's exception, the job says it
    if not jobs:
        raise ExtractionError(f"{how or f'{program.main} ended without submitting a job'}{_shown(ended.output)}")
    if how:
        notes.append(f"{how} (after {len(jobs)} submitted job{'s' if len(jobs) > 1 else ''})")
    return Run(jobs=jobs, notes=tuple(notes))


def _how_it_ended(program: RunnableProgram, ended: _Ended) -> str | None:
    """None where main returned; else one sentence: what happened, and what to do."""
    end = ended.last.get("end")
    name = program.main
    if end == "returned":
        return None
    if end == "no-jvm":
        return f"no JVM could be started: {ended.last['message']}; install a JDK or set JAVA_HOME"
    if end == "no-flink":
        return (
            f"the jars in {program.flink_jars} are not a Flink that can be captured: {ended.last['message']}; "
            "name the distribution that the job runs on"
        )
    if end == "no-main":
        return f"{name} has no 'public static void main(String[])': {ended.last['message']}"
    if end == "threw" or ended.thrown:
        return _exception(name, ended.thrown)
    if ended.status is None:
        return (
            f"{name} did not come to an end within {program.seconds:g} s and was stopped; "
            "give it more (--exec-timeout), or look for what it waits for before it submits its job"
        )
    if not ended.started:
        return f"the JVM ended with status {ended.status} before {name} was started"
    if ended.status < 0:
        return (
            f"{name} was killed by {signal.Signals(-ended.status).name}; it may have needed more memory than is given"
        )
    return f"{name} ended its JVM itself: System.exit({ended.status})"


def _exception(name: str, thrown: list[Json]) -> str:
    missing = next((exception for exception in thrown if exception["class"] in _MISSING), None)
    if missing:
        wanted = (missing["message"] or "").replace("/", ".")
        if wanted == name:
            return f"the given jars hold no class {name}; check the main class and the jars"
        return f"{name} needs the class {wanted}, which is in no given jar; add the jar that holds it"
    cause = thrown[-1]
    where = next((frame for exception in thrown for frame in exception["frames"] if frame.startswith(name)), None)
    message = f"{name} threw {cause['class']}: {cause['message']}"
    return f"{message} (at {where})" if where else message


def _shown(output: str) -> str:
    lines = [line for line in output.strip().splitlines() if line.strip()][-8:]
    return "" if not lines else "\n  its output ended with:\n  " + "\n  ".join(line[:300] for line in lines)


def _run_child(program: RunnableProgram) -> _Ended:
    with tempfile.TemporaryDirectory(prefix="savepoint-checker-", ignore_cleanup_errors=True) as folder:
        request = Path(folder, "request.json")
        result = Path(folder, "result.jsonl")
        work = Path(folder, "work")
        work.mkdir()
        request.write_text(json.dumps(_request(program, str(work))), "utf-8")
        command = python_module(_CHILD, str(request), str(result))
        memory_mb = program.memory_mb + BESIDE_THE_HEAP_MB
        with supervised(
            command, environment=_environment(program, folder), folder=work, output=PIPE, memory_mb=memory_mb
        ) as process:
            tail = _Tail(process.stdout)
            status = waited(process, program.seconds)
        return _Ended(records=_records(result), status=status, output=tail.text())


def _request(program: RunnableProgram, folder: str) -> Json:
    configuration = {
        "execution.target": "local",
        "execution.attached": "true",
        **program.configuration,
        "parallelism.default": str(program.parallelism),
    }
    request: Json = {
        "main": program.main,
        "jars": [str(jar.absolute()) for jar in program.jars],
        "flink_jars": [str(jar.absolute()) for jar in _distribution(program)],
        "args": list(program.args),
        "configuration": configuration,
        "memory_mb": program.memory_mb,
        "seconds": program.seconds,
        "folder": folder,
    }
    if program.rehearsing is not None:
        request["rehearsal"] = {"folder": str(program.rehearsing.folder), "start": program.rehearsing.start}
    return request


def _distribution(program: RunnableProgram) -> list[Path]:
    jars = sorted(program.flink_jars.glob("*.jar"))
    return jars if program.as_it_is else without_old_scala(jars, program.jars)


def _environment(program: RunnableProgram, folder: str) -> dict[str, str]:
    """What the program sees of our variables; everything else is kept from it unless it is named."""
    own = {"HOME": folder}
    if program.java_home is not None:
        own["JAVA_HOME"] = str(program.java_home)
    return environment(*LOCALE, *program.pass_environment, own=own)


def _records(result: Path) -> tuple[Json, ...]:
    """The whole lines that the child wrote: the last may be cut off."""
    if not result.exists():
        return ()
    records = []
    for line in result.read_text("ascii", errors="replace").splitlines():
        with contextlib.suppress(ValueError):
            records.append(json.loads(line))
    return tuple(records)


class _Tail:
    """Drains a stream in the background and keeps its end, however much is written."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._kept = b""
        self._stream = stream
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        if self._stream is None:
            return
        with contextlib.suppress(ValueError, OSError):
            while chunk := os.read(self._stream.fileno(), 1 << 20):
                self._kept = (self._kept + chunk)[-_KEPT_OUTPUT:]

    def text(self) -> str:
        """What was kept, once the writers are gone."""
        self._thread.join(5)
        if self._stream is not None and not self._thread.is_alive():
            self._stream.close()
        return self._kept.decode("utf-8", errors="replace")
