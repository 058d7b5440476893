"""SQL scripts and compiled plans of both revisions, planned by Flink's own planner in one go.

That happens on this machine, before any engine starts.

Nothing of the repository is executed, so no permission is needed. What it needs is a JVM and Flink's jars, which a
``check`` fetches once and a hook never does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from checker.errors import CheckerError, PipelineMissingError
from checker.extract.asking.consulted import Consulted, ConsultedFiles, consulted, plain
from checker.extract.automatic import document_kind
from checker.extract.runtime.distribution import full_version, planner_jars
from checker.extract.runtime.execution import Execution
from checker.extract.sql.connectors import own_factories
from checker.extract.sql.planner.planning import PlannedJob, PlannedScript, PlannerTask, plan
from checker.extract.sql.planner.topologies import PLANNED_PARALLELISM, JobPlace, planned_topology
from checker.extract.sql.scripts.commands import CreateCatalog, CreateFunction, RunPlan, RunQuery
from checker.extract.sql.scripts.reading import (
    Placed,
    Script,
    assumption,
    commands_without_values,
    is_script,
    options_of,
    paths_of,
    read_plan,
    read_script,
    runs_in_batch,
    statements_of,
)
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Kind, Mode, Topology, Transformation
from checker.model.unknowns import Location, Unknown
from checker.savepoint.reader import read_savepoint
from checker.workflows.check.records import ReadPipeline, SideToRead

PLANNED_ANYWAY = 20
"""Pipelines that both revisions have alike, and that are planned nevertheless: reports show their operators."""
ALIKE = "both revisions have the same statements, so they were not planned"
_MADE_ELSEWHERE = re.compile(
    r"not found(?: (?:in the catalog|within) .*)?$|Cannot find table|does not exist|No match found for function"
    r"|Could not find any factor|VectorSearchTableSource"
)
"""What is said of tables, functions and models that something beside the script may have made."""


@dataclass(slots=True)
class _Planned:
    """One script of one revision on its way to its jobs."""

    entry: PipelineEntry
    script: Script | None = None
    failure: str | None = None
    task: PlannerTask | None = None
    answer: PlannedScript = field(default_factory=PlannedScript)
    batch: bool = False
    """Whether its jobs run in batch mode, so that there is nothing to plan for."""

    def jobs(self) -> list[PlannedJob]:
        found = self.answer.jobs
        return [j for j in found if j.failure is None or isinstance(self._placed(j).command, RunQuery | RunPlan)]

    def _placed(self, job: PlannedJob) -> Placed:
        """The command that submits a job."""
        assert self.script is not None
        return self.script.commands[job.statement]

    def refuses(self, job: PlannedJob) -> bool:
        """Whether Flink would refuse a statement of the real script: nothing that it names stands in for anything."""
        assert self.script is not None
        commands = [placed.command for placed in self.script.commands]
        whole = not any(isinstance(command, CreateCatalog | CreateFunction | RunPlan) for command in commands)
        known = whole and not self.script.assumed_version and not self.answer.unknown
        return job.refused and known and _MADE_ELSEWHERE.search(job.failure or "") is None

    def targets(self, job: PlannedJob) -> tuple[str, ...]:
        """The tables that a job writes."""
        command = self._placed(job).command
        return command.targets if isinstance(command, RunQuery) else ()

    def locations(self, job: PlannedJob) -> dict[str, Location]:
        """Table → where the insert of a statement set stands that writes it."""
        placed = self._placed(job)
        lines = placed.command.line_of_target if isinstance(placed.command, RunQuery) else {}
        return {table: Location(placed.location.file, line) for table, line in lines.items()}

    def location(self, job: PlannedJob) -> Location:
        return self._placed(job).location


def plan_scripts(sides: Sequence[SideToRead], execution: Execution) -> Mapping[str, list[ReadPipeline]]:
    """Side → the jobs of all of its scripts. One that can't be planned is an answer with its reason, not a stop."""
    planned: dict[tuple[str, str], _Planned] = {}
    read: dict[tuple[str, str], tuple[PipelineEntry, Consulted]] = {}
    for side in sides:
        for entry in side.entries:
            files = ConsultedFiles(plain(side.files))
            planned_script = planned[side.name, entry.name] = _read(files, entry)
            consulted(side.files).consulted.add(files.consulted)
            if planned_script.script is None:
                continue
            planned_script.task = _task((side.name, entry.name), planned_script)
            if not planned_script.script.functions:  # edits of what these use count, too
                read[side.name, entry.name] = entry, files.consulted
    spared = alike(sides, read)
    tasks = [p.task for (_, name), p in planned.items() if p.task is not None and name not in spared]
    answers = plan_tasks(tasks, execution)
    for (side_name, name), planned_script in planned.items():
        planned_script.answer = answers.get(f"{side_name}/{name}", planned_script.answer)
    found: dict[str, list[ReadPipeline]] = {side.name: [] for side in sides}
    for name in dict.fromkeys(entry.name for side in sides for entry in side.entries):
        there = {side.name: planned[side.name, name] for side in sides if (side.name, name) in planned}
        names: dict[_Written, str] = {}
        for side_name, planned_script in there.items():
            if name in spared and planned_script.script is not None:
                found[side_name].append(replace(_failed(name, ALIKE), alike=planned_script.script.files))
            else:
                found[side_name].extend(_pipelines(planned_script, names))
    return found


