"""A chain joins operators whose states were written with different max parallelism."""

from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule
from checker.rules.check.vertices import by_vertex


@rule("States of different max parallelism meet in one vertex", Severity.ERROR, Category.PARALLELISM)
def find(context: RuleContext) -> Hits:
    """One hit per vertex with keyed state and no max parallelism configured."""
    for group in by_vertex(context):
        written = sorted({p.before.effective_max_parallelism for p in group})
        keyed = [p for p in group if p.base_node.declared.keyed and p.row.stateful is not False]
        configured = group[0].after.configured_max_parallelism
        if len(written) < 2 or configured is not None or not keyed:
            continue
        values = " and ".join(str(v) for v in written)
        yield Hit(
            message=f"the chain '{group[0].after.name}' joins states written with max parallelism {values}: which of "
            "them it takes is left to chance, and keyed state of the others is read with wrong key groups",
            base=keyed[0].row.base,
            head=keyed[0].side,
            followers=tuple(p.side for p in group if p is not keyed[0]),
            evidence=tuple(
                Evidence("written with", p.base_node.name, str(p.before.effective_max_parallelism)) for p in group
            ),
            repair="keep the operators in tasks of their own, for instance with startNewChain()",
        )
