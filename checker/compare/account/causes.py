"""Edits behind a difference that was found: none of them is said to have no effect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from checker.compare.account.verdicts import READ
from checker.model.account import Account, Edit, Explanation, Thing, Why
from checker.model.comparison import OperatorComparison
from checker.model.findings import RestorePath, Verdict

_AS_BEFORE = frozenset({Verdict.RESTORES, Verdict.STATELESS})


def with_causes(account: Account, operators: Iterable[OperatorComparison]) -> Account:
    """The account beside a comparison: an operator that keeps its id and not its state does so for an edit.

    States and keys are followed through code by other ways than graphs. Where no edit is known to be compared, any of
    the code is.
    """
    counted = account.count(Explanation.WITHOUT_EFFECT)
    if counted < len(account.edits) or not any(map(_is_another, operators)):
        return account
    return replace(account, edits=tuple(map(_compared, account.edits)))


def _is_another(row: OperatorComparison) -> bool:
    paired = row.base is not None and row.head is not None and row.id_changed is False and bool(row.verdicts)
    return paired and row.verdict(RestorePath.SAVEPOINT) not in _AS_BEFORE


def _compared(edit: Edit) -> Edit:
    if edit.thing is not Thing.DECLARATION or edit.why not in (Why.BODY, Why.UNUSED):
        return edit
    return READ.edit(edit.thing, edit.name, edit.base, edit.head)
