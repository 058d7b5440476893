"""Which operator of a candidate is certainly the one that left a state which nobody claims.

Certain is what is the only possibility: the candidate has one operator without state to which a fact of the savepoint
points (its name, an id that is the hash of what it is called), and this fact points to no other. Names of states are no
such fact: sources and sinks have the same ones, and so may functions that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Mapping

from checker.compare.restore.matching import Assignment, assign
from checker.flink.operator_ids import operator_id
from checker.model.operator_ids import OperatorId
from checker.model.restore import CandidateJob, CandidateOperator
from checker.model.rewriting import Move
from checker.model.savepoint import OperatorState, Savepoint


def certain_moves(
    savepoint: Savepoint, job: CandidateJob, known: Mapping[OperatorId, OperatorId] | None = None
) -> tuple[Move, ...]:
    """The moves that give states to their certain successors. ``known`` is what a comparison of revisions says."""
    assignment = assign(savepoint, job)
    operators = {o.generated: o for v in job.vertices for o in v.all_operators if o.generated is not None}
    there = {state.operator_id: state for state in savepoint.operators}
    moves = {
        old: _move(old, operators[new])
        for old, new in (known or {}).items()
        if old in there and new in operators and old not in (new, operators[new].user)
    }
    taken = {move.new for move in moves.values()}
    free = [o for o in assignment.without_state() if o.generated is not None and o.generated not in {*taken, *there}]
    left = [s for s in savepoint.operators if _unclaimed(s, assignment) and s.operator_id not in moves]
    pairs = [(state, operator) for state in left for operator in free if _points_to(state, operator)]
    for state, operator in pairs:
        if sum(s is state or o is operator for s, o in pairs) == 1:
            moves[state.operator_id] = _move(state.operator_id, operator)
    return tuple(moves.values())


def _move(old: OperatorId, operator: CandidateOperator) -> Move:
    assert operator.generated is not None
    known = operator.uid is not None and operator_id(operator.uid) == operator.generated
    return Move(old=old, new=operator.generated, uid=operator.uid or "" if known else "")


def _unclaimed(state: OperatorState, assignment: Assignment) -> bool:
    return state.has_state and state.operator_id not in assignment.places_of


def _points_to(state: OperatorState, operator: CandidateOperator) -> bool:
    if operator.coordinator != state.has_coordinator_state:
        return False
    if any(word and operator_id(word) == state.operator_id for word in (operator.uid, operator.name, *operator.hints)):
        return True
    return bool(state.name) and state.name == operator.name
