"""The account of a pipeline's change, where the files of both revisions are at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from checker.cache import active_cache
from checker.compare.account.both_sides import BothSides
from checker.compare.account.code import code_edits
from checker.compare.account.deployments import (
    call_edit,
    chart_edit,
    configuration_edits,
    image_edit,
    is_canonical,
    jar_edit,
    key_variable_edit,
    outside_edit,
    unread_start,
    variable_edit,
)
from checker.compare.account.facts import Facts
from checker.compare.account.files import file_edits
from checker.compare.account.key_flows import KeyFlows
from checker.compare.account.reach import Reach, build_use
from checker.errors import CheckerError, RevisionError, defect_message
from checker.extract import registry
from checker.extract.changed_files import changed_files
from checker.extract.changed_files.difference import only_layout, why_unreadable
from checker.extract.changed_files.images import changed_images, is_elsewhere
from checker.extract.changed_files.named_by_starts import with_settings
from checker.extract.changed_files.unread_charts import edits_of_unread_charts
from checker.extract.changed_files.variables import files_of_starts
from checker.extract.consulted import consulted, plain
from checker.extract.deployments import given, runs_another_jar
from checker.extract.program_files import used_foreign
from checker.extract.sql.connectors.own_factories import own_factories
from checker.extract.sql.functions.accumulating import edited_accumulation
from checker.extract.sql.programs.records import own_classes
from checker.extract.unread_code import any_unknown, is_open
from checker.model.account import Account, BuildUse, Edit, Thing
from checker.model.changed_files import ChangedFile, FileKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location
from checker.workflows.check.changed_starts import (
    changed_variables,
    deployment_files,
    edits_of_unsure_starts,
    given_otherwise,
    named_by_start,
    options_of,
    program_of,
    resources_of,
    variables_of_records,
)
from checker.workflows.check.sides import Side, has_hole, main_file, topology_of
from checker.workflows.check.whole_readings import ACCUMULATED, account_by_files, is_refused, unread_edit, unread_file


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
        unread=None in topologies,
        unplanned=_in_tables(base) | _in_tables(head),
    )
    variables = [*changed_variables(base, head, topologies, facts)]
    asked_later = [v for v in variables_of_records(base, head, topologies) if v.name not in facts.asked_for]
    place = main_file(topologies[1]) or head.entry.file or ""
    images = [*changed_images(plain(base.files), plain(head.files), place, resources_of(base.entry, head.entry))]
    starts = base.entry.deployment, head.entry.deployment
    otherwise = [d for d in starts[1:] if d is not None and starts[0] is not None and given(d) != given(starts[0])]
    started_alike = not (otherwise or variables or asked_later or images) and options_of(base.entry) == options_of(
        head.entry
    )
    if not changed and started_alike and active_cache() is None:
        return Account()
    refused = any(map(is_refused, facts.topologies))
    after = _code(head, kind)
    same_code = _same_code(base, head, changed)
    if started_alike and same_code and all(file.kind is FileKind.CODE for file in changed):
        return Account(builds=None if refused else _kept_use([after], facts))
    if refused:
        facts = replace(facts, unread=True)
    builds_only = all(file.kind is FileKind.BUILD for file in changed)  # what code reads otherwise, it reads later
    shared = same_code and base.read is head.read and builds_only
    before = after if shared else _code(base, kind)
    if before is None or after is None:
        return None
    if all(t is not None and t.takes_no_savepoints for t in topologies):
        return None
    main = head.entry.file or main_file(topologies[1])
    used = [frozenset(t.files) if t is not None else frozenset() for t in topologies]
    deployments = deployment_files(base.entry), deployment_files(head.entry)
    deployed = deployments[0] | deployments[1] if all(deployments) or _first_start(base, head, facts) else frozenset()
    names = before.names | after.names
    changed = tuple(
        _looked_at(file, base.files, head.files)
        if _stem(file.path) in names or file.path in used[0] | used[1]
        else file
        for file in changed
    )
    resources = resources_of(base.entry, head.entry)
    read = _read_where_present(changed, *used)
    named = named_by_start(base, used[0]) | named_by_start(head, used[1])
    changed = tuple(with_settings(f, base.files, head.files) if f.path in named else f for f in changed)
    canonical = starts[0] is not None and starts[1] is not None and is_canonical(starts[0], starts[1])
    of_others = (base.entry.resources_of_others | head.entry.resources_of_others) - resources
    elsewhere = frozenset(file.path for file in changed if is_elsewhere(file.path, head.files, main))
    of_other_starts = _of_other_starts(base, head, changed) if all(deployments) else frozenset()
    reach = Reach(
        before, after, facts, read, main, head.entry.main, deployed, resources, of_others, elsewhere, named, canonical,
        of_other_starts, _foreign(base, head, changed),
    )  # fmt: skip
    edits = list(file_edits(changed, reach))
    if starts[0] is not None and starts[1] is not None:
        configured = [edit for edit in edits if edit.thing is Thing.CONFIGURATION]
        edits.extend(
            edit
            for edit in configuration_edits(starts[0], starts[1], facts, canonical=canonical)
            if not any(
                named_edit.name.endswith(edit.name) and named_edit.explanation is edit.explanation
                for named_edit in configured
            )
        )
        edits.extend(outside_edit(starts[0], starts[1], facts))
        if runs_another_jar(head.entry, starts[0], starts[1], head.files):
            edits.append(jar_edit(starts[0], starts[1]))
    edits.extend((call_edit if v.by_call else variable_edit)(v.name, v.location) for v in variables)
    in_keys = KeyFlows(BothSides(before, after, facts)).variables if asked_later else ()
    edits.extend(key_variable_edit(v.name, v.location) for v in asked_later if v.name in in_keys)
    edits.extend(image_edit(image.location, image.base, image.head, facts) for image in images)
    paths = [file.path for file in changed if file.path not in deployed]
    found = edits_of_unread_charts(plain(base.files), plain(head.files), paths, program_of(head, main))
    edits.extend(chart_edit(name, place) for name, place in found)
    if facts.unread:
        edits = [unread_edit(edit) for edit in edits]
        edits.extend(unread_start(d) for d in otherwise if starts[0] is not None and given_otherwise(starts[0], d))
    if any(file.kind is FileKind.CODE for file in changed):
        edits.extend(code_edits(before, after, facts))
        edits.extend(_accumulation(base, head, used))
    if shared:  # what was asked of it since has the same answer
        consulted(base.files).consult_like(consulted(head.files).consulted)
    return Account(edits=tuple(sorted(edits, key=_order)), builds=_kept_use([before, after], facts))


def _kept_use(codes: Sequence[ProgramCode | None], facts: Facts) -> BuildUse | None:
    """What edits of build files are judged by, where that is kept and nothing else depends on them."""
    topologies = facts.topologies
    savepoints = not all(t.takes_no_savepoints for t in topologies)
    if active_cache() is None or facts.unread or not savepoints:
        return None
    one_program = not any_unknown(topologies, is_open)
    return build_use([code for code in codes if code is not None], facts, one_program=one_program)


def _of_other_starts(base: Side, head: Side, changed: Sequence[ChangedFile]) -> frozenset[str]:
    """The changed manifests from which only deployments are read that do not run this pipeline here."""
    own = {path for side in (base, head) if side.entry is not None for path in deployment_files(side.entry)}
    paths = {file.path for file in changed if file.kind is FileKind.DEPLOYMENT} - own
    sides = [files_of_starts(plain(side.files)) for side in (base, head)] if paths else []
    return frozenset(path for path in paths if any(path in read for read in sides))


def _foreign(base: Side, head: Side, changed: Sequence[ChangedFile]) -> frozenset[str]:
    """The edited files in other languages of the JVM that the program of either side may use."""
    foreign = [file for file in changed if file.kind is FileKind.FOREIGN]
    edited = frozenset(file.path for file in foreign if not only_layout(file, base.files, head.files))
    starts = (
        (side.files, (side.entry and side.entry.file) or main_file(topology_of(side.read))) for side in (base, head)
    )
    return frozenset().union(*(used_foreign(files, start, edited) for files, start in starts))


def _accumulation(base: Side, head: Side, used: Sequence[frozenset[str]]) -> Iterator[Edit]:
    """The edits of aggregate functions that the program's tables may use."""
    if any(side.read is not None and side.read.trace is not None and side.read.trace.tables for side in (base, head)):
        for path in sorted(edited_accumulation(base.files, head.files, frozenset().union(*used))):
            yield ACCUMULATED.edit(Thing.DECLARATION, path, Location(path, 1), Location(path, 1))


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
    follows = read.extractor == ExtractorKind.JAVA and known and has_hole(read.topology)
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
    return registry.reached_code(side.files, side.entry, kind, side.read.trace)


