"""Programs that use the Table API: read from source here, their tables planned by Flink's planner, both put together.

All programs of both revisions are planned in one go, as SQL scripts are: nothing of the repository is executed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from checker.errors import CheckerError
from checker.extract import registry
from checker.extract.automatic import source_kind
from checker.extract.consulted import Facts, ask, remembered
from checker.extract.interpreting.trace import Trace
from checker.extract.runtime.distribution import full_version
from checker.extract.runtime.extracting import Execution
from checker.extract.sql.functions.sources import function_sources
from checker.extract.sql.planner.planning import PlannedScript, PlannerTask
from checker.extract.sql.planner.splicing import Planned, spliced
from checker.extract.sql.planner.topologies import PLANNED_PARALLELISM, JobPlace
from checker.extract.sql.programs.records import ProgramRecord, own_classes, program_record
from checker.extract.sql.scripts.reading import options_of
from checker.model.flink_releases import ASSUMED_FOR_SQL
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.table_programs import TableProgram
from checker.model.topology import Topology
from checker.model.unknowns import Location, Maybe
from checker.workflows.check.records import ReadPipeline
from checker.workflows.planning_scripts import ScriptsOfSide, identity, plan_tasks

_TABLES = re.compile(rb"\bTableEnvironment\b|\bStreamTableEnvironment\b")
_MENTIONS = Facts("table environments", lambda data: (int(_TABLES.search(data) is not None),))
_SOURCE = {ExtractorKind.JAVA: ".java", ExtractorKind.PYTHON: ".py"}


@dataclass(slots=True)
class _Read:
    """One program of one revision, read from source."""

    side: str
    entry: PipelineEntry
    kind: ExtractorKind
    topology: Topology
    trace: Trace
    version: str
    files: SourceFiles

    def key(self, place: int) -> str:
        return f"{self.side}/{self.entry.name}/{place}"


def plan_programs(sides: Sequence[ScriptsOfSide], execution: Execution) -> dict[str, list[ReadPipeline]]:
    """Side → its programs that use the Table API, read and planned. All other programs are left alone."""
    read = [one for side in sides for entry in _candidates(side) if (one := _read(side, entry)) is not None]
    records = {one.key(place): _record(one, program) for one in read for place, program in enumerate(one.trace.tables)}
    tasks = [_task(one, place, records) for one in read for place in range(len(one.trace.tables))]
    answers = plan_tasks(tasks, execution) if tasks else {}
    found: dict[str, list[ReadPipeline]] = {side.name: [] for side in sides}
    for one in read:
        found[one.side].append(_planned(one, records, answers))
    return found


def _candidates(side: ScriptsOfSide) -> list[PipelineEntry]:
    """Programs in a language whose files mention table environments."""
    mention = {
        kind for kind, ending in _SOURCE.items()
        if any(mentions for (mentions,) in _MENTIONS.of(side.files, ask(side.files, "ending", ending)).values())
    }  # fmt: skip
    mentioning = [entry for entry in side.entries if mention and _kind(side.files, entry) in mention]
    return [e for e in mentioning if remembered(f"tables {e!r}", side.files, partial(_uses_tables, e))]


def _uses_tables(entry: PipelineEntry, files: SourceFiles) -> bool:
    trace = Trace()
    extracted = registry.extract(files, entry, trace)
    return extracted is not None and extracted.topology is not None and bool(trace.tables)


def _kind(files: SourceFiles, entry: PipelineEntry) -> ExtractorKind:
    return source_kind(files, entry) if entry.extract is ExtractorKind.AUTO else entry.extract


def _read(side: ScriptsOfSide, entry: PipelineEntry) -> _Read | None:
    trace = Trace()
    extracted = registry.extract(side.files, entry, trace)
    if extracted is None or extracted.topology is None or not trace.tables:
        return None
    try:
        version = full_version(extracted.topology.flink or ASSUMED_FOR_SQL)
    except CheckerError:
        return None
    return _Read(side.name, entry, extracted.entry.extract, extracted.topology, trace, version, side.files)


def _record(read: _Read, program: TableProgram) -> ProgramRecord:
    handed: dict[str, Maybe[int] | None] = {one.id: one.parallelism for one in read.topology.operators()}
    return program_record(program, handed, read.entry.parallelism or PLANNED_PARALLELISM)


def _task(read: _Read, place: int, records: Mapping[str, ProgramRecord]) -> PlannerTask:
    default = read.entry.parallelism or PLANNED_PARALLELISM
    options = {**options_of(read.entry), "parallelism.default": str(default)}
    key = read.key(place)
    return PlannerTask(
        key=key,
        flink=read.version,
        program=records[key].record,
        options=tuple(sorted(options.items())),
        functions=function_sources(read.files, [(one, "java") for one in own_classes(read.trace.tables[place])]),
    )


def _planned(read: _Read, records: Mapping[str, ProgramRecord], answers: Mapping[str, PlannedScript]) -> ReadPipeline:
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
                    tables={table: identity(dict(options)) for table, options in answer.tables},
                    columns=dict(answer.columns),
                    unknown_tables=dict(answer.unknown),
                ),
            )
        )
    return ReadPipeline(
        name=read.entry.name,
        extractor=read.kind.value,
        topology=replace(spliced(read.topology, planned), extractor=read.kind.value),
        how=f"read from source, its tables planned by Flink {read.version}",
        trace=read.trace,
    )
