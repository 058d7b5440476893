"""The pipelines of two revisions as they are compared: renamed ones paired, edited programs added, all as deployed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from checker.model.pipelines import Note, PipelineEntry
from checker.workflows.check.edited_programs import edited_programs
from checker.workflows.check.environments import DeployedSide, as_deployed
from checker.workflows.check.renames import follow_renames


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The pipelines of both revisions, those that are compared with each other under one name."""

    base: tuple[PipelineEntry, ...]
    head: tuple[PipelineEntry, ...]
    programs: frozenset[str] = frozenset()
    """Names of those that nobody reads, and that were edited."""
    renames: tuple[Note, ...] = ()
    notes: tuple[Note, ...] = ()
    """About what is not read and was not edited."""


def paired_pipelines(base: DeployedSide, head: DeployedSide, notes: Sequence[Note]) -> Paired:
    """The pipelines of both revisions, paired. ``notes`` are about what was recognised in the head and is not read."""
    named, renames = follow_renames(base.entries, head.entries, base.files, head.files)
    base = replace(base, entries=named)
    programs, notes = edited_programs(notes, (*named, *head.entries), base, head)
    before, after = (
        tuple(sorted((*side, *(pair[number] for pair in programs.values())), key=lambda entry: entry.name))
        for number, side in enumerate(as_deployed(base, head))
    )
    return Paired(base=before, head=after, programs=frozenset(programs), renames=renames, notes=notes)
