"""What job initialisation refuses: the checks of Flink's JobManager in the order in which it makes them.

From ``_metadata`` and the job graph alone, so exact. ``Checkpoints.loadAndValidateCheckpoint`` (savepoint path only),
``VertexFinishedStateChecker``, ``StateAssignmentOperation.assignStates``; established on Flink
1.18.1, 1.20.5 and 2.3.0.
"""

from collections.abc import Iterator
from enum import StrEnum
from itertools import chain

from checker.compare.fit.states import MaxParallelismFit, claimed_id, max_parallelism_fit
from checker.compare.restore.matching import Assignment
from checker.compare.restore.refusals import Channels, Refusal
from checker.flink.versions import semantics_of
from checker.model.findings import RestorePath
from checker.model.restore import CandidateJob, CandidateOperator, CandidateVertex, RestoreRule
from checker.model.savepoint import OperatorState, Savepoint
from checker.model.translation import OperatorId, Pattern


def initialization_refusals(
    savepoint: Savepoint, assignment: Assignment, path: RestorePath, allow_non_restored_state: bool
) -> Iterator[Refusal]:
    """Every refusal in Flink's order; the first that is certain is the one Flink reports."""
    job = assignment.job
    refused = [*_configured(job), *_version(savepoint, job)]
    if refused:
        return iter(refused)
    from_savepoint = path is RestorePath.SAVEPOINT
    matched = {
        o.operator_id: o for o in savepoint.operators if not from_savepoint or o.operator_id in assignment.places_of
    }
    return chain(
        _loading(savepoint, assignment, allow_non_restored_state) if from_savepoint else (),
        finished_refusals(job, matched),
        () if from_savepoint else _completeness(savepoint, assignment),
        _assigning(assignment),
    )


def _version(savepoint: Savepoint, job: CandidateJob) -> Iterator[Refusal]:
    """Before anything is matched: can this Flink read the metadata?"""
    if job.flink is None:
        return
    newest = semantics_of(job.flink).newest_metadata
    if newest is not None and savepoint.metadata_version > newest:
        yield Refusal(
            RestoreRule.METADATA_VERSION, f"Unrecognized checkpoint version number: {savepoint.metadata_version}"
        )
    elif newest is None and savepoint.metadata_version == 4:
        yield Refusal(
            RestoreRule.METADATA_VERSION,
            "Whether Flink 1.15 reads metadata version 4 is not established.",
            undecided=True,
        )


def _loading(savepoint: Savepoint, assignment: Assignment, allow_non_restored_state: bool) -> Iterator[Refusal]:
    """Step 1: each operator state in file order is matched, refused or dropped."""
    job = assignment.job
    unnamed = _has_open_ids(job)
    for state in savepoint.operators:
        vertices = [job.vertices[place] for place in assignment.places_of.get(state.operator_id, ())]
        if vertices:
            yield from _max_parallelism(state, vertices)
        elif not state.has_state:
            continue
        elif unnamed:
            yield Refusal(
                RestoreRule.UNDECIDED_ID,
                f"An operator of the candidate may or may not have the id {state.operator_id}: "
                f"{'; '.join(job.open) or 'ids of the candidate are undecided'}.",
                operator=state.operator_id,
                undecided=True,
                concerns=(state.operator_id,),
            )
        elif not allow_non_restored_state:
            yield Refusal(
                RestoreRule.UNCLAIMED_STATE,
                f"Failed to rollback to checkpoint/savepoint {savepoint.path}. Cannot map checkpoint/savepoint "
                f"state for operator {state.operator_id} to the new program, because the operator is not available "
                "in the new program. If you want to allow to skip this, you can set the --allowNonRestoredState "
                "option on the CLI.",
                operator=state.operator_id,
                concerns=(state.operator_id,),
            )


def _has_open_ids(job: CandidateJob) -> bool:
    return any(o.generated is None for v in job.vertices for o in v.all_operators)


