"""Whether a pipeline that no reader finds in a revision is gone, or only not found.

A deleted pipeline leaves no state behind that anybody waits for. One whose program is still there, in another language,
behind a library, or in a file that can't be read, may lose all of its state without a word.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from checker.errors import CheckerError
from checker.extract import registry
from checker.extract.automatic import document_kind
from checker.extract.paths import module_of
from checker.extract.texts import same_code, without_comments
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.workflows.check.records import ReadPipeline, Side, topology_of

_LFS = b"version https://git-lfs.github.com/spec/"
_LANGUAGES = {".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".groovy": "Groovy"}
_MAIN = re.compile(rb"\bmain\s*\(|\bextends\b")
"""A main method, or a superclass that may have one."""
_CLASS = re.compile(rb"\b(?:class|interface|enum|record)\b")
_PACKAGE = re.compile(rb"^[^\S\n]*+package\s++([\w.]+)", re.MULTILINE)
_IMPORT = re.compile(r"^[^\S\n]*+import\b[^;]*?(?P<name>\w+|\*)\s*;", re.MULTILINE)
_FLINK = re.compile(r"\bflink\b")


def both_sides(
    base: Side, head: Side, before: Sequence[PipelineEntry], after: Sequence[PipelineEntry]
) -> tuple[Side, Side]:
    """Base and head of a pipeline. If one seems to lack it but may have it, that side holds the reason.

    ``before`` and ``after`` are all pipelines of both revisions.
    """
    old, new = (side.entry or side.asked for side in (base, head))
    if head.read is None and old is not None:
        head = replace(head, read=_unread(old, still_there(head.files, old, after, beside=base.files)))
    if base.read is None and new is not None and not _is_further_job(new, before):
        base = replace(base, read=_unread(new, was_there(base.files, new, before, beside=head.files)))
    executed = topology_of(base.read), topology_of(head.read)
    if head.read is not None and executed[0] and executed[1] and executed[0].executed > executed[1].executed:
        why = "the program still declares its operators, but does not execute the job any more: call execute()"
        head = replace(head, read=replace(head.read, topology=None, failure=why, failure_location=executed[1].location))
    return base, head


def _unread(entry: PipelineEntry, why: str | None) -> ReadPipeline | None:
    """A pipeline that was not found and may be there all the same, None where it is not there."""
    return None if why is None else ReadPipeline(name=entry.name, extractor=entry.extract.value, failure=why)


def _is_further_job(head: PipelineEntry, before: Sequence[PipelineEntry]) -> bool:
    """Whether a known program runs in an environment that is new and names no savepoint, beside all that were there."""
    start = head.deployment
    if start is None or start.savepoint is not None:
        return False
    return any((e.main, e.file, e.index) == (head.main, head.file, head.index) and e.deployment for e in before)


def still_there(
    files: SourceFiles,
    entry: PipelineEntry,
    others: Sequence[PipelineEntry] = (),
    *,
    beside: SourceFiles | None = None,
    before: bool = False,
) -> str | None:
    """Why the pipeline may be there although it was not found; None where the revision holds nothing of it.

    ``others`` are the pipelines that were found: a class of the same name in another module is one of those.
    ``beside`` is the revision that has the pipeline: what another module has there as well, without an edit, is not it.
    ``before``: the revision is the one before the pipeline was found.
    """
    if entry.index > 0 and (document_kind(files, entry) is None):
        return _further_job(files, entry)
    if entry.main is not None and not entry.main.endswith(".py"):
        found = _others(files, entry, others, beside)
        return next((why for path, why in _declarations(files, entry.main, before) if path not in found), None)
    path = entry.main or entry.file
    if path is None or path not in set(files.paths()):
        return None
    if document_kind(files, entry) is ExtractorKind.DOCUMENT:
        extracted = registry.extract(files, entry)
        return None if extracted is None else extracted.failure
    if before and same_code(path, files.read(path), b""):
        return None
    there = (
        "was there already, but no job is found in it"
        if before
        else "is still there, but no job is found in it any more"
    )
    return _why_unread(files, path) or f"{path} {there}"


def was_there(
    files: SourceFiles, entry: PipelineEntry, others: Sequence[PipelineEntry], *, beside: SourceFiles
) -> str | None:
    """The same of the older revision, for a pipeline that is new: there a class without Flink is not a pipeline."""
    why = still_there(files, entry, others, beside=beside, before=True)
    if why is None or entry.main is None or entry.main.endswith(".py"):
        return why
    found = _others(files, entry, others, beside)
    paths = (path for path in _paths(files, entry.main) if path not in found)
    return why if any(_may_be_job(files, path) for path in paths) else None


def _others(
    files: SourceFiles, entry: PipelineEntry, others: Sequence[PipelineEntry], beside: SourceFiles | None
) -> frozenset[str]:
    """The files that hold other pipelines, or a class of the same name that another module has in both revisions."""
    assert entry.main is not None
    found = {candidate.file for candidate in others if candidate.file is not None and candidate.file != entry.file}
    if beside is not None and entry.file is not None:
        there = set(beside.paths())
        found |= {
            path
            for path in _paths(files, entry.main)
            if path in there
            and module_of(path) != module_of(entry.file)
            and files.content_id(path) == beside.content_id(path)
        }
    return frozenset(found)


def _may_be_job(files: SourceFiles, path: str) -> bool:
    """Whether a file may hold a pipeline: a Java class does where its code mentions Flink.

    Comments, imports of what it does not use and the name of its own package say nothing.
    """
    if not path.endswith(".java"):
        return True
    text = without_comments(_PACKAGE.sub(b"", files.read(path)).decode("utf-8", "replace"))
    code = _IMPORT.sub("", text)
    used = {*re.findall(r"\w+", code), "*"}
    return any(_FLINK.search(part) for part in (code, *(i[0] for i in _IMPORT.finditer(text) if i["name"] in used)))


def _further_job(files: SourceFiles, entry: PipelineEntry) -> str | None:
    """A program may execute another number of jobs, which is known only where all of it could be read."""
    first = registry.extract(files, replace(entry, index=0))
    if first is None:
        return still_there(files, replace(entry, index=0))
    if first.topology is None:
        return first.failure
    try:
        open_questions = translate(first.topology).undecided
    except CheckerError as error:
        return str(error)
    if not open_questions:
        return None
    return f"cannot tell whether its program still executes job {entry.index + 1}: {open_questions[0].unknown.reason}"


def _declarations(files: SourceFiles, main: str, before: bool) -> Iterator[tuple[str, str]]:
    """The files that may declare a main class, and what they say of it."""
    for path in _paths(files, main):
        language = _LANGUAGES[path[path.rfind(".") :]]
        unread = _why_unread(files, path)
        if unread is not None:
            yield path, unread
        elif language != "Java":
            where = "was in" if before else "is now in"
            yield path, f"its main class {main} {where} {path}, a program in {language}, which is not read from source"
        elif not before and not _CLASS.search(files.read(path)):
            yield path, f"its main class {main} is gone from {path}, which is still there and holds no class"
        elif _MAIN.search(files.read(path)):
            there = "was there already" if before else "is still there"
            yield (
                path,
                f"its main class {main} {there} ({path}), but no job is found in it: "
                "the execution environment may come from a library, or the file can't be read",
            )


def _paths(files: SourceFiles, main: str) -> Iterator[str]:
    """Files that may declare a class: called like it or its outer class, or, outside of Java, with it inside."""
    names = re.split(r"[.$]", main)
    declared = re.compile(rf"\b(?:class|object|interface)\s+{re.escape(names[-1])}\b".encode())
    for path in files.paths():
        ending = path[path.rfind(".") :]
        stem = path.rpartition("/")[2].removesuffix(ending)
        named = stem in names or f"{stem}Kt" in names
        if ending not in _LANGUAGES or (ending == ".java" and not named):
            continue
        data = files.read(path)
        if not named and not declared.search(data):
            continue
        package = _PACKAGE.search(data)
        if package is None or f"{main}.".startswith(f"{package[1].decode()}."):
            yield path


def _why_unread(files: SourceFiles, path: str) -> str | None:
    data = files.read(path)
    if data.startswith(_LFS):
        return f"{path} is a Git LFS pointer here: fetch its content with 'git lfs pull'"
    line = registry.broken_line(path, data)
    return f"{path}:{line} does not parse" if line is not None else None
