"""Which programs use the Table API, found before anything is planned."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from checker.errors import UnsupportedFlinkError
from checker.extract import registry
from checker.extract.asking.consulted import ConsultedFiles, ask, plain
from checker.extract.asking.content_facts import Facts
from checker.extract.asking.remembered import remembered
from checker.extract.automatic import source_kind
from checker.extract.interpreting.trace import Trace
from checker.extract.runtime.distribution import full_version
from checker.extract.sql.scripts.commands import RunQuery, commands, jobs
from checker.model.flink_releases import ASSUMED_FOR_SQL, FIRST_FOR_SQL, minor_of
from checker.model.nested import values_in
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles

_TABLES = re.compile(rb"\bTableEnvironment\b|\bStreamTableEnvironment\b")
_MENTIONS = Facts("table environments", lambda data: (int(_TABLES.search(data) is not None),))


def using_tables(files: SourceFiles, entries: Iterable[PipelineEntry]) -> dict[str, str]:
    """Name of a pipeline whose program makes tables → the release of Flink whose planner plans them.

    Only programs in a language that mentions tables are read for it.
    """
    mention = {
        kind for kind, ending in registry.CODE_ENDINGS.items()
        if any(mentions for (mentions,) in _MENTIONS.of(files, ask(files, "ending", ending)).values())
    }  # fmt: skip
    mentioning = [entry for entry in entries if mention and _kind(files, entry) in mention]
    found = {e.name: remembered(f"planner of {e!r}", files, partial(_planner_of, e)) for e in mentioning}
    return {name: release for name, release in found.items() if release is not None}


def loaded_scripts(files: SourceFiles, entries: Iterable[PipelineEntry]) -> frozenset[str]:
    """The SQL scripts whose jobs programs submit: they are a part of these, and no pipelines of their own."""
    found = (
        remembered(f"scripts of {entry!r}", files, partial(_submitted_by, entry))
        for entry in entries
        if using_tables(files, [entry])
    )
    return frozenset(path for paths in found for path in paths)


def _submitted_by(entry: PipelineEntry, files: SourceFiles) -> list[str]:
    trace, watched = Trace(), ConsultedFiles(plain(files))
    registry.extract(watched, entry, trace)
    if isinstance(files, ConsultedFiles):
        files.consulted.add(watched.consulted)
    submitted = {_words(text) for text in values_in(trace.tables) if isinstance(text, str)}
    found = []
    for path in (p for p, content in watched.consulted.contents.items() if content and p.endswith(".sql")):
        own = jobs(commands(files.read(path).decode("utf-8", "replace")))
        texts = {_words(text) for job in own for text in (job.texts if isinstance(job, RunQuery) else (job.path,))}
        if all(any(text in step for step in submitted) for text in texts):
            found.append(path)
    return found


def _words(text: str) -> str:
    return " ".join(text.split())


def _planner_of(entry: PipelineEntry, files: SourceFiles) -> str | None:
    trace = Trace()
    extracted = registry.extract(files, entry, trace)
    if extracted is None or extracted.topology is None or not trace.tables:
        return None
    try:
        return full_version(extracted.topology.flink or ASSUMED_FOR_SQL)
    except UnsupportedFlinkError:
        older = minor_of(extracted.topology.flink) < FIRST_FOR_SQL
        return extracted.topology.flink if older else None  # which the planner then says


def _kind(files: SourceFiles, entry: PipelineEntry) -> ExtractorKind:
    return source_kind(files, entry) if entry.extract is ExtractorKind.AUTO else entry.extract
