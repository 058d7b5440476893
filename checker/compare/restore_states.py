"""Named states: what the snapshot holds against what the candidate registers.

The last moment of a restore: the backend is there, the program asks for its states. Flink's order for one state is
kind, then serializer. Established on Flink 1.18.1, 1.20.5 and 2.3.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.compare.restore_backends import backend_refusals, on_heap
from checker.compare.restore_refusals import Refusal
from checker.compare.restore_text import bytes_text, listed
from checker.compare.restore_types import Likeness, compare_type, written_as
from checker.compare.ttl import ttl_fit
from checker.compare.type_fit import Fit
from checker.model.findings import Severity, Verdict
from checker.model.restore import (
    CandidateOperator,
    Moment,
    RestoreRule,
    RestoreWarning,
    StateOutcome,
    WarningRule,
)
from checker.model.savepoint import (
    BackendStateType,
    OperatorState,
    SerializerSnapshot,
    StateHeaders,
    StateMeta,
)
from checker.model.topology import StateDescriptor, StateKind, Unknown

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

_KEYED = {
    StateKind.VALUE: "VALUE",
    StateKind.LIST: "LIST",
    StateKind.MAP: "MAP",
    StateKind.REDUCING: "REDUCING",
    StateKind.AGGREGATING: "AGGREGATING",
}
_MODES = {
    StateKind.OPERATOR_LIST: "SPLIT_DISTRIBUTE",
    StateKind.OPERATOR_UNION_LIST: "UNION",
    StateKind.BROADCAST: "BROADCAST",
}
_WORDS = {
    "VALUE": "ValueState", "LIST": "ListState", "MAP": "MapState", "REDUCING": "ReducingState",
    "AGGREGATING": "AggregatingState", "SPLIT_DISTRIBUTE": "operator ListState", "UNION": "union ListState",
    "BROADCAST": "BroadcastState", "PRIORITY_QUEUE": "timers",
}  # fmt: skip


@dataclass(slots=True)
class StatesComparison:
    """What the states of one operator come to."""

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
        metas = [m for m in self._headers.states if m.backend_type is not BackendStateType.PRIORITY_QUEUE]
        declared = self._operator.states
        if declared is None:
            self._not_compared(metas)
        else:
            self._compare_declared(metas, declared)
        for meta in self._headers.states:
            if meta.backend_type is BackendStateType.PRIORITY_QUEUE:
                self._outcome(meta, Verdict.RESTORES, "")
        self._windows()
        return self._result

    def _refuse(self, rule: RestoreRule, message: str, moment: Moment, *, undecided: bool = False) -> None:
        self._result.refusals.append(
            Refusal(
                rule=rule,
                message=message,
                operator=self._state.operator_id,
                moment=moment,
                undecided=undecided,
                concerns=(self._state.operator_id,),
            )
        )

    def _warn(
        self, rule: WarningRule, severity: Severity, message: str, state: str | None = None, size: int = 0
    ) -> None:
        self._result.warnings.append(
            RestoreWarning(
                rule=rule,
                severity=severity,
                message=message,
                operator=self._state.operator_id,
                state=state,
                bytes=size,
            )
        )

    def _outcome(self, meta: StateMeta, verdict: Verdict, reason: str) -> None:
        self._result.outcomes.append(
            StateOutcome(
                name=meta.name,
                kind=meta.kind,
                verdict=verdict,
                reason=reason,
                bytes=dict(self._headers.sizes).get(meta.name),
            )
        )

    def _size_of(self, meta: StateMeta) -> int:
        if not _keyed(meta):
            return self._state.sizes.managed_operator
        return dict(self._headers.sizes).get(meta.name, self._state.sizes.managed_keyed)

    def _described(self, meta: StateMeta) -> str:
        """```lastSeen` (MapState, 1.2 GB in 128 key groups)``; "among" where the states' bytes can't be told apart."""
        others = sum(_keyed(m) == _keyed(meta) for m in self._headers.states)
        size = bytes_text(self._size_of(meta))
        if _keyed(meta) and self._headers.sizes:
            size = size if self._headers.sizes_exact else f"about {size}"
        elif others > 1:
            size = f"among {size}"
        groups = f" in {self._state.key_groups} key groups" if _keyed(meta) else ""
        return f"`{meta.name}` ({_WORDS.get(meta.kind, meta.kind)}, {size}{groups})"

    def _not_compared(self, metas: list[StateMeta]) -> None:
        own = [m for m in metas if m.name not in BUILT_IN or m.name == "window-contents"]
        for meta in metas:
            self._outcome(meta, Verdict.RESTORES, "")
        names = [f"`{m.name}`" for m in own]
        if not self._headers.states and self._headers.problems:
            self._result.open.append(self._headers.problems[0])
        if not own:
            return
        self._warn(
            WarningRule.STATES_NOT_COMPARED,
            Severity.INFO,
            f"Holds {listed(names)}. Which states the candidate registers, and with which types, is not known here: a "
            "renamed or removed one starts empty and stays inside, in every later savepoint, without a message (and "
            "comes back with stale values if its name is used again); a retyped one fails when it is asked for.",
            size=self._state.state_size,
        )
        name = self._state.name or self._operator.name or self._state.operator_id
        self._result.open.append(
            f"the states of {name} were not compared: the candidate does not say what it registers (a revision does, "
            "or `states` in the job graph)"
        )

    def _compare_declared(self, metas: list[StateMeta], declared: tuple[StateDescriptor, ...]) -> None:
        by_name: dict[tuple[str, bool], StateDescriptor] = {}
        for one in declared:
            if isinstance(one.name, str) and isinstance(one.kind, StateKind):
                by_name[one.name, one.kind in _MODES] = one
        seen: set[str] = set()
        for meta in metas:
            descriptor = by_name.get((meta.name, not _keyed(meta)))
            if descriptor is not None:
                seen.add(meta.name)
                self._compare_one(meta, descriptor)
            elif meta.name in BUILT_IN:
                self._outcome(meta, Verdict.RESTORES, "")
            else:
                self._orphan(meta)
        if self._headers.states or self._state.operator_states:
            self._starting_empty(declared, seen)

    def _orphan(self, meta: StateMeta) -> None:
        reason = "has no reader in the candidate: kept inside the operator and written into every later savepoint"
        self._outcome(meta, Verdict.DROPPED, reason)
        self._warn(
            WarningRule.STATE_ORPHANED,
            Severity.WARNING,
            f"{self._described(meta)} {reason}, without a message. Rename it back, or remove it with the State "
            "Processor "
            "API; its name is blocked for other types, and its stale values come back if it is registered again.",
            state=meta.name,
            size=self._size_of(meta),
        )

    def _starting_empty(self, declared: tuple[StateDescriptor, ...], seen: set[str]) -> None:
        for descriptor in declared:
            name, kind = descriptor.name, descriptor.kind
            if not isinstance(name, str) or not isinstance(kind, StateKind) or name in seen:
                continue
            if kind in (StateKind.TIMERS, StateKind.COORDINATOR):
                continue
            spelled = _KEYED.get(kind) or _MODES.get(kind, kind.value)
            self._result.outcomes.append(
                StateOutcome(name=name, kind=spelled, verdict=Verdict.STARTS_EMPTY, reason="not in the snapshot")
            )
            self._warn(
                WarningRule.STATE_STARTS_EMPTY,
                Severity.INFO,
                f"`{name}` ({_WORDS.get(spelled, spelled)}) is not in the snapshot: it starts empty in an operator "
                "that "
                "is restored.",
                state=name,
            )

    def _compare_one(self, meta: StateMeta, descriptor: StateDescriptor) -> None:
        kind = descriptor.kind
        assert isinstance(kind, StateKind)
        if kind in _MODES:
            self._compare_operator_state(meta, descriptor, kind)
            return
        new = _KEYED.get(kind)
        if new is not None and meta.kind not in (new, "UNKNOWN"):
            message = f"Incompatible key/value state types. Was [{meta.kind}], registered with [{new}]."
            self._state_fails(meta, RestoreRule.STATE_KIND_CHANGED, message)
            return
        value = meta.serializer("VALUE_SERIALIZER")
        if value is None:
            self._leave_open(meta, "the serializer that wrote it could not be read")
            return
        parts: list[tuple[str | Unknown | None, SerializerSnapshot | None]]
        if kind is StateKind.MAP:
            user_key = meta.serializer("USER_KEY_SERIALIZER") or _nested(value, 0)
            written = _nested(value, 1) if value.nested else value
            parts = [(descriptor.key_type, user_key), (descriptor.value_type, written)]
        elif kind is StateKind.LIST:
            parts = [(descriptor.value_type, _nested(value, 0) if value.nested else value)]
        else:
            parts = [(descriptor.value_type, value)]
        if not self._compare_ttl(meta, descriptor, parts[-1][1]):
            return
        self._compare_parts(meta, descriptor, parts)

    def _compare_operator_state(self, meta: StateMeta, descriptor: StateDescriptor, kind: StateKind) -> None:
        new = _MODES[kind]
        if meta.kind != new:
            if "BROADCAST" in (meta.kind, new):
                reason = f"was {_WORDS[meta.kind]}, is registered as {_WORDS[new]}: starts empty, and is not detected"
                self._outcome(meta, Verdict.DROPPED, reason)
                self._warn(
                    WarningRule.LIST_BROADCAST_SWAPPED,
                    Severity.ERROR,
                    f"{self._described(meta)} {reason}. The next savepoint holds the name in both kinds and can't be "
                    "restored by any program. Use a new name.",
                    state=meta.name,
                    size=self._size_of(meta),
                )
                return
            message = f"Incompatible state assignment modes. Was [{meta.kind}], registered with [{new}]."
            self._state_fails(meta, RestoreRule.DISTRIBUTION_MODE_CHANGED, message)
            return
        parts = [(descriptor.value_type, meta.serializer("VALUE_SERIALIZER"))]
        if kind is StateKind.BROADCAST:
            parts.insert(0, (descriptor.key_type, meta.serializer("KEY_SERIALIZER")))
        self._compare_parts(meta, descriptor, parts)

    def _compare_ttl(self, meta: StateMeta, descriptor: StateDescriptor, written: SerializerSnapshot | None) -> bool:
        """Whether there is anything left to compare behind TTL."""
        had = written is not None and written.class_name.endswith("TtlSerializerSnapshot")
        if descriptor.ttl is None:
            if had:
                self._leave_open(meta, "it was written with TTL, and whether it still has one is not known")
            return not had
        fit = (
            Fit.SAME
            if descriptor.ttl == had
            else ttl_fit(self._flink, on_heap(self._backend) if self._backend else None)
        )
        if fit is Fit.SAME:
            return True
        now, before = ("on" if on else "off" for on in (descriptor.ttl, had))
        if fit is Fit.INCOMPATIBLE:
            message = self._incompatible(meta, f"TTL {now}", f"TTL {before}")
            self._state_fails(meta, RestoreRule.STATE_TTL_CHANGED, message)
            return False
        self._refuse(
            RestoreRule.STATE_TTL_CHANGED,
            f"TTL of state `{meta.name}` is switched {now}: Flink takes the state over from 2.1 (RocksDB) and 2.2 "
            "(heap) on, and refuses it before. Say which with --flink and --state-backend.",
            Moment.STATE_REGISTRATION,
            undecided=True,
        )
        self._outcome(meta, Verdict.UNDECIDED, "TTL switched")
        return False

    def _compare_parts(
        self,
        meta: StateMeta,
        descriptor: StateDescriptor,
        parts: list[tuple[str | Unknown | None, SerializerSnapshot | None]],
    ) -> None:
        if descriptor.serializer is not None or descriptor.kind is StateKind.AGGREGATING:
            self._leave_open(meta, "its serializer or accumulator type is not known from the descriptor")
            return
        reasons: list[str] = []
        for spelled, snapshot in parts:
            text = spelled if isinstance(spelled, str) else None
            found = compare_type(text, _without_ttl(snapshot), descriptor.classes)
            if found.likeness is Likeness.DIFFERENT:
                old = written_as(snapshot) if snapshot else "?"
                message = self._incompatible(meta, text or "?", old)
                because = "" if found.reason.startswith("written as") else f" {found.reason}."
                self._state_fails(meta, RestoreRule.STATE_TYPE_CHANGED, message + because, self._moment(meta, snapshot))
                return
            if found.likeness is Likeness.OPEN:
                reasons.append(found.reason)
        if reasons:
            self._leave_open(meta, reasons[0])
        else:
            self._outcome(meta, Verdict.RESTORES, "same name, kind and serializer")

    def _incompatible(self, meta: StateMeta, new: str, old: str) -> str:
        if meta.backend_type in (BackendStateType.OPERATOR, BackendStateType.BROADCAST):
            return (
                f"The new state typeSerializer for operator state must not be incompatible. (`{meta.name}`: {old} → "
                f"{new})"
            )
        return (
            f"The new state serializer ({new}) must not be incompatible with the old state serializer ({old}). "
            f"(`{meta.name}`)"
        )

    def _moment(self, meta: StateMeta, written: SerializerSnapshot | None) -> Moment:
        """The heap backend reads objects with the old serializer at once: a POJO that does not fit fails there."""
        pojo = written is not None and bool(written.fields) and _keyed(meta)
        heap = self._backend is not None and on_heap(self._backend)
        return Moment.TASK_RESTORE if pojo and heap else Moment.STATE_REGISTRATION

    def _state_fails(
        self, meta: StateMeta, rule: RestoreRule, message: str, moment: Moment = Moment.STATE_REGISTRATION
    ) -> None:
        self._outcome(meta, Verdict.FAILS, message)
        self._refuse(rule, message, moment)

    def _leave_open(self, meta: StateMeta, reason: str) -> None:
        self._outcome(meta, Verdict.RESTORES, f"type not compared: {reason}")
        self._warn(
            WarningRule.TYPE_NOT_COMPARED,
            Severity.INFO,
            f"Whether {self._described(meta)} still has a compatible type is not known: {reason}.",
            state=meta.name,
            size=self._size_of(meta),
        )
        self._result.open.append(f"the type of state {meta.name} was not compared")

    def _windows(self) -> None:
        if any(m.name == "window-contents" for m in self._headers.states):
            self._warn(
                WarningRule.OPEN_WINDOWS,
                Severity.INFO,
                "Open windows keep the bounds they were opened with, also if the window's size was changed.",
            )


def _keyed(meta: StateMeta) -> bool:
    return meta.backend_type not in (BackendStateType.OPERATOR, BackendStateType.BROADCAST)


def _nested(snapshot: SerializerSnapshot, place: int) -> SerializerSnapshot | None:
    return snapshot.nested[place] if place < len(snapshot.nested) else None


def _without_ttl(snapshot: SerializerSnapshot | None) -> SerializerSnapshot | None:
    """``TtlSerializer`` wraps (timestamp, value): the serializer of the value."""
    if snapshot is not None and snapshot.class_name.endswith("TtlSerializerSnapshot"):
        return _nested(snapshot, 1)
    return snapshot
