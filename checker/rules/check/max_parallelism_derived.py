"""Max parallelism was never set, and the default derived from the parallelism is another one now."""

from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule, title_of
from checker.rules.check.vertices import by_vertex


@rule("The default max parallelism changes with the parallelism", Severity.WARNING, Category.PARALLELISM)
def find(context: RuleContext) -> Hits:
    """One hit per vertex with state."""
    for group in by_vertex(context):
        concerned = [p for p in group if p.row.stateful is not False and p.before.configured_max_parallelism is None]
        if not concerned or concerned[0].after.configured_max_parallelism is not None:
            continue
        first = concerned[0]
        before, after = first.before.effective_max_parallelism, first.after.effective_max_parallelism
        if before == after or first.after.parallelism > before:
            continue
        yield Hit(
            message=f"{title_of(first.side)} never sets its max parallelism: its state keeps {before}, a fresh start "
            f"would get {after}, and neither can be configured later for both",
            base=first.row.base,
            head=first.side,
            followers=tuple(p.side for p in concerned[1:]),
            evidence=(
                Evidence("parallelism", str(first.before.parallelism), str(first.after.parallelism)),
                Evidence("default max parallelism", str(before), str(after)),
            ),
            repair=f"set it once and for all to what the state has: .setMaxParallelism({before})",
        )
