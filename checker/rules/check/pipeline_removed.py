"""A pipeline of the base is not there any more, under this name, or what started it does not start it any more."""

from checker.model.deployments import UpgradeMode
from checker.model.findings import Hit, OperatorSide, Severity
from checker.model.topology import Kind
from checker.rules.base import Category, Hits, RuleContext, rule, title_of


@rule("A pipeline with state was removed, or is not started any more", Severity.WARNING, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """At most one hit per pipeline."""
    base, head = context.base, context.head
    start = base.deployment
    kept = start is not None and start.upgrade_mode is not UpgradeMode.STATELESS
    if start is not None and kept and head.translation is not None and head.deployment is None:
        yield Hit(
            message=f"the {start.kind} {start.name!r} does not start this pipeline any more, and nothing else here "
            "does: where nobody starts it otherwise, its state is gone",
            operator_key="pipeline",
            location=start.location,
        )
    if head.translation is not None or head.failure is not None:
        return
    if base.failure is not None:
        why = f"the pipeline is gone, and with it its state; it could not be read: {base.failure}"
        yield Hit(message=why, operator_key="pipeline", location=base.failure_location)
    if base.translation is None:
        return
    sides: list[OperatorSide] = [
        row.base for row in context.comparison.operators if row.base is not None and row.stateful is True
    ]
    whose = [title_of(sides[0]) if len(sides) == 1 else f"{len(sides)} operators"] if sides else []
    if any(t.kind is Kind.UNKNOWN for t in base.translation.topology.transformations):
        whose.append("operators that could not be read")
    if whose:
        yield Hit(
            message=f"the pipeline is gone, and with it the state of {' and '.join(whose)}; if it was renamed, "
            "compare it under its new name",
            operator_key="pipeline",
            base=sides[0] if sides else None,
            followers=tuple(sides[1:]),
        )
