"""The account of a pipeline's change, where the files of both revisions are at hand."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from checker.compare.account.builds import Reach
from checker.compare.account.code import code_edits, file_edits
from checker.compare.account.facts import Facts
from checker.errors import CheckerError, RevisionError, defect_message
from checker.extract import registry
from checker.extract.asking.consulted import consulted
from checker.extract.changed_files.difference import changed_files, only_layout, why_unreadable
from checker.extract.changed_files.entries import with_settings
from checker.extract.changed_files.unrendered import is_elsewhere
from checker.extract.sql.connectors import own_factories
from checker.extract.sql.programs import in_python, own_classes
from checker.extract.unfollowed.program_files import used_foreign
from checker.model.account import Account, Edit, Why
from checker.model.changed_files import ChangedFile, FileKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.model.table_programs import described
from checker.model.unknowns import Unknown
from checker.workflows.check.both_starts import both_starts
from checker.workflows.check.changed_starts import edits_of_unsure_starts, named_by_start
from checker.workflows.check.records import Side, has_hole, main_file, topology_of
from checker.workflows.check.whole_readings import (
    account_by_files,
    edits_of_key_functions,
    is_refused,
    unread_edit,
    unread_file,
)


def account_of(base: Side, head: Side) -> Account | None:
    """Every edit that the pipeline can reach, explained; None where edits are not accounted for.

    A defect of ours leaves this pipeline's edits not understood, and stops no other.
    """
    try:
        account, unsure = _account(base, head), tuple(edits_of_unsure_starts(base, head))
        if account is None or not unsure:
            return account
        open_ = {edit.location.file for edit in account.not_understood if edit.location is not None}
        return replace(
            account, edits=(*account.edits, *(e for e in unsure if e.location and e.location.file not in open_))
        )
    except CheckerError:
        raise
    except Exception as error:
        edit = unread_file((head.entry or base.entry or PipelineEntry(name="", extract=ExtractorKind.AUTO)).name)
        return Account(edits=(replace(edit, base=None, head=None, reason=defect_message(error)),))


def _account(base: Side, head: Side) -> Account | None:
    base, head = (_followed(side) for side in (base, head))
    if base.read is None or head.read is None:
        return None
    if base.entry is None or head.entry is None:
        return account_by_files(base, head)
    kind = ExtractorKind(head.read.extractor)
    ending = registry.CODE_ENDINGS.get(kind)
    if ending is None or base.read.extractor != head.read.extractor:
        return account_by_files(base, head)
    changed = changed_files(base.files, head.files, ending)
    topologies = [topology_of(side.read) for side in (base, head)]
    facts = Facts(
        tuple(t for t in topologies if t is not None),
        failures=tuple(found for side in (base, head) for found in _failures(side)),
        unplanned=_in_tables(base) | _in_tables(head),
    )
    starts = both_starts(base, head, (base.entry, head.entry), topologies, facts)
    alike = starts.alike
    if not changed and alike:
        return Account()
    refused = bool(facts.failures)
    after = _code(head, kind)
    same_code = _same_code(base, head, changed)
    if alike and same_code and all(file.kind is FileKind.CODE for file in changed):
        return Account()
    builds_only = all(file.kind is FileKind.BUILD for file in changed)  # what code reads otherwise, it reads later
    shared = same_code and topologies[0] is not None and topologies[0] is topologies[1] and builds_only
    before = after if shared else _code(base, kind)
    if before is None or after is None:  # a script that does not parse, for example
        return account_by_files(base, head) if refused else None
    if all(t is not None and t.takes_no_savepoints for t in topologies):
        return None
    main = head.entry.file or main_file(topologies[1])
    used = [frozenset(t.files) if t is not None else frozenset() for t in topologies]
    names = before.reached.names | after.reached.names
    changed = tuple(
        _looked_at(file, base.files, head.files)
        if file.path.rpartition("/")[2].partition(".")[0] in names or file.path in used[0] | used[1]
        else file
        for file in changed
    )
    read = _read_where_present(changed, *used)
    named = named_by_start(base, used[0]) | named_by_start(head, used[1])
    changed = tuple(with_settings(f, base.files, head.files) if f.path in named else f for f in changed)
    deployed = starts.files(facts)
    reach = Reach(
        before, after, facts, read, main, head.entry.main, deployed, starts.resources, starts.resources_of_others,
        frozenset(file.path for file in changed if is_elsewhere(file.path, base.files, head.files, main)), named,
        starts.files_of_others(changed), _foreign(base, head, changed),
    )  # fmt: skip
    edits = list(file_edits(changed, reach))
    edits.extend(starts.edits_of_deployments(reach, edits))
    edits.extend(starts.edits_of_values(facts))
    edits.extend(starts.unrendered)
    if facts.unread:
        edits = [*map(unread_edit, edits), *starts.edits_of_unread_starts()]
    if any(file.kind is FileKind.CODE for file in changed):
        edits.extend(code_edits(before, after, facts))
        edits.extend(edits_of_key_functions(base, head))
    if shared:  # what was asked of it since has the same answer
        consulted(base.files).consult_like(consulted(head.files).consulted)
    broken = {edit.name for edit in edits if edit.why is Why.BROKEN}
    kept = (e for e in edits if e.why is Why.BROKEN or e.location is None or e.location.file not in broken)
    return Account(edits=tuple(sorted(kept, key=_order)))


def _failures(side: Side) -> Iterator[Unknown]:
    """Why nothing that the program becomes is known: it was not read, or Flink builds no graph of it."""
    topology = topology_of(side.read)
    if side.read is not None and (topology is None or is_refused(topology)):
        why = side.read.failure or "Flink builds no graph of what was read"
        yield Unknown(why, location=side.read.failure_location)


def _foreign(base: Side, head: Side, changed: Sequence[ChangedFile]) -> frozenset[str]:
    """The edited files in other languages, and resources, that the program of either side may use."""
    foreign = [file for file in changed if file.kind is FileKind.FOREIGN]
    edited = frozenset(file.path for file in foreign if not only_layout(file, base.files, head.files))
    edited |= {file.path for file in changed if file.kind is FileKind.RESOURCE}
    starts = (
        (side.files, (side.entry and side.entry.file) or main_file(topology_of(side.read))) for side in (base, head)
    )
    return frozenset().union(*(used_foreign(files, start, edited) for files, start in starts))


def _read_where_present(
    changed: Sequence[ChangedFile], before: frozenset[str], after: frozenset[str]
) -> frozenset[str]:
    """The files that each reading used whose revision has them: a renamed file is in one revision only."""
    added = (file.path for file in changed if file.base is None and file.path in after)
    removed = (file.path for file in changed if file.head is None and file.path in before)
    return (before & after).union(added, removed)


def _followed(side: Side) -> Side:
    """A program that was read while planning, with the entry for it where the planner left a part of it out."""
    read = side.read
    if side.entry is not None or read is None or read.entry is None or read.topology is None or read.trace is None:
        return side
    known = all(isinstance(stream.type, str) for program in read.trace.tables for stream in program.streams)
    if read.extractor != ExtractorKind.JAVA:
        # Tables take functions in Python as objects that are not known; what they take in Java is no code of a script.
        tables = read.trace.tables
        described_all = all(described(program.steps, str.split) is not None for program in tables)
        known = known and described_all and not _in_tables(side) and not any(map(in_python, tables))
    follows = known and has_hole(read.topology)
    return replace(side, entry=read.entry) if follows else side


def _in_tables(side: Side) -> frozenset[str]:
    """Simple names of the program's classes that tables use: as functions, as values, as connectors and formats."""
    programs = side.read.trace.tables if side.read is not None and side.read.trace is not None else ()
    used = [name for program in programs for name in own_classes(program)]
    topology = topology_of(side.read)
    if programs and topology is not None and has_hole(topology):
        used += own_factories(side.files)
    names = (name.replace("$", ".") for name in used)
    return frozenset(name.rpartition(".")[2] for name in names)


