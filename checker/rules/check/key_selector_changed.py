"""Keyed state is looked up by another part of the element: what was kept stays under the old keys."""

from checker.compare.fit.types import Fit
from checker.compare.revisions.declared_fit import key_fit, key_part_fit
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, kept_pairs, rule, title_of


@rule("Keyed state is looked up by another key", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator whose key types fit: another type is another rule's."""
    for row, side, base, head in kept_pairs(context):
        before, after = base.declared.key, head.declared.key
        if not isinstance(before, str) or not isinstance(after, str):
            continue
        if key_part_fit(base.declared, head.declared).fit is not Fit.INCOMPATIBLE:
            continue
        if base.stateful is not False and key_fit(base.declared, head.declared, context.releases).fit is Fit.SAME:
            yield Hit(
                message=f"{title_of(side)} is keyed by another part of its elements: its state restores under the "
                "old keys, where elements with new keys do not find it",
                base=row.base,
                head=side,
                evidence=(Evidence("key", before, after),),
                location=head.declared.key_at,
                repair="if the two are equal for every element, accept this finding; else give the operator a new uid",
            )
