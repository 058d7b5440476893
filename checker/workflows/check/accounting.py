"""The account of a pipeline's change, where the files of both revisions are at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from checker.cache import active_cache
from checker.compare.account.code import code_edits
from checker.compare.account.deployments import (
    chart_edit,
    configuration_edits,
    image_edit,
    is_canonical,
    jar_edit,
    unsure_edit,
    variable_edit,
)
from checker.compare.account.facts import Facts
from checker.compare.account.files import file_edits
from checker.compare.account.reach import Reach
from checker.errors import CheckerError, RevisionError, defect_message
from checker.extract import automatic, registry
from checker.extract.changed_files import changed_files
from checker.extract.changed_files.difference import why_unreadable
from checker.extract.changed_files.images import changed_images, is_elsewhere
from checker.extract.changed_files.named_by_starts import given_texts, included_texts, named_by, with_settings
from checker.extract.changed_files.unread_charts import edits_of_unread_charts
from checker.extract.changed_files.variables import SetVariable, reassigned, set_variables
from checker.extract.consulted import consulted, content_or_none, plain
from checker.extract.deployments import given, runs_another_jar
from checker.extract.same_code import same_code
from checker.extract.sql.programs.records import own_classes
from checker.flink import translate
from checker.model.account import Account, Edit, Explanation, Thing, Why
from checker.model.changed_files import ChangedFile, FileKind
from checker.model.deployments import PARALLELISM, RESOURCES, Deployment
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.model.topology import Kind, Topology
from checker.model.unknowns import Location
from checker.workflows.check.edited_programs import edited_files
from checker.workflows.check.records import ReadPipeline

_SOURCE = (".java", ".py", ".kt", ".scala", ".groovy")


@dataclass(frozen=True, slots=True)
class Side:
    """One revision of a pipeline: what was asked for, what was read, and from which files."""

    entry: PipelineEntry | None
    read: ReadPipeline | None
    files: SourceFiles
    code: ProgramCode | None = None
    """All code that it reaches, where that is known already; ``files`` know what it asked of them."""
    asked: PipelineEntry | None = None
    """The entry, where it was read while planning and ``entry`` is None."""


def account_of(base: Side, head: Side) -> Account | None:
    """Every edit that the pipeline can reach, explained; None where edits are not accounted for.

    A defect of ours leaves this pipeline's edits not understood, and stops no other.
    """
    try:
        account, unsure = _account(base, head), tuple(_of_unsure_starts(base, head))
        if account is None or not unsure:
            return account
        open_ = {edit.location.file for edit in account.not_understood if edit.location is not None}
        return replace(
            account, edits=(*account.edits, *(e for e in unsure if e.location and e.location.file not in open_))
        )
    except CheckerError:
        raise
    except Exception as error:
        edit = _whole((head.entry or base.entry or PipelineEntry(name="", extract=ExtractorKind.AUTO)).name)
        return Account(edits=(replace(edit, base=None, head=None, reason=defect_message(error)),))


def _account(base: Side, head: Side) -> Account | None:
    base, head = (_followed(side) for side in (base, head))
    if base.read is None or head.read is None:
        return None
    if base.entry is None or head.entry is None:
        return _by_files(base, head)
    kind = ExtractorKind(head.read.extractor)
    ending = registry.CODE_ENDINGS.get(kind)
    if ending is None or base.read.extractor != head.read.extractor:
        return _by_files(base, head)
    changed = changed_files(base.files, head.files, ending)
    topologies = [_topology(side.read) for side in (base, head)]
    facts = Facts(
        tuple(t for t in topologies if t is not None),
        unread=None in topologies,
        unplanned=_in_tables(base) | _in_tables(head),
    )
    variables = [*_set_variables(base, head, topologies, facts)]
    place = _main(topologies[1]) or head.entry.file or ""
    images = [*changed_images(plain(base.files), plain(head.files), place, _resources(base.entry, head.entry))]
    started_alike = not variables and not images and _options(base.entry) == _options(head.entry)
    if not changed and started_alike and active_cache() is None:
        return Account()
    after = _code(head, kind)
    if started_alike and _same_code(base, head, changed):
        return Account()
    if any(t is not None and _is_refused(t) for t in topologies):
        facts = replace(facts, unread=True)
    before = _code(base, kind)
    if before is None or after is None:
        return None
    if all(t is not None and t.takes_no_savepoints for t in topologies):
        return None
    main = head.entry.file or _main(topologies[1])
    used = [frozenset(t.files) if t is not None else frozenset() for t in topologies]
    deployments = _deployment_files(base.entry), _deployment_files(head.entry)
    deployed = deployments[0] | deployments[1] if all(deployments) else frozenset()
    names = before.names | after.names
    changed = tuple(
        _looked_at(file, base.files, head.files)
        if _stem(file.path) in names or file.path in used[0] | used[1]
        else file
        for file in changed
    )
    starts = base.entry.deployment, head.entry.deployment
    resources = _resources(base.entry, head.entry)
    read = _read_where_present(changed, *used)
    named = _named(base, used[0]) | _named(head, used[1])
    changed = tuple(with_settings(f, base.files, head.files) if f.path in named else f for f in changed)
    canonical = starts[0] is not None and starts[1] is not None and is_canonical(starts[0], starts[1])
    of_others = (base.entry.resources_of_others | head.entry.resources_of_others) - resources
    elsewhere = frozenset(file.path for file in changed if is_elsewhere(file.path, head.files, main))
    reach = Reach(
        before, after, facts, read, main, head.entry.main, deployed, resources, of_others, elsewhere, named, canonical
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
        if runs_another_jar(head.entry, starts[0], starts[1], head.files):
            edits.append(jar_edit(starts[0], starts[1]))
    edits.extend(variable_edit(variable.name, variable.location) for variable in variables)
    edits.extend(image_edit(image.location, image.base, image.head, facts) for image in images)
    program = (head.entry.main or main).rpartition("/")[2]
    program = program if program.endswith(".py") else program.rpartition(".")[2]
    paths = [file.path for file in changed if file.path not in deployed]
    found = edits_of_unread_charts(plain(base.files), plain(head.files), paths, program)
    edits.extend(chart_edit(name, place) for name, place in found)
    if facts.unread:
        edits = [_unread(edit) for edit in edits]
    if any(file.kind is FileKind.CODE for file in changed):
        edits.extend(code_edits(before, after, facts))
    return Account(edits=tuple(sorted(edits, key=_order)))


def _resources(base: PipelineEntry, head: PipelineEntry) -> frozenset[str]:
    """The names of the operator's resources that run a pipeline, and of their session clusters."""
    starts = [entry.deployment for entry in (base, head)]
    known = [start for start in starts if start is not None and start.kind in RESOURCES]
    return frozenset(n for start in known for n in (start.name, start.cluster) if n) if len(known) == 2 else frozenset()


