"""Programs that use the Table API: read from source here, their tables planned by Flink's planner, both put together.

All programs of both revisions are planned in one go, as SQL scripts are: nothing of the repository is executed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from checker.extract import registry
from checker.extract.asking.consulted import ConsultedFiles, plain
from checker.extract.interpreting.trace import Trace
from checker.extract.runtime.execution import Execution
from checker.extract.sql.functions.sources import function_sources
from checker.extract.sql.planner.planning import PlannedScript, PlannerTask
from checker.extract.sql.planner.rehearsing import PlaceOfJob
from checker.extract.sql.planner.splicing import Planned, spliced, whole_job
from checker.extract.sql.planner.topologies import PLANNED_PARALLELISM, JobPlace
from checker.extract.sql.programs.records import ProgramRecord, own_classes, program_record
from checker.extract.sql.scripts.reading import options_of
from checker.extract.sql.scripts.releases import assumption, releases
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.table_programs import TableProgram
from checker.model.topology import Topology
from checker.model.unknowns import Location, Maybe
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.planning_scripts import PlannedSides, plan_tasks
from checker.workflows.table_programs import using_tables


@dataclass(slots=True)
class _Read:
    """One program of one revision, read from source."""

    side: str
    entry: PipelineEntry
    kind: ExtractorKind
    topology: Topology
    trace: Trace
    version: str
    files: ConsultedFiles

    def key(self, place: int) -> str:
        return f"{self.side}/{self.entry.name}/{place}"


def plan_programs(sides: Sequence[SideToRead], execution: Execution) -> PlannedSides:
    """The programs of each side that use the Table API, read and planned. All other programs are left alone.

    ``places`` has those whose jobs are made by the planner alone.
    """
    read = [
        reading
        for side in sides
        for releases in [using_tables(side.files, side.entries)]
        for entry in side.entries
        if entry.name in releases and (reading := _read(side, entry, releases[entry.name])) is not None
    ]
    records = {
        reading.key(place): _record(reading, program)
        for reading in read
        for place, program in enumerate(reading.trace.tables)
    }
    tasks = {
        reading.key(place): _task(reading, place, records)
        for reading in read
        for place in range(len(reading.trace.tables))
    }
    answers = plan_tasks([*tasks.values()], execution) if tasks else {}
    found: dict[str, list[ReadPipeline]] = {side.name: [] for side in sides}
    places: dict[tuple[str, str], PlaceOfJob] = {}
    for reading in read:
        planned = _planned(reading, records, tasks, answers)
        found[reading.side].append(_pipeline(reading, planned, tasks))
        job = whole_job(reading.topology, planned[0]) if len(planned) == 1 and not reading.topology.variants else None
        if job is not None:
            number = planned[0].answer.jobs.index(job)
            places[reading.side, reading.entry.name] = PlaceOfJob(tasks[reading.key(0)], number)
    return PlannedSides(read=found, left={}, places=places)


def _read(side: SideToRead, entry: PipelineEntry, version: str) -> _Read | None:
    files, trace = ConsultedFiles(plain(side.files)), Trace()
    extracted = registry.extract(files, entry, trace)
    if extracted is None or extracted.topology is None or not trace.tables:
        return None
    return _Read(side.name, entry, extracted.entry.extract, extracted.topology, trace, version, files)


def _record(read: _Read, program: TableProgram) -> ProgramRecord:
    handed: dict[str, Maybe[int] | None] = {operator.id: operator.parallelism for operator in read.topology.operators()}
    return program_record(program, handed, read.entry.parallelism or PLANNED_PARALLELISM)


def _task(read: _Read, place: int, records: Mapping[str, ProgramRecord]) -> PlannerTask:
    default = read.entry.parallelism or PLANNED_PARALLELISM
    key = read.key(place)
    named, _ = releases(read.files, json.dumps(records[key].record))
    options = {**named, **options_of(read.entry), "parallelism.default": str(default)}
    return PlannerTask(
        key=key,
        flink=read.version,
        program=records[key].record,
        options=tuple(sorted(options.items())),
        functions=function_sources(
            read.files,
            [(own_class, "java") for own_class in own_classes(read.trace.tables[place])],
            read.topology.location.file if read.topology.location is not None else read.entry.file or "",
        ),
    )


def _planned(
    read: _Read,
    records: Mapping[str, ProgramRecord],
    tasks: Mapping[str, PlannerTask],
    answers: Mapping[str, PlannedScript],
) -> Sequence[Planned]:
    """What came of each way through a program."""
    planned = []
    for place, program in enumerate(read.trace.tables):
        answer = answers[read.key(place)]
        last = program.steps[max(hole.step for hole in program.holes)] if program.holes else None
        planned.append(
            Planned(
                program=program,
                answer=answer,
                marks=records[read.key(place)].marks,
                place=JobPlace(
                    name=read.entry.name,
                    flink=read.version,
                    location=last.location if last is not None else Location(read.entry.file or "", 1),
                    files=read.topology.files,
                    parallelism=read.entry.parallelism,
                    tables={table: dict(options) for table, options in answer.tables},
                    columns=dict(answer.columns),
                    unknown_tables=answer.unknown,
                    asked=tasks[read.key(place)].digest,
                ),
            )
        )
    return planned


def _pipeline(read: _Read, planned: Sequence[Planned], tasks: Mapping[str, PlannerTask]) -> ReadPipeline:
    how = f"planned by Flink {read.version}" if any(part.answer.failure is None for part in planned) else "not planned"
    assumed = {assumption(dict(tasks[read.key(place)].options)) for place in range(len(read.trace.tables))}
    return ReadPipeline(
        name=read.entry.name,
        extractor=read.kind.value,
        topology=replace(spliced(read.topology, planned), extractor=read.kind.value),
        how=f"read from source, its tables {how}{''.join(assumed)}",
        trace=read.trace,
        entry=read.entry,
        consulted=read.files.consulted,
    )
