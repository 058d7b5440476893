"""All extractors by kind: which pipelines a revision holds, and reading each of them.

One pipeline that can't be read never stops the others: it becomes an ``Extracted`` with the reason.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import partial
from typing import Any, Final

from checker.errors import (
    CheckerError,
    ExtractionError,
    NoJobError,
    PipelineMissingError,
    SettingsError,
    defect_message,
)
from checker.extract import automatic, documents, java, python, sql
from checker.extract.asking.consulted import Keeping, once, plain
from checker.extract.asking.content_facts import RecordsAsJson
from checker.extract.asking.listing import listing_of
from checker.extract.interpreting.memory import Trace
from checker.extract.unfollowed import other_jobs
from checker.model.pipelines import Discovery, Extracted, ExtractorKind, Note, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles, submodules_of
from checker.model.topology import Topology
from checker.model.unknowns import Location
from checker.settings import Settings
from checker.time_limits import OverspentError, at_most

_DISCOVERERS: Final = (documents, java, python, sql, other_jobs)
_READERS: Final[dict[ExtractorKind, Any]] = {
    ExtractorKind.DOCUMENT: documents,
    ExtractorKind.JAVA: java,
    ExtractorKind.PYTHON: python,
    ExtractorKind.SQL: sql,
}
"""The packages that read pipelines of a kind, each imported when it is first asked."""
_MOST_MATCHED = 20_000_000
"""Patterns of a configuration by paths of a revision."""
_FOLLOWING: Final = (ExtractorKind.JAVA, ExtractorKind.PYTHON)
"""Readers that follow code, and say which."""
_FROM_JAVA = (ExtractorKind.AUTO, ExtractorKind.JAVA)


@dataclass(frozen=True)
class _Filtered:
    """The files of a revision without the excluded paths: what discovery looks at."""

    files: SourceFiles
    kept: Sequence[str]

    def paths(self) -> Sequence[str]:
        return self.kept

    def read(self, path: str) -> bytes:
        return self.files.read(path)

    def content_id(self, path: str) -> str:
        return self.files.content_id(path)


def discover(
    files: SourceFiles,
    settings: Settings,
    concerns: Callable[[Collection[str]], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Discovery:
    """Configured pipelines, and those found in the revision that no configured one stands for. Names are unique.

    ``concerns`` says by the types that a Java file declares whether its programs are asked for: others are left out.
    ``progress`` is called with how many programs were looked at, of how many.
    """
    configured = {entry.name: settings.complete(entry) for entry in settings.pipelines}
    notes: list[Note] = []
    found: dict[str, PipelineEntry] = dict(configured)
    if settings.discover:
        if len(settings.exclude) * len(files.paths()) > _MOST_MATCHED:
            raise SettingsError(f"{settings.source}: exclude has too many patterns for {len(files.paths()):,} files")
        excluded = re.compile("|".join(map(translate, settings.exclude))).match
        looked_at = _Filtered(files, [p for p in files.paths() if not excluded(p)]) if settings.exclude else files
        for discoverer in _DISCOVERERS:
            in_java = discoverer is java
            discovery = java.discover(looked_at, concerns, progress) if in_java else discoverer.discover(looked_at)
            notes.extend(note for note in discovery.notes if not _concerns(note, configured.values()))
            for entry in discovery.entries:
                named = [
                    configured_entry for configured_entry in configured.values() if _stands_for(configured_entry, entry)
                ]
                for configured_entry in named:
                    found.update(_further_job(configured_entry, entry))
                if named:
                    continue
                name = entry.name
                if name in found:
                    name = f"{entry.name} ({entry.file or entry.main})"
                    if name in found:
                        name = f"{name} #{entry.index + 1}"
                found[name] = settings.complete(replace(entry, name=name))
    return Discovery(entries=tuple(found[name] for name in sorted(found)), notes=tuple(notes))


def _concerns(note: Note, configured: Iterable[PipelineEntry]) -> bool:
    """Whether a note is about a file whose main class the configuration names already."""
    file = "" if note.location is None else note.location.file
    stem = f"/{file.rpartition('.')[0]}"
    for main in (c.main for c in configured if c.main is not None):
        path = f"/{main.replace('.', '/')}"
        if file == main or stem.endswith((path, path.removesuffix("Kt"))):
            return True
    return False


def _further_job(configured: PipelineEntry, found: PipelineEntry) -> dict[str, PipelineEntry]:
    """What a configured program executes after its first job: pipelines as well, with the same arguments."""
    if found.index == 0 or found.extract is not ExtractorKind.JAVA or configured.extract not in _FROM_JAVA:
        return {}
    name = f"{configured.name} #{found.index + 1}"
    file = configured.file or found.file
    return {name: replace(configured, name=name, index=found.index, file=file, discovered=True)}


def _stands_for(configured: PipelineEntry, found: PipelineEntry) -> bool:
    """Whether a configured pipeline is the one that was found, whatever reads it."""
    if found.main is not None and configured.main == found.main:
        return True
    if configured.extract is found.extract:
        return (configured.main or configured.file) == (found.main or found.file)
    by_file = configured.extract is ExtractorKind.AUTO and found.extract is not ExtractorKind.JAVA
    return by_file and configured.file is not None and configured.file == found.file


def extract(files: SourceFiles, entry: PipelineEntry, trace: Trace | None = None) -> Extracted | None:
    """Read one pipeline without running anything; None when the revision does not have it.

    The answer's entry names the extractor that ``auto`` came to. ``trace`` is filled with the code that was followed,
    where a reader follows code. Never raises: a reader that breaks, through a defect of ours, fails for this pipeline
    only. A pipeline is read once in each revision, however often it is asked for.
    """

    def reading(watched: SourceFiles) -> tuple[Extracted | None, Trace]:
        followed = Trace()
        read = _extract(watched, entry, followed)
        if entry.assume_defaults and read is not None and read.topology is None and read.ends:
            others = Trace()
            second = _extract(watched, replace(entry, assume_needed=True), others)
            if second is not None and second.topology is not None:
                return _without_entry(second), others
        return _without_entry(read), followed

    extracted, followed = once(
        files, repr(replace(entry, optional=False)), reading, replace(_KEEPING, secrets=entry.secrets)
    )
    if trace is not None:
        trace.follow(followed)
    if extracted is None:
        return None
    found = extracted.entry
    return replace(extracted, entry=replace(entry, extract=found.extract, assume_needed=found.assume_needed))


def _without_entry(extracted: Extracted | None) -> Extracted | None:
    """With no more of the entry than reading it changed: what was asked is known to whoever asks."""
    if extracted is None:
        return None
    found = extracted.entry
    kept = PipelineEntry(name=found.name, extract=found.extract, assume_needed=found.assume_needed)
    return replace(extracted, entry=kept)


def _may_be_kept(answer: tuple[Extracted | None, Trace]) -> bool:
    """Whether a reading rests on files alone: no planner was asked, and no file was missing from a clone."""
    extracted, _ = answer
    if extracted is None or extracted.entry.extract not in _FOLLOWING:
        return False
    return extracted.topology is not None or extracted.failure_location is not None


_KEEPING = Keeping(RecordsAsJson(Extracted, Trace), _may_be_kept)


def _is_there(files: SourceFiles, path: str) -> bool:
    """Whether a revision has a file, or what has an ending may have been one: a submodule's path has none."""
    return "." in path.rpartition("/")[2] or path in listing_of(plain(files)).all


