"""Named states of one operator: what the snapshot holds against what the candidate registers.

The last moment of a restore: the backend is there, the program asks for its states. What it does not ask for stays
inside, without a message.
"""

from dataclasses import dataclass, field

from checker.compare.fit.types import Fit
from checker.compare.restore.backends import backend_refusals, key_fit
from checker.compare.restore.refusals import Refusal, bytes_text
from checker.compare.restore.state import KEYED_KINDS, KIND_WORDS, MODES, fit_state, keyed
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.findings import Severity, Verdict
from checker.model.restore import CandidateOperator, RestoreWarning, StateOutcome, WarningRule
from checker.model.savepoint import OperatorState
from checker.model.state_handles import BackendStateType, StateHeaders, StateMeta

BUILT_IN = frozenset(
    {
        "window-contents", "merging-window-set", "count", "fire-time", "last-element", "_op_state", "LEFT_BUFFER",
        "RIGHT_BUFFER", "nfaStateName", "eventQueuesStateName", "sharedBuffer-events",
        "sharedBuffer-entries-with-lockable-edges", "sharedBuffer-events-count", "SourceReaderState",
        "writer_raw_states", "streaming_committer_raw_states", "_async_wait_operator_state_",
        "topic-partition-offset-states", "state", "pending-checkpoints", "bucket-states", "max-part-counter", "splits",
        "file-monitoring-state",
    }
)  # fmt: skip
"""States that Flink's own operators register: no descriptor of the program stands for them."""


@dataclass(slots=True)
class StatesComparison:
    """The result for all states of one operator."""

    refusals: list[Refusal] = field(default_factory=list)
    outcomes: list[StateOutcome] = field(default_factory=list)
    warnings: list[RestoreWarning] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


