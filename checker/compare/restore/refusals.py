"""Refusals in the order in which Flink would meet them, and the words that they share.

In-flight data of unaligned checkpoints: where Flink refuses a changed chain, and where it loses records silently.

``StateAssignmentOperation.checkForUnsupportedToplogyChanges``: input data must hang at a vertex' head and output data
at its tail. The check is made only where data cross the vertex' own borders; a vertex without any there is not looked
at, and what its inner operators hold is lost without a message (seen in Flink 1.18 to 2.3).
"""

from dataclasses import dataclass

from checker.compare.restore.matching import Assignment
from checker.model.findings import Severity
from checker.model.restore import CandidateOperator, CandidateVertex, Moment, RestoreRule, RestoreWarning, WarningRule
from checker.model.savepoint import OperatorState
from checker.model.translation import OperatorId


@dataclass(frozen=True, slots=True)
class Refusal:
    """Flink refuses (or, with ``undecided``, may refuse) the restore. Ids are those that Flink's message names.

    ``concerns`` are the operator states behind it, for the table.
    """

    rule: RestoreRule
    message: str
    operator: OperatorId | None = None
    vertex: OperatorId | None = None
    moment: Moment = Moment.JOB_INITIALIZATION
    undecided: bool = False
    concerns: tuple[OperatorId, ...] = ()


def bytes_text(size: int) -> str:
    """``1.2 GB``: decimal units, as file systems and clouds count."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.95 or unit == "TB":
            return f"{value:.1f} {unit}"
    raise AssertionError("TB ends the loop")


def listed(items: tuple[str, ...] | list[str], limit: int = 5) -> str:
    """``a, b, c and 4 more``."""
    shown = ", ".join(items[:limit])
    return f"{shown} and {len(items) - limit} more" if len(items) > limit else shown


class Channels:
    """The in-flight data of a job's vertices once the states are handed out."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._input: dict[OperatorId | None, bool] = {}
        self._output: dict[OperatorId | None, bool] = {}
        self._downstream: dict[OperatorId | None, list[OperatorId | None]] = {}
        for place, vertex in enumerate(assignment.job.vertices):
            states = assignment.states_at(place)
            self._input[vertex.id] = any(o is vertex.head and _has(state, "input") for o, state in states)
            self._output[vertex.id] = any(o is vertex.tail and _has(state, "output") for o, state in states)
            for edge in vertex.inputs:
                self._downstream.setdefault(edge.source, []).append(vertex.id)

    def upstream_output(self, vertex: CandidateVertex) -> bool:
        """``hasUpstreamOutputStates``."""
        return any(self._output.get(edge.source, False) for edge in vertex.inputs)

    def downstream_input(self, vertex: CandidateVertex) -> bool:
        """``hasDownstreamInputStates``."""
        return any(self._input.get(target, False) for target in self._downstream.get(vertex.id, ()))

    def check(self, place: int) -> tuple[list[Refusal], list[RestoreWarning]]:
        """Refusals and losses at one vertex."""
        vertex = self._assignment.job.vertices[place]
        refusals: list[Refusal] = []
        warnings: list[RestoreWarning] = []
        for side, border, looked_at in (
            ("input", vertex.head, self._input[vertex.id] or self.upstream_output(vertex)),
            ("output", vertex.tail, self._output[vertex.id] or self.downstream_input(vertex)),
        ):
            inside = [
                (operator, state)
                for operator, state in self._assignment.states_at(place)
                if operator is not border and _has(state, side)
            ]
            if not inside:
                continue
            if looked_at:
                refusals.append(_refusal(vertex, inside))
            else:
                warnings += [_loss(vertex, state, side) for _operator, state in inside]
        return refusals, warnings


def _has(state: OperatorState, side: str) -> bool:
    return state.input_state if side == "input" else state.output_state


def _refusal(vertex: CandidateVertex, inside: list[tuple[CandidateOperator, OperatorState]]) -> Refusal:
    ids = [operator.generated or state.operator_id for operator, state in inside]
    return Refusal(
        RestoreRule.CHANNEL_STATE_IN_CHAIN,
        "Cannot recover from unaligned checkpoint when topology changes, such that data exchanges with persisted "
        f"data are now chained.\nThe following operators contain channel state: [{', '.join(ids)}]",
        operator=ids[0],
        undecided=bool(vertex.open),
        concerns=tuple(state.operator_id for _operator, state in inside),
    )


def _loss(vertex: CandidateVertex, state: OperatorState, side: str) -> RestoreWarning:
    lost = state.sizes.input_channels if side == "input" else state.sizes.result_subpartitions
    return RestoreWarning(
        WarningRule.IN_FLIGHT_DATA_LOST,
        Severity.ERROR,
        f"{lost} bytes of in-flight {side} records of this operator are lost: it is now chained inside "
        f"{vertex.name}, and Flink restores without a message. Keep the exchange, or restore from a savepoint "
        "instead.",
        operator=state.operator_id,
        vertex=vertex.id,
        bytes=lost,
    )
