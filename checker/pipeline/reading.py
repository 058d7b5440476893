"""The pipelines of one revision, read one after the other: what ``ids --head`` and ``extract`` show."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from checker.errors import UsageError
from checker.extract import registry
from checker.extract.document_fields import topology_of
from checker.extract.flink_runtime.extracting import Execution
from checker.model.pipelines import Extracted, ExtractorKind, PipelineEntry
from checker.pipeline.capturing import Runner
from checker.pipeline.choosing import SideToRead, choose
from checker.report.document import READ
from checker.revisions import Revision
from checker.settings import Settings


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
    for entry in entries:
        yield from _read(revision, replace(entry, optional=False), execution)


def how_read(extracted: Extracted) -> str:
    """By which means, and why by these: what stands after "read"."""
    how = extracted.how or READ[extracted.entry.extract.value]
    return f"{how}: {extracted.reason.why}" if extracted.reason else how


def _read(revision: Revision, entry: PipelineEntry, execution: Execution) -> Iterator[Extracted]:
    """A program can submit several jobs. The person who allows execution named the revision too."""
    runner = Runner(execution=execution, trusted=(entry,), any_jars=True)
    side = SideToRead(name="revision", files=revision.files, commit=revision.commit, entries=(entry,))
    choice = choose((side,), runner)
    for note in choice.notes:
        print(f"note: {note.message}", file=sys.stderr)
    for read in choice.read["revision"]:
        topology = None if read.topology is None else topology_of(json.loads(read.topology))
        named = replace(entry, name=read.name, extract=ExtractorKind(read.extractor))
        yield Extracted(entry=named, topology=topology, failure=read.failure, how=read.how)
    for one in choice.entries["revision"]:
        missing = Extracted(entry=one, failure=f"the revision has no {one.main or one.file}")
        yield replace(registry.extract(revision.files, one) or missing, reason=choice.reasons.get(one.name))
