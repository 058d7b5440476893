"""``doctor``: what was found of Flink in a repository, how it is read, and what readers lack on this machine."""

from collections.abc import Iterator, Mapping, Sequence
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
from checker.report.presentable import presentable, short, without_graphs
from checker.report.wording import coverage, failures, flink_of, place, reading_in_full, untouched
from checker.workflows.check.comparing_revisions import Asked, flink_without_jobs, plan_check, run_check
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import read_stage, translate_stage


def render_doctor(
    report: Json, deployed: Mapping[str, str], without_job: Sequence[str], machine: Sequence[tuple[str, str]]
) -> str:
    """The whole text.

    ``deployed`` maps a pipeline to what starts it, ``without_job`` are files that use Flink where no job was found,
    ``machine`` is what this machine has of what readers need, or how to get it.
    """
    shown = presentable(without_graphs(report))
    sections = {
        "pipelines": list(_pipelines(shown, deployed)),
        "not read": [_at(note["location"], note["message"]) for note in shown["notes"] if note["unread"] is not None],
        "use Flink, and no job was found": list(without_job),
        "edits that are not understood": list(_edits(shown)),
        "this machine": [f"{what}: {found}" for what, found in machine],
    }
    if not any(found for title, found in sections.items() if title != "this machine"):
        sections["pipelines"] = ["nothing here uses Flink: look in another folder, or name a job under [[pipeline]]"]
    text = [f"{title}\n" + "".join(f"  {line}\n" for line in lines) for title, lines in sections.items() if lines]
    return "\n".join([*text, f"{coverage(shown)}\n"])


def _pipelines(report: Json, deployed: Mapping[str, str]) -> Iterator[str]:
    for pipeline in report["pipelines"]:
        name, rows = pipeline["name"], pipeline["operators"]
        open_rows = [row for row in rows if row["undecided"]]
        unread = pipeline["status"] == "unreadable" or untouched(pipeline)
        partly = f"in part, {len(open_rows)} of {len(rows)} operators undecided" if open_rows else "in part"
        some = bool(open_rows or pipeline["undecided"] or pipeline["lacking"])
        how = "not read" if unread else partly if some else "read whole"
        reading = reading_in_full(pipeline)
        facts = (
            "" if reading.startswith(how) else how,
            reading,
            flink_of(pipeline),
            deployed.get(name, "nothing here starts it"),
        )
        yield f"{short(name)}  {' · '.join(filter(None, facts))}"
        for side, why in failures(pipeline):
            yield "  " + _at(pipeline["failure_location"][side or "head"], why)
        found = {u["reason"]: u for u in (*pipeline["undecided"], *(u for row in rows for u in row["undecided"]))}
        for unknown in found.values():
            yield "  " + _at(unknown["location"], unknown["reason"] + settle(unknown["settled_by"]))


def _edits(report: Json) -> Iterator[str]:
    for pipeline in report["pipelines"]:
        for edit in (pipeline["account"] or {"edits": ()})["edits"]:
            if edit["explanation"] == Explanation.NOT_UNDERSTOOD:
                at, why = edit["head"] or edit["base"], edit["reason"] + settle(edit["settled_by"])
                yield _at(at, f"{short(edit['name'])} ({short(pipeline['name'])}): {why}")


def _at(location: Json | None, text: str) -> str:
    return f"{place(location)}: {text}" if location and not text.startswith(location["file"]) else text


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
    print(render_doctor(report, deployed, flink_without_jobs(plan, report), tuple(_machine(report))), end="")


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