def alike(
    sides: Sequence[SideToRead], read: Mapping[tuple[str, str], tuple[PipelineEntry, Consulted]]
) -> frozenset[str]:
    """Pipelines in which two revisions have everything alike that was asked of them; none where these are few.

    None where the repository has connectors of its own, either: an edit of these counts beyond what is asked.
    """
    if len(sides) != 2 or any(own_factories(side.files) for side in sides):
        return frozenset()
    base, head = sides
    found = ((name, *row, *read.get((base.name, name), ())) for (side, name), row in read.items() if side == head.name)
    same = frozenset(
        name
        for name, entry, asked, *before in found
        if before and replace(entry, optional=before[0].optional) == before[0] and asked.holds(plain(base.files))
    )
    return same if len(same) > PLANNED_ANYWAY else frozenset()


def _read(files: SourceFiles, entry: PipelineEntry) -> _Planned:
    try:
        return _Planned(entry, read_script(files, entry) if is_script(entry) else read_plan(files, entry))
    except PipelineMissingError as error:
        return _Planned(entry, failure=None if entry.optional else str(error))
    except CheckerError as error:
        found = commands_without_values(files, entry) if is_script(entry) else ()
        return _Planned(entry, failure=str(error), batch=runs_in_batch(tuple(found), entry))


def _task(key: tuple[str, str], planned: _Planned) -> PlannerTask | None:
    assert planned.script is not None
    try:
        version = full_version(planned.script.flink)
    except CheckerError as error:
        planned.failure = str(error)
        return None
    parallelism = planned.entry.parallelism or PLANNED_PARALLELISM
    options = {**dict(planned.script.releases), **options_of(planned.entry), "parallelism.default": str(parallelism)}
    return PlannerTask(
        key="/".join(key),
        flink=version,
        statements=tuple(statements_of(planned.script)),
        options=tuple(sorted(options.items())),
        functions=planned.script.functions,
    )


def plan_tasks(tasks: Sequence[PlannerTask], execution: Execution) -> Mapping[str, PlannedScript]:
    """What Flink's planner says to each task by its key. Jars are fetched where that is allowed."""

    return plan(
        tasks,
        partial(planner_jars, execution),
        lambda path: read_savepoint(path, check_files=False),
        memory_mb=execution.memory_mb,
        progress=execution.progress,
    )


_Written = tuple[tuple[str, ...], int]
"""What a job writes, and how many jobs of the script before it write the same."""


def _pipelines(planned: _Planned, names: dict[_Written, str]) -> list[ReadPipeline]:
    """The jobs of a script. ``names`` are those that the other revision gave, by what the jobs write."""
    entry, failure = planned.entry, planned.failure or planned.answer.failure
    if planned.batch:
        return [_of_batch(entry)]
    if failure is not None:
        return [replace(_failed(entry.name, failure), lacking=planned.answer.lacking)]
    if planned.script is None:
        return []
    jobs = planned.jobs()
    if not jobs:
        broken = next((job for job in planned.answer.jobs), None)
        absent = [c.command.path for c in planned.script.commands if isinstance(c.command, RunPlan)]
        why = f"the compiled plan {absent[0]} is not in the repository" if absent else "it submits no job"
        return [_failed(entry.name, why) if broken is None else _unplanned(planned, broken, entry.name)]
    named = _names(entry.name, [planned.targets(job) for job in jobs], names)
    return [replace(_pipeline(planned, job, name), entry=entry) for job, name in zip(jobs, named, strict=True)]


