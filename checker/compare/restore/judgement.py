"""One savepoint, one candidate, one way to start it: Flink's verdict before Flink gives it."""

from dataclasses import replace

from checker.compare.restore.initialization import initialization_refusals
from checker.compare.restore.matching import Assignment, assign
from checker.compare.restore.refusals import Refusal, bytes_text, listed
from checker.compare.restore.states import StateComparer, StatesComparison
from checker.compare.restore.successors import counterpart
from checker.compare.restore.warnings import silent_effects
from checker.model.findings import RESTORE_PATHS, RestorePath, Severity, Verdict
from checker.model.restore import (
    Attempt,
    CandidateJob,
    CandidateOperator,
    CandidateVertex,
    Counterpart,
    Moment,
    OperatorOutcome,
    RestoreRule,
    WarningRule,
)
from checker.model.savepoint import OperatorState, Savepoint
from checker.model.translation import OperatorId


def judge_all(savepoint: Savepoint, job: CandidateJob) -> tuple[Attempt, ...]:
    """The attempts of every path."""
    if job.failure is not None or job.refusal is not None:
        return tuple(_without_graph(savepoint, job, path, allow) for path, allow in RESTORE_PATHS)
    judged = _Judgement(savepoint, job)
    return tuple(judged.attempt(path, allow) for path, allow in RESTORE_PATHS)


def unreadable(path: str, job: CandidateJob, message: str) -> tuple[Attempt, ...]:
    """The attempts on metadata that can't be read: Flink fails as well, before it looks at the job."""
    return tuple(
        Attempt(
            savepoint=path,
            pipeline=job.name,
            path=restore,
            allow_non_restored_state=allow,
            verdict=Verdict.FAILS,
            rule=RestoreRule.UNREADABLE_METADATA,
            moment=Moment.JOB_INITIALIZATION,
            message=message,
        )
        for restore, allow in RESTORE_PATHS
    )


def _without_graph(savepoint: Savepoint, job: CandidateJob, path: RestorePath, allow: bool) -> Attempt:
    refused = job.refusal is not None
    return Attempt(
        savepoint=savepoint.path,
        pipeline=job.name,
        path=path,
        allow_non_restored_state=allow,
        verdict=Verdict.FAILS if refused else Verdict.UNDECIDED,
        rule=RestoreRule.REFUSED_PROGRAM if refused else RestoreRule.UNREAD_PIPELINE,
        message=(
            f"Flink does not build this job: {job.refusal}" if refused else f"The pipeline was not read: {job.failure}"
        ),
        operators=tuple(
            _snapshot_row(state, Verdict.FAILS if refused else Verdict.UNDECIDED, "the candidate has no job graph")
            for state in savepoint.operators
        ),
    )


