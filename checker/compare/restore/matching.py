"""Which operator of the candidate takes which operator state, as Flink's two lookups find it.

``Checkpoints.loadAndValidateCheckpoint`` (which vertex a state belongs to) and ``StateAssignmentOperation`` (who gets
it). An operator first takes the state under its user-defined id, if one is left, else that under its generated id.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.compare.fit.placement import claimed_id
from checker.model.operator_ids import OperatorId
from checker.model.restore import CandidateJob, CandidateOperator, CandidateVertex
from checker.model.savepoint import OperatorState, Savepoint


@dataclass(slots=True)
class Assignment:
    """The states of a snapshot, handed out to the operators of a job.

    ``places_of`` is the first lookup: the places of all vertices that name an id as generated or user-defined.
    ``taken`` says who gets a state, ``state_of`` what an operator gets (by places of vertex and operator).
    ``contested`` are states that more than one operator could take: Flink's answer then changes from run to run.
    """

    job: CandidateJob
    places_of: dict[OperatorId, list[int]] = field(default_factory=dict)
    taken: dict[OperatorId, tuple[CandidateVertex, CandidateOperator]] = field(default_factory=dict)
    state_of: dict[tuple[int, int], OperatorState] = field(default_factory=dict)
    contested: dict[OperatorId, list[CandidateOperator]] = field(default_factory=dict)

    def vertices_of(self, operator_id: OperatorId) -> list[CandidateVertex]:
        """The vertices that an operator state belongs to, usually none or one."""
        return [self.job.vertices[place] for place in self.places_of.get(operator_id, ())]

    def states_at(self, place: int) -> list[tuple[CandidateOperator, OperatorState]]:
        """What the operators of a vertex get, in the vertex' order."""
        return [
            (operator, self.state_of[place, number])
            for number, operator in enumerate(self.job.vertices[place].all_operators)
            if (place, number) in self.state_of
        ]

    def without_state(self) -> list[CandidateOperator]:
        """The operators that get nothing."""
        return [
            operator
            for place, vertex in enumerate(self.job.vertices)
            for number, operator in enumerate(vertex.all_operators)
            if (place, number) not in self.state_of
        ]


def assign(savepoint: Savepoint, job: CandidateJob) -> Assignment:
    """Hand out the states of a snapshot to the operators of a job."""
    result = Assignment(job)
    left = {state.operator_id: state for state in savepoint.operators}
    known = frozenset(left)
    claims: dict[OperatorId, list[CandidateOperator]] = {}
    for place, vertex in enumerate(job.vertices):
        for number, operator in enumerate(vertex.all_operators):
            for operator_id in dict.fromkeys((operator.generated, operator.user)):
                if operator_id is None:
                    continue
                if place not in result.places_of.setdefault(operator_id, []):
                    result.places_of[operator_id].append(place)
                if operator_id in known:
                    claims.setdefault(operator_id, []).append(operator)
            wanted = claimed_id(operator.user, operator.generated, left)
            state = left.pop(wanted, None) if wanted is not None else None
            if state is not None:
                result.state_of[place, number] = state
                result.taken[state.operator_id] = vertex, operator
    result.contested = {operator_id: operators for operator_id, operators in claims.items() if len(operators) > 1}
    return result
