"""Which programs use the Table API: what has to be known before anything is planned."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from checker.extract import registry
from checker.extract.automatic import source_kind
from checker.extract.consulted import Facts, ask, remembered
from checker.extract.interpreting.trace import Trace
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles

_TABLES = re.compile(rb"\bTableEnvironment\b|\bStreamTableEnvironment\b")
_MENTIONS = Facts("table environments", lambda data: (int(_TABLES.search(data) is not None),))
_SOURCE = {ExtractorKind.JAVA: ".java", ExtractorKind.PYTHON: ".py"}


def using_tables(files: SourceFiles, entries: Iterable[PipelineEntry]) -> list[PipelineEntry]:
    """The pipelines of a revision whose programs make tables, of those in a language that mentions them."""
    mention = {
        kind for kind, ending in _SOURCE.items()
        if any(mentions for (mentions,) in _MENTIONS.of(files, ask(files, "ending", ending)).values())
    }  # fmt: skip
    mentioning = [entry for entry in entries if mention and _kind(files, entry) in mention]
    return [e for e in mentioning if remembered(f"tables {e!r}", files, partial(_uses_tables, e))]


def _uses_tables(entry: PipelineEntry, files: SourceFiles) -> bool:
    trace = Trace()
    extracted = registry.extract(files, entry, trace)
    return extracted is not None and extracted.topology is not None and bool(trace.tables)


def _kind(files: SourceFiles, entry: PipelineEntry) -> ExtractorKind:
    return source_kind(files, entry) if entry.extract is ExtractorKind.AUTO else entry.extract
