"""Which operator of the candidate takes which operator state, as Flink's two lookups find it.

``Checkpoints.loadAndValidateCheckpoint`` (which vertex a state belongs to) and ``StateAssignmentOperation`` (who gets
it). An operator first takes the state under its user-defined id, if one is left, else that under its generated id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from checker.compare.fit.placement import claimed_id
from checker.flink.operator_ids import operator_id
from checker.model.operator_ids import OperatorId
from checker.model.restore import CandidateJob, CandidateOperator, CandidateVertex, Counterpart
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
            for claim in dict.fromkeys((operator.generated, operator.user)):
                if claim is None:
                    continue
                if place not in result.places_of.setdefault(claim, []):
                    result.places_of[claim].append(place)
                if claim in known:
                    claims.setdefault(claim, []).append(operator)
            wanted = claimed_id(operator.user, operator.generated, left)
            state = left.pop(wanted, None) if wanted is not None else None
            if state is not None:
                result.state_of[place, number] = state
                result.taken[state.operator_id] = vertex, operator
    result.contested = {claim: operators for claim, operators in claims.items() if len(operators) > 1}
    return result


THRESHOLD = 0.3
"""Below this no candidate is named."""


def counterpart(state: OperatorState, free: Sequence[CandidateOperator]) -> Counterpart | None:
    """The most likely owner of a state among operators that get none, with what speaks for it."""
    best: Counterpart | None = None
    alike = [o for o in free if o.coordinator == state.has_coordinator_state]
    for operator in free:
        likeness, evidence = _likeness(state, operator)
        if len(alike) == 1 and alike[0] is operator and likeness < 1 and _could_be_called(state, operator):
            likeness += 0.3
            kind = "source" if operator.coordinator else "operator"
            evidence.append(f"the only {kind} of the candidate that gets no state")
        if likeness >= THRESHOLD and (best is None or likeness > best.likeness):
            best = Counterpart(
                id=operator.generated,
                name=operator.name or operator.uid or str(operator.generated),
                likeness=round(min(likeness, 1.0), 2),
                evidence=tuple(evidence),
                location=operator.location,
            )
    return best


def _could_be_called(state: OperatorState, operator: CandidateOperator) -> bool:
    return not state.name or not operator.name or _ratio(state.name, operator.name) > 0.4


def _likeness(state: OperatorState, operator: CandidateOperator) -> tuple[float, list[str]]:
    evidence: list[str] = []
    for word in dict.fromkeys((operator.uid, operator.name, *operator.hints)):
        if word and operator_id(word) == state.operator_id:
            return 1.0, [f"uid({word!r}) gives exactly this id"]
    if operator.coordinator != state.has_coordinator_state:
        return 0.0, []
    likeness = 0.1 if operator.coordinator else 0.0
    if state.name and operator.name:
        same = _ratio(state.name, operator.name)
        if same == 1:
            likeness += 0.6
            evidence.append(f"both are called {state.name!r}")
        elif same > 0.6:
            likeness += 0.5 * same
            evidence.append(f"{state.name!r} and {operator.name!r} are alike")
    if state.uid and operator.uid and _ratio(state.uid, operator.uid) > 0.6:
        likeness += 0.3 * _ratio(state.uid, operator.uid)
        evidence.append(f"uids {state.uid!r} and {operator.uid!r} are alike")
    stored = {m.name for m in state.headers.states} if state.headers else set()
    stored |= {s.name for s in state.operator_states}
    declared = {s.name for s in operator.states or () if isinstance(s.name, str)}
    shared = sorted(stored & declared)
    if shared:
        likeness += 0.5
        evidence.append(f"both have the state {', '.join(shared)}")
    return likeness, evidence


def _ratio(left: str, right: str) -> float:
    return SequenceMatcher(None, left[:200], right[:200], autojunk=False).ratio()
