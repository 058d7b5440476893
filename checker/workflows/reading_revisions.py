"""The pipelines of one revision, read one after the other: what ``ids --head`` and ``extract`` show."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from checker.errors import UsageError
from checker.extract import registry
from checker.extract.runtime.extracting import Execution
from checker.model.pipelines import Extracted, ExtractorKind, PipelineEntry, Reason
from checker.report.check.document import READ
from checker.revisions import Revision
from checker.settings import Settings
from checker.workflows.check.choosing_extractors import SideToRead, choose
from checker.workflows.check.records import ReadPipeline
from checker.workflows.running_programs import Runner


def read_pipelines(
    revision: Revision, settings: Settings, names: tuple[str, ...], execution: Execution
) -> Iterator[Extracted]:
    """Every selected pipeline with its topology, or why there is none. Notes of discovery go to stderr.

    ``names`` are globs, empty for all. Raises UsageError when none is selected.
    """
    discovery = registry.discover(revision.files, settings)
    for note in discovery.notes:
        print(f"note: {note.message}", file=sys.stderr)
    entries = [e for e in discovery.entries if not names or any(fnmatchcase(e.name, n) for n in names)]
    if not entries:
        found = ", ".join(e.name for e in discovery.entries) or "none"
        wanted = f" called {', '.join(names)}" if names else ""
        raise UsageError(f"{revision.label}: no pipeline{wanted} found; found: {found}")
    entries = [replace(e, optional=False) for e in entries]
    # A program can submit several jobs. The person who allows execution named the revision too.
    runner = Runner(execution=execution, trusted=tuple(entries), any_jars=True)
    side = SideToRead(name="revision", files=revision.files, commit=revision.commit, entries=entries)
    choice = choose((side,), runner)
    for note in choice.notes:
        print(f"note: {note.message}", file=sys.stderr)
    run = {read.name: read for read in choice.read[side.name]}
    left = {entry.name: entry for entry in choice.entries[side.name]}
    for name in sorted({*run, *left}):
        yield extracted_of(run[name]) if name in run else _from_source(revision, left[name], choice.reasons.get(name))


def extracted_of(read: ReadPipeline) -> Extracted:
    """A pipeline that was read while planning, as one that a reader gave."""
    entry = PipelineEntry(name=read.name, extract=ExtractorKind(read.extractor))
    return Extracted(entry=entry, topology=read.topology, failure=read.failure, how=read.how)


def _from_source(revision: Revision, entry: PipelineEntry, reason: Reason | None) -> Extracted:
    missing = Extracted(entry=entry, failure=f"the revision has no {entry.main or entry.file}")
    return replace(registry.extract(revision.files, entry) or missing, reason=reason)


def how_read(extracted: Extracted) -> str:
    """By which means, and why by these, as a report prints it."""
    how = extracted.how or READ[extracted.entry.extract.value]
    return f"{how}: {extracted.reason.why}" if extracted.reason else how
