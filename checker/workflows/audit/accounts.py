"""The edits of a step that were not understood, packed for a row; the rest of an account is left out."""

from __future__ import annotations

import json

from checker.model.account import Account, Edit, Explanation, Thing, Why
from checker.model.unknowns import Location
from checker.workflows.carried_files import NotCarriedError
from checker.workflows.check.accounting import account_of
from checker.workflows.check.records import Json
from checker.workflows.check.sides import Side

_WORDS = ("thing", "name", "why", "reason", "settled_by")
NOTHING = ""
"""Nothing was left open, or edits are not accounted for."""


def packed_account(base: Side, head: Side) -> str:
    """The edits of one pipeline that were not understood, as text that is equal for equal edits."""
    try:
        account = account_of(base, head)
    except NotCarriedError as error:
        account = Account(edits=(_not_carried(str(error)),))
    if account is None or not account.not_understood:
        return NOTHING
    return json.dumps([_packed(edit) for edit in account.not_understood], ensure_ascii=False)


def unpacked_account(text: str) -> Account | None:
    """What ``packed_account`` made, None for nothing."""
    return Account(edits=tuple(_unpacked(edit) for edit in json.loads(text))) if text else None


def _not_carried(path: str) -> Edit:
    return Edit(
        thing=Thing.RESOURCE,
        name=path,
        base=None,
        head=Location(path, 1),
        explanation=Explanation.NOT_UNDERSTOOD,
        why=Why.UNREADABLE,
        reason="it is too large to be read in an audit; 'check' reads it",
    )


def _packed(edit: Edit) -> Json:
    return {
        **{name: getattr(edit, name) for name in _WORDS},
        **{side: place and [place.file, place.line, place.column] for side, place in _places(edit)},
    }


def _unpacked(packed: Json) -> Edit:
    base, head = (Location(*packed[side]) if packed[side] else None for side in ("base", "head"))
    return Edit(
        thing=Thing(packed["thing"]),
        name=packed["name"],
        base=base,
        head=head,
        explanation=Explanation.NOT_UNDERSTOOD,
        why=Why(packed["why"]),
        reason=packed["reason"],
        settled_by=packed["settled_by"],
    )


def _places(edit: Edit) -> tuple[tuple[str, Location | None], ...]:
    return (("base", edit.base), ("head", edit.head))
