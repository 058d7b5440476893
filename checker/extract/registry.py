"""All extractors by kind: which pipelines a revision holds, and reading each of them.

One pipeline that can't be read never stops the others: it becomes an ``Extracted`` with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from checker.errors import CheckerError, PipelineMissingError
from checker.extract import documents, java, python, sql
from checker.model.pipelines import Discovery, Extracted, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.settings import Settings

_DISCOVERERS: tuple[Callable[[SourceFiles], Discovery], ...] = (
    documents.discover,
    java.discover,
    python.discover,
    sql.discover,
)
_READERS: dict[ExtractorKind, Callable[[SourceFiles, PipelineEntry], Topology]] = {
    ExtractorKind.DOCUMENT: documents.extract,
    ExtractorKind.JAVA: java.extract,
    ExtractorKind.PYTHON: python.extract,
    ExtractorKind.SQL: sql.extract,
}


@dataclass(frozen=True)
class _Filtered:
    """The files of a revision without the excluded paths: what discovery looks at."""

    files: SourceFiles
    exclude: tuple[str, ...]

    def paths(self) -> list[str]:
        return [p for p in self.files.paths() if not any(fnmatchcase(p, glob) for glob in self.exclude)]

    def read(self, path: str) -> bytes:
        return self.files.read(path)

    def content_id(self, path: str) -> str:
        return self.files.content_id(path)


def discover(files: SourceFiles, settings: Settings) -> Discovery:
    """Configured pipelines, and those found in the revision that no configured one stands for. Names are unique."""
    configured = {entry.name: settings.complete(entry) for entry in settings.pipelines}
    covered = {(e.extract, e.main or e.file) for e in configured.values()}
    notes: list[Note] = []
    found: dict[str, PipelineEntry] = dict(configured)
    if settings.discover:
        looked_at = _Filtered(files, settings.exclude) if settings.exclude else files
        for discoverer in _DISCOVERERS:
            discovery = discoverer(looked_at)
            notes.extend(discovery.notes)
            for entry in discovery.entries:
                if (entry.extract, entry.main or entry.file) in covered or _read_by_flink(entry, configured.values()):
                    continue
                name = entry.name
                if name in found:
                    name = f"{entry.name} ({entry.file or entry.main})"
                    if name in found:
                        name = f"{name} #{entry.index + 1}"
                found[name] = settings.complete(replace(entry, name=name))
    return Discovery(entries=tuple(found[name] for name in sorted(found)), notes=tuple(notes))


def _read_by_flink(entry: PipelineEntry, configured: Iterable[PipelineEntry]) -> bool:
    """A main class that the configuration reads by another extractor is not a second pipeline."""
    return entry.main is not None and any(c.main == entry.main for c in configured)


def extract(files: SourceFiles, entry: PipelineEntry) -> Extracted | None:
    """Read one pipeline; None when the revision does not have it."""
    reader = _READERS.get(entry.extract)
    if reader is None:
        return Extracted(
            entry=entry,
            failure=f'extract = "{entry.extract}" runs the program; allow it with --allow-exec',
        )
    try:
        topology = reader(files, entry)
    except PipelineMissingError:
        return None
    except CheckerError as error:
        return Extracted(entry=entry, failure=str(error))
    except RecursionError:
        return Extracted(entry=entry, failure="nested too deeply to be read")
    return Extracted(entry=entry, topology=topology)
