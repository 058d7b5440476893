"""A state is registered with a type whose serializer can not read what was written."""

from __future__ import annotations

from collections.abc import Iterable

from checker.compare.fit.types import Fit
from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, rule
from checker.rules.check.state_changes import restored, state_hit, type_changes

_REFUSED = "Flink refuses it when the operator asks for the state"


@rule("The type of a state changed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit per operator. PyFlink keeps arrays of bytes in the JVM (``BeamKeyedStateStore``)."""
    head = context.head.translation
    pyflink = head is not None and head.topology.extractor == "python"
    effect = "PyFlink reads what lies there as the new type: it fails, or gives other values" if pyflink else _REFUSED
    for row in restored(context):
        changed = type_changes(row, Fit.INCOMPATIBLE)
        if changed:
            yield state_hit(
                row,
                f"the type of state {{0}} of {{operator}} changed{{why}}: {effect}",
                changed,
                "give the new state a name of its own and convert in the code",
            )
