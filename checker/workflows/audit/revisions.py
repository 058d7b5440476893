"""One revision of a stretch as a task of an audit has it, and its pipelines beside those of the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from checker.errors import CheckerError
from checker.extract import registry
from checker.model.pipelines import Discovery, ExtractorKind, PipelineEntry
from checker.settings import Settings
from checker.workflows.audit.readings import Reading, Readings, reading_of
from checker.workflows.audit.stretches import Task
from checker.workflows.carried_files import CarriedFiles, NotCarriedError
from checker.workflows.check.environments import Starts, deployed_side
from checker.workflows.check.pairing import Paired, paired_pipelines
from checker.workflows.check.records import ReadPipeline

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
        """Whether it matters which pipelines a file is that declares these types."""
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
    starts: Starts
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
        looked_for = self.settings.deployments and self.starts.found
        return bool(looked_for or self.settings.configured_deployments)

    @cached_property
    def unfound(self) -> str | None:
        """Why its pipelines can't be found, where they can't."""
        try:
            assert self.own is not None
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
