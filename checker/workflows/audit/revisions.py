"""One revision of a stretch as a task of an audit has it, and its pipelines beside those of the one before.

A pipeline is read once for all revisions that answer alike whatever its reader asked.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from checker.errors import CheckerError
from checker.extract import registry
from checker.extract.asking.consulted import Consulted, ConsultedFiles, consulted
from checker.extract.deployments.discovery import deployments
from checker.extract.documents.fields import as_text
from checker.extract.runtime.execution import Execution
from checker.model.pipelines import Discovery, ExtractorKind, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.settings import Settings
from checker.workflows.audit.stretches import Task
from checker.workflows.carried_files import CarriedFiles, NotCarriedError
from checker.workflows.check.environments import deployed_side
from checker.workflows.check.pairing import Paired, paired_pipelines
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
    """What the reader asked."""
    whole: bool = False
    """Whether it was not read by following code, but as a whole by Flink's planner, or not at all."""
    code: ProgramCode | None = None
    """All code that the pipeline reaches; it goes on asking as it is looked at."""
    reached: Consulted | None = None
    """What the reader and ``code`` asked; None before that."""

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
            yield entry, planned[entry.name], consulted(side.files), True
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
        planned_tables = {read.name: read for read in plan_programs([side], Execution())[""]}
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


_ALL = PipelineEntry(name="(all)", extract=ExtractorKind.DOCUMENT)
"""Stands for all pipelines of a revision whose pipelines can't be found."""


@dataclass(frozen=True, slots=True)
class Share:
    """Which pipelines a task reads, if several tasks share the same revisions."""

    task: Task
    configured: tuple[PipelineEntry, ...]

    @property
    def first(self) -> bool:
        """True for the first share; only that one also lists programs that no reader can read."""
        return self.task.share == 0

    def holds(self, name: str) -> bool:
        """Whether it reads a pipeline. Names that discovery makes of one name are in one share."""
        plain = name.partition(" ")[0].rpartition("/")[2].rpartition(".")[2]
        digest = hashlib.sha256(plain.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:4]) % self.task.shares == self.task.share

    def concerns(self, types: Collection[str]) -> bool:
        """Whether this task has to look at a file that declares these types."""
        mains = {(entry.main or "").replace("$", ".").rpartition(".")[2] for entry in self.configured}
        return any(self.holds(name) or name in mains for name in types)


@dataclass(frozen=True, slots=True)
class ReadAs:
    """A pipeline of one revision: the entry that it is at this step, and what was read of it."""

    entry: PipelineEntry
    reading: Reading


Reads = dict[str, ReadAs]


@dataclass(eq=False)
class AuditedRevision:
    """One revision, as far as a task looks."""

    files: CarriedFiles
    settings: Settings
    starts: CarriedFiles
    """Those that may say how programs are started."""
    share: Share
    strict: bool
    """Whether a pipeline that the settings name has to be there: in the revision that they are from."""
    readings: Readings
    _reads: dict[PipelineEntry, tuple[Reading, ...]] = field(default_factory=dict)

    @cached_property
    def own(self) -> Discovery:
        """The pipelines of the task, and notes on the others. Raises CheckerError, NotCarriedError."""
        if self.share.first:
            return self.whole
        found = registry.discover(self.files, self.settings, self.share.concerns)
        return Discovery(entries=self._there(e for e in found.entries if self.share.holds(e.name)))

    @cached_property
    def whole(self) -> Discovery:
        """The pipelines of all tasks. What they found by now is in the cache. Raises CheckerError, NotCarriedError."""
        found = registry.discover(self.files, self.settings)
        return replace(found, entries=self._there(found.entries))

    @property
    def deployed(self) -> bool:
        """Whether anything says how pipelines are started: which one a start runs depends on all of them."""
        looked_for = self.settings.deployments and deployments(self.starts)
        return bool(looked_for or self.settings.configured_deployments)

    @cached_property
    def unfound(self) -> str | None:
        """Why its pipelines can't be found, where they can't."""
        try:
            _ = self.own
        except (CheckerError, NotCarriedError) as error:
            return f"pipelines can't be found: {error or type(error).__name__}"
        return None

    def read(self, entries: Sequence[PipelineEntry]) -> Reads:
        """The pipelines of some entries, by their names."""
        wanted = {entry: self._to_read(entry) for entry in entries}
        missing = [key for key in dict.fromkeys(wanted.values()) if key not in self._reads]
        self._reads.update(self.readings.of(self.files, missing))
        return {
            reading.read.name: ReadAs(entry, reading) for entry, key in wanted.items() for reading in self._reads[key]
        }

    @property
    def of_task(self) -> list[PipelineEntry]:
        """The pipelines of the task, as they were found."""
        return [entry for entry in self.own.entries if self.share.holds(entry.name)]

    def _to_read(self, entry: PipelineEntry) -> PipelineEntry:
        """The entry as far as it matters to a reader: what a reading depends on, and nothing else."""
        optional = entry.discovered or not self.strict
        return replace(entry, optional=optional, may_be_deployed=(), resources_of_others=frozenset())

    def _there(self, entries: Iterable[PipelineEntry]) -> tuple[PipelineEntry, ...]:
        """Without those that the settings name and the revision does not have."""
        return tuple(e for e in entries if e.discovered or self.strict or self.read([e]))


