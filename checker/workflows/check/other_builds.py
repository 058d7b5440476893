"""A kept judgement, used again where nothing but build files differs otherwise: their edits are explained anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from checker.compare.account.builds import build_edits
from checker.compare.account.reach import in_modules
from checker.model.account import Account, BuildUse, Explanation, Thing, same_program
from checker.model.changed_files import ChangedFile
from checker.report.check.document import Json, account_document


def kept_use(use: BuildUse | None) -> Json | None:
    """What edits of build files are judged by, as JSON."""
    found = {} if use is None else asdict(use)
    kept = {name: sorted(value) if isinstance(value, frozenset) else value for name, value in found.items()}
    return kept or None


def with_other_builds(document: Json | None, kept: Any, changed: Sequence[ChangedFile]) -> Json | None:
    """A pipeline's part of the report after other edits of builds; None where more than its account depends on them.

    Raises ValueError or TypeError for anything other than ``kept_use`` gives.
    """
    if document is None or document["account"] is None or kept is None:
        return None
    given: Json = {name: frozenset(value) if isinstance(value, list) else value for name, value in kept.items()}
    use = BuildUse(**given)
    if any(file.unreadable is not None and in_modules(file.path, use) for file in changed):
        return None
    now = account_document(Account(edits=tuple(edit for file in changed for edit in build_edits(file, use))))["edits"]
    before = document["account"]["edits"]
    builds = [edit for edit in before if edit["thing"] == Thing.BUILD]
    others = [edit for edit in before if edit["thing"] != Thing.BUILD]
    if any(edit["explanation"] != Explanation.WITHOUT_EFFECT for edit in (*builds, *now)):
        return None
    same = [same_program(edit["why"] for edit in edits) for edits in (before, (*others, *now))]
    if same[0] != same[1] and not use.one_program:
        return None
    edits = sorted((*others, *now), key=_place)
    counts = {e.value: sum(edit["explanation"] == e for edit in edits) for e in Explanation}
    return {**document, "account": {"counts": counts, "edits": edits}}


def _place(edit: Json) -> tuple[str, int, str]:
    place = edit["head"] or edit["base"]
    return (place["file"] if place else "", place["line"] if place else 0, edit["name"])
