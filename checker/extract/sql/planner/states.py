"""A savepoint of a planned job, as the states of each of its operators."""

from __future__ import annotations

from dataclasses import dataclass

from checker.model.declared_state import SerializerTree, StateDescriptor, StateKind
from checker.model.savepoint import OperatorState, Savepoint
from checker.model.state_headers import BackendStateType, StateMeta

KEYED_KINDS = {
    "VALUE": StateKind.VALUE,
    "LIST": StateKind.LIST,
    "MAP": StateKind.MAP,
    "REDUCING": StateKind.REDUCING,
    "AGGREGATING": StateKind.AGGREGATING,
}
OPERATOR_KINDS = {
    "SPLIT_DISTRIBUTE": StateKind.OPERATOR_LIST,
    "UNION": StateKind.OPERATOR_UNION_LIST,
    "BROADCAST": StateKind.BROADCAST,
}


@dataclass(frozen=True, slots=True)
class WrittenStates:
    """What one operator left in a savepoint. ``problem`` says why a part of it could not be read."""

    states: tuple[StateDescriptor, ...]
    key: SerializerTree | None
    problem: str | None = None


def states_in(savepoint: Savepoint) -> dict[str, WrittenStates]:
    """Operator id → its states."""
    return {str(operator.operator_id): _written(operator) for operator in savepoint.operators}


def _written(operator: OperatorState) -> WrittenStates:
    headers = operator.headers
    states: list[StateDescriptor] = []
    if operator.sizes.coordinator:
        states.append(StateDescriptor(name="coordinator", kind=StateKind.COORDINATOR))
    if headers is None:
        return WrittenStates(tuple(states), None)
    problem = None
    if not headers.complete:
        problem = headers.problems[0] if headers.problems else "a serializer of unknown make"
    states += [_state(meta) for meta in headers.states]
    key = headers.key_serializer
    return WrittenStates(tuple(states), None if key is None else key.tree, problem)


def _state(meta: StateMeta) -> StateDescriptor:
    if meta.backend_type is BackendStateType.PRIORITY_QUEUE:
        kind = StateKind.TIMERS
    else:
        kind = KEYED_KINDS.get(meta.kind) or OPERATOR_KINDS[meta.kind]
    by_role = {role: snapshot.tree for role, snapshot in meta.serializers}
    value = by_role.get("VALUE_SERIALIZER")
    return StateDescriptor(
        name=meta.name,
        kind=kind,
        value_type=None if value is None else str(value),
        ttl=None if value is None or not kind.keyed else _expires(value),
        namespace_serializer=by_role.get("NAMESPACE_SERIALIZER"),
        user_key_serializer=by_role.get("USER_KEY_SERIALIZER"),
        value_serializer=value,
    )


def _expires(value: SerializerTree) -> bool:
    return value.name == "Ttl" or any(_expires(nested) for nested in value.nested)
