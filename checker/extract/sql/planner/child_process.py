"""Runs the planner's child process over some scripts, with bounded time."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
        "flink_jars": [str(jar.absolute()) for jar in sorted(jars.glob("*.jar"))],
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
