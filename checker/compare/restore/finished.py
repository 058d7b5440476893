"""Refusals of job graphs that change finished operators: ``VertexFinishedStateChecker`` (Flink 1.14 and newer)."""

from __future__ import annotations

from enum import StrEnum

from checker.compare.fit.placement import claimed_id
from checker.compare.restore.refusals import Refusal
from checker.model.job_graph import Pattern
from checker.model.operator_ids import OperatorId
from checker.model.restore import CandidateJob, CandidateOperator, CandidateVertex, RestoreRule
from checker.model.savepoint import OperatorState


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
        own = vertices[vertex.id]
        if own is FinishedState.FULLY_FINISHED:
            refusals += _behind_fully_finished(vertex, states, vertices)
        elif own is FinishedState.PARTIALLY_FINISHED:
            refusals += _behind_partially_finished(vertex, states, vertices)
    return refusals


def _finished(operator: CandidateOperator, states: dict[OperatorId, OperatorState]) -> FinishedState:
    claimed = claimed_id(operator.user, operator.generated, states)
    state = None if claimed is None else states.get(claimed)
    if state is None:
        return FinishedState.ALL_RUNNING
    if state.fully_finished:
        return FinishedState.FULLY_FINISHED
    return FinishedState.PARTIALLY_FINISHED if state.finished_subtasks else FinishedState.ALL_RUNNING


def _behind_fully_finished(
    vertex: CandidateVertex, states: dict[OperatorId, OperatorState], vertices: dict[OperatorId | None, FinishedState]
) -> list[Refusal]:
    if all(vertices.get(edge.source) is FinishedState.FULLY_FINISHED for edge in vertex.inputs):
        return []
    message = (
        "Illegal JobGraph modification. Cannot run a program with fully finished vertices predeceased with the ones "
        f"not fully finished. Task vertex {vertex.name}({vertex.id}) has a predecessor not fully finished"
    )
    return [_refusal(vertex, states, RestoreRule.FINISHED_BEHIND_RUNNING, message)]


def _behind_partially_finished(
    vertex: CandidateVertex, states: dict[OperatorId, OperatorState], vertices: dict[OperatorId | None, FinishedState]
) -> list[Refusal]:
    patterns: dict[OperatorId | None, Pattern] = {}
    for edge in vertex.inputs:
        if patterns.get(edge.source) is not Pattern.ALL_TO_ALL:
            patterns[edge.source] = edge.pattern
    for source, pattern in patterns.items():
        upstream = vertices.get(source, FinishedState.ALL_RUNNING)
        running = upstream is FinishedState.ALL_RUNNING
        if pattern is Pattern.ALL_TO_ALL and upstream is not FinishedState.FULLY_FINISHED:
            message = (
                "Illegal JobGraph modification. Cannot run a program with partially finished vertices predeceased with "
                "running or partially finished ones and connected via the ALL_TO_ALL edges. Task vertex "
                f"{vertex.name}({vertex.id}) has a {'all running' if running else 'partially finished'} predecessor"
            )
        elif pattern is Pattern.POINTWISE and running:
            message = (
                "Illegal JobGraph modification. Cannot run a program with partially finished vertices predeceased with "
                f"all running ones. Task vertex {vertex.name}({vertex.id}) has a all running predecessor"
            )
        else:
            continue
        return [_refusal(vertex, states, RestoreRule.PARTIALLY_FINISHED_BEHIND_RUNNING, message)]
    return []


def _refusal(
    vertex: CandidateVertex, states: dict[OperatorId, OperatorState], rule: RestoreRule, message: str
) -> Refusal:
    ids = (operator_id for o in vertex.all_operators for operator_id in (o.user, o.generated))
    return Refusal(
        rule,
        message,
        vertex=vertex.id,
        undecided=bool(vertex.open),
        concerns=tuple(dict.fromkeys(id_ for id_ in ids if id_ is not None and id_ in states)),
    )
