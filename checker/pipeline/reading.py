"""The pipelines of one revision, read one after the other: what ``ids --head`` and ``extract`` show."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase

from checker.errors import UsageError
from checker.extract import registry
from checker.extract.document_fields import topology_of
from checker.extract.flink_runtime.extracting import Execution
from checker.model.pipelines import Extracted, PipelineEntry
from checker.pipeline.capturing import captured, runs_the_program
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
        if runs_the_program(entry):
            yield from _run(revision, entry, execution)
        else:
            missing = Extracted(entry=entry, failure=f"the revision has no {entry.main or entry.file}")
            yield registry.extract(revision.files, entry) or missing


def _run(revision: Revision, entry: PipelineEntry, execution: Execution) -> Iterator[Extracted]:
    """A program can submit several jobs. The person who allows execution named the revision too."""
    for read in captured(revision.files, revision.commit, (entry,), execution, trusted=(entry,), any_jars=True):
        topology = None if read.topology is None else topology_of(json.loads(read.topology))
        yield Extracted(entry=entry, topology=topology, failure=read.failure)
