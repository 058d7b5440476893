"""Open windows were made by another assigner or trigger: they fire by old bounds, never fire, or do not restore."""

from checker.compare.revisions.declared_fit import old_windows_fire, same_windows, unfired
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, kept_pairs, rule, title_of


@rule("The window assigner changed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator."""
    for row, side, base, head in kept_pairs(context):
        before, after = base.declared.window, head.declared.window
        if not isinstance(before, str) or not isinstance(after, str):
            continue
        same = same_windows(before, after)
        trigger = unfired(base.declared, head.declared) if same else None
        if trigger is not None:
            yield Hit(
                message=f"the trigger of {title_of(side)} changed: {trigger}. Windows that are open in the savepoint "
                "are cleared at their end without firing",
                base=row.base,
                head=side,
                repair="stop with --drain, so that the open windows fire first",
                at_most=Severity.WARNING,
            )
        if before == after or same is None:
            continue
        fires = same and old_windows_fire(before, after)
        if fires:
            ending = "open windows keep their old bounds and fire beside the new ones"
        elif same:
            ending = "open windows will never fire, and their contents stay in every later savepoint"
        else:
            ending = "its state is kept per window of another kind, and Flink refuses to restore it"
        yield Hit(
            message=f"the window assigner of {title_of(side)} changed from {before} to {after}: {ending}",
            base=row.base,
            head=side,
            evidence=(Evidence("window", before, after),),
            repair="let the open windows end first (stop with --drain), or give the operator a new uid and start its "
            "windows empty",
            at_most=Severity.WARNING if fires else None,
        )