def _names(name: str, targets: list[tuple[str, ...]], known: dict[_Written, str]) -> list[str]:
    """A name for each job: that of the job of the other side that writes most of the same, else one of its own."""
    taken: set[str] = set()
    found: dict[_Written, str] = {}
    for number, wanted in enumerate(targets):
        place = targets[:number].count(wanted)
        shared = {
            written: (len(set(wanted) & set(written[0])), written == (wanted, place))
            for written, task in known.items()
            if task not in taken
        }
        best = max(shared, key=lambda written: shared[written], default=None)
        single = len(targets) == 1 and len(known) == 1
        if best is not None and (shared[best][0] or single):
            own = known[best]
        else:
            own = name if len(targets) == 1 and not known else f"{name} ({', '.join(wanted) or 'plan'})"
            while own in taken or own in known.values():
                own += " again"
        taken.add(own)
        found[wanted, place] = own
    known.update({written: own for written, own in found.items() if own not in known.values()})
    return list(found.values())


def _pipeline(planned: _Planned, job: PlannedJob, name: str) -> ReadPipeline:
    assert planned.script is not None
    assert planned.task is not None
    if job.graph is None:
        return _unplanned(planned, job, name)
    script, answer = planned.script, planned.answer
    place = JobPlace(
        name=name,
        flink=full_version(script.flink),
        location=planned.location(job),
        locations=planned.locations(job),
        files=tuple(dict.fromkeys(script.files)),
        parallelism=planned.entry.parallelism,
        answer=answer,
        asked=planned.task.digest,
    )
    return ReadPipeline(
        name=name,
        extractor=ExtractorKind.SQL.value,
        topology=planned_topology(job, place),
        how=_how(script, planned.task),
    )


def _how(script: Script, task: PlannerTask | None) -> str:
    assumed = f" (no version is configured: {script.flink} is assumed)" if script.assumed_version else ""
    return f"planned by Flink {full_version(script.flink)}{assumed}{assumption(dict(task.options if task else ()))}"


def _unplanned(planned: _Planned, job: PlannedJob, name: str) -> ReadPipeline:
    assert planned.script is not None
    assert job.failure is not None
    if runs_in_batch((placed.command for placed in planned.script.commands), planned.entry):
        return _of_batch(replace(planned.entry, name=name))
    return replace(
        _failed(name, job.failure),
        failure_location=planned.location(job),
        refused=planned.refuses(job),
        how=_how(planned.script, planned.task),
    )


def _of_batch(entry: PipelineEntry) -> ReadPipeline:
    """A job that was not planned, and keeps nothing whatever its operators are."""
    operators = Transformation(id="batch", kind=Kind.UNKNOWN, unknown=Unknown("a batch job is not planned"))
    topology = Topology(name=entry.name, transformations=(operators,), mode=Mode.BATCH, files=paths_of(entry))
    return ReadPipeline(name=entry.name, extractor=ExtractorKind.SQL.value, topology=topology)


def _failed(name: str, why: str) -> ReadPipeline:
    return ReadPipeline(name=name, extractor=ExtractorKind.SQL.value, failure=why)


def without_scripts(side: SideToRead) -> tuple[list[PipelineEntry], list[PipelineEntry]]:
    """(scripts and plans, the rest): what is planned, and what the other readers take."""
    planned = [
        entry
        for entry in side.entries
        if entry.extract in (ExtractorKind.AUTO, ExtractorKind.SQL)
        and (is_script(entry) or document_kind(side.files, entry) is ExtractorKind.SQL)
    ]
    return [replace(entry, extract=ExtractorKind.SQL) for entry in planned], [
        entry for entry in side.entries if entry not in planned
    ]
