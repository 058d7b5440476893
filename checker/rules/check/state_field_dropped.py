"""A class in state lost a field: the values that were written for it do not come back."""

from checker.compare.fit.types import Fit
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule, title_of
from checker.rules.check.state_changes import kind_changes, restored, types_of_change


@rule("A class in state lost a field", Severity.WARNING, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator, where its states restore otherwise."""
    for row in restored(context):
        assert row.head is not None
        both = [(c.base, c.head) for c in row.state_changes if c.base is not None and c.head is not None]
        types = [t for c in row.state_changes if c not in kind_changes(row) for t in types_of_change(c)]
        dropped = tuple(dict.fromkeys(field for t in types if t.fit.fit is Fit.SAME for field in t.fit.dropped))
        if dropped:
            symbols = all(name.startswith("symbol ") for name in dropped)
            location = next((head.location for _, head in both if head.location is not None), None)
            yield Hit(
                message=f"a class in the state of {title_of(row.head)} lost "
                + (
                    "a symbol: Flink reads its default instead"
                    if symbols
                    else "a field: Flink restores the rest and drops what was written for it"
                )
                + ", without a message",
                base=row.base,
                head=row.head,
                evidence=tuple(Evidence("dropped", field, None) for field in dropped),
                repair="keep the field until its values are not needed any more; a renamed or moved one is a new field",
                location=location,
            )
