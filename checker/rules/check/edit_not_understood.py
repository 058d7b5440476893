"""Edits that the program can reach and that nothing explains: said openly, never passed."""

import re
from collections import Counter

from checker.model.account import RUN, TRY, Edit, Thing, Why
from checker.model.comparison import OperatorComparison
from checker.model.findings import Evidence, Hit, Severity
from checker.model.pipelines import ExtractorKind
from checker.model.unknowns import settle
from checker.rules.base import Category, Hits, RuleContext, rule, titles_of

_MOST_LISTED = 50


@rule("An edit that the pipeline can reach was not understood", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """One hit with all of them. Where one side could not be read, or both for want of a tool, that is said already."""
    account = context.account
    failures = (context.base.failure, context.head.failure)
    unread = context.lacking and (any(failures) or context.comparison.undecided)
    if account is None or not account.not_understood or unread or (any(failures) and not all(failures)):
        return
    edits = account.not_understood
    broken = next((edit for edit in edits if edit.why is Why.BROKEN), None)
    if broken is not None:
        message = f"{broken.location} does not parse, so nothing can be told of the state of this pipeline"
        yield Hit(message=message, operator_key="edits", repair="make the file compile", location=broken.location)
        return
    failure = context.head.failure
    why = _reasons(edits) if failure is None else f"neither revision of the pipeline could be read: {failure}"
    yield Hit(
        message=f"the state of {_whose(context, edits)} is undecided: {_not_understood(edits)}; {why}",
        operator_key="edits",
        evidence=tuple(Evidence("edit", after=edit) for edit in _by_place(edits)[:_MOST_LISTED]),
        repair=_repair(edits, runs=context.head.extractor != ExtractorKind.PYTHON),
        location=edits[0].location,
    )


def _not_understood(edits: tuple[Edit, ...]) -> str:
    if len(edits) == 1:
        return f"the edit of {_member(edits[0])} was not understood"
    members = dict.fromkeys(map(_member, edits))
    others = f" and {len(members) - 1} more" if len(members) > 1 else ""
    return f"{len(edits)} edits were not understood ({next(iter(members))}{others})"


def _reasons(edits: tuple[Edit, ...]) -> str:
    """The reason where there is one, else the first of them: each edit is listed with its own."""
    (reason, number), *others = Counter(edit.reason for edit in edits).most_common()
    if others:
        return f"{reason} ({number}×); {len(others)} more reason{'s' if len(others) > 1 else ''}"
    return reason if len(edits) == 1 else reason.replace("it may", "they may", 1)


def _by_place(edits: tuple[Edit, ...]) -> list[str]:
    """A line per edit: where, what, and why where there are several reasons."""
    several = len({edit.reason for edit in edits}) > 1
    lines = []
    for edit in edits:
        why = f": {edit.reason}" if several or edit.location is None else ""
        what = "" if _member(edit) == str(edit.location).partition(":")[0] else f": {_member(edit)}"
        lines.append(f"{edit.location or ''}{what}{why}".removeprefix(": "))
    return list(dict.fromkeys(lines))


def _member(edit: Edit) -> str:
    """``Dedup.open`` of ``com.acme.Dedup.open(Configuration)``; what is not a declaration as it is."""
    whole = edit.location is not None and edit.location.file.endswith(edit.name)
    if whole or edit.thing is not Thing.DECLARATION:
        return edit.name
    named = edit.name.rpartition(".py.")[2]  # a script's own members go by the path of its file
    parts = named.partition("(")[0].replace("<init>", "constructor").split(".")
    types = len(parts) - 1
    while types > 0 and parts[types - 1][:1].isupper():  # a package may have such names, too
        types -= 1
    if types == len(parts) - 1 and not parts[types][:1].isupper():
        types = max(0, len(parts) - 2)
    return ".".join(parts[types:])


def _repair(edits: tuple[Edit, ...], *, runs: bool) -> str:
    """What settles them, and what they may be accepted for. ``runs`` says whether programs of this kind are run."""
    named = {edit.settled_by for edit in edits if edit.settled_by is not None}
    settled = sorted(named if runs or RUN not in named else named - {RUN} | {TRY})
    it = "if no operator is added, removed or moved and no state, type or key changes, accept this with a reason"
    return "\n".join([*(settle(key, "") for key in settled), f"or, {it}" if settled else it])


def _whose(context: RuleContext, edits: tuple[Edit, ...]) -> str:
    """The operators whose state is at stake: those of the edited functions, else all that keep state."""
    rows = [row for row in context.comparison.operators if row.stateful is not False]
    classes = {_member(edit).partition(".")[0] for edit in edits}
    own = [row for row in rows if _function(context, row) in classes]
    narrow = own and all(edit.why in _OF_FUNCTIONS for edit in edits)
    sides = [row.side for row in (own if narrow else rows)]
    return titles_of(list({side.name: side for side in sides}.values())) if sides else "this pipeline"


_OF_FUNCTIONS = (Why.STATE, Why.KEY, Why.TYPE)
"""Reasons that concern the operators of the edited function alone."""


def _function(context: RuleContext, row: OperatorComparison) -> str | None:
    node = context.head_node(row) or context.base_node(row)
    function = None if node is None else node.declared.function
    return None if function is None else re.split(r"[.$]", function)[-1]
