"""Choosing an engine: Spark for much work where it is at hand, else this process, and saying so.

Without Spark pipelines of a check, and tasks of an audit, are done one after the other in this process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from checker.engines.progress import counted
from checker.errors import UsageError
from checker.model.nested import Json
from checker.processes.starting import java
from checker.workflows.check.comparing_revisions import Engine
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import pipeline_stage

if TYPE_CHECKING:  # which needs pyarrow
    from checker.workflows.audit.auditing import Computing


def judge_pipelines(plan: CheckPlan) -> list[Json]:
    """Every pipeline of either side, judged."""
    judged = []
    for done, name in enumerate(plan.names):
        counted("reading pipelines", done, len(plan.names))
        judged.append(pipeline_stage(plan, name))
    return [document for document in judged if document is not None]


class InProcessAudit:
    """The engine of ``--engine in-process``."""

    slots = 1
    elsewhere = False

    def run(self, tasks: Computing, count: int) -> Iterator[Json]:
        """The rows of all tasks."""
        for number in range(count):
            yield from tasks(number)


ENGINES = ("spark", "in-process")
SPARK_FROM = 200
"""Pipelines from which on Spark is chosen: starting it takes as long as reading dozens in this process."""


def choose_engine(name: str | None, *, master: str, remote: str | None, verbose: bool) -> Engine:
    """The engine for a name; None = what fits. Raises UsageError for an unknown one."""
    if name == "spark" and (missing := missing_for_spark(remote)) is not None:
        raise UsageError(f"--engine spark: {missing}")
    asked = name or ("spark" if remote is not None else None)
    here = asked is not None and without_spark(asked, remote)

    def judge(plan: CheckPlan) -> list[Json]:
        fitting = "spark" if len(plan.names) >= SPARK_FROM else "in-process"
        if here or (asked is None and without_spark(fitting, None)):
            return judge_pipelines(plan)
        from checker.engines.spark.work import judge_on_spark

        return judge_on_spark(plan, master=master, remote=remote, verbose=verbose)

    return judge


def without_spark(name: str, remote: str | None) -> bool:
    """Whether the work runs in this process: asked for, or for want of Spark, which is said. Raises UsageError."""
    if name not in ENGINES:
        raise UsageError(f"--engine {name}: must be spark or in-process")
    missing = missing_for_spark(remote) if name == "spark" else None
    if missing is not None:
        print(f"{missing}: running in process instead (--engine in-process silences this)", file=sys.stderr)
    return name == "in-process" or missing is not None


def missing_for_spark(remote: str | None) -> str | None:
    """What Spark lacks here, None when it can start. With a remote session no Java is needed."""
    if find_spec("pyspark") is None or find_spec("pyarrow") is None:
        return "PySpark is not installed (pip install 'savepoint-checker[spark]')"
    if remote is not None:
        return None
    found = java()
    if found is None:
        return "no Java found for Spark (install a JDK 17 or set JAVA_HOME)"
    return None if Path(found).exists() else f"JAVA_HOME ({Path(found).parents[1]}) holds no Java"