class _Judgement:
    """A judgement; what does not depend on path and flag is computed once."""

    def __init__(self, savepoint: Savepoint, job: CandidateJob) -> None:
        self._savepoint = savepoint
        self._job = job
        self._assignment: Assignment = assign(savepoint, job)
        self._states: dict[OperatorId, StatesComparison] = {}
        self._counterparts: dict[OperatorId, Counterpart | None] = {}
        free = [operator for _vertex, operator in self._assignment.without_state()]
        for state in savepoint.operators:
            owner = self._assignment.taken.get(state.operator_id)
            if owner is not None:
                comparer = StateComparer(state, owner[1], job.flink, job.state_backend)
                self._states[state.operator_id] = comparer.compare()
            elif state.has_state:
                self._counterparts[state.operator_id] = counterpart(state, free)

    def attempt(self, path: RestorePath, allow: bool) -> Attempt:
        """One path, one flag."""
        refusals = list(initialization_refusals(self._savepoint, self._assignment, path, allow))
        refusals += self._task_refusals()
        certain = [r for r in refusals if not r.undecided]
        first = next(iter(certain or refusals), None)
        warnings = silent_effects(self._savepoint, self._assignment, path, allow)
        for compared in self._states.values():
            warnings += compared.warnings
        verdict = Verdict.FAILS if certain else Verdict.UNDECIDED if refusals else Verdict.RESTORES
        wrong = [w for w in warnings if w.rule is WarningRule.OPERATOR_MISASSIGNED and w.severity is Severity.ERROR]
        misassigned = {w.operator for w in wrong}
        concerned = {concern: refusal for refusal in reversed(refusals) for concern in reversed(refusal.concerns)}
        states = (
            self._state_row(s, path, allow, concerned.get(s.operator_id), wrong=s.operator_id in misassigned)
            for s in self._savepoint.operators
        )
        rows = (*states, *(_candidate_row(*placed) for placed in self._assignment.without_state()))
        return Attempt(
            savepoint=self._savepoint.path,
            pipeline=self._job.name,
            path=path,
            allow_non_restored_state=allow,
            verdict=verdict,
            rule=first.rule if first else None,
            moment=first.moment if first else None,
            operator=first.operator if first else None,
            vertex=first.vertex if first else None,
            message=first.message if first else _restored_message(rows),
            also=tuple(dict.fromkeys(r.message for r in refusals if r is not first)),
            operators=rows,
            warnings=tuple(sorted(warnings, key=lambda w: (-w.severity.rank, -w.bytes))),
            open_questions=tuple(dict.fromkeys(q for s in self._states.values() for q in s.open)),
        )

    def _task_refusals(self) -> list[Refusal]:
        """Moments B and C: missing files first, then the states of the operators that take them."""
        files = self._savepoint.files
        missing = [
            Refusal(
                RestoreRule.MISSING_STATE_FILE,
                f"{listed(files.missing)} (No such file or directory): Could not restore state of operator {owner} "
                "from any of the 1 provided restore options.",
                operator=owner,
                moment=Moment.TASK_RESTORE,
                concerns=(owner,),
            )
            for owner in (() if files is None else files.owners)
            if files is not None and owner in self._assignment.taken
        ]
        compared = [r for s in self._states.values() for r in s.refusals]
        return missing + sorted(compared, key=lambda r: r.moment is not Moment.TASK_RESTORE)

    def _state_row(
        self, state: OperatorState, path: RestorePath, allow: bool, refusal: Refusal | None, *, wrong: bool
    ) -> OperatorOutcome:
        owner = self._assignment.taken.get(state.operator_id)
        if owner is None:
            verdict, reason = self._unclaimed(state, path, allow, refusal)
            return replace(_snapshot_row(state, verdict, reason), counterpart=self._counterparts.get(state.operator_id))
        vertex, operator = owner
        coordinator = None
        if state.has_coordinator_state:
            found = operator.coordinator and operator.generated == state.operator_id
            coordinator = Verdict.RESTORES if found else Verdict.DROPPED
        if refusal is not None:
            verdict, reason = (Verdict.UNDECIDED if refusal.undecided else Verdict.FAILS), refusal.message
        elif state.operator_id in self._assignment.contested:
            reason = "several operators claim this state: who gets it changes from run to run"
            verdict = Verdict.UNDECIDED
        elif not state.has_state:
            verdict, reason = Verdict.STATELESS, "finished" if state.fully_finished else "no state"
        elif wrong:
            verdict, reason = Verdict.MISASSIGNED, "the id now names another operator of the job"
        else:
            verdict, reason = Verdict.RESTORES, ""
        return replace(
            _snapshot_row(state, verdict, reason),
            name=state.name or operator.name,
            uid=state.uid or operator.uid,
            claimed_by=operator.generated,
            vertex=vertex.id,
            new_parallelism=vertex.parallelism,
            new_max_parallelism=vertex.max_parallelism,
            coordinator=coordinator,
            states=tuple(self._states[state.operator_id].outcomes),
            location=operator.location,
        )

    def _unclaimed(
        self, state: OperatorState, path: RestorePath, allow: bool, refusal: Refusal | None
    ) -> tuple[Verdict, str]:
        if refusal is not None:
            reason = refusal.message if refusal.undecided else "no operator of the candidate claims it"
            return (Verdict.UNDECIDED if refusal.undecided else Verdict.FAILS), reason
        if not state.has_state:
            return Verdict.STATELESS, "finished" if state.fully_finished else "no state: dropped without a flag"
        if state.operator_id in self._assignment.places_of:
            return Verdict.DROPPED, "its operator takes the state under its uid hash instead"
        if path is RestorePath.SAVEPOINT and allow:
            return Verdict.DROPPED, "no operator of the candidate claims it"
        return Verdict.FAILS, "no operator of the candidate claims it"


def _snapshot_row(state: OperatorState, verdict: Verdict, reason: str) -> OperatorOutcome:
    return OperatorOutcome(
        id=state.operator_id,
        name=state.name,
        uid=state.uid or None,
        claimed_by=None,
        vertex=None,
        verdict=verdict,
        reason=reason,
        bytes=state.state_size,
        key_groups=state.key_groups,
        parallelism=state.parallelism,
        max_parallelism=state.max_parallelism,
    )


def _candidate_row(vertex: CandidateVertex, operator: CandidateOperator) -> OperatorOutcome:
    if operator.generated is None:
        verdict, reason = Verdict.UNDECIDED, "its id could not be computed"
    elif operator.coordinator or operator.stateful:
        verdict, reason = Verdict.STARTS_EMPTY, "not in the snapshot"
    elif operator.stateful is None:
        verdict, reason = Verdict.STARTS_EMPTY, "not in the snapshot; it may keep state"
    else:
        verdict, reason = Verdict.STATELESS, "not in the snapshot"
    return OperatorOutcome(
        id=operator.generated,
        name=operator.name,
        uid=operator.uid,
        claimed_by=operator.generated,
        vertex=vertex.id,
        verdict=verdict,
        reason=reason,
        new_parallelism=vertex.parallelism,
        new_max_parallelism=vertex.max_parallelism,
        in_snapshot=False,
        location=operator.location,
    )


def _restored_message(rows: tuple[OperatorOutcome, ...]) -> str:
    kept = [r for r in rows if r.verdict is Verdict.RESTORES]
    lost = [r for r in rows if r.verdict in (Verdict.DROPPED, Verdict.MISASSIGNED, Verdict.UNDECIDED) and r.in_snapshot]
    who = "1 operator gets" if len(kept) == 1 else f"{len(kept)} operators get"
    text = f"{who} {bytes_text(sum(r.bytes for r in kept))} of state back"
    if lost:
        names = listed([r.name or str(r.id) for r in lost])
        text += f"; {bytes_text(sum(r.bytes for r in lost))} do not come back as they were ({names})"
    for row in kept:
        unread = [state.name for state in row.states if state.verdict is Verdict.DROPPED]
        text += f"; nothing reads {listed(unread)} of {row.name or row.id}" if unread else ""
    return f"{text}."
