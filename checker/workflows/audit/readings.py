"""What was read of one repository: a pipeline once for all revisions that answer alike whatever its reader asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from checker.extract import registry
from checker.extract.asking.consulted import Consulted, ConsultedFiles, consulted
from checker.extract.documents.writer import as_text
from checker.extract.runtime.execution import Execution
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.workflows.carried_files import CarriedFiles
from checker.workflows.check.records import ReadPipeline, Side, SideToRead
from checker.workflows.check.stages import read_stage
from checker.workflows.planning_programs import plan_programs
from checker.workflows.planning_scripts import plan_scripts, without_scripts

_KEPT = 4


@dataclass(eq=False, slots=True)
class Reading:
    """One pipeline as some revisions have it, and what those revisions answered."""

    entry: PipelineEntry
    """With what it was read."""
    read: ReadPipeline
    text: str | None
    """The topology's."""
    key: str
    asked: Consulted
    """By the reader."""
    whole: bool = False
    """Whether it was not read by following code, but as a whole by Flink's planner, or not at all."""
    code: ProgramCode | None = None
    """All code that the pipeline reaches; it goes on asking as it is looked at."""
    reached: Consulted | None = None
    """By the reader and by ``code``; None before that was looked for."""

    def reaches_alike(self, *revisions: CarriedFiles) -> bool:
        """Whether these revisions answer alike whatever was asked to see which code it reaches."""
        return self.reached is not None and all(self.reached.holds(files) for files in revisions)

    def side(self, entry: PipelineEntry, files: CarriedFiles) -> Side:
        """As a side of a comparison, where the pipeline is this entry."""
        watched = ConsultedFiles(files)
        watched.consulted.add(self.asked)
        if self.whole:
            return Side(None, self.read, watched, asked=entry)
        kind = ExtractorKind(self.read.extractor)
        if not self.reaches_alike(files):
            self.code = self.reached = None
            if kind in registry.CODE_ENDINGS and self.read.trace is not None:
                self.code = registry.reached_code(watched, self.entry, kind, self.read.trace, self.read.topology)
                self.reached = watched.consulted
        elif self.reached is not None:
            watched.consulted.add(self.reached)
        return Side(entry, self.read, watched, self.code, asked=entry)


def reading_of(
    entry: PipelineEntry, read: ReadPipeline, asked: Consulted | None = None, *, whole: bool = False
) -> Reading:
    """What was read of a pipeline; its key names what that is."""
    text = as_text(read.topology)
    parts = "\0".join((read.extractor, text or "", read.failure or ""))
    key = hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return Reading(entry, read, text, key, asked or Consulted(), whole)


class Readings:
    """Few readings of each entry, as a history goes back and forth only a little."""

    def __init__(self) -> None:
        self._known: dict[PipelineEntry, list[tuple[Consulted, tuple[Reading, ...]]]] = {}

    def of(self, files: CarriedFiles, entries: Sequence[PipelineEntry]) -> dict[PipelineEntry, tuple[Reading, ...]]:
        """Entry → its pipelines in a revision, none where the revision does not have it after all."""
        found: dict[PipelineEntry, tuple[Reading, ...]] = {}
        for entry in entries:
            known = self._recall(entry, files)
            if known is not None:
                found[entry] = known
        for entry, read, watched, planned in read_anew(files, [entry for entry in entries if entry not in found]):
            asked = watched.consulted
            found[entry] = tuple(reading_of(entry, pipeline, asked, whole=planned) for pipeline in read)
            self._known[entry] = [(asked, found[entry]), *self._known.get(entry, ())][:_KEPT]
        return found

    def _recall(self, entry: PipelineEntry, files: SourceFiles) -> tuple[Reading, ...] | None:
        """What was read of an entry in a revision that answers all questions of the reader alike; else None."""
        return next((readings for asked, readings in self._known.get(entry, ()) if asked.holds(files)), None)


def read_anew(
    files: CarriedFiles, wanted: Sequence[PipelineEntry]
) -> Iterator[tuple[PipelineEntry, list[ReadPipeline], ConsultedFiles, bool]]:
    """Pipelines of one revision, what each asked of it, and whether it was planned.

    Its SQL scripts are planned in one go, and then its programs that use the Table API.
    """
    scripts, rest = without_scripts(SideToRead(name="", files=files, entries=wanted))
    if scripts:
        sides = [SideToRead(name=e.name, files=ConsultedFiles(files), entries=[e]) for e in scripts]
        planned = plan_scripts(sides, Execution())
        for side, entry in zip(sides, scripts, strict=True):
            yield entry, planned.read[entry.name], consulted(side.files), True
    with_tables: list[tuple[PipelineEntry, ConsultedFiles]] = []
    for entry in rest:
        watched = ConsultedFiles(files)
        alone = read_one(watched, files, entry)
        if alone is not None and alone.topology is not None and alone.trace is not None and alone.trace.tables:
            with_tables.append((entry, watched))
        else:
            yield entry, [] if alone is None else [replace(alone, name=entry.name)], watched, False
    if with_tables:
        side = SideToRead(name="", files=files, entries=[entry for entry, _ in with_tables])
        planned_tables = {read.name: read for read in plan_programs([side], Execution()).read[""]}
        for entry, watched in with_tables:
            planned_here = planned_tables.get(entry.name)
            read = planned_here or read_one(watched, files, entry)
            assert read is not None, "it was read just now"
            if read.consulted is not None:
                watched.consulted.add(read.consulted)
            yield entry, [read], watched, planned_here is not None


def read_one(watched: ConsultedFiles, files: CarriedFiles, entry: PipelineEntry) -> ReadPipeline | None:
    """One pipeline; an error is its own answer and does not stop the others."""
    files.missed.clear()
    read = read_stage(entry, watched)
    if files.missed:
        failure = f"needs {files.missed[0]}, which is too large to be read in an audit; 'check' reads it"
        return ReadPipeline(name=entry.name, extractor=entry.extract.value, failure=failure)
    return read
