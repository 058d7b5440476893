"""Programs that are recognised but not read become pipelines where a change edits them, so that no edit passes."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from checker.compare.account.builds import other_releases
from checker.compare.account.deployments import decides
from checker.errors import CheckerError
from checker.extract.asking.consulted import flink_version, plain
from checker.extract.asking.listing import listing_of
from checker.extract.automatic import file_of_main
from checker.extract.changed_files.difference import changed_files, only_layout
from checker.extract.paths import kind_of
from checker.extract.sql.scripts.commands import Define, RunPlan, RunQuery, commands
from checker.extract.unfollowed import other_jobs
from checker.extract.unfollowed.program_files import program_files
from checker.extract.unfollowed.used_by_name import used_files
from checker.model.changed_files import ChangedFile, FileKind
from checker.model.flink_releases import minor_of
from checker.model.pipelines import ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles, submodules_of
from checker.workflows.check.changed_starts import edits_of_unread_starts
from checker.workflows.check.environments import DeployedSide, as_deployed
from checker.workflows.unreached import edited_files as edited
from checker.workflows.unreached import reaching

_WITH_CLASSES = (".java", ".kt", ".scala", ".groovy")


def edited_programs(
    notes: Iterable[Note],
    base_notes: Iterable[Note],
    known: Sequence[PipelineEntry],
    base: DeployedSide,
    head: DeployedSide,
) -> tuple[dict[str, tuple[PipelineEntry, PipelineEntry]], tuple[PipelineEntry, ...], tuple[Note, ...]]:
    """Entries of base and head by name, for programs that were edited or are started otherwise; those that are gone,
    and all other notes.

    ``notes`` are the head's. A program that only the head has is new, which its note says; of one that only the base
    has, whose file is still there, another may run the job now. Where each revision has one that the other lacks, the
    two may be one. Reading an entry gives the reason why there is no graph, and the account of its edits says which of
    them were not understood.
    """
    notes, base_notes = tuple(notes), tuple(base_notes)
    both = frozenset(base.files.paths()).intersection(head.files.paths())
    moved = _moved(notes, base_notes, both)
    gone = {entry.name for entry in base.entries} - {entry.name for entry in head.entries}
    vanished = {entry.file for entry in base.entries if entry.name in gone}
    programs = (_unread(notes) & both) - vanished
    if there := (_unread(base_notes) & both) - programs:
        mains = {e.main for e in known if e.main is not None}
        read = {file_of_main(side.files, main) for main in mains for side in (base, head)}
        programs |= there - read - {e.file for e in known}
    reach = reaching(edited(base.files, head.files), base.files, head.files) if programs else None
    kept: dict[str, tuple[PipelineEntry, PipelineEntry]] = {}
    for path, pairs in _as_started(programs, known, base, head).items():
        touched = (reach is None or not reach.spares(path)) and _edited(base.files, head.files, path)
        if touched or any(edits_of_unread_starts(*pair, base.files, head.files) for pair in pairs):
            kept.update((pair[0].name, pair) for pair in pairs)
    for path, pairs in _as_started(moved, known, base, head).items():
        kept.update((pair[0].name, (replace(pair[0], file=moved[path]), pair[1])) for pair in pairs)
    paths = {entry.file for pair in kept.values() for entry in pair}
    others = [
        _of_program(n, both) for n in notes if n.unread is None or n.location is None or n.location.file not in paths
    ]
    submodules, new = _submodules(base.files, head.files)
    kept.update((path, (PipelineEntry(name=path, extract=ExtractorKind.AUTO, file=path),) * 2) for path in submodules)
    return kept, tuple(_gone(base_notes, {*both, *moved.values()}, known)), (*others, *new)


def _unread(notes: Iterable[Note]) -> frozenset[str]:
    """The files of programs that are not read."""
    return frozenset(note.location.file for note in notes if note.unread is not None and note.location is not None)


def _moved(notes: Iterable[Note], base_notes: Iterable[Note], both: Collection[str]) -> dict[str, str]:
    """Unread programs that only the head has → one of a kind that only the base has, which each may be."""
    gone, new = (
        [(n.unread, n.location.file) for n in side if n.unread and n.location and n.location.file not in both]
        for side in (base_notes, notes)
    )
    found: dict[str, str] = {}
    for kind, path in new:
        alike = [old for unread, old in gone if unread == kind]
        if alike:
            found[path] = max(alike, key=lambda old: posixpath.basename(old) == posixpath.basename(path))
    return found


def _gone(notes: Iterable[Note], there: Collection[str], known: Sequence[PipelineEntry]) -> Iterator[PipelineEntry]:
    """The programs of the base in languages that are not read, and of other libraries, that the head lacks."""
    names = {entry.name for entry in known} | {(entry.main or "").rpartition(".")[2] for entry in known}
    for note in notes:
        path = None if note.location is None else note.location.file
        if path is None or path in there or not (note.unread or "").startswith(("in ", "of ")):
            continue
        name = posixpath.basename(path).partition(".")[0]
        if name not in names:
            names.add(name)
            yield PipelineEntry(name=name, extract=ExtractorKind.AUTO, file=path)


def _of_program(note: Note, both: Collection[str]) -> Note:
    """A note; one about an unread program that both revisions have, which no edit concerns, is about it alone."""
    place = None if note.location is None else note.location.file
    if note.unread is None or not (place is None or place in both):
        return note
    return replace(note, pipeline=place or note.message)


def _as_started(
    programs: Collection[str], known: Sequence[PipelineEntry], base: DeployedSide, head: DeployedSide
) -> dict[str, list[tuple[PipelineEntry, PipelineEntry]]]:
    """Program → its entries in base and head, one pair for each environment that runs it otherwise."""
    if not programs:
        return {}
    names = {entry.name for entry in known}
    mains = {file_of_main(side.files, d.main): d.main for side in (base, head) for d in side.found if d.main}
    entries: list[PipelineEntry] = []
    for path in programs:
        stem = posixpath.basename(path).partition(".")[0]
        name = f"{stem} ({path})" if stem in names else stem
        names.add(name)
        main = mains.get(path, stem) if path.endswith(_WITH_CLASSES) else None
        entries.append(PipelineEntry(name=name, extract=ExtractorKind.AUTO, file=path, main=main))
    deployed = as_deployed(*(replace(side, entries=(*side.entries, *entries)) for side in (base, head)))
    # The reader is chosen by the file: a class that nobody reads names none.
    before, after = ({e.name: replace(e, main=None) for e in side if e.file in programs} for side in deployed)
    found: dict[str, list[tuple[PipelineEntry, PipelineEntry]]] = {path: [] for path in programs}
    for name in before.keys() & after.keys():
        found[before[name].file or ""].append((before[name], after[name]))
    return found


def _submodules(base: SourceFiles, head: SourceFiles) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """The submodules that moved or are gone, and notes about new ones; not those for documentation or tests."""
    before, after = submodules_of(base), submodules_of(head)
    edited = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    used = [path for path in edited if kind_of(f"{path}/Program.java", ".java") is not None]
    notes = (Note(message=f"{path} is a new submodule: its files are not read") for path in used if path not in before)
    return tuple(path for path in used if path in before), tuple(notes)


def _edited(base: SourceFiles, head: SourceFiles, path: str) -> bool:
    """Whether any such file differs; a defect of ours counts as an edit, which the program's account then says."""
    try:
        return bool(edited_files(base, head, path))
    except CheckerError:
        raise
    except Exception:
        return True