def _same_code(base: Side, head: Side, changed: Sequence[ChangedFile]) -> bool:
    """Whether no file that differs was consulted, neither to read the pipeline nor to see what it can reach.

    Not looked for where code and other files differ.
    """
    before, after = consulted(base.files), consulted(head.files)
    if len({file.kind is FileKind.CODE for file in changed}) > 1 or not after.consulted.holds(before.files):
        return False
    before.consult_like(after.consulted)
    return True


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _first_start(base: Side, head: Side, facts: Facts) -> bool:
    """Whether nothing starts the pipeline in the base, which is read with all of that unknown, and the head says it.

    A parallelism that neither says would count as the same in both.
    """
    if base.entry is None or base.entry.deployment is not None or base.entry.may_be_deployed:
        return False
    start = None if head.entry is None else head.entry.deployment
    return start is not None and (start.parallelism is not None or facts.pinned)


def _looked_at(file: ChangedFile, base: SourceFiles, head: SourceFiles) -> ChangedFile:
    """Code or a resource that readings used: what is not a text of theirs was not really read."""
    if file.kind not in (FileKind.CODE, FileKind.RESOURCE) or file.unreadable is not None:
        return file
    try:
        sides = [files.read(file.path) for files, there in ((base, file.base), (head, file.head)) if there is not None]
    except RevisionError as error:
        return replace(file, unreadable=str(error))
    return replace(file, unreadable=next((why for data in sides if (why := why_unreadable(data)) is not None), None))


def _order(edit: Edit) -> tuple[str, int, str]:
    place = edit.location
    return (place.file if place else "", place.line if place else 0, edit.name)
