"""``doctor``: what was found of Flink in a repository, how it is read, and what readers lack on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from checker.commands import options
from checker.engines.choice import judge_pipelines, missing_for_spark
from checker.engines.progress import waiting
from checker.errors import UnsupportedFlinkError
from checker.extract.runtime.distribution import cached_jars
from checker.model.nested import Json
from checker.processes.starting import java
from checker.report.doctor import render_doctor
from checker.workflows.check.comparing_revisions import Asked, flink_without_jobs, plan_check, run_check


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(options.WhatIsGiven):
    """What ``doctor`` is asked."""

    repo: options.Repo = Path(".")
    base: options.Base = None
    head: options.Head = "HEAD"
    pipeline: options.Pipelines = None


@options.options_of(DoctorOptions)
def doctor(asked: DoctorOptions) -> None:
    """Show which jobs were found, how each is read, and what is missing.

    With --base it also says why edits since then are not understood.

    \b
    savepoint-checker doctor
    savepoint-checker doctor --base main
    """
    execution = replace(options.WhatMayRun().execution, fetch=False)
    wanted = Asked(pipelines=tuple(asked.pipeline or ()), overrides=asked.overrides, execution=execution)
    with waiting("looking for pipelines"):
        plan = plan_check(asked.repo, asked.base or asked.head, asked.head, wanted)
        report = run_check(plan, judge_pipelines)
    entries = [after or before for before, after in plan.asked.values()]
    deployments = {entry.name: entry.deployment for entry in entries if entry is not None and entry.deployment}
    deployed = {
        name: f"started by {found.kind} '{found.name}' ({found.location})" for name, found in deployments.items()
    }
    print(render_doctor(report, deployed, flink_without_jobs(plan, report), tuple(_machine(report))), end="")


def _machine(report: Json) -> Iterator[tuple[str, str]]:
    """What readers need of this machine, each with what is there or how to get it."""
    yield "Java", java() or "none; SQL, --allow-exec and Spark need one: install a JDK 17 or set JAVA_HOME"
    missing = "missing; SQL and --allow-exec need it: pip install 'savepoint-checker[flink]'"
    yield "JPype", missing if find_spec("jpype") is None else "installed"
    yield "Spark", missing_for_spark(None) or "installed"
    for release in sorted({p["flink"]["head"] for p in report["pipelines"]} - {None}):
        try:
            found = cached_jars(release) is not None
        except UnsupportedFlinkError:
            continue
        fetch = f"not here; SQL and --allow-exec need them: savepoint-checker flink fetch {release}"
        yield f"jars of Flink {release}", "here" if found else fetch