def _code(side: Side, kind: ExtractorKind) -> ProgramCode | None:
    if side.code is not None:
        return side.code
    if side.entry is None or side.read is None or side.read.trace is None:
        return None
    return registry.reached_code(side.files, side.entry, kind, side.read.trace, side.read.topology)


def _same_code(base: Side, head: Side, changed: Sequence[ChangedFile]) -> bool:
    """Whether no file that differs was consulted, neither to read the pipeline nor to see what it can reach.

    Not looked for where code and other files differ.
    """
    before, after = consulted(base.files), consulted(head.files)
    if len({file.kind is FileKind.CODE for file in changed}) > 1 or not after.consulted.holds(before.files):
        return False
    before.consult_like(after.consulted)
    return True


def _looked_at(file: ChangedFile, base: SourceFiles, head: SourceFiles) -> ChangedFile:
    """Code or a resource that readings used: what is not a text of theirs was not really read."""
    if file.kind not in (FileKind.CODE, FileKind.RESOURCE) or file.unreadable is not None:
        return file
    try:
        sides = [files.read(file.path) for files, there in ((base, file.base), (head, file.head)) if there is not None]
    except RevisionError as error:
        return replace(file, unreadable=str(error))
    broken = None if file.head is None else registry.broken_line(file.path, sides[-1])
    if broken and (file.base is None or registry.broken_line(file.path, sides[0]) is None):
        return replace(file, broken=broken)
    return replace(file, unreadable=next((why for data in sides if (why := why_unreadable(data)) is not None), None))


def _order(edit: Edit) -> tuple[str, int, str]:
    place = edit.location
    return (place.file if place else "", place.line if place else 0, edit.name)
