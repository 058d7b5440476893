"""Edits that the program can reach and that nothing explains: said openly, never passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from checker.model.account import Edit, Thing
from checker.model.findings import Evidence, Severity
from checker.model.nested import gathered
from checker.rules.base import Category, Hit, RuleContext, rule, titles_of

_MOST_LISTED = 50
_MOST_IN_A_FILE = 4
_MOST_REASONS = 2


@rule("An edit that the pipeline can reach was not understood", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit with all of them. Where one side could not be read, or both for want of a tool, that is said already."""
    account = context.account
    failures = (context.base.failure, context.head.failure)
    unread = context.lacking and (any(failures) or context.comparison.undecided)
    if account is None or not account.not_understood or unread or (any(failures) and not all(failures)):
        return
    edits = account.not_understood
    what = "an edit was" if len(edits) == 1 else f"{len(edits)} edits were"
    why = _reasons(edits)
    if context.head.failure is not None:
        why = f"neither revision of the pipeline could be read: {context.head.failure}"
    keeping = [row.base for row in context.comparison.operators if row.base is not None and row.stateful is not False]
    whose = f"the state of {titles_of(keeping)}" if keeping else "the state"
    yield Hit(
        message=f"whether {whose} restores is undecided, since {what} not understood: {why}",
        operator_key="edits",
        evidence=tuple(Evidence("edit", after=edit) for edit in _by_file(edits)[:_MOST_LISTED]),
        repair=_repair(edits),
        location=edits[0].location,
    )


def _reasons(edits: tuple[Edit, ...]) -> str:
    """The edited thing and the reason where there is one reason, else each reason with the number of its edits."""
    counted = Counter(edit.reason for edit in edits).most_common()
    if len(counted) == 1:
        others = " and others" if len({_member(edit) for edit in edits}) > 1 else ""
        return f"{_member(edits[0])}{others}: {counted[0][0]}"
    more = f"; and {len(counted) - _MOST_REASONS} more reasons" if len(counted) > _MOST_REASONS + 1 else ""
    shown = counted[:_MOST_REASONS] if more else counted
    return "; ".join(f"{reason} ({number})" for reason, number in shown) + more


def _by_file(edits: tuple[Edit, ...]) -> list[str]:
    """A line per file and reason: where, and what was edited there."""
    places = gathered(((edit.location.file if edit.location else "", edit.reason), edit) for edit in edits)
    several = len({edit.reason for edit in edits}) > 1
    lines = []
    for (_, reason), some in places.items():
        names = list(dict.fromkeys(_in_file(edit) for edit in some))
        more = f" and {len(names) - _MOST_IN_A_FILE} more" if len(names) > _MOST_IN_A_FILE else ""
        why = f": {reason}" if several or some[0].location is None else ""
        whole = names == [str(some[0].location).partition(":")[0]]
        what = "" if whole else f": {', '.join(names[:_MOST_IN_A_FILE])}{more}"
        lines.append(f"{some[0].location or ''}{what}{why}".removeprefix(": "))
    return lines


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


def _in_file(edit: Edit) -> str:
    """The same without the class that gives the file its name."""
    member = _member(edit)
    stem = edit.location.file.rpartition("/")[2].partition(".")[0] if edit.location else ""
    return member.removeprefix(f"{stem}.")


def _repair(edits: tuple[Edit, ...]) -> str:
    settled = sorted({edit.settled_by for edit in edits if edit.settled_by is not None})
    how = f"run it with {', '.join(settled)}; or, " if settled else ""
    return (
        f"{how}if these edits add, remove or reorder no operator and change no state, type or key, "
        "accept them with a reason"
    )
