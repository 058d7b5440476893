"""Which operator of the revision that took a savepoint is which of the one that is to start from it."""

from __future__ import annotations

from pathlib import Path

from checker.compare import compare_pipelines
from checker.compare.revisions.mapping import entries_for
from checker.errors import UsageError
from checker.flink import translate
from checker.model.comparison import Comparison, MatchBasis, OperatorComparison
from checker.model.stream_graph import NodeKey
from checker.model.translation import OperatorId, Translation
from checker.repair.repairs import Edit, Field, edited
from checker.settings import Overrides
from checker.workflows.check.comparing_revisions import Asked, plan_check
from checker.workflows.repairing import translated


def certain_successors(
    repo: Path, base: str, head: str, pipeline: str, overrides: Overrides
) -> dict[OperatorId, OperatorId]:
    """Ids of base with those that the same operators have in head. Raises UsageError where a side can't be read."""
    plan = plan_check(repo, base, head, Asked(overrides=overrides, only_source="operators are followed in the source"))
    sides = []
    for entries, files, revision in (
        (plan.base_entries, plan.base_files, base),
        (plan.head_entries, plan.head_files, head),
    ):
        side = translated(entries, pipeline, files)
        if side is None or isinstance(side, str):
            raise UsageError(f"{pipeline} of {revision} can't be compared: {side or 'there is no such pipeline'}")
        sides.append(side)
    compared = compare_pipelines(pipeline, sides[0], sides[1], entries_for(plan.policy.mapping, pipeline))
    before = _ids_without_new_uids(sides[1], compared)
    return {
        OperatorId(row.base.id): OperatorId(row.head.id)
        for row in compared.operators
        if row.base is not None
        and row.head is not None
        and row.base.id
        and row.head.id
        and (_is_certain(row) or before.get(row.head.key) == row.base.id)
    }


def _is_certain(row: OperatorComparison) -> bool:
    """Whether the two are the same beyond doubt: by a name of theirs, or alike in all that is compared."""
    return row.match.basis is not MatchBasis.LIKENESS or row.match.likeness == 1


def _ids_without_new_uids(head: Translation, compared: Comparison) -> dict[NodeKey, OperatorId | None]:
    """The ids that head's operators would have if those that base has without a uid had none: that of their place."""
    new = [
        Edit(head.node_by_key[row.head.key].declared.id, Field.UID, None)
        for row in compared.operators
        if row.base is not None and row.head is not None and row.base.uid is None and row.head.uid is not None
    ]
    without = translate(edited(head.topology, new), head.topology.flink)
    if without.refusal is not None:
        return {}
    return {key: without.identities[node.number].generated for key, node in without.node_by_key.items()}
