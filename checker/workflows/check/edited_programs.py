"""Programs that are recognised and not read, as pipelines where the change edits them: no edit of one is passed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from checker.model.pipelines import ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles


def edited_programs(
    notes: Iterable[Note], known: Sequence[PipelineEntry], base: SourceFiles, head: SourceFiles
) -> tuple[tuple[PipelineEntry, ...], tuple[Note, ...]]:
    """Entries for the edited programs, the same for both revisions, and the notes about all others.

    A program that one revision only has is new or gone, which its note says. Reading an entry gives the reason why
    there is no graph, and the account of its edits says which of them nobody understood.
    """
    names = {entry.name for entry in known}
    before, after = frozenset(base.paths()), frozenset(head.paths())
    entries: list[PipelineEntry] = []
    others: list[Note] = []
    for note in notes:
        path = note.location.file if note.unread is not None and note.location is not None else None
        if path is None or path not in before & after or base.content_id(path) == head.content_id(path):
            others.append(note)
            continue
        stem = posixpath.basename(path).partition(".")[0]
        name = f"{stem} ({path})" if stem in names else stem
        names.add(name)
        entries.append(PipelineEntry(name=name, extract=ExtractorKind.AUTO, file=path))
    return tuple(entries), tuple(others)
