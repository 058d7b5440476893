"""``doctor``: what was found of Flink in a repository, how it is read, and what readers lack on this machine."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from checker.commands import options
from checker.engines.choice import judge_pipelines, missing_for_spark
from checker.engines.progress import waiting
from checker.errors import UnsupportedFlinkError
from checker.extract.runtime.distribution import cached_jars
from checker.model.account import Explanation
from checker.model.nested import Json
from checker.model.translation import Translation
from checker.model.unknowns import settle
from checker.processes.starting import java
from checker.report.ids import unknown_document
from checker.report.pages import environment
from checker.report.presentable import presentable, short, without_graphs
from checker.report.wording import coverage, failures, flink_of, place, reading_in_full, untouched
from checker.workflows.check.comparing_revisions import Asked, flink_without_jobs, plan_check, run_check
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import read_stage, translate_stage


def render_doctor(
    report: Json, deployed: Mapping[str, str], without_job: Sequence[str], machine: Iterable[tuple[str, str]]
) -> str:
    """The whole text.

    ``deployed`` maps a pipeline to what starts it, ``without_job`` are files that use Flink where no job was found,
    ``machine`` is what this machine has of what readers need, or how to get it.
    """
    shown = presentable(without_graphs(report))
    reached = [(p, edit) for p in shown["pipelines"] for edit in (p["account"] or {"edits": ()})["edits"]]
    tools = (coverage, failures, flink_of, place, reading_in_full, settle, short, untouched)
    return (
        environment(autoescape=False)
        .get_template("doctor.txt")
        .render(
            report=shown,
            unread=[note for note in shown["notes"] if note["unread"] is not None],
            edits=[(p, edit) for p, edit in reached if edit["explanation"] == Explanation.NOT_UNDERSTOOD],
            deployed=presentable(dict(deployed)),
            without_job=presentable(list(without_job)),
            machine=machine,
            **{tool.__name__: tool for tool in tools},
        )
    )


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(options.WhatIsGiven):
    """What ``doctor`` is asked."""

    repo: Path = Path(".")
    base: str | None = None
    head: str = "HEAD"
    pipeline: list[str] | None = None


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
        if asked.base is None:
            report = {**report, "pipelines": [_with_unknowns(plan, pipeline) for pipeline in report["pipelines"]]}
    entries = [after or before for before, after in plan.asked.values()]
    deployments = {entry.name: entry.deployment for entry in entries if entry is not None and entry.deployment}
    deployed = {
        name: f"started by {found.kind} '{found.name}' ({found.location})" for name, found in deployments.items()
    }
    print(render_doctor(report, deployed, flink_without_jobs(plan, report), _machine(report)), end="")


def _with_unknowns(plan: CheckPlan, pipeline: Json) -> Json:
    """A pipeline with all that leaves an id open: compared with itself, a revision has the same unknowns twice."""
    entry = next((e for e in plan.head_entries if e.name == pipeline["name"]), None)
    read = next((r for r in plan.head_read if r.name == pipeline["name"]), None)
    read = read or (None if entry is None else read_stage(entry, plan.head_files))
    translation = None if read is None else translate_stage(read)
    if not isinstance(translation, Translation):
        return pipeline
    return {**pipeline, "undecided": [unknown_document(undecided.unknown) for undecided in translation.undecided]}


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
