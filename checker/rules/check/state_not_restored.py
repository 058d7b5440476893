"""Fallback for losses that no other rule explained: state that does not restore is never passed over."""

from checker.compare import compare_pipelines
from checker.model.comparison import MatchBasis, OperatorComparison
from checker.model.findings import Hit, RestorePath, Severity, Verdict, stable_key
from checker.model.stream_graph import NodeKey
from checker.rules.base import Category, Hits, RuleContext, id_evidence, rule, title_of

SLUG = "state-not-restored"


def _does_not_restore(row: OperatorComparison) -> bool:
    if row.base is None or row.stateful is False or not row.verdicts:
        return False
    if row.head is None and row.match.basis is MatchBasis.MAPPING:
        return False  # dropped on purpose
    return row.verdict(RestorePath.SAVEPOINT) in (Verdict.FAILS, Verdict.MISASSIGNED, Verdict.DROPPED)


@rule("State does not restore, for a reason that no other rule reports", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """One hit per operator that no other error names. A job that Flink refuses has an error of its own."""
    rows = [row for row in context.comparison.operators if _does_not_restore(row)]
    if not rows or not context.comparable:
        return
    mentioned = _mentioned(context) | _lost_before(context)
    for row in rows:
        side = row.base
        assert side is not None
        if any(node.key.handle in mentioned for node in (side, row.head, row.claimed_by) if node is not None):
            continue
        reason = row.on(RestorePath.SAVEPOINT).reason
        yield Hit(
            message=f"the state of {title_of(side)} does not restore: {reason}",
            operator_key=stable_key(side),
            base=row.base,
            head=row.head,
            evidence=id_evidence(row),
        )


def _mentioned(context: RuleContext) -> set[NodeKey]:
    """Declarations that an error speaks of, whatever severity a team gave to its rule."""
    from checker.rules.registry import all_rules  # the registry imports every rule, this one too

    mentioned: set[NodeKey] = set()
    for other_rule in all_rules():
        if other_rule.severity is Severity.ERROR and other_rule.slug != SLUG:
            for hit in other_rule.find(context):
                mentioned.update(side.key.handle for side in (hit.base, hit.head, *hit.followers) if side is not None)
    return mentioned


def _lost_before(context: RuleContext) -> set[NodeKey]:
    """Operators whose state would not restore in the base either: this change did not lose it."""
    same = compare_pipelines(context.pipeline, context.base.translation, context.base.translation)
    return {row.base.key.handle for row in same.operators if row.base is not None and _does_not_restore(row)}
