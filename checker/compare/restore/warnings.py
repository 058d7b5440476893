"""What Flink does without a message in a restore that succeeds."""

from collections.abc import Iterator

from checker.compare.restore.matching import Assignment
from checker.compare.restore.refusals import Channels, bytes_text, listed
from checker.model.findings import RestorePath, Severity
from checker.model.restore import CandidateOperator, CandidateVertex, RestoreWarning, WarningRule
from checker.model.savepoint import OperatorState, Savepoint
from checker.model.state_handles import BackendStateType


def silent_effects(
    savepoint: Savepoint, assignment: Assignment, path: RestorePath, allow_non_restored_state: bool
) -> list[RestoreWarning]:
    """Everything about the snapshot and the candidate that Flink would not say."""
    found = _SilentEffects(savepoint, assignment)
    warnings: list[RestoreWarning] = []
    if path is RestorePath.SAVEPOINT:
        warnings += found.dropped(allow_non_restored_state)
    for place in range(len(assignment.job.vertices)):
        warnings += found.at_vertex(place)
    warnings += found.identities()
    warnings += found.whole()
    return warnings


class _SilentEffects:
    def __init__(self, savepoint: Savepoint, assignment: Assignment) -> None:
        self._savepoint = savepoint
        self._assignment = assignment
        self._job = assignment.job
        self._channels = Channels(assignment)
        self._states = {s.operator_id: s for s in savepoint.operators}

    def dropped(self, allow: bool) -> Iterator[RestoreWarning]:
        """Unclaimed states that Flink drops."""
        for state in self._savepoint.operators:
            operator_id = state.operator_id
            if operator_id in self._assignment.taken:
                continue
            name = state.name or operator_id
            if operator_id in self._assignment.places_of:
                if state.has_state:
                    yield RestoreWarning(
                        WarningRule.STATE_DROPPED,
                        Severity.ERROR,
                        f"{bytes_text(state.state_size)} of {name} are dropped without any flag, because the operator "
                        "takes the state under its uid hash instead of its own.",
                        operator=operator_id,
                        bytes=state.state_size,
                    )
            elif state.has_state and allow and not state.fully_finished:
                yield from self._dropped_state(state, name)

    def _dropped_state(self, state: OperatorState, name: str) -> Iterator[RestoreWarning]:
        names = [s.name for s in state.operator_states]
        if state.headers:
            queue = BackendStateType.PRIORITY_QUEUE
            names += [m.name for m in state.headers.states if m.name not in names and m.backend_type is not queue]
        only_timers = bool(state.headers and state.headers.states and not names) and not state.has_coordinator_state
        what = f" ({listed([f'`{h}`' for h in names])})" if names else " (timers only)" if only_timers else ""
        yield RestoreWarning(
            WarningRule.STATE_DROPPED,
            Severity.ERROR,
            f"{bytes_text(state.state_size)} of {name}{what} are dropped: no operator of the candidate claims them.",
            operator=state.operator_id,
            bytes=state.state_size,
        )

    def at_vertex(self, place: int) -> Iterator[RestoreWarning]:
        """What happens inside one vertex."""
        vertex = self._job.vertices[place]
        states = self._assignment.states_at(place)
        yield from self._channels.check(place)[1]
        yield from self._max_parallelism(vertex, states)
        with_state = {id(operator) for operator, _state in states}
        for operator in vertex.all_operators:
            if operator.coordinator and id(operator) not in with_state:
                yield from self._starts_over(vertex, operator)
        for operator, state in states:
            yield from self._coordinator(vertex, operator, state)

    def _max_parallelism(
        self, vertex: CandidateVertex, states: list[tuple[CandidateOperator, OperatorState]]
    ) -> Iterator[RestoreWarning]:
        values = sorted({state.max_parallelism for _operator, state in states if state.max_parallelism > 0})
        if len(values) > 1:
            yield RestoreWarning(
                WarningRule.MIXED_MAX_PARALLELISM,
                Severity.WARNING,
                f"The operators of {vertex.name} were recorded with different max parallelisms "
                f"({', '.join(map(str, values))}). It restores only while max parallelism stays unset; configuring "
                "either value fails, and which one the vertex ends up with is not determined.",
                vertex=vertex.id,
            )

    def _starts_over(self, vertex: CandidateVertex, source: CandidateOperator) -> Iterator[RestoreWarning]:
        kept = [s for s in self._savepoint.operators if s.operator_id in self._assignment.taken and s.has_state]
        if kept:
            yield RestoreWarning(
                WarningRule.SOURCE_STARTS_OVER,
                Severity.WARNING,
                f"{source.name or source.generated or 'an operator'} finds no state and starts from its beginning, "
                f"while other operators keep theirs ({len(kept)}): what it delivers again is counted twice.",
                operator=source.generated,
                vertex=vertex.id,
            )

    def _coordinator(
        self, vertex: CandidateVertex, operator: CandidateOperator, state: OperatorState
    ) -> Iterator[RestoreWarning]:
        if state.operator_id != operator.generated and state.has_coordinator_state:
            yield RestoreWarning(
                WarningRule.COORDINATOR_STARTS_FRESH,
                Severity.ERROR,
                f"{operator.name or operator.generated} gets its readers' state through setUidHash, but coordinator "
                "state is looked up by the generated id only: the enumerator starts fresh and every split is read a "
                "second time.",
                operator=state.operator_id,
                vertex=vertex.id,
                bytes=state.sizes.coordinator,
            )

    def identities(self) -> Iterator[RestoreWarning]:
        """Ids that may name another operator than they did."""
        for operator_id, operators in self._assignment.contested.items():
            yield RestoreWarning(
                WarningRule.ID_CLAIMED_TWICE,
                Severity.ERROR,
                f"{listed([o.name or str(o.generated) for o in operators])} claim one state: who gets it changes "
                "from run to run. Remove the uid hash that names an operator still in the job.",
                operator=operator_id,
            )
        for operator_id, (vertex, operator) in self._assignment.taken.items():
            state = self._states[operator_id]
            if state.has_state and state.name and operator.name and state.name != operator.name:
                yield self._renamed(state, vertex, operator)
        if self._savepoint.metadata_version < 5 and any(self._states[i].has_state for i in self._assignment.taken):
            yield RestoreWarning(
                WarningRule.IDENTITY_NOT_VERIFIABLE,
                Severity.INFO,
                f"Metadata version {self._savepoint.metadata_version} stores no operator names, so the "
                "gate cannot see two operators that swapped their uids or positions: Flink gives each the state of the "
                "other. Compare the revisions with check.",
            )

    def _renamed(self, state: OperatorState, vertex: CandidateVertex, operator: CandidateOperator) -> RestoreWarning:
        others = (o for v in self._job.vertices for o in v.all_operators if o is not operator)
        elsewhere = any(o.name == state.name for o in others)
        return RestoreWarning(
            WarningRule.OPERATOR_MISASSIGNED,
            Severity.ERROR if elsewhere else Severity.INFO,
            f"The snapshot's state of {state.name!r} goes to {operator.name!r}, while {state.name!r} is still in "
            "the job under another id: each may get the other's state, without a message."
            if elsewhere
            else f"The snapshot's state of {state.name!r} goes to {operator.name!r}: renamed, or another operator "
            "under the same id. Names play no part in matching.",
            operator=state.operator_id,
            vertex=vertex.id,
            bytes=state.state_size,
        )

    def whole(self) -> Iterator[RestoreWarning]:
        """What concerns the snapshot as a whole."""
        savepoint = self._savepoint
        if savepoint.master_states:
            yield RestoreWarning(
                WarningRule.MASTER_STATE_IGNORED,
                Severity.WARNING,
                f"State of master hooks ({listed([m.name for m in savepoint.master_states])}) is ignored unless "
                "the candidate has hooks; with hooks, but none of that name, Flink refuses without the allow flag.",
            )
        if savepoint.files and savepoint.files.unreachable:
            yield RestoreWarning(
                WarningRule.FILES_NOT_CHECKED,
                Severity.INFO,
                f"{savepoint.files.total - savepoint.files.checked} of {savepoint.files.total} state files were "
                f"not looked for: {savepoint.files.unreachable[0]}",
            )
        if self._job.flink is None:
            yield RestoreWarning(
                WarningRule.FLINK_VERSION_NOT_CHECKED,
                Severity.INFO,
                f"Whether the candidate's Flink reads metadata version {savepoint.metadata_version} was not "
                "checked: no version was given (--flink).",
            )
