"""What a repair is, its kinds, and the words for each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from checker.model.changed_texts import ChangedText
from checker.model.findings import OperatorSide
from checker.repair.edits import Edit


class RepairKind(StrEnum):
    """What kind of edit a repair is."""

    RESTORE_UID = "restore-uid"
    PIN = "pin"
    SINK_HASHES = "sink-hashes"
    MAX_PARALLELISM = "max-parallelism"
    NEW_UID = "new-uid"
    REWRITE = "rewrite"
    """No edit of the program helps: the savepoint has to be rewritten."""
    NONE = "none"
    """Nothing keeps all of the state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What to do for one broken operator.

    ``edits`` are verified together with those of the whole plan; ``text`` are lines of source to copy; ``offered``
    is False where no edit of the program keeps all of the state, and ``reason`` says why.
    """

    kind: RepairKind
    base: OperatorSide | None
    head: OperatorSide | None
    edits: tuple[Edit, ...] = ()
    text: str | None = None
    reason: str
    offered: bool
    back: ChangedText | None = None
    """The text of the program that is to be as it was, instead of the edits."""

    @property
    def name(self) -> str:
        """The operator, for people."""
        side = self.head or self.base
        return side.name if side is not None else "the job"


def edits_of(repairs: Iterable[Repair]) -> tuple[Edit, ...]:
    """All edits that are offered, each once."""
    return tuple(dict.fromkeys(e for r in repairs if r.offered for e in r.edits))


MOVED_ALONG = (
    "these uids are made of places: put what is new behind the others, keep the place of what is removed, or make each "
    "uid of its entry and pin the id that it had"
)
NO_PIN = {
    "source": "its coordinator finds its state by generated id only, so no pin helps: undo the edit that moved it, or "
    "rewrite the savepoint, which keeps the coordinator's state",
    "sink": "Flink takes no hash for this operator of a sink: rewrite the savepoint",
    "claimed": "its id is taken by operators that have state of their own: rewrite the savepoint, with a move for each",
}
REASONS = {
    RepairKind.RESTORE_UID: "with the uid as it was, the operator finds all of its state",
    RepairKind.PIN: "the state lies under this id; needed for one restore, remove it after the next savepoint",
    RepairKind.SINK_HASHES: "the state lies under these ids; needed for one restore, remove them after the next one",
    RepairKind.MAX_PARALLELISM: "the state was written with this max parallelism",
}
