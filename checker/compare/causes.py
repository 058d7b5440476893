"""Why an operator's id changed: the first edit that explains it, and the way from there to the operator."""

from __future__ import annotations

from dataclasses import dataclass

from checker.compare.identities import Identities
from checker.compare.matching import Matching
from checker.model.comparison import Cause, CauseKind
from checker.model.graphs import Basis, StreamNode


@dataclass(frozen=True, eq=False)
class Explainer:
    """Causes over one pair of programs."""

    identities: Identities
    matching: Matching

    def explain(self, base: StreamNode, head: StreamNode) -> Cause | None:
        """The cause of a changed id."""
        before = self.identities.base.identity(base).ingredients.basis
        after = self.identities.head.identity(head).ingredients.basis
        kinds = {
            (Basis.UID, Basis.UID): CauseKind.UID_RENAMED,
            (Basis.POSITION, Basis.UID): CauseKind.UID_ADDED,
            (Basis.UID, Basis.POSITION): CauseKind.UID_REMOVED,
        }
        kind = kinds.get((before, after))
        if kind is None:
            return None
        return Cause(kind=kind, operator=head.key, operator_name=head.name, text=kind.value, path=(head.name,))
