"""Runs a program in a child process up to the graphs that it submits, and says plainly when that fails."""

import contextlib
import json
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeVar

from checker.errors import ExtractionError
from checker.extract.runtime.capture.jvm import without_old_scala
from checker.extract.runtime.execution import Execution
from checker.model.nested import Json
from checker.processes.starting import LOCALE, PIPE, Process, environment, python_module, supervised, waited

_BESIDE_THE_HEAP_MB = 3_000
"""What a process with a JVM takes beside its heap, at most."""
_KEPT_OUTPUT = 16_384
_CHILD = "checker.extract.sql.planner.program_child"
_MISSING = ("java.lang.NoClassDefFoundError", "java.lang.ClassNotFoundException")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnableProgram:
    """A main class and all that its run depends on."""

    main: str
    flink_jars: Path
    jars: tuple[Path, ...] = ()
    args: tuple[str, ...] = ()
    parallelism: int = 1
    """What the deployment passes with ``-p``."""
    configuration: Mapping[str, str] = field(default_factory=dict)
    """Keys of Flink's configuration file."""
    execution: Execution = field(default_factory=Execution)


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
    ended = _run_child(program)
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
            f"{name} did not come to an end within {program.execution.seconds:g} s and was stopped; "
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


T = TypeVar("T")


def in_child(
    module: str, asked: Json, folder: Path, seen: Mapping[str, str], wait: Callable[[Process, Path], T]
) -> tuple[T, tuple[Json, ...], str]:
    """Run a module of ours with a request: what ``wait`` gives, the records that it wrote, the end of its output.

    It works below ``folder``. The process and everything that it started are gone then.
    """
    request, result, work = folder / "request.json", folder / "result.jsonl", folder / "work"
    work.mkdir()
    request.write_text(json.dumps({**asked, "folder": str(work)}), "utf-8")
    command, memory_mb = python_module(module, str(request), str(result)), asked["memory_mb"] + _BESIDE_THE_HEAP_MB
    with supervised(command, environment=seen, folder=work, output=PIPE, memory_mb=memory_mb) as process:
        tail = _Tail(process.stdout)
        found = wait(process, result)
    return found, _records(result), tail.text()


def _run_child(program: RunnableProgram) -> _Ended:
    execution = program.execution
    with tempfile.TemporaryDirectory(prefix="savepoint-checker-", ignore_cleanup_errors=True) as folder:
        own = {"HOME": folder}
        if execution.java_home is not None:
            own["JAVA_HOME"] = str(execution.java_home)
        seen = environment(*LOCALE, *execution.pass_environment, own=own)  # all else is kept from the program
        status, records, output = in_child(
            _CHILD, _request(program), Path(folder), seen, lambda process, _: waited(process, execution.seconds)
        )
    return _Ended(records=records, status=status, output=output)


def _request(program: RunnableProgram) -> Json:
    execution, flink_jars = program.execution, sorted(program.flink_jars.glob("*.jar"))
    if execution.flink_home is None:  # of a deployment's own distribution no jar is left out
        flink_jars = without_old_scala(flink_jars, program.jars)
    configuration = {
        "execution.target": "local",
        "execution.attached": "true",
        **program.configuration,
        "parallelism.default": str(program.parallelism),
    }
    return {
        "main": program.main,
        "jars": [str(jar.absolute()) for jar in program.jars],
        "flink_jars": [str(jar.absolute()) for jar in flink_jars],
        "args": list(program.args),
        "configuration": configuration,
        "memory_mb": execution.memory_mb,
        "seconds": execution.seconds,
    }


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
