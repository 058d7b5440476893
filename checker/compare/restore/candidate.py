"""The candidate as the restore rules see it, made from a translated pipeline, with names and source lines."""

from __future__ import annotations

from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.job_graph import JobVertex
from checker.model.operator_ids import Basis, Identity
from checker.model.restore import CandidateInput, CandidateJob, CandidateOperator, CandidateVertex
from checker.model.stream_graph import NodeKind, StreamNode
from checker.model.translation import Translation
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
