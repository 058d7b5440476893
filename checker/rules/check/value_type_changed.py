"""A state is registered with a type whose serializer can not read what was written."""

from checker.compare.fit.types import Fit
from checker.model.findings import Severity
from checker.rules.base import Category, Hits, RuleContext, rule
from checker.rules.check.state_changes import MIGRATE, restored, state_hit, type_changes, types_of_change

_REFUSED = (
    "Flink refuses it when the operator asks for the state (StateMigrationException: the new state serializer must "
    "not be incompatible with the old state serializer)"
)
_CHANGED = "the type of state {0} of {operator} changed"
_OTHER_NAME = "give the new state a name of its own and convert in the code"


@rule("The type of a state changed", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator. PyFlink keeps arrays of bytes in the JVM (``BeamKeyedStateStore``)."""
    head = context.head.translation
    pyflink = head is not None and head.topology.extractor == "python"
    effect = "PyFlink reads the old bytes as the new type, and fails or returns wrong values" if pyflink else _REFUSED
    for row in restored(context):
        changed = type_changes(row, Fit.INCOMPATIBLE)
        effects = {t.fit.effect for c in changed for t in types_of_change(c) if t.fit.fit is Fit.INCOMPATIBLE}
        later = effects.pop() if len(effects) == 1 else ""
        what = "state {0} of {operator} is read as something else" if later else _CHANGED
        yield from state_hit(
            row, f"{what}{{why}}: {later or effect}", changed, MIGRATE if context.releases.newer_kryo else _OTHER_NAME
        )
