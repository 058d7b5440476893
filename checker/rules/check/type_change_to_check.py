"""A key, state type or name changed in a way whose outcome the source does not settle: undecided, so an error."""

from __future__ import annotations

from collections.abc import Iterable

from checker.compare.fit.types import Fit
from checker.compare.revisions.states import key_fit, open_effects
from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, Rule, RuleContext, kept, stable_key, title_of
from checker.rules.check.state_changes import evidence_of, inside_of, type_changes


def find(context: RuleContext) -> Iterable[Hit]:
    """One hit an operator."""
    for row in context.pairs:
        base, head = context.base_node(row), context.head_node(row)
        if base is None or head is None or row.head is None or not kept(row):
            continue
        changed = type_changes(row, Fit.OPEN)
        evidence = [e for c in changed for e in evidence_of(c)]
        key = key_fit(base.declared, head.declared)
        if key.fit is Fit.OPEN:
            after = f"{head.declared.key_type}" + (f": {key.why}" if key.why else "")
            evidence.insert(0, Evidence("key type", str(base.declared.key_type), after))
        told = [*inside_of(changed), *open_effects(base.declared, head.declared, row.state_changes)]
        if evidence or told:
            because = f" ({'; '.join(told)})" if told else ""
            yield Hit(
                message=f"state of {title_of(row.head)} changed{because} in a way that the source does not settle: "
                "undecided whether it can be read and found",
                operator_key=stable_key(row.head),
                base=row.base,
                head=row.head,
                evidence=tuple(evidence),
                repair="check the serializers: POJOs may gain and lose fields, renamed classes and "
                "Kryo types don't restore",
            )


RULE = Rule(
    slug="type-change-to-check",
    title="A changed type has to be checked",
    severity=Severity.ERROR,
    category=Category.STATE,
    since="0.1",
    find=find,
)