def edited_files(base: SourceFiles, head: SourceFiles, path: str) -> tuple[str, ...]:
    """Changed files that a program without a reader may use and that could affect its job."""
    if path in submodules_of(plain(base)) or path in submodules_of(plain(head)):
        return (path,)
    parts = other_jobs.edited_parts(base, head, path)
    if parts is not None:
        return parts
    changed = changed_files(base, head, path[path.rfind(".") :] if path.endswith(".py") else ".java")
    if not changed:
        return ()
    if path.endswith(".sql"):
        scripts = (file.path for file in changed if file.path.endswith(".sql") and _beside(file.path, path))
        found = [p for p in scripts if p == path or any(_may_feed(files, p, path) for files in (base, head))]
    else:
        count = frozenset(file.path for file in changed if _counts(file, base, head))
        sides = [side for side in (base, head) if count and path in listing_of(plain(side)).all]
        found = [used for side in sides for used in program_files(side, path, count)]
    builds = [file for file in changed if file.kind is FileKind.BUILD]
    if builds:
        there = path.endswith(_WITH_CLASSES) and _releases(builds) and path in listing_of(plain(base)).all
        used = b"\0".join(plain(base).read(file) for file in used_files(base, path)) if there else b""
        found.extend(
            file.path for file in builds for names in _releases([file]) if any(n.encode() in used for n in names)
        )
        (before, files), (after, more) = (flink_version(side, path) for side in (base, head))
        if minor_of(before) != minor_of(after):
            found.extend(file.path for file in changed if file.path in (*files, *more))
    return tuple(sorted(set(found)))


