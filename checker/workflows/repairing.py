"""``repair``: from two revisions to edits of the head's files, each pipeline read again with them before they count."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from checker.compare import compare_pipelines
from checker.compare.revisions.mapping import entries_for
from checker.model.comparison import Comparison
from checker.model.findings import RestorePath, Verdict
from checker.model.pipelines import PipelineEntry
from checker.model.sources import OverlaidFiles, SourceFiles
from checker.model.stream_graph import NodeKey
from checker.model.translation import Translation
from checker.repair import Repair, Written, edits_of, plan_repairs, plan_uids, write_edits
from checker.workflows.check.changed_starts import deployment_files, texts_of
from checker.workflows.check.records import CheckPlan, ReadPipeline
from checker.workflows.check.stages import read_stage, translate_stage

NOTHING = Written(edits=(), by_hand=())


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineRepair:
    """What can be done for one pipeline. ``failure`` says why nothing could be looked at."""

    name: str
    repairs: tuple[Repair, ...] = ()
    written: Written = NOTHING
    failure: str | None = None
    states: tuple[str, ...] = ()
    """Operators that keep their ids, and whose states have other names, kinds or types: no edit of ids helps there."""

    @property
    def complete(self) -> bool:
        """Whether the edits keep all state: nothing is left out, nothing has to be written by hand."""
        return self.failure is None and all(r.offered for r in self.repairs) and not self.written.by_hand

    @property
    def idle(self) -> bool:
        """Whether all of it restores as it is."""
        return self.failure is None and not self.repairs and not self.states and not self.written.by_hand


def plan_pipeline(plan: CheckPlan, name: str, *, add_uids: bool) -> PipelineRepair:
    """The repairs of one pipeline, or with ``add_uids`` a uid for every operator that has none."""
    base = translated(plan.base_entries, name, plan.base_files, plan.base_read)
    head = translated(plan.head_entries, name, plan.head_files, plan.head_read)
    if isinstance(head, str) or isinstance(base, str):
        return PipelineRepair(name=name, failure=head if isinstance(head, str) else str(base))
    if head is None or (base is None and not add_uids):
        return PipelineRepair(name=name)
    if head.refusal is not None:
        return PipelineRepair(name=name, failure=f"Flink refuses the job: {head.refusal.message}")
    entry = next((e for e in plan.head_entries if e.name == name), plan.asked.get(name, (None, None))[1])
    assert entry is not None
    mapping = entries_for(plan.policy.mapping, name)
    states: tuple[str, ...] = ()
    if add_uids:
        repairs = plan_uids(head, base, mapping)
    else:
        assert base is not None
        comparison = compare_pipelines(name, base, head, mapping)
        texts = texts_of(plan, plan.asked.get(name, (entry,)), base.topology, head.topology)
        repairs = plan_repairs(base, head, comparison, mapping, texts)
        changed = (r for r in comparison.operators if any(c.base is not None for c in r.state_changes))
        states = tuple(row.head.name for row in changed if row.head is not None)
    back = {edit.transformation: r.back for r in repairs for edit in r.edits if r.back is not None}
    written = write_edits(head.topology, edits_of(repairs), plan.head_files, back)
    found = PipelineRepair(name=name, repairs=repairs, written=written, states=states)
    if not written.edits or any(read.name == name for read in plan.head_read):
        return found  # tables are planned with the whole revision, when check looks at what is written
    return _verified(found, plan, entry, base or head)


def translated(
    entries: Sequence[PipelineEntry], name: str, files: SourceFiles, already: Sequence[ReadPipeline] = ()
) -> Translation | str | None:
    """A pipeline of one side, why it can't be read, or None where the side has none of that name."""
    entry = next((e for e in entries if e.name == name), None)
    read = next((r for r in already if r.name == name), None)
    if read is None and entry is not None:
        read = read_stage(entry, files)
    return None if read is None else translate_stage(read)


def _verified(found: PipelineRepair, plan: CheckPlan, entry: PipelineEntry, base: Translation) -> PipelineRepair:
    """Read the edited files again: an edit that would not do what was planned is withdrawn, with the reason."""
    contents = found.written.contents(plan.head_files)
    before = next((e for e in plan.base_entries if e.name == entry.name), entry)
    if not deployment_files(entry).isdisjoint(contents):  # what the deployment gives is as it was
        entry = replace(entry, args=before.args, max_parallelism=before.max_parallelism)
    head = translated((entry,), found.name, OverlaidFiles(plan.head_files, contents))
    if head is None or isinstance(head, str):
        return _withdrawn(found, f"with the edits the pipeline could not be read: {head}")
    if head.refusal is not None:
        return _withdrawn(found, f"with the edits Flink would refuse the job: {head.refusal.message}")
    after = compare_pipelines(found.name, base, head, entries_for(plan.policy.mapping, found.name))
    offered = {r.base.key for r in found.repairs if r.offered and r.base is not None}
    by_hand = {edit.transformation for edit, _ in found.written.by_hand}
    still = sorted(str(key) for key in _not_restored(after) & offered if str(key.handle) not in by_hand)
    if still:
        return _withdrawn(found, f"read again with the edits, these would still not restore: {', '.join(still)}")
    return found


def _not_restored(comparison: Comparison) -> set[NodeKey]:
    return {
        row.base.key
        for row in comparison.operators
        if row.base is not None
        and row.stateful is not False
        and row.verdicts
        and row.verdict(RestorePath.SAVEPOINT) not in (Verdict.RESTORES, Verdict.STATELESS)
    }


def _withdrawn(found: PipelineRepair, reason: str) -> PipelineRepair:
    repairs = tuple(replace(r, edits=(), reason=reason) if r.offered else r for r in found.repairs)
    return replace(found, repairs=repairs, written=Written(edits=(), by_hand=found.written.by_hand))


def combined(pipelines: Sequence[PipelineRepair]) -> Written:
    """The edits of all pipelines together, each once: pipelines may share a file."""
    edits = tuple(dict.fromkeys(e for p in pipelines for e in p.written.edits))
    return Written(edits=edits, by_hand=tuple(x for p in pipelines for x in p.written.by_hand))
