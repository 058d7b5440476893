"""Refusals while the state backend is built from a snapshot, before the program asks for any state."""

from __future__ import annotations

from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.types import Fit
from checker.compare.restore.refusals import Refusal
from checker.compare.restore.written import fit_of_written, written_as
from checker.model.findings import Severity
from checker.model.restore import CandidateOperator, Moment, RestoreRule, RestoreWarning, WarningRule
from checker.model.savepoint import OperatorState
from checker.model.state_handles import KeyedKind
from checker.model.state_headers import BackendStateType, StateHeaders

_HEAP = ("heap", "hashmap", "memory", "filesystem", "jobmanager")
"""Names of the backend that keeps keyed state on the heap, old and new."""


def backend_refusals(
    state: OperatorState, operator: CandidateOperator, state_backend: str | None
) -> tuple[list[Refusal], list[RestoreWarning]]:
    """Formats, clashing names and the key serializer of one operator, and what could not be compared."""
    warnings = _unknown_backend(state) if state_backend is None else []
    refusals = [] if state_backend is None else _format(state, state_backend)
    return [*refusals, *_name_in_both_kinds(state), *_key(state, operator)], warnings


def on_heap(state_backend: str) -> bool:
    """Whether the backend of that name, old or new, keeps keyed state on the heap."""
    return state_backend.lower() in _HEAP


def _own_formats(state: OperatorState) -> list[KeyedKind]:
    """Formats that only one backend reads; a changelog hides them."""
    if KeyedKind.CHANGELOG in state.keyed_kinds:
        return []
    return [k for k in state.keyed_kinds if k in (KeyedKind.HEAP, KeyedKind.INCREMENTAL)]


def _refusal(state: OperatorState, rule: RestoreRule, message: str) -> Refusal:
    return Refusal(rule, message, operator=state.operator_id, moment=Moment.TASK_RESTORE, concerns=(state.operator_id,))


def _unknown_backend(state: OperatorState) -> list[RestoreWarning]:
    kinds = _own_formats(state)
    if not kinds:
        return []
    written = "the heap backend" if kinds[0] is KeyedKind.HEAP else "RocksDB or ForSt"
    return [
        RestoreWarning(
            WarningRule.STATE_BACKEND_NOT_COMPARED,
            Severity.INFO,
            f"Keyed state is in the own format of {written}: it restores on the same backend only, and which one "
            "the candidate runs on was not said (--state-backend).",
            operator=state.operator_id,
        )
    ]


def _format(state: OperatorState, state_backend: str) -> list[Refusal]:
    kinds = _own_formats(state)
    heap = on_heap(state_backend)
    if heap and KeyedKind.INCREMENTAL in kinds:
        message = (
            "Unexpected state handle type, expected one of: class org.apache.flink.runtime.state.KeyGroupsStateHandle, "
            "but found: class org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle. This can mostly happen "
            "when a different StateBackend from the one that was used for taking a checkpoint/savepoint is used when "
            "restoring."
        )
    elif not heap and KeyedKind.HEAP in kinds:
        message = (
            f"Keyed state is in the heap backend's own format, which {state_backend} can't read: Flink fails with an "
            "EOFException or an index out of bounds. Take a canonical savepoint to change the backend."
        )
    else:
        return []
    return [_refusal(state, RestoreRule.STATE_BACKEND_MISMATCH, message)]


def _name_in_both_kinds(state: OperatorState) -> list[Refusal]:
    headers = state.headers or StateHeaders()
    lists = {m.name for m in headers.states if m.backend_type is BackendStateType.OPERATOR}
    return [
        _refusal(
            state,
            RestoreRule.NAME_IN_BOTH_KINDS,
            f"State {meta.name!r} is stored as list and as broadcast state, of which the handle keeps one: Flink fails "
            "with NullPointerException: You cannot add null to a ListState. Remove the operator's state with the State "
            "Processor API, or give the operator another uid.",
        )
        for meta in headers.states
        if meta.backend_type is BackendStateType.BROADCAST and meta.name in lists
    ]


def _key(state: OperatorState, operator: CandidateOperator) -> list[Refusal]:
    old = state.headers.key_serializer if state.headers else None
    new = operator.key_type
    if old is not None and operator.key_serializer is not None:
        exact = serializer_fit(old.tree, operator.key_serializer)
        if exact.fit is not Fit.INCOMPATIBLE:
            return []
        message = (
            f"The new key serializer ({operator.key_serializer}) must be compatible with the previous key serializer "
            f"({old.tree}): {exact.why}."
        )
        return [_refusal(state, RestoreRule.KEY_SERIALIZER_CHANGED, message)]
    if old is None or new is None:
        return []
    if fit_of_written(old, new, operator.key_classes, migrates=False).fit is not Fit.INCOMPATIBLE:
        return []
    message = (
        f"The new key serializer (for {new}) must be compatible with the previous key serializer (for "
        f"{written_as(old)})."
    )
    return [_refusal(state, RestoreRule.KEY_SERIALIZER_CHANGED, message)]
