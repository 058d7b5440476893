"""Another release of a library that holds state: it does not read the old state, or nobody is known to say."""

from checker.model.account import Why
from checker.model.findings import Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule

_WHYS = (Why.BROKEN_RELEASE, Why.RELEASE)


@rule("Another release of a connector", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per library: a warning where it is to look up what the release reads."""
    edits = () if context.account is None else context.account.edits
    for reason, edit in {edit.reason: edit for edit in edits if edit.why in _WHYS}.items():
        yield Hit(
            message=reason,
            operator_key=edit.name,
            location=edit.location,
            at_most=Severity.WARNING if edit.why is Why.RELEASE else None,
            repair="start a copy of the savepoint with the new release first, or keep the old one",
        )