class StateComparer:
    """Compares the states of one operator with those that its successor registers."""

    def __init__(
        self, state: OperatorState, operator: CandidateOperator, flink: str | None, state_backend: str | None
    ) -> None:
        self._state = state
        self._operator = operator
        self._flink = flink
        self._backend = state_backend
        self._headers = state.headers or StateHeaders()
        self._result = StatesComparison()

    def compare(self) -> StatesComparison:
        """Refusals in Flink's order, an outcome for every state, and warnings."""
        refusals, warnings = backend_refusals(self._state, self._operator, self._backend)
        self._result.refusals += refusals
        self._result.warnings += warnings
        self._result.open += (f"{self._called}: {problem}" for problem in self._headers.problems)
        metas = [m for m in self._headers.states if m.backend_type is not BackendStateType.PRIORITY_QUEUE]
        declared = self._operator.states
        if declared is None:
            self._not_compared(metas)
        else:
            key = key_fit(self._state, self._operator)
            if key.fit is Fit.OPEN:
                self._result.open.append(f"the key of {self._called} was not compared: {key.why}")
            self._compare_declared(metas, declared)
        for meta in self._headers.states:
            if meta.backend_type is BackendStateType.PRIORITY_QUEUE:
                self._outcome(meta, Verdict.RESTORES, "")
        return self._result

    @property
    def _called(self) -> str:
        return self._state.name or self._operator.name or self._state.operator_id

    def _lost(self, meta: StateMeta, rule: WarningRule, message: str) -> None:
        """A warning about one state, with what it is called and how much there is of it."""
        message = f"{self._described(meta)} {message}"
        own, size = self._state.operator_id, self._size_of(meta)
        self._result.warnings.append(
            RestoreWarning(rule, Severity.ERROR, message, operator=own, state=meta.name, bytes=size)
        )

    def _outcome(self, meta: StateMeta, verdict: Verdict, reason: str) -> None:
        self._result.outcomes.append(StateOutcome(name=meta.name, kind=meta.kind, verdict=verdict, reason=reason))

    def _size_of(self, meta: StateMeta) -> int:
        """The bytes of all states of its kind: snapshots do not separate them."""
        return self._state.sizes.managed_keyed if keyed(meta) else self._state.sizes.managed_operator

    def _described(self, meta: StateMeta) -> str:
        """```lastSeen` (MapState, 1.2 GB in 128 key groups)``; "among" where other states have a part of them."""
        others = sum(keyed(m) == keyed(meta) for m in self._headers.states)
        size = ("among " if others > 1 else "") + bytes_text(self._size_of(meta))
        groups = f" in {self._state.key_groups} key groups" if keyed(meta) else ""
        return f"`{meta.name}` ({KIND_WORDS.get(meta.kind, meta.kind)}, {size}{groups})"

    def _not_compared(self, metas: list[StateMeta]) -> None:
        for meta in metas:
            self._outcome(meta, Verdict.RESTORES, "")
        if any(m.name not in BUILT_IN or m.name == "window-contents" for m in metas):
            self._result.open.append(
                f"the states of {self._called} were not compared: the candidate does not say what it registers"
            )

    def _compare_declared(self, metas: list[StateMeta], declared: tuple[StateDescriptor, ...]) -> None:
        by_name: dict[tuple[str, bool], StateDescriptor] = {}
        for state in declared:
            if isinstance(state.name, str) and isinstance(state.kind, StateKind):
                by_name[state.name, state.kind in MODES] = state
        heirs = {former: state for state in declared for former in state.formerly}
        seen: set[str] = set()
        for meta in metas:
            heir = heirs.get(meta.name)
            descriptor = by_name.get((meta.name, not keyed(meta)))
            if descriptor is not None:
                seen.add(meta.name)
                self._compare_one(meta, descriptor)
            elif heir is not None or meta.name in BUILT_IN:
                self._outcome(meta, Verdict.RESTORES, "")
                seen.add(str(heir.name) if heir is not None else "")
            else:
                self._orphan(meta)
        if self._headers.states or self._state.operator_states:
            self._starting_empty(declared, seen)

    def _orphan(self, meta: StateMeta) -> None:
        self._outcome(meta, Verdict.DROPPED, "has no reader in the candidate")
        self._lost(
            meta,
            WarningRule.STATE_ORPHANED,
            "has no reader in the candidate. Values without a reader stay in every later savepoint, their name can't "
            "be used with another type, and they come back, out of date, if it is registered again. Rename the state "
            "back, or remove it with the State Processor API.",
        )

    def _starting_empty(self, declared: tuple[StateDescriptor, ...], seen: set[str]) -> None:
        for descriptor in declared:
            name, kind = descriptor.name, descriptor.kind
            if not isinstance(name, str) or not isinstance(kind, StateKind) or name in seen:
                continue
            if kind in (StateKind.TIMERS, StateKind.COORDINATOR):
                continue
            spelled = KEYED_KINDS.get(kind) or MODES.get(kind, kind.value)
            self._result.outcomes.append(
                StateOutcome(name=name, kind=spelled, verdict=Verdict.STARTS_EMPTY, reason="not in the snapshot")
            )

    def _compare_one(self, meta: StateMeta, descriptor: StateDescriptor) -> None:
        found = fit_state(meta, descriptor, self._flink, self._backend)
        self._outcome(meta, found.verdict, f"type not compared: {found.reason}" if found.open else found.reason)
        if found.rule is not None:
            undecided, own = found.verdict is Verdict.UNDECIDED, self._state.operator_id
            self._result.refusals.append(
                Refusal(found.rule, found.reason, own, moment=found.moment, undecided=undecided, concerns=(own,))
            )
        elif found.verdict is Verdict.DROPPED:
            self._lost(
                meta,
                WarningRule.LIST_BROADCAST_SWAPPED,
                f"{found.reason}. The next savepoint holds the name in both kinds and can't be restored by any "
                "program. Use a new name.",
            )
        elif found.open:
            self._result.open.append(f"the type of state {meta.name} was not compared")