def _named(side: Side, used: frozenset[str]) -> frozenset[str]:
    """The files that the start names to the program, and those that settings which it reads include from elsewhere."""
    start = None if side.entry is None else side.entry.deployment
    texts = set() if side.entry is None or start is None else given_texts(start, side.entry.args)
    return named_by(texts | included_texts(used, side.files), side.files)


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
    follows = read.extractor == ExtractorKind.JAVA and known and _hole(read.topology)
    return replace(side, entry=read.entry) if follows else side


def _in_tables(side: Side) -> frozenset[str]:
    """Simple names of the program's classes that tables use, as functions or values: the planner looks into them."""
    programs = side.read.trace.tables if side.read is not None and side.read.trace is not None else ()
    names = (name.replace("$", ".") for program in programs for name in own_classes(program))
    return frozenset(name.rpartition(".")[2] for name in names)


def _hole(topology: Topology) -> bool:
    """Whether operators of it could not be read."""
    return any(transformation.kind is Kind.UNKNOWN for transformation in topology.transformations)


def _set_variables(
    base: Side, head: Side, topologies: Sequence[Topology | None], facts: Facts
) -> Iterator[SetVariable]:
    """Edits that may set a value on which graph or state depend and that is not known, or counts as not set."""
    before, after = plain(base.files), plain(head.files)
    yield from set_variables(before, after, facts.asked_for)
    starts = [side.entry.deployment for side in (base, head) if side.entry is not None and side.entry.deployment]
    open_ = [d for d in starts if d.args is None or PARALLELISM in d.filled_later]
    if facts.asked_for or any(PARALLELISM in d.filled_later for d in open_):
        yield from reassigned(before, after, {d.location.file for d in open_})
    yield from set_variables(before, after, {name for start in starts for name in _fillers(start, facts)})
    read = [_deployment_files(side.entry) for side in (base, head) if side.entry is not None]
    understood = frozenset.intersection(*read) if read else frozenset()
    taken = {n for side, t in zip((base, head), topologies, strict=True) for n in _taken_for_unset(side, t)}
    given = {name for side in (base, head) if side.entry is not None for name, _ in side.entry.environment}
    yield from set_variables(before, after, taken - facts.asked_for - given, understood)