def _max_parallelism(state: OperatorState, vertices: list[CandidateVertex]) -> Iterator[Refusal]:
    """A configured max parallelism must be the snapshot's, also for stateless and finished operators."""
    wrong = [v for v in vertices if v.max_parallelism is not None and v.max_parallelism != state.max_parallelism]
    if not wrong:
        return
    configured = wrong[0].max_parallelism
    yield Refusal(
        RestoreRule.MAX_PARALLELISM_MISMATCH,
        "Failed to rollback to checkpoint/savepoint Checkpoint Metadata. Max parallelism mismatch between "
        f"checkpoint/savepoint state and new program. Cannot map operator {state.operator_id} with max parallelism "
        f"{state.max_parallelism} to new program with max parallelism {configured}. This indicates that the "
        "program has been changed in a non-compatible way after the checkpoint/savepoint.",
        operator=state.operator_id,
        undecided=len(wrong) < len(vertices) or any(v.open for v in wrong),
        concerns=(state.operator_id,),
    )


def _completeness(savepoint: Savepoint, assignment: Assignment) -> Iterator[Refusal]:
    """``checkStateMappingCompleteness`` without the allow flag: empty and finished states count as well."""
    unnamed = _has_open_ids(assignment.job)
    for state in savepoint.operators:
        if state.operator_id not in assignment.places_of:
            yield Refusal(
                RestoreRule.UNDECIDED_ID if unnamed else RestoreRule.NO_OPERATOR_FOR_STATE,
                f"There is no operator for the state {state.operator_id}",
                operator=state.operator_id,
                undecided=unnamed,
                concerns=(state.operator_id,),
            )


def _assigning(assignment: Assignment) -> Iterator[Refusal]:
    """Step 4: parallelism, then channel state, vertex by vertex (Flink's order of vertices is not determined)."""
    channels = Channels(assignment)
    for place, vertex in enumerate(assignment.job.vertices):
        states = assignment.states_at(place)
        crossed = channels.upstream_output(vertex) or channels.downstream_input(vertex)
        if any(state.subtasks for _operator, state in states) or crossed:
            yield from _parallelism(vertex, [state for _operator, state in states])
            yield from channels.check(place)[0]


def _parallelism(vertex: CandidateVertex, states: list[OperatorState]) -> Iterator[Refusal]:
    configured = vertex.max_parallelism
    for state in states:
        found = max_parallelism_fit(state.max_parallelism, vertex.parallelism, configured)
        if found is MaxParallelismFit.TOO_LOW:
            yield _vertex_refusal(
                vertex,
                RestoreRule.PARALLELISM_ABOVE_MAX,
                f"The state for task {vertex.id} can not be restored. The maximum parallelism "
                f"({state.max_parallelism}) of the restored state is lower than the configured parallelism "
                f"({vertex.parallelism}). Please reduce the parallelism of the task to be lower or equal to the "
                "maximum parallelism.",
                state.operator_id,
            )
            return
        if found is MaxParallelismFit.MISMATCH:
            yield _vertex_refusal(
                vertex,
                RestoreRule.MAX_PARALLELISM_MISMATCH,
                f"The maximum parallelism ({state.max_parallelism}) with which the latest checkpoint of the execution "
                f"job vertex {vertex.name} has been taken and the current maximum parallelism ({configured}) changed. "
                "This is currently not supported.",
                state.operator_id,
            )
            return
    if vertex.open and states:
        yield Refusal(
            RestoreRule.UNDECIDED_PARALLELISM,
            f"The parallelism or the chain of {vertex.name} is undecided: {'; '.join(vertex.open)}.",
            vertex=vertex.id,
            undecided=True,
        )


def _vertex_refusal(vertex: CandidateVertex, rule: RestoreRule, message: str, *concerns: OperatorId) -> Refusal:
    return Refusal(rule, message, vertex=vertex.id, undecided=bool(vertex.open), concerns=concerns)


def _configured(job: CandidateJob) -> Iterator[Refusal]:
    """What is refused before any state is looked at: a parallelism above the vertex' own maximum."""
    for vertex in job.vertices:
        if vertex.max_parallelism is not None and vertex.parallelism > vertex.max_parallelism:
            message = (
                f"Vertex {vertex.name}'s parallelism ({vertex.parallelism}) is higher than the max parallelism "
                f"({vertex.max_parallelism}). Please lower the parallelism or increase the max parallelism."
            )
            yield _vertex_refusal(vertex, RestoreRule.PARALLELISM_ABOVE_CONFIGURED_MAX, message)


