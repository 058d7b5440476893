"""Runs the planner's child process over some scripts, with bounded time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from checker.cache import user_folder
from checker.extract.runtime.capture.capturing import BESIDE_THE_HEAP_MB
from checker.model.nested import Json
from checker.processes.starting import LOCALE, Process, environment, python_module, supervised, waited

_SECONDS = 120.0
"""How much processor time a script may take."""
_LATE = 75
"""How the process ends that takes more."""
_WITHOUT_ANSWER = 600.0
"""By the clock, for what waits for something: generous, since a busy machine must change no answer."""

_CHILD = "checker.extract.sql.planner.child"


@dataclass(frozen=True, slots=True)
class ChildRun:
    """What a child wrote: a record for each script up to its end, how it ended, and the end of its output."""

    scripts: Sequence[Json]
    end: Json | None
    output: str
    late: float | None = None
    """After how many seconds without an answer it ended, where it did."""

    def why(self) -> str:
        """Why there is no more than that."""
        if self.end is None and self.late is not None:
            return f"Flink's planner did not come to an end within {self.late:g} s"
        if self.end is None:
            last = self.output.strip().splitlines()[-1:] or ["without a message"]
            return f"Flink's planner did not come to an end: {last[0][:300]}"
        if self.end["end"] == "no-jvm":
            return f"no JVM could be started for Flink's planner: {self.end['message']}; install a JDK or set JAVA_HOME"
        return f"the jars are not a Flink that can plan SQL: {self.end.get('message')}"


def run_child(
    scripts: Sequence[Json],
    connectors: Mapping[str, Json],
    jars: ClassPath,
    folder: Path,
    *,
    memory_mb: int,
    prepare: bool,
) -> ChildRun:
    """One child for all of ``scripts``, which are as ``PlannerTask.request`` makes them. It writes below ``folder``."""
    request, result, work = folder / "request.json", folder / "result.jsonl", folder / "work"
    work.mkdir()
    archive = folder / "classes.jsa" if prepare and jars.archive_is_due() else None
    asked = {
        "flink_jars": jars.jars,
        "jvm_options": jars.options(make=archive),
        "orderly_end": archive is not None,
        "folder": str(work),
        "memory_mb": memory_mb,
        "seconds": _SECONDS,
        "late": _LATE,
        "connectors": connectors,
        "scripts": list(scripts),
    }
    request.write_text(json.dumps(asked), "utf-8")
    output = folder / "output.txt"
    with (
        output.open("wb") as stream,
        supervised(
            python_module(_CHILD, str(request), str(result)),
            environment=environment(*LOCALE, own={"HOME": str(folder)}),
            folder=work,
            output=stream,
            memory_mb=memory_mb + BESIDE_THE_HEAP_MB,
        ) as process,
    ):
        late = _wait(process, result)
        ended_well = process.poll() == 0
    if archive is not None and ended_well and archive.exists():
        jars.keep(archive)
    lines = result.read_text("ascii", errors="replace").splitlines() if result.exists() else []
    records: list[Json] = []
    for line in lines:
        with contextlib.suppress(ValueError):
            records.append(json.loads(line))
    end = next((record for record in records if "end" in record), None)
    done = [record for record in records if "script" in record]
    return ChildRun(done, end, output.read_text("utf-8", errors="replace")[-2000:], late)


def _wait(process: Process, result: Path) -> float | None:
    """Until the child ends, or has given no answer for too long: how long that is."""
    size, until = 0, time.monotonic() + _WITHOUT_ANSWER
    while time.monotonic() < until:
        status = waited(process, 0.2)
        if status is not None:
            return _SECONDS if status == _LATE else None
        grown = result.stat().st_size if result.exists() else 0
        if grown > size:
            size, until = grown, time.monotonic() + _WITHOUT_ANSWER
    return _WITHOUT_ANSWER


_LOADER = "flink-table-planner-loader"
_INNER = "flink-table-planner.jar"
_RUNS_WITHOUT: Final = 2
"""So many runs go without an archive; the next one makes it."""


@dataclass(frozen=True, slots=True)
class ClassPath:
    """The jars of a version, and the archive of their classes."""

    jars: tuple[str, ...]
    archive: Path
    """Where the archive is, or will be: a JVM that finds it unfit goes without it."""

    def options(self, *, make: Path | None) -> list[str]:
        """Options of the JVM: to use the archive, or to write one where there is none yet and ``make`` says where."""
        if self.archive.exists():
            return [f"-XX:SharedArchiveFile={self.archive}", "-Xlog:disable"]
        return ["-Xverify:none"] if make is None else [f"-XX:ArchiveClassesAtExit={make}", "-Xlog:disable"]

    def archive_is_due(self) -> bool:
        """Whether this run had better make the archive. Counts the runs that ask."""
        runs = self.archive.with_suffix(".runs")
        if self.archive.exists():
            return False
        with contextlib.suppress(OSError):
            runs.parent.mkdir(parents=True, exist_ok=True)
            with runs.open("ab") as counted:
                counted.write(b".")
                return counted.tell() > _RUNS_WITHOUT
        return False

    def keep(self, made: Path) -> None:
        """Take a finished archive over, and remove those that it replaces."""
        with contextlib.suppress(OSError):
            made.replace(self.archive)
            self.archive.with_suffix(".runs").unlink(missing_ok=True)
            for older in self.archive.parent.glob("*.jsa"):
                if older != self.archive:
                    older.unlink()


def class_path_of(jars: Path) -> ClassPath:
    """The class path of a folder of jars. What can't be kept costs time only."""
    found = [jar.absolute() for jar in sorted(jars.glob("*.jar"))]
    state = [[str(jar), jar.stat().st_size, jar.stat().st_mtime_ns] for jar in found]
    folder = user_folder() / "planner" / hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16]
    inner = next((made for jar in found if jar.name.startswith(_LOADER) and (made := _unpacked(jar, folder))), None)
    if inner is not None:
        found = [*(jar for jar in found if not jar.name.startswith(_LOADER)), inner]
    return ClassPath(tuple(str(jar) for jar in found), folder / f"{_ours()}.jsa")


def _ours() -> str:
    """The classes of ours that stand before Flink's, and the JVM: an archive fits no others."""
    made = hashlib.sha256(os.environ.get("JAVA_HOME", "").encode())
    for jar in sorted(Path(__file__).parents[2].rglob("*.jar")):
        made.update(f"{jar} {jar.stat().st_mtime_ns}".encode())
    return made.hexdigest()[:16]


def _unpacked(loader: Path, folder: Path) -> Path | None:
    """The planner's own jar, taken out of its loader once."""
    path = folder / _INNER
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(loader) as archive:
            unfinished.write_bytes(archive.read(_INNER))
        unfinished.replace(path)
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    return path
