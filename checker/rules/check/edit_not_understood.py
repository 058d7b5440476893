"""Edits that the program can reach and that nothing explains: said openly, never passed."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.account import Edit
from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, rule

_MOST_NAMED = 3
_MOST_LISTED = 50


@rule("An edit that the pipeline can reach was not understood", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit with all of them. Where just one side could not be read, that is said already."""
    account = context.account
    failures = (context.base.failure, context.head.failure)
    if account is None or not account.not_understood or (any(failures) and not all(failures)):
        return
    edits = account.not_understood
    named = "; ".join(_said(edit) for edit in edits[:_MOST_NAMED])
    more = f"; and {len(edits) - _MOST_NAMED} more" if len(edits) > _MOST_NAMED else ""
    what = "an edit was" if len(edits) == 1 else f"{len(edits)} edits were"
    yield Hit(
        message=f"{what} not understood, so what becomes of the state is undecided: {named}{more}",
        operator_key="edits",
        evidence=tuple(Evidence("edit", after=_said(edit)) for edit in edits[:_MOST_LISTED]),
        repair=_repair(edits),
        location=edits[0].location,
    )


def _said(edit: Edit) -> str:
    return f"{edit.name} ({edit.location}): {edit.reason}"


def _repair(edits: tuple[Edit, ...]) -> str:
    settled = sorted({edit.settled_by for edit in edits if edit.settled_by is not None})
    how = f"let the program run with {', '.join(settled)}, or " if settled else ""
    return (
        f"{how}look at these edits: if they leave operators, states, types and keys as they are, suppress this finding"
    )