def _extract(files: SourceFiles, entry: PipelineEntry, trace: Trace) -> Extracted | None:
    try:
        if entry.extract is ExtractorKind.AUTO:
            commit = submodules_of(plain(files)).get(entry.file or "")
            if commit is not None:
                why = f"files of the submodule {entry.file} (at {commit[:10]}) are not read: check its own repository"
                return Extracted(entry=replace(entry, extract=ExtractorKind.DOCUMENT), failure=why)
            if entry.main is None and entry.file is not None and not _is_there(files, entry.file):
                why = f"cannot tell the pipelines of the submodule {entry.file}, which is gone"
                return Extracted(entry=replace(entry, extract=ExtractorKind.DOCUMENT), failure=why)
            why_unread = None if entry.file is None else other_jobs.why_unread(files, entry.file)
            why_unread = f"{entry.file} {other_jobs.ELSEWHERE}" if entry.is_manifest else why_unread
            if why_unread is not None:
                return Extracted(entry=replace(entry, extract=ExtractorKind.FLINK), failure=why_unread)
            what = automatic.unread(files, entry)
            if what is not None:
                return Extracted(entry=replace(entry, extract=ExtractorKind.FLINK), failure=_needs_a_run(entry, what))
            entry = replace(entry, extract=automatic.source_kind(files, entry))
        reader = _READERS.get(entry.extract)
        if reader is None:
            why = f'extract = "{entry.extract}" runs the program; allow it with --allow-exec'
            return Extracted(entry=entry, failure=why)
        traced = [trace] if entry.extract in _FOLLOWING else []
        topology = at_most(entry.allowance, partial(reader.extract, files, entry, *traced))
        return Extracted(entry=entry, topology=topology)
    except PipelineMissingError:
        return _ends_as_given(files, entry)
    except ExtractionError as error:
        return Extracted(
            entry=entry,
            failure=str(error),
            ends=isinstance(error, NoJobError),
            failure_location=error.place and Location(*error.place),
        )
    except (CheckerError, OverspentError) as error:
        return Extracted(entry=entry, failure=str(error))
    except RecursionError:
        return Extracted(entry=entry, failure="nested too deeply to be read")
    except MemoryError:
        return Extracted(entry=entry, failure="reading it takes more memory than there is")
    except Exception as error:
        return Extracted(entry=entry, failure=defect_message(error))


