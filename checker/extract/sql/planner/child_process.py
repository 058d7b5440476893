"""Runs the planner's child process over some scripts, with bounded time."""

import hashlib
import os
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from checker.cache import user_folder
from checker.extract.runtime.capture.capturing import in_child
from checker.extract.sql.connectors import connectors
from checker.model.flink_releases import minor_of
from checker.model.nested import Json
from checker.processes.starting import LOCALE, Process, environment, waited

_WITHOUT_ANSWER = 600.0
"""Seconds for a script: generous, since a busy machine must change no answer."""

_CHILD = "checker.extract.sql.planner.child"


@dataclass(frozen=True, slots=True)
class ChildRun:
    """What a child wrote: a record for each script up to its end, how it ended, and the end of its output."""

    scripts: Sequence[Json]
    end: Json | None
    output: str
    late: bool = False
    """Whether it gave no answer for too long."""

    def why(self) -> str:
        """Why there is no more than that."""
        if self.end is None and self.late:
            return f"Flink's planner did not come to an end within {_WITHOUT_ANSWER:g} s"
        if self.end is None:
            last = self.output.strip().splitlines()[-1:] or ["without a message"]
            return f"Flink's planner did not come to an end: {last[0][:300]}"
        if self.end["end"] == "no-jvm":
            return f"no JVM could be started for Flink's planner: {self.end['message']}; install a JDK or set JAVA_HOME"
        return f"the jars are not a Flink that can plan SQL: {self.end.get('message')}"


def run_child(scripts: Sequence[Json], version: str, jars: Path, folder: Path, *, memory_mb: int) -> ChildRun:
    """One child for all of ``scripts``, which are as ``PlannerTask.request`` makes them. It writes below ``folder``."""
    asked = {
        "flink_jars": class_path_of(jars),
        "memory_mb": memory_mb,
        "connectors": connectors(minor_of(version)),
        "scripts": list(scripts),
    }
    seen = environment(*LOCALE, own={"HOME": str(folder)})
    late, records, output = in_child(_CHILD, asked, folder, seen, _gave_up)
    end = next((record for record in records if "end" in record), None)
    return ChildRun([record for record in records if "script" in record], end, output, late)


def _gave_up(process: Process, result: Path) -> bool:
    """Wait until the child ends, or has given no answer for too long."""
    size, until = 0, time.monotonic() + _WITHOUT_ANSWER
    while time.monotonic() < until:
        if waited(process, 0.2) is not None:
            return False
        grown = result.stat().st_size if result.exists() else 0
        if grown > size:
            size, until = grown, time.monotonic() + _WITHOUT_ANSWER
    return True


_LOADER = "flink-table-planner-loader"
_INNER = "flink-table-planner.jar"


def class_path_of(jars: Path) -> tuple[str, ...]:
    """The class path of a folder of jars. What can't be kept costs time only."""
    found = [jar.absolute() for jar in sorted(jars.glob("*.jar"))]
    inner = next((made for jar in found if jar.name.startswith(_LOADER) and (made := _unpacked(jar))), None)
    if inner is not None:
        found = [*(jar for jar in found if not jar.name.startswith(_LOADER)), inner]
    return tuple(map(str, found))


def _unpacked(loader: Path) -> Path | None:
    """The planner's own jar, taken out of its loader once."""
    state = f"{loader} {loader.stat().st_size} {loader.stat().st_mtime_ns}"
    folder = user_folder() / "planner" / hashlib.sha256(state.encode()).hexdigest()[:16]
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
