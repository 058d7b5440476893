"""Which operator of the candidate takes which operator state, as Flink's two lookups find it.

``Checkpoints.loadAndValidateCheckpoint`` (which vertex a state belongs to) and ``StateAssignmentOperation`` (who gets
it). An operator first takes the state under its user-defined id, if one is left, else that under its generated id.

The candidate as the restore rules see it, made from a translated pipeline, with names and source lines.
"""

from dataclasses import dataclass, field

from checker.compare.fit.states import claimed_id
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.restore import CandidateInput, CandidateJob, CandidateOperator, CandidateVertex
from checker.model.savepoint import OperatorState, Savepoint
from checker.model.stream_graph import StreamGraph, StreamNode
from checker.model.topology import Kind
from checker.model.translation import JobVertex, OperatorId, Translation
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
    ids = [translation.identities[vertex.head].generated for vertex in job.vertices]
    vertices = (
        CandidateVertex(
            id=ids[place],
            name=vertex.name,
            parallelism=vertex.parallelism,
            max_parallelism=vertex.configured_max_parallelism,
            operators=tuple(_operator(translation, graph.nodes[number]) for number in vertex.operators),
            chained_sources=tuple(_operator(translation, graph.nodes[number]) for number in vertex.chained_sources),
            inputs=tuple(CandidateInput(source=ids[e.source], pattern=e.pattern) for e in job.inputs_of(place)),
            open=_open(translation, graph, vertex),
        )
        for place, vertex in enumerate(job.vertices)
    )
    return CandidateJob(
        name=topology.name,
        vertices=tuple(vertices),
        flink=flink,
        state_backend=state_backend,
        open=tuple(dict.fromkeys(u.unknown.reason for u in translation.undecided)),
    )


def _operator(translation: Translation, node: StreamNode) -> CandidateOperator:
    identity, declared = translation.identities[node.number], node.declared
    return CandidateOperator(
        generated=identity.generated,
        user=identity.user,
        name=node.name,
        uid=node.uid if isinstance(node.uid, str) else None,
        coordinator=node.has_coordinator,
        stateful=node.stateful if isinstance(node.stateful, bool) else None,
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
    extractor, declared = translation.topology.extractor, node.declared
    if isinstance(state, Unknown) or node.kind is not Kind.OPERATOR or extractor in WRAPS_STATES:
        return None
    if state:
        return None if any(isinstance(s.name, Unknown) for s in state) else state
    if extractor == READS_STATES:
        return () if declared.function is not None and declared.stateful is not True else None
    return () if extractor == FOLLOWS_CODE and declared.stateful is False else None


def _open(translation: Translation, graph: StreamGraph, vertex: JobVertex) -> tuple[str, ...]:
    """Why the vertex' parallelism, max parallelism or chain is not certain."""
    topology, head = translation.topology, graph.nodes[vertex.head].declared
    keys = {graph.nodes[n].key for n in vertex.operators}
    reasons = [u.unknown.reason for u in translation.undecided if not u.nodes or keys.intersection(u.nodes)]
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

    def states_at(self, place: int) -> list[tuple[CandidateOperator, OperatorState]]:
        """What the operators of a vertex get, in the vertex' order."""
        return [
            (operator, self.state_of[place, number])
            for number, operator in enumerate(self.job.vertices[place].all_operators)
            if (place, number) in self.state_of
        ]

    def without_state(self) -> list[tuple[CandidateVertex, CandidateOperator]]:
        """The operators that get nothing, with their vertices."""
        return [
            (vertex, operator)
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