def _ends_as_given(files: SourceFiles, entry: PipelineEntry) -> Extracted | None:
    """A program that the revision has, and that what is given or assumed ends before it does anything, is not read."""
    plain = replace(entry, assume_defaults=False, deployment=None, args=(), unset=(), discovered=True)
    if plain == replace(entry, discovered=True) or extract(files, plain) is None:
        return None
    why = "with the arguments that are given or assumed, the program ends before a job"
    return Extracted(entry=entry, failure=why, ends=True)


def _needs_a_run(entry: PipelineEntry, what: str) -> str:
    configured = entry.build or entry.jars or entry.main is None
    needs = "" if configured else ', which takes build = "..." or jars = [...], and parallelism = ...'
    return f"{what}, which is not read from source; run it with --allow-exec{needs}"


CODE_ENDINGS: dict[ExtractorKind, str] = {ExtractorKind.JAVA: ".java", ExtractorKind.PYTHON: ".py"}
"""Extractors whose programs' edits are accounted for, and the ending of their source."""


def broken_line(path: str, data: bytes) -> int | None:
    """The first line of a file in Java or Python that does not parse; None where all does, and for other languages."""
    if path.endswith(".py"):
        line: int | None = python.broken_line(data)
        return line
    errors = java.SourceUnit(path, lambda: data).errors if path.endswith(".java") else ()
    return errors[0].line if errors else None


def reached_code(
    files: SourceFiles, entry: PipelineEntry, kind: ExtractorKind, trace: Trace, topology: Topology | None
) -> ProgramCode | None:
    """The code that a pipeline's program can reach, None where it is not known.

    ``kind`` read it, with this trace, to this topology. Where parts of that are not known, code is reached as well
    that no code names: what may be found by its type, or by its name.
    """
    if kind not in _FOLLOWING:
        return None
    code: ProgramCode | None = _READERS[kind].reached_code(files, entry, trace, topology)
    return code
