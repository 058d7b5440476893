"""Which operator of the candidate takes which operator state, as Flink's two lookups find it.

``Checkpoints.loadAndValidateCheckpoint`` (which vertex a state belongs to) and ``StateAssignmentOperation`` (who gets
it). An operator first takes the state under its user-defined id, if one is left, else that under its generated id.

The candidate as the restore rules see it, made from a translated pipeline, with names and source lines.

Which operator of a candidate is certainly the one that left a state which nobody claims.

Certain is what is the only possibility: the candidate has one operator without state to which a fact of the savepoint
points (its name, an id that is the hash of what it is called), and this fact points to no other. Names of states are no
such fact: sources and sinks have the same ones, and so may functions that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from checker.compare.fit.states import claimed_id
from checker.flink.operator_ids import operator_id
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.restore import CandidateInput, CandidateJob, CandidateOperator, CandidateVertex, Counterpart
from checker.model.savepoint import Move, OperatorState, Savepoint
from checker.model.stream_graph import NodeKind, StreamNode
from checker.model.translation import Basis, Identity, JobVertex, OperatorId, Translation
from checker.model.unknowns import Unknown

READS_STATES = "java"
"""The extractor that looks for the states of every function: none found means that there is none."""
FOLLOWS_CODE = "flink"
"""The extractor that says of every operator whether it is known to keep none."""
PLANNED = "sql"
"""The extractor that knows the states of every operator from Flink itself."""
WRAPS_STATES = ("python",)
"""Languages whose states Flink stores under names and kinds of its own: descriptors can't be compared."""


def candidate_of(
    translation: Translation, *, flink: str | None = None, state_backend: str | None = None
) -> CandidateJob:
    """The job graph of a translation. ``flink`` and ``state_backend`` stand for what the deployment runs."""
    topology = translation.topology
    flink = flink or topology.flink
    if translation.refusal is not None:
        return CandidateJob(name=topology.name, flink=flink, refusal=translation.refusal.message)
    graph, job = translation.stream_graph, translation.job_graph
    assert graph is not None, "a translation without refusal has graphs"
    assert job is not None, "a translation without refusal has graphs"
    vertices: list[CandidateVertex] = []
    for place, vertex in enumerate(job.vertices):
        vertices.append(
            CandidateVertex(
                id=translation.identities[vertex.head].generated,
                name=vertex.name,
                parallelism=vertex.parallelism,
                max_parallelism=vertex.configured_max_parallelism,
                operators=tuple(_operator(translation, number) for number in vertex.operators),
                chained_sources=tuple(_operator(translation, number) for number in vertex.chained_sources),
                inputs=tuple(
                    CandidateInput(
                        source=translation.identities[job.vertices[edge.source].head].generated, pattern=edge.pattern
                    )
                    for edge in job.inputs_of(place)
                ),
                open=_open(translation, vertex),
            )
        )
    return CandidateJob(
        name=topology.name,
        vertices=tuple(vertices),
        flink=flink,
        state_backend=state_backend,
        open=tuple(dict.fromkeys(u.unknown.reason for u in translation.undecided)),
    )


def _operator(translation: Translation, number: int) -> CandidateOperator:
    assert translation.stream_graph is not None
    node: StreamNode = translation.stream_graph.nodes[number]
    identity: Identity = translation.identities[number]
    declared = node.declared
    return CandidateOperator(
        generated=identity.generated,
        user=identity.user,
        name=node.name,
        uid=node.uid if isinstance(node.uid, str) else None,
        coordinator=node.has_coordinator,
        stateful=node.stateful if isinstance(node.stateful, bool) else None,
        by_position=identity.ingredients.basis is Basis.POSITION,
        states=_states(translation, node),
        key_type=declared.key_type if isinstance(declared.key_type, str) else None,
        key_classes=declared.key_classes,
        key_serializer=declared.key_serializer,
        hints=tuple(h for h in (node.transformation, declared.function, declared.display_name) if h),
        location=declared.location,
    )


def _states(translation: Translation, node: StreamNode) -> tuple[StateDescriptor, ...] | None:
    """The states a node registers, None where that is not known to be the whole list."""
    state = node.declared.state
    # Of an operator inside of a program, too, the planner's own list is known by the serializer that Flink wrote.
    planned = translation.topology.extractor == PLANNED or node.declared.key_serializer is not None
    if planned and not isinstance(state, Unknown) and (state or node.declared.stateful is False):
        return tuple(s for s in state if s.kind is not StateKind.COORDINATOR)
    if isinstance(state, Unknown) or node.kind is not NodeKind.OPERATOR:
        return None
    if translation.topology.extractor in WRAPS_STATES:
        return None
    if any(isinstance(s.name, Unknown) for s in state):
        return None
    if state:
        return state
    extractor, declared = translation.topology.extractor, node.declared
    if extractor == READS_STATES:
        return () if declared.function is not None and declared.stateful is not True else None
    return () if extractor == FOLLOWS_CODE and declared.stateful is False else None


def _open(translation: Translation, vertex: JobVertex) -> tuple[str, ...]:
    """Why the vertex' parallelism, max parallelism or chain is not certain."""
    assert translation.stream_graph is not None
    topology = translation.topology
    keys = {translation.stream_graph.nodes[n].key for n in vertex.operators}
    reasons = [u.unknown.reason for u in translation.undecided if not u.nodes or keys.intersection(u.nodes)]
    head = translation.stream_graph.nodes[vertex.head].declared
    for own, whole in ((head.parallelism, topology.parallelism), (head.max_parallelism, topology.max_parallelism)):
        value = whole if own is None else own
        if isinstance(value, Unknown):
            reasons.append(value.reason)
    return tuple(dict.fromkeys(reasons))


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
