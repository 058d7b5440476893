"""Two tasks become one: records in flight between them in an unaligned checkpoint are lost or refused."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, rule, title_of


@rule("A chain merges where data may be in flight", Severity.INFO, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per exchange that was there and is chained now."""
    base, head = context.base.translation, context.head.translation
    if not context.comparable or base is None or head is None or base.stream_graph is None or head.stream_graph is None:
        return
    pairs = {row.base.key: row.head.key for row in context.pairs if row.base is not None and row.head is not None}
    chained = {
        (head.stream_graph.nodes[e.source].key, head.stream_graph.nodes[e.target].key): e
        for e in head.stream_graph.edges
        if head.decisions[e.number].chained
    }
    for edge in base.stream_graph.edges:
        source, target = base.stream_graph.nodes[edge.source], base.stream_graph.nodes[edge.target]
        new = (pairs.get(source.key, ""), pairs.get(target.key, ""))
        if base.decisions[edge.number].chained or new not in chained:
            continue
        side = context.head.side(head.node_by_key[new[1]])
        yield Hit(
            message=f"{title_of(side)} is now chained to '{head.node_by_key[new[0]].name}': from an unaligned "
            "checkpoint, records in flight between the two are lost without a message, or the restore is refused",
            base=context.base.side(target),
            head=side,
            evidence=(Evidence("exchange", edge.partitioner.value, "chained"),),
            repair="change chains with a savepoint, which holds no data in flight",
        )
