"""Runs the planner's child process over some scripts, with bounded time."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.capturing import BESIDE_THE_HEAP_MB
from checker.extract.sql.planner.class_path import ClassPath
from checker.processes.starting import Process, supervised, waited
from checker.processes.surroundings import LOCALE, environment, python_module

Record = dict[str, Any]

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

    scripts: Sequence[Record]
    end: Record | None
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
    scripts: Sequence[Record],
    connectors: Mapping[str, Record],
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
    records: list[Record] = []
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
