"""Keyed state can not be found under keys of another type: Flink refuses to build the backend."""

from checker.compare.fit.types import Fit
from checker.compare.revisions.declared_fit import key_fit
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, kept_pairs, rule, title_of


@rule("The key type of keyed state changed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator whose key types certainly do not fit."""
    for row, side, base, head in kept_pairs(context):
        found = key_fit(base.declared, head.declared, context.releases)
        if found.fit is Fit.INCOMPATIBLE:
            before, after = base.declared.key_type, head.declared.key_type
            known = before is not None and after is not None  # SQL declares serializers only
            changed = found.why or f"from {before} to {after}"
            yield Hit(
                message=f"the key type of {title_of(side)} changed ({changed}): keyed state can't be migrated to "
                "other keys, and Flink fails to restore the backend",
                base=row.base,
                head=side,
                evidence=(Evidence("key type", str(before), str(after)),) if known else (),
                location=head.declared.key_at,
                repair="keep the key type, or give the operator a new uid and fill its state anew",
            )