@dataclass(frozen=True, slots=True)
class Step:
    """The pipelines of a step that a task is about, and what was read of both sides."""

    paired: Paired
    base: Reads
    head: Reads

    def entries(self, name: str) -> tuple[PipelineEntry | None, PipelineEntry | None]:
        """What stands for a pipeline in base and head."""
        base, head = (
            reads[name].entry if name in reads else next((e for e in entries if e.name == name), None)
            for reads, entries in ((self.base, self.paired.base), (self.head, self.paired.head))
        )
        return base, head


def step_of(before: AuditedRevision, now: AuditedRevision) -> Step:
    """The pipelines of a step, paired as ``check`` does; where they can't be found that is a row of its own."""
    failures = [revision.unfound for revision in (before, now)]
    if not any(failures):
        try:
            return _step(before, now)
        except NotCarriedError as error:
            failures[1] = f"{error} is too large to be read in an audit; 'check' reads it"
    first = now.share.first
    base, head = (
        _failed(why) if why is not None and first else revision.read(revision.of_task) if why is None else {}
        for revision, why in zip((before, now), failures, strict=True)
    )
    return Step(Paired(base=(), head=()), base, head)


def _failed(why: str) -> Reads:
    read = ReadPipeline(name=_ALL.name, extractor=_ALL.extract.value, failure=why)
    return {_ALL.name: ReadAs(_ALL, reading_of(_ALL, read))}


def _step(before: AuditedRevision, now: AuditedRevision) -> Step:
    """A pipeline of another task may be what one of this task was: where any comes or goes, all are looked at."""
    sides = before, now
    whole = before.deployed or now.deployed
    names = [{entry.name for entry in side.own.entries} for side in sides]
    if not whole and names[0] == names[1]:
        step = _read(*sides, [side.own for side in sides])
        if step.base.keys() == step.head.keys():
            return step
    return _read(*sides, [side.whole for side in sides])


def _read(before: AuditedRevision, now: AuditedRevision, found: Sequence[Discovery]) -> Step:
    base, head = (
        deployed_side(discovery.entries, side.files, side.settings, side.starts)
        for discovery, side in zip(found, (before, now), strict=True)
    )
    paired = paired_pipelines(base, head, *(() if before is now else side.notes for side in (found[1], found[0])))

    def of_task(name: str) -> bool:
        return now.share.first if name.partition(" @ ")[0] in paired.programs else now.share.holds(name)

    return Step(
        paired,
        before.read([entry for entry in paired.base if of_task(entry.name)]),
        now.read([entry for entry in paired.head if of_task(entry.name)]),
    )