class FinishedState(StrEnum):
    """``VertexFinishedState``."""

    ALL_RUNNING = "ALL_RUNNING"
    PARTIALLY_FINISHED = "PARTIALLY_FINISHED"
    FULLY_FINISHED = "FULLY_FINISHED"


_ORDER = tuple(FinishedState)


def finished_refusals(job: CandidateJob, states: dict[OperatorId, OperatorState]) -> list[Refusal]:
    """Every vertex that breaks a rule; Flink names one of them, which one is not determined.

    ``states`` are the operator states that were matched.
    """
    refusals: list[Refusal] = []
    vertices: dict[OperatorId | None, FinishedState] = {}
    for vertex in job.vertices:
        found = {_finished(operator, states) for operator in vertex.all_operators}
        if len(found) > 1:
            listed = ", ".join(s for s in _ORDER if s in found)
            refusals.append(
                _refusal(
                    vertex,
                    states,
                    RestoreRule.MIXED_FINISHED_OPERATORS,
                    f"Can not restore vertex {vertex.name}({vertex.id}) which contain mixed operator finished state: "
                    f"[{listed}]",
                )
            )
            vertices[vertex.id] = FinishedState.ALL_RUNNING
        else:
            vertices[vertex.id] = found.pop()
    if refusals:
        return refusals
    for vertex in job.vertices:
        broken = _behind(vertex, vertices)
        if broken is not None:
            refusals.append(_refusal(vertex, states, *broken))
    return refusals


def _finished(operator: CandidateOperator, states: dict[OperatorId, OperatorState]) -> FinishedState:
    claimed = claimed_id(operator.user, operator.generated, states)
    state = None if claimed is None else states.get(claimed)
    if state is None:
        return FinishedState.ALL_RUNNING
    if state.fully_finished:
        return FinishedState.FULLY_FINISHED
    return FinishedState.PARTIALLY_FINISHED if state.finished_subtasks else FinishedState.ALL_RUNNING


def _behind(
    vertex: CandidateVertex, vertices: dict[OperatorId | None, FinishedState]
) -> tuple[RestoreRule, str] | None:
    """The rule that a finished vertex breaks by what it reads from, and what Flink says."""
    own, named = vertices[vertex.id], f"{vertex.name}({vertex.id})"
    upstream = {e.source: vertices.get(e.source, FinishedState.ALL_RUNNING) for e in vertex.inputs}
    running = [source for source, state in upstream.items() if state is not FinishedState.FULLY_FINISHED]
    if own is FinishedState.FULLY_FINISHED and running:
        return RestoreRule.FINISHED_BEHIND_RUNNING, (
            "Illegal JobGraph modification. Cannot run a program with fully finished vertices predeceased with the "
            f"ones not fully finished. Task vertex {named} has a predecessor not fully finished"
        )
    all_to_all = {e.source for e in vertex.inputs if e.pattern is Pattern.ALL_TO_ALL}
    for source in running if own is FinishedState.PARTIALLY_FINISHED else ():
        all_running = upstream[source] is FinishedState.ALL_RUNNING
        if source in all_to_all:
            return RestoreRule.PARTIALLY_FINISHED_BEHIND_RUNNING, (
                "Illegal JobGraph modification. Cannot run a program with partially finished vertices predeceased with "
                "running or partially finished ones and connected via the ALL_TO_ALL edges. Task vertex "
                f"{named} has a {'all running' if all_running else 'partially finished'} predecessor"
            )
        if all_running:
            return RestoreRule.PARTIALLY_FINISHED_BEHIND_RUNNING, (
                "Illegal JobGraph modification. Cannot run a program with partially finished vertices predeceased with "
                f"all running ones. Task vertex {named} has a all running predecessor"
            )
    return None


def _refusal(
    vertex: CandidateVertex, states: dict[OperatorId, OperatorState], rule: RestoreRule, message: str
) -> Refusal:
    ids = dict.fromkeys(id_ for o in vertex.all_operators for id_ in (o.user, o.generated) if id_ in states)
    return _vertex_refusal(vertex, rule, message, *filter(None, ids))
