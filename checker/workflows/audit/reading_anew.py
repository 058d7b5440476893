"""Reads pipelines of one revision: from source, and by Flink's planner what is SQL or uses the Table API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from checker.extract.consulted import ConsultedFiles, consulted
from checker.extract.runtime.execution import Execution
from checker.model.pipelines import PipelineEntry
from checker.workflows.carried_files import CarriedFiles
from checker.workflows.check.records import ReadPipeline, ReadTask
from checker.workflows.check.stages import read_stage
from checker.workflows.planning_programs import plan_programs
from checker.workflows.planning_scripts import ScriptsOfSide, plan_scripts, without_scripts


def read_anew(
    files: CarriedFiles, wanted: Sequence[PipelineEntry]
) -> Iterator[tuple[PipelineEntry, list[ReadPipeline], ConsultedFiles, bool]]:
    """Pipelines of one revision, what each asked of it, and whether it was planned.

    Its SQL scripts are planned in one go, and then its programs that use the Table API.
    """
    scripts, rest = without_scripts(ScriptsOfSide(name="", files=files, entries=wanted))
    if scripts:
        sides = [ScriptsOfSide(name=e.name, files=ConsultedFiles(files), entries=[e]) for e in scripts]
        planned = plan_scripts(sides, Execution())
        for side, entry in zip(sides, scripts, strict=True):
            if entry.name in planned.left:
                rest.append(entry)
            else:
                yield entry, planned.read[entry.name], consulted(side.files), True
    with_tables: list[tuple[PipelineEntry, ConsultedFiles]] = []
    for entry in rest:
        watched = ConsultedFiles(files)
        alone = read_one(watched, files, entry)
        if alone is not None and alone.topology is not None and uses_tables(alone):
            with_tables.append((entry, watched))
        else:
            yield entry, [] if alone is None else [replace(alone, name=entry.name)], watched, False
    if with_tables:
        side = ScriptsOfSide(name="", files=files, entries=[entry for entry, _ in with_tables])
        planned_tables = {read.name: read for read in plan_programs([side], Execution()).read[""]}
        for entry, watched in with_tables:
            planned_here = planned_tables.get(entry.name)
            read = planned_here or read_one(watched, files, entry)
            assert read is not None, "it was read just now"
            if read.rests_on is not None:
                watched.consulted.add(read.rests_on.consulted)
            yield entry, [read], watched, planned_here is not None


def uses_tables(read: ReadPipeline) -> bool:
    """Whether Flink's planner makes a part of the graph, which the source alone does not show."""
    return read.trace is not None and bool(read.trace.tables)


def read_one(watched: ConsultedFiles, files: CarriedFiles, entry: PipelineEntry) -> ReadPipeline | None:
    """One pipeline; an error is its own answer and does not stop the others."""
    files.missed.clear()
    read = read_stage(ReadTask(entry=entry, files=watched))
    if files.missed:
        failure = f"needs {files.missed[0]}, which is too large to be read in an audit; 'check' reads it"
        return ReadPipeline(name=entry.name, extractor=entry.extract.value, failure=failure)
    return read