def _releases(builds: Iterable[ChangedFile]) -> list[tuple[str, ...]]:
    """The packages of libraries that hold state, of which another release is named that may not read it."""
    named = [(file, entry.library) for file in builds for entry in (*(file.base or ()), *(file.head or ()))]
    open_ = {library for file, library in named if library and not library.reads and other_releases(library, file)}
    return [library.packages for library in open_]


_CREATES = re.compile(r"\bCREATE\s+(?:\w+\s+){1,3}?(IF\s+NOT\s+EXISTS\s+)?([`\w.]*?(\w+))`?\s*(?:\(|AS\b|WITH\b)", re.I)
_QUOTED = re.compile(r"--[^\n]*|/\*.*?\*/|'[^']*'", re.S)
"""A comment, or a text, as the name of a table in a database."""
_NAMED_TABLE = re.compile(rf"\s*(?=CREATE\s+(?:TEMPORARY\s+)?TABLE\b){_CREATES.pattern}", re.I)


def _may_feed(files: SourceFiles, path: str, script: str) -> bool:
    """Whether a script may be run before another one: it defines what that one may lack, or submits nothing.

    Of what submits nothing, tables that the other one creates are a database's: Flink would not create one twice.
    """
    if not {path, script} <= set(files.paths()):
        return False
    text, read = (plain(files).read(file).decode("utf-8-sig", "replace") for file in (path, script))
    script_commands = commands(text)
    submits = any(isinstance(command, RunQuery | RunPlan) for command in script_commands)
    tables = (isinstance(command, Define) and _NAMED_TABLE.match(command.text) for command in script_commands)
    if not submits and (not (script_commands and all(tables)) or "{" in read):  # a template may name any table
        return True
    read = _QUOTED.sub("", read.lower())
    own = {name for there, name, _ in _CREATES.findall(read.replace("`", "")) if not there}
    lacked = {last for _, name, last in _CREATES.findall(text.lower().replace("`", "")) if name not in own}
    return not lacked.isdisjoint(re.findall(r"\w+", read))


def _beside(path: str, script: str) -> bool:
    """Whether a script lies in the folder of another one, in the folder around that, or below them."""
    around = posixpath.dirname(posixpath.dirname(script))
    return not around or path.startswith(f"{around}/")


def _counts(file: ChangedFile, base: SourceFiles, head: SourceFiles) -> bool:
    if file.kind is FileKind.DEPLOYMENT:
        return decides(file)
    if file.kind in (FileKind.BUILD, FileKind.LOGGING):
        return False
    return not only_layout(file, base, head)
