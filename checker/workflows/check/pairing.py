"""The pipelines of two revisions as they are compared: renamed ones paired, edited programs added, all as deployed.

Names of classes and pipelines enter no operator id. So a pipeline that only the base has and one that only the head has
are compared with each other where most of their operators are alike. An inserted or removed job of a program moves the
numbers by which its jobs are named: they are paired by their operators, too."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from checker.extract import registry
from checker.extract.asking.consulted import flink_version
from checker.extract.interpreting.memory import Trace
from checker.extract.java.build_files import builds_something_else
from checker.extract.python.extraction import flink_version as version_of_script
from checker.extract.sql.scripts.templates import split, words
from checker.model.pipelines import ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.unknowns import Unknown
from checker.workflows.check.edited_programs import edited_programs
from checker.workflows.check.environments import DeployedSide, as_deployed


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


def paired_pipelines(
    base: DeployedSide, head: DeployedSide, notes: Sequence[Note], base_notes: Sequence[Note]
) -> Paired:
    """The pipelines of both revisions, paired. The notes are about what each revision has that is not read."""
    named, renames = follow_renames(base.entries, head.entries, base.files, head.files)
    base = replace(base, entries=named)
    programs_here = any(entry.main for entry in (*base.entries, *head.entries)) or any(note.unread for note in notes)
    if not programs_here:  # of which one may be called otherwise than its manifest has it
        notes = (*notes, *head.of_programs_elsewhere())
        base_notes = (*base_notes, *base.of_programs_elsewhere())
    programs, gone, notes = edited_programs(notes, base_notes, (*named, *head.entries), base, head)
    before, after = (
        tuple(sorted((*side, *(pair[number] for pair in programs.values()), *only), key=lambda entry: entry.name))
        for number, (side, only) in enumerate(zip(as_deployed(base, head), (gone, ()), strict=True))
    )
    before, after = (
        _with_kept_versions(before, base.files, after, head.files),
        _with_kept_versions(after, head.files, before, base.files),
    )
    return Paired(base=before, head=after, programs=frozenset(programs), renames=renames, notes=notes)


def _with_kept_versions(
    entries: Sequence[PipelineEntry], files: SourceFiles, others: Iterable[PipelineEntry], other_files: SourceFiles
) -> tuple[PipelineEntry, ...]:
    """A revision's pipelines; where only builds of something else keep Flink's version open, with the other one's.

    What all build files of a repository agree on is the version of what has none of its own.
    """
    opposite = {entry.name: entry for entry in others}

    def kept(entry: PipelineEntry) -> str | None:
        source, twin = entry.file or "", opposite.get(entry.name, entry)
        asked = version_of_script if source.endswith(".py") else flink_version
        if entry.flink or twin.flink or not source or not twin.file:
            return None
        (version, here), (stated, there) = asked(files, source), asked(other_files, twin.file)
        if version is not None or stated is None or not {*there} <= {*here}:
            return None
        alike = all(files.content_id(path) == other_files.content_id(path) for path in there)
        elsewhere = all(path in there or builds_something_else(path, source) for path in here)
        return stated if alike and elsewhere else None

    return tuple(replace(entry, flink=entry.flink or kept(entry)) for entry in entries)


ALIKE = 0.6
"""Share of operators that two pipelines have in common, from which on they are taken for one."""
_DEFINES = re.compile(r"(?i)\s*(?:create|drop|alter|set|reset|use|add|load|unload)\b")
_NUMBER = re.compile(r" #\d+$")
MOST = 40
"""More pipelines than this that come and go in one change are not renames that anybody could follow."""

Operators = Counter[tuple[str, str, str]]


def follow_renames(
    base: Sequence[PipelineEntry], head: Sequence[PipelineEntry], base_files: SourceFiles, head_files: SourceFiles
) -> tuple[tuple[PipelineEntry, ...], tuple[Note, ...]]:
    """The base's pipelines, renamed ones under the name they have in the head, and a note for each."""
    base, numbered = _follow_numbers(_named_alike(base, head, base_files, head_files), head, base_files, head_files)
    names = {e.name for e in head}
    gone = [e for e in base if e.name not in names]
    known = {e.name for e in base if e.discovered or not gone or registry.extract(base_files, e) is not None}
    new = [e for e in head if e.name not in known]
    if not gone or not new or max(len(gone), len(new)) > MOST:
        return tuple(base), numbered
    before = {e.name: _operators(base_files, e) for e in gone}
    after = {e.name: _operators(head_files, e) for e in new}
    renamed = _most_alike(
        (_likeness(before[a.name], after[b.name]), a.name, b.name)
        for a in gone
        for b in new
        if a.extract is b.extract or ExtractorKind.AUTO in (a.extract, b.extract)
    )
    notes = tuple(
        Note(message=f"{new_name} is compared with {old}, which only the base has: most of their operators are alike")
        for old, new_name in sorted(renamed.items())
    )
    # What a configuration names and the base does not have yet makes room for what the base has in its place.
    there = (e for e in base if e.name not in renamed.values())
    return tuple(replace(e, name=renamed.get(e.name, e.name)) for e in there), (*numbered, *notes)