def _fillers(start: Deployment, facts: Facts) -> Iterator[str]:
    """Variables that fill in what a deployment gives to the program, as far as graph or state depend on it."""
    for name, variable in start.filled_by:
        asked = bool(facts.asked_for) if name == "" else name in facts.asked_for
        if asked or (name == PARALLELISM and not facts.pinned) or _OF_PROGRAMS.match(name):
            yield variable


_OF_PROGRAMS = re.compile(r"(?:pipeline|table)\.(?!name$)|execution\.runtime-mode$")
"""Options of Flink on which graph or state depend."""


def _of_unsure_starts(base: Side, head: Side) -> Iterator[Edit]:
    """Deployments that are given something else than in the other revision, and may be the pipeline's."""
    entries = [side.entry or side.asked for side in (base, head)]
    before, after = ({given(start): start for start in entry.may_be_deployed} if entry else None for entry in entries)
    if before is None or after is None:
        return
    gone, came = before.keys() - after.keys(), after.keys() - before.keys()
    started = [entry is not None and entry.deployment is not None for entry in entries]
    for key, start in (after if came else before).items():
        if key in (came or gone):
            yield unsure_edit(start, ended=started == [True, False])


_QUOTED = re.compile(r"[\"']([A-Z][A-Z0-9_]{1,60})[\"']")
"""Names of environment variables in source."""


def _taken_for_unset(side: Side, topology: Topology | None) -> Iterator[str]:
    """Names in the code of a pipeline that count as variables which are not set."""
    entry = side.entry
    if entry is None or topology is None:
        return
    if not entry.assume_defaults and (entry.deployment is None or not entry.deployment.whole_environment):
        return
    for path in topology.files:
        if content_or_none(plain(side.files), path) is not None:
            text = plain(side.files).read(path).decode("utf-8", "replace")
            yield from (name for name in _QUOTED.findall(text) if entry.is_unset(name))


def _code(side: Side, kind: ExtractorKind) -> ProgramCode | None:
    if side.code is not None:
        return side.code
    if side.entry is None or side.read is None or side.read.trace is None:
        return None
    return registry.reached_code(side.files, side.entry, kind, side.read.trace)


def _same_code(base: Side, head: Side, changed: Sequence[ChangedFile]) -> bool:
    """Whether no file that differs was consulted, neither to read the pipeline nor to see what it can reach."""
    before, after = consulted(base.files), consulted(head.files)
    if any(file.kind is not FileKind.CODE for file in changed) or not after.consulted.holds(before.files):
        return False
    before.consult_like(after.consulted)
    return True


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _looked_at(file: ChangedFile, base: SourceFiles, head: SourceFiles) -> ChangedFile:
    """Code or a resource that readings used: what is not a text of theirs was not really read."""
    if file.kind not in (FileKind.CODE, FileKind.RESOURCE) or file.unreadable is not None:
        return file
    try:
        sides = [files.read(file.path) for files, there in ((base, file.base), (head, file.head)) if there is not None]
    except RevisionError as error:
        return replace(file, unreadable=str(error))
    return replace(file, unreadable=next((why for data in sides if (why := why_unreadable(data)) is not None), None))


