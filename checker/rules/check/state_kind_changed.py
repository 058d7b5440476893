"""A state name is registered as another kind of state."""

from checker.model.declared_state import StateKind
from checker.model.findings import Severity
from checker.rules.base import Category, Hits, RuleContext, rule
from checker.rules.check.state_changes import kind_changes, restored, state_hit

_BAGS = (StateKind.VALUE, StateKind.LIST, StateKind.REDUCING, StateKind.AGGREGATING)
_READ = "PyFlink reads a value as a list of one element, and a list as its first element"
_REFUSED = "Flink refuses it when the operator asks for the state, or starts it empty without an error"


@rule("The kind of a state changed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator. PyFlink keeps all kinds but maps as lists of bytes (``BeamBagStateHandler``)."""
    head = context.head.translation
    pyflink = head is not None and head.topology.extractor == "python"
    for row in restored(context):
        changed = kind_changes(row)
        alike = pyflink and all(side.kind in _BAGS for c in changed for side in (c.base, c.head) if side)
        yield from state_hit(
            row,
            f"the kind of state {{0}} of {{operator}} changed: {_READ if alike else _REFUSED}",
            changed,
            "give the new state a name of its own and migrate in the code",
        )
