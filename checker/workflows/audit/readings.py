"""What was read of one repository: a pipeline once for all revisions that answer alike whatever its reader asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from checker.cache import active_cache
from checker.errors import CheckerError
from checker.extract import registry
from checker.extract.consulted import Consulted, ConsultedFiles
from checker.extract.documents.writer import as_text, from_text
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.workflows.audit.reading_anew import read_anew, read_one, uses_tables
from checker.workflows.carried_files import CarriedFiles
from checker.workflows.check.records import ReadPipeline
from checker.workflows.check.sides import Side

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
    recalled: bool = False
    """Whether an earlier run read it: what code it follows is found out where that is asked for."""

    def reaches_alike(self, *revisions: CarriedFiles) -> bool:
        """Whether these revisions answer alike whatever was asked to see which code it reaches."""
        return self.reached is not None and all(self.reached.holds(files) for files in revisions)

    def side(self, entry: PipelineEntry, files: CarriedFiles) -> Side:
        """As a side of a comparison, where the pipeline is this entry."""
        watched = ConsultedFiles(files)
        watched.consulted.add(self.asked)
        if self.whole:
            return Side(None, self.read, watched, asked=entry)
        if self.recalled:
            read = read_one(watched, files, self.entry)
            assert read is not None, "a revision that answers like one that has a pipeline"
            self.read, self.reached, self.recalled = replace(read, name=self.read.name), None, False
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
        """The pipelines of an entry, where a revision answers as one that was read did; None where none did."""
        if entry not in self._known:
            self._known[entry] = [(found.asked, (found,)) for found in _kept(entry)]
        return next((readings for asked, readings in self._known[entry] if asked.holds(files)), None)


def _kept(entry: PipelineEntry) -> Iterator[Reading]:
    """Readings of an entry in the cache."""
    cache = active_cache()
    for row in () if cache is None else cache.rows(f"reading {entry!r}"):
        with suppress(ValueError, TypeError, CheckerError):
            key, asked, reached, extractor, text = row
            read = ReadPipeline(name=entry.name, extractor=extractor, topology=from_text(text))
            found = reading_of(entry, read, Consulted.of(asked))
            if found.key == key:
                found.reached, found.recalled = None if reached is None else Consulted.of(reached), True
                yield found


def keep(readings: Iterable[Reading]) -> None:
    """Remember in the cache what followed code read of a revision: the history may go on from there."""
    cache = active_cache()
    if cache is None:
        return
    for reading in readings:
        # What a planner made of a program is not what its source alone says of it.
        if reading.read.trace is not None and reading.read.topology is not None and not uses_tables(reading.read):
            sides = [asked and asked.document() for asked in (reading.asked, reading.reached)]
            row = [reading.key, *sides, reading.read.extractor, reading.text]
            cache.keep(f"reading {reading.entry!r}", row)