def _by_files(base: Side, head: Side) -> Account | None:
    """Edits of what was read as a whole: a document, statements that Flink planned, a program that was run."""
    before, after = _topology(base.read), _topology(head.read)
    if before is None or after is None:
        return _unread_program(base, head)
    if before.takes_no_savepoints and after.takes_no_savepoints:
        return None
    edits = []
    hole = _hole(before) or _hole(after)
    for path in sorted({*before.files, *after.files}):
        sides = [content_or_none(plain(side.files), path) for side in (base, head)]
        if sides[0] == sides[1] or (None not in sides and _same_text(path, base.files, head.files)):
            continue
        if hole and path.endswith(_SOURCE):  # what a program does in the part that was not read may depend on any code
            edits.append(replace(_whole(path), reason="a part of the pipeline could not be read, and may depend on it"))
            continue
        edits.append(
            Edit(
                thing=Thing.DECLARATION if path.endswith(_SOURCE) else Thing.RESOURCE,
                name=path,
                base=Location(path, 1) if sides[0] is not None else None,
                head=Location(path, 1) if sides[1] is not None else None,
                explanation=Explanation.COMPARED,
                why=Why.READ_AS_A_WHOLE,
                reason="what the pipeline becomes was read as a whole in both revisions, and compared",
            )
        )
    if edits and (_is_refused(before) or _is_refused(after)):
        edits = [_unread(edit) for edit in edits]
    return Account(edits=tuple(edits))


def _is_refused(topology: Topology) -> bool:
    """Whether Flink builds no graph of what was read (an old Flink, for example): nothing in it can be compared."""
    try:
        translate(topology)
    except CheckerError:
        return True
    return False


def _same_text(path: str, base: SourceFiles, head: SourceFiles) -> bool:
    return same_code(path, base.read(path), head.read(path))


def _unread_program(base: Side, head: Side) -> Account | None:
    """Edits of a program that neither revision lets read: of every file that it may use."""
    if not all(side.read is not None and side.read.topology is None for side in (base, head)):
        return None
    named = {_program(side) for side in (base, head)} - {None}
    paths = {edited for path in named if path is not None for edited in edited_files(base.files, head.files, path)}
    if not named:
        paths = {
            changed_file.path
            for changed_file in changed_files(base.files, head.files, ".sql")
            if changed_file.kind is FileKind.CODE
        }
    return Account(edits=tuple(_whole(path) for path in sorted(paths)))


def _program(side: Side) -> str | None:
    """The file that a pipeline's entry names, or that its main class is in."""
    if side.entry is None:
        return None
    if side.entry.file is not None or side.entry.main is None:
        return side.entry.file
    return automatic.file_of_main(side.files, side.entry.main)


def _whole(path: str) -> Edit:
    return Edit(
        thing=Thing.DECLARATION,
        name=path,
        base=Location(path, 1),
        head=Location(path, 1),
        explanation=Explanation.NOT_UNDERSTOOD,
        why=Why.PIPELINE_UNREADABLE,
        reason="the pipeline could not be read, so nothing that it became was compared",
    )


def _options(entry: PipelineEntry) -> frozenset[tuple[str, str]]:
    return frozenset() if entry.deployment is None else frozenset(entry.deployment.configuration)


def _deployment_files(entry: PipelineEntry) -> frozenset[str]:
    return frozenset() if entry.deployment is None else frozenset(entry.deployment.files)


def _main(topology: Topology | None) -> str:
    return "" if topology is None or topology.location is None else topology.location.file


def _topology(read: ReadPipeline | None) -> Topology | None:
    return None if read is None else read.topology


def _unread(edit: Edit) -> Edit:
    """What would have been compared, had the pipeline been read."""
    if edit.explanation is not Explanation.COMPARED and edit.why is not Why.PROCESSES_RECORDS:
        return edit
    return replace(
        edit,
        explanation=Explanation.NOT_UNDERSTOOD,
        why=Why.PIPELINE_UNREADABLE,
        reason="the pipeline could not be read, so nothing that it became was compared",
    )


def _order(edit: Edit) -> tuple[str, int, str]:
    place = edit.location
    return (place.file if place else "", place.line if place else 0, edit.name)