def _named_alike(
    base: Sequence[PipelineEntry], head: Sequence[PipelineEntry], base_files: SourceFiles, head_files: SourceFiles
) -> tuple[PipelineEntry, ...]:
    """The base's programs under the head's names: a second class of a name gives both longer ones, or takes theirs.

    A script that moved whole is the one that says the same.
    """
    after = {_program(e): e.name for e in head if e.discovered and e.main is not None}
    same = {(_program(e), e.name) for e in head}
    before, there = set(base_files.paths()), set(head_files.paths())
    came = (e for e in head if e.discovered and e.file in there - before)
    moved = {(head_files.content_id(e.file or ""), e.extract, e.index): e.name for e in came}

    def named(entry: PipelineEntry) -> str:
        if entry.file in before - there:
            return moved.get((base_files.content_id(entry.file or ""), entry.extract, entry.index), entry.name)
        return after.get(_program(entry), entry.name)

    return tuple(replace(e, name=named(e)) if e.discovered and (_program(e), e.name) not in same else e for e in base)


def _program(entry: PipelineEntry) -> tuple[object, ...]:
    """What a pipeline is, whatever it is called."""
    return entry.extract, entry.main, entry.file, entry.index


def _follow_numbers(
    base: Sequence[PipelineEntry], head: Sequence[PipelineEntry], base_files: SourceFiles, head_files: SourceFiles
) -> tuple[tuple[PipelineEntry, ...], tuple[Note, ...]]:
    """The base's jobs of edited programs with several, each under the name of the head's job that is most like it."""
    before, after = _by_program(base), _by_program(head)
    renamed: dict[str, str] = {}
    notes: list[Note] = []
    for program, jobs in before.items():
        others = after.get(program, [])
        if not others or max(len(jobs), len(others)) < 2 or max(len(jobs), len(others)) > MOST:
            continue
        if len(jobs) == len(others) and _same_file(jobs[0], others[0], base_files, head_files):
            continue
        names = _numbered_anew(
            {e.name: _operators(base_files, e, uids=True) for e in jobs},
            {e.name: _operators(head_files, e, uids=True) for e in others},
        )
        for old, name in names.items():
            if old != name and name in {e.name for e in others}:
                notes.append(Note(message=f"{name} is compared with {old} of the base: their operators are most alike"))
        renamed |= names
    return tuple(replace(e, name=renamed.get(e.name, e.name)) for e in base), tuple(notes)


def _by_program(entries: Sequence[PipelineEntry]) -> dict[tuple[str | None, str | None, str], list[PipelineEntry]]:
    """The jobs of each program that is read from source, in their order."""
    found: dict[tuple[str | None, str | None, str], list[PipelineEntry]] = {}
    for entry in sorted(entries, key=lambda e: e.index):
        if entry.extract in (ExtractorKind.AUTO, ExtractorKind.JAVA, ExtractorKind.PYTHON) and entry.main is not None:
            found.setdefault((entry.main, entry.file, _NUMBER.sub("", entry.name)), []).append(entry)
    return found


def _same_file(old: PipelineEntry, new: PipelineEntry, base_files: SourceFiles, head_files: SourceFiles) -> bool:
    if old.file is None or new.file is None:
        return False
    return base_files.content_id(old.file) == head_files.content_id(new.file)


def _numbered_anew(before: Mapping[str, Operators], after: Mapping[str, Operators]) -> dict[str, str]:
    """The base's names → those under which its jobs are compared: most alike first, then by what they are called."""
    renamed = _most_alike((_likeness(before[old], after[new]), old, new) for old in before for new in after)
    for name in before:
        if name not in renamed:
            free = name in after and name not in renamed.values()
            renamed[name] = name if free or name not in after else f"{name} (of the base)"
    return renamed


def _most_alike(pairs: Iterable[tuple[float, str, str]]) -> dict[str, str]:
    """Each of the base with one of the head, by their likeness: the most alike first, then those of one name."""
    found: dict[str, str] = {}
    for likeness, old, new in sorted(pairs, key=lambda pair: (-pair[0], pair[1] != pair[2], pair[1], pair[2])):
        if likeness >= ALIKE and old not in found and new not in found.values():
            found[old] = new
    return found


def _operators(files: SourceFiles, entry: PipelineEntry, *, uids: bool = False) -> Operators:
    """Kind, name and function of every operator, its uid if asked for, and the words of a job's SQL.

    A script is planned later: its statements that work stand for the operators.

    Empty for a pipeline that can't be read.
    """
    if entry.extract is ExtractorKind.SQL and entry.file is not None:
        text = files.read(entry.file).decode("utf-8", "replace")
        return Counter(("sql", " ".join(words(s.text)), "") for s in split(text) if not _DEFINES.match(s.text))
    trace = Trace()
    extracted = registry.extract(files, entry, trace)
    if extracted is None or extracted.topology is None:
        return Counter()
    asked = (p.steps[max(hole.step for hole in p.holes)].arguments for p in trace.tables[:1] if p.holes)
    in_sql = Counter(("sql", word, "") for arguments in asked for word in re.findall(r"\w+", str(arguments)))
    operators = [t for t in extracted.topology.operators() if not t.kind.virtual]
    given = Counter(("uid", t.uid, "") for t in operators if uids and isinstance(t.uid, str))
    return in_sql + given + Counter(
        (t.kind.value, "" if isinstance(t.name, Unknown) else t.display_name, _simple(t.function)) for t in operators
    )  # fmt: skip


def _simple(function: str | None) -> str:
    """A function's own name: the class around it may be the one that was renamed."""
    return re.split(r"[.$]", function)[-1] if function else ""


def _likeness(left: Operators, right: Operators) -> float:
    larger = max(left.total(), right.total())
    return (left & right).total() / larger if larger else 0.0
