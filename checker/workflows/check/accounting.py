"""The account of a pipeline's change, where the files of both revisions are at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from checker.cache import active_cache
from checker.compare.account.code import code_edits
from checker.compare.account.facts import Facts
from checker.compare.account.files import Reach, file_edits
from checker.extract import registry
from checker.extract.changed_files import changed_files
from checker.extract.consulted import consulted
from checker.model.account import Account, Edit, Explanation, Thing, Why
from checker.model.changed_files import ChangedFile, FileKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.model.topology import Location, Topology
from checker.workflows.check.records import ReadPipeline


@dataclass(frozen=True, slots=True)
class Side:
    """One revision of a pipeline: what was asked for, what was read, and from which files."""

    entry: PipelineEntry | None
    read: ReadPipeline | None
    files: SourceFiles


def account_of(base: Side, head: Side) -> Account | None:
    """Every edit that the pipeline can reach, explained; None where edits are not accounted for."""
    if base.read is None or head.read is None:
        return None
    if base.entry is None or head.entry is None:
        return _unread_program(base, head)
    kind = ExtractorKind(head.read.extractor)
    ending = registry.CODE_ENDINGS.get(kind)
    if ending is None or base.read.extractor != head.read.extractor:
        return _unread_program(base, head)
    changed = changed_files(base.files, head.files, ending)
    if not changed and active_cache() is None:
        return Account()
    after = _code(head, kind)
    if _same_code(base, head, changed):
        return Account()
    before = _code(base, kind)
    if before is None or after is None:
        return None
    topologies = [_topology(side.read) for side in (base, head)]
    if all(t is not None and t.takes_no_savepoints for t in topologies):
        return None
    facts = Facts(tuple(t for t in topologies if t is not None))
    main = head.entry.file or _main(topologies[1])
    used = [frozenset(t.files) if t is not None else frozenset() for t in topologies]
    deployments = _deployment_files(base.entry), _deployment_files(head.entry)
    deployed = deployments[0] | deployments[1] if all(deployments) else frozenset()
    reach = Reach(before, after, facts, used[0] & used[1], main, head.entry.main, deployed)
    edits = list(file_edits(changed, reach))
    if any(one.kind is FileKind.CODE for one in changed):
        edits.extend(code_edits(before, after, facts))
    if None in topologies:
        edits = [_unread(edit) for edit in edits]
    return Account(edits=tuple(sorted(edits, key=_order)))


def _code(side: Side, kind: ExtractorKind) -> ProgramCode | None:
    if side.entry is None or side.read is None or side.read.trace is None:
        return None
    return registry.reached_code(side.files, side.entry, kind, side.read.trace)


def _same_code(base: Side, head: Side, changed: Sequence[ChangedFile]) -> bool:
    """Whether no file that differs was consulted, neither to read the pipeline nor to see what it can reach."""
    before, after = consulted(base.files), consulted(head.files)
    if any(one.kind is not FileKind.CODE for one in changed) or not after.consulted.holds(before.files):
        return False
    before.consult_like(after.consulted)
    return True


def _unread_program(base: Side, head: Side) -> Account | None:
    """Edits of a program that neither revision lets read: its file as a whole, or every script where none is named."""
    if not all(side.read is not None and side.read.topology is None for side in (base, head)):
        return None
    named = {side.entry.file for side in (base, head) if side.entry is not None and side.entry.file is not None}
    if named:
        before, after = (frozenset(side.files.paths()) for side in (base, head))
        there = sorted(named & (before | after))
        paths = [p for p in there if p not in before & after or base.files.content_id(p) != head.files.content_id(p)]
    else:
        paths = [one.path for one in changed_files(base.files, head.files, ".sql") if one.kind is FileKind.CODE]
    return Account(edits=tuple(_whole(path) for path in paths))


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


def _deployment_files(entry: PipelineEntry) -> frozenset[str]:
    return frozenset() if entry.deployment is None else frozenset(entry.deployment.files)


def _main(topology: Topology | None) -> str:
    return "" if topology is None or topology.location is None else topology.location.file


def _topology(read: ReadPipeline | None) -> Topology | None:
    return None if read is None else read.topology


def _unread(edit: Edit) -> Edit:
    """What would have been compared, had the pipeline been read."""
    if edit.explanation is not Explanation.COMPARED:
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
