"""The program asks for an argument that it did not need before, and ends without it."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.findings import Severity
from checker.rules.base import Category, Hit, RuleContext, rule


@rule("The program needs a new argument", Severity.WARNING, Category.BUILD)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit with all of them."""
    unmet = context.account.unmet if context.account is not None else None
    if unmet is None:
        return
    names = ", ".join(f"'{name}'" for name in unmet.names)
    it = "it" if len(unmet.names) == 1 else "them"
    yield Hit(
        message=f"the program now needs {names}, and whether a start gives {it} is not known: "
        f"without {it}, {unmet.reason}",
        operator_key=f"needs:{','.join(unmet.names)}",
        repair="give it where the job is started, or let the program have a default; no state is lost meanwhile",
        location=unmet.location,
    )
