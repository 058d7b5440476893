"""What is done to the operators of a savepoint when it is rewritten, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from checker.model.operator_ids import OperatorId
from checker.model.savepoint import OperatorState, Savepoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The state of one operator, given to the operator with another id. ``uid`` is "" where only the id is known."""

    old: OperatorId
    new: OperatorId
    uid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """What is done to the operators of a savepoint, by the ids that they have in it."""

    moves: Mapping[OperatorId, Move] = field(default_factory=dict)
    drops: frozenset[OperatorId] = frozenset()
    max_parallelism: Mapping[OperatorId, int] = field(default_factory=dict)

    @classmethod
    def of(cls, moves: Iterable[Move]) -> Rewriting:
        """Moves alone."""
        return cls(moves={move.old: move for move in moves})

    def __bool__(self) -> bool:
        return bool(self.moves or self.drops or self.max_parallelism)

    def result(self, savepoint: Savepoint) -> tuple[OperatorState, ...]:
        """The operators that the rewritten savepoint has."""
        return tuple(self._result(o) for o in savepoint.operators if o.operator_id not in self.drops)

    def _result(self, state: OperatorState) -> OperatorState:
        move = self.moves.get(state.operator_id)
        maximum = self.max_parallelism.get(state.operator_id, state.max_parallelism)
        if move is None:
            return replace(state, max_parallelism=maximum)
        uid = None if state.uid is None else move.uid
        return replace(state, operator_id=move.new, uid=uid, max_parallelism=maximum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Moves after which Flink restores what it does not restore now, and what it then gives back."""

    moves: tuple[Move, ...]
    message: str
