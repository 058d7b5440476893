"""Programs that use the Table API: read from source here, their tables planned by Flink's planner, both put together.

All programs of both revisions are planned in one go, as SQL scripts are: nothing of the repository is executed.

Which programs use the Table API, found before anything is planned.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from checker.errors import UnsupportedFlinkError
from checker.extract import registry
from checker.extract.asking.consulted import ConsultedFiles, ask, plain, remembered
from checker.extract.asking.content_facts import Facts
from checker.extract.automatic import source_kind
from checker.extract.interpreting.memory import Trace
from checker.extract.runtime.distribution import full_version
from checker.extract.runtime.execution import Execution
from checker.extract.sql.functions import function_sources
from checker.extract.sql.planner.planning import PlannedScript, PlannerTask
from checker.extract.sql.planner.splicing import Planned, spliced
from checker.extract.sql.planner.topologies import PLANNED_PARALLELISM, JobPlace
from checker.extract.sql.programs import ProgramRecord, own_classes, program_record
from checker.extract.sql.scripts.commands import RunQuery, commands, jobs
from checker.extract.sql.scripts.reading import assumption, options_of, releases
from checker.model.flink_releases import ASSUMED_FOR_SQL, FIRST_FOR_SQL, minor_of
from checker.model.nested import values_in
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.table_programs import TableProgram
from checker.model.topology import Topology
from checker.model.unknowns import Location, Maybe
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.planning_scripts import ALIKE, alike, plan_tasks

_TABLES = re.compile(rb"\bTableEnvironment\b|\bStreamTableEnvironment\b")
_MENTIONS = Facts("table environments", lambda data: (int(_TABLES.search(data) is not None),))


def using_tables(files: SourceFiles, entries: Iterable[PipelineEntry]) -> dict[str, str]:
    """Name of a pipeline whose program makes tables → the release of Flink whose planner plans them.

    Only programs in a language that mentions tables are read for it.
    """
    mention = {
        kind for kind, ending in registry.CODE_ENDINGS.items()
        if any(mentions for (mentions,) in _MENTIONS.of(files, ask(files, "ending", ending)).values())
    }  # fmt: skip
    mentioning = [entry for entry in entries if mention and _kind(files, entry) in mention]
    found = {e.name: remembered(f"planner of {e!r}", files, partial(_planner_of, e)) for e in mentioning}
    return {name: release for name, release in found.items() if release is not None}


def loaded_scripts(files: SourceFiles, entries: Iterable[PipelineEntry]) -> frozenset[str]:
    """The SQL scripts whose jobs programs submit: they are a part of these, and no pipelines of their own."""
    entries = tuple(entries)
    tables = using_tables(files, entries)
    found = (
        remembered(f"scripts of {entry!r}", files, partial(_submitted_by, entry))
        for entry in entries
        if entry.name in tables
    )
    return frozenset(path for paths in found for path in paths)


def _submitted_by(entry: PipelineEntry, files: SourceFiles) -> list[str]:
    trace, watched = Trace(), ConsultedFiles(plain(files))
    registry.extract(watched, entry, trace)
    if isinstance(files, ConsultedFiles):
        files.consulted.add(watched.consulted)
    submitted = {_words(text) for text in values_in(trace.tables) if isinstance(text, str)}
    found = []
    for path in (p for p, content in watched.consulted.contents.items() if content and p.endswith(".sql")):
        own = jobs(commands(files.read(path).decode("utf-8", "replace")))
        texts = {_words(text) for job in own for text in (job.texts if isinstance(job, RunQuery) else (job.path,))}
        if all(any(text in step for step in submitted) for text in texts):
            found.append(path)
    return found


def _words(text: str) -> str:
    return " ".join(text.split())


def _planner_of(entry: PipelineEntry, files: SourceFiles) -> str | None:
    trace = Trace()
    extracted = registry.extract(files, entry, trace)
    if extracted is None or extracted.topology is None or not trace.tables:
        return None
    try:
        return full_version(extracted.topology.flink or ASSUMED_FOR_SQL)
    except UnsupportedFlinkError:
        older = minor_of(extracted.topology.flink) < FIRST_FOR_SQL
        return extracted.topology.flink if older else None  # which the planner then says


def _kind(files: SourceFiles, entry: PipelineEntry) -> ExtractorKind:
    return source_kind(files, entry) if entry.extract is ExtractorKind.AUTO else entry.extract


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


def plan_programs(sides: Sequence[SideToRead], execution: Execution) -> Mapping[str, list[ReadPipeline]]:
    """The programs of each side that use the Table API, read and planned. All other programs are left alone."""
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
    same = alike(sides, {(r.side, r.entry.name): (replace(r.entry, flink=r.version), r.files.consulted) for r in read})
    spared = {r.key(place) for r in read if r.entry.name in same for place in range(len(r.trace.tables))}
    asked = [task for key, task in tasks.items() if key not in spared]
    answers = {**dict.fromkeys(spared, PlannedScript(failure=ALIKE)), **(plan_tasks(asked, execution) if asked else {})}
    found: dict[str, list[ReadPipeline]] = {side.name: [] for side in sides}
    for reading in read:
        planned = _planned(reading, records, tasks, answers)
        found[reading.side].append(_pipeline(reading, planned, tasks))
    return found


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
                marks=records[read.key(place)].marks,
                place=JobPlace(
                    name=read.entry.name,
                    flink=read.version,
                    location=last.location if last is not None else Location(read.entry.file or "", 1),
                    files=read.topology.files,
                    parallelism=read.entry.parallelism,
                    answer=answer,
                    asked=tasks[read.key(place)].digest,
                ),
            )
        )
    return planned


def _pipeline(read: _Read, planned: Sequence[Planned], tasks: Mapping[str, PlannerTask]) -> ReadPipeline:
    how = (
        f"planned by Flink {read.version}"
        if any(part.place.answer.failure is None for part in planned)
        else "not planned"
    )
    assumed = {assumption(dict(tasks[read.key(place)].options)) for place in range(len(read.trace.tables))}
    return ReadPipeline(
        name=read.entry.name,
        extractor=read.kind.value,
        topology=replace(spliced(read.topology, planned), extractor=read.kind.value),
        how=f"read from source, its tables {how}{''.join(assumed)}",
        lacking=any(part.place.answer.lacking for part in planned),
        trace=read.trace,
        entry=read.entry,
        consulted=read.files.consulted,
    )
