"""The kinds of lost state, each reported by one rule, and which of them a row is."""

from __future__ import annotations

from checker.model.comparison import CauseKind, OperatorComparison
from checker.rules.base import RuleContext, lost

UID_EDITS = frozenset({CauseKind.UID_ADDED, CauseKind.UID_REMOVED, CauseKind.UID_RENAMED})


def own_uid_edit(row: OperatorComparison) -> bool:
    """Lost because the operator's own uid was added, removed or renamed."""
    return lost(row) and row.cause is not None and row.cause.kind in UID_EDITS and len(row.cause.path) == 1


def pin_broken(row: OperatorComparison) -> bool:
    """Lost although pinned: the pin was there before, and the base wrote its state under its generated id."""
    if not lost(row) or row.base is None or row.head is None:
        return False
    return row.base.uid_hash is not None and row.base.uid_hash == row.head.uid_hash


def moved_by_uid_downstream(context: RuleContext, row: OperatorComparison) -> bool:
    """Lost because a uid was set on (or taken from) an operator that this one does not even read."""
    if not lost(row) or row.head is None or row.cause is None or len(row.cause.path) == 1:
        return False
    if row.cause.kind not in (CauseKind.UID_ADDED, CauseKind.UID_REMOVED):
        return False
    node, translation = context.head_node(row), context.head.translation
    if node is None or translation is None or translation.stream_graph is None:
        return False
    graph, pending, seen = translation.stream_graph, [node], {node.number}
    while pending:
        for edge in graph.inputs_of(pending.pop()):
            source = graph.nodes[edge.source]
            if source.declared.id == row.cause.operator:
                return False
            if source.number not in seen:
                seen.add(source.number)
                pending.append(source)
    return True
