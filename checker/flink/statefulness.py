"""Whether an operator keeps state in a snapshot, derived from what a topology says of it.

"Keeps state" is what Flink's restore check calls it: the snapshot holds any handle for the operator, even an
empty one. Keyed process functions and windows register their timer queues and so always do.
"""

from __future__ import annotations

from checker.model.stream_graph import Role
from checker.model.topology import Kind, Transformation
from checker.model.unknowns import Unknown

ALWAYS_STATEFUL = frozenset(
    {
        "window", "window-all", "reduce", "keyed-reduce", "keyed-aggregation", "aggregation", "keyed-process",
        "keyed-co-process", "co-keyed-process", "interval-join", "cep", "async-wait", "file-reader", "file-monitor",
        "broadcast-process", "keyed-broadcast-process", "co-process-broadcast", "co-process-broadcast-keyed",
        "queryable-state",
    }
)  # fmt: skip
"""Calls whose operator registers state of its own, whatever the user function does."""

_LEGACY_TIMERS = frozenset({"process", "co-process"})
"""Calls that keep timers on keyed streams too (``LegacyKeyedProcessOperator``, ``LegacyKeyedCoProcessOperator``)."""

_COMMITTING = frozenset({Role.COMMITTER, Role.GLOBAL_COMMITTER})
_OF_ITERATIONS = frozenset({Role.ITERATION_SOURCE, Role.ITERATION_SINK})
YIELDING = frozenset({"async-wait", "file-reader"})
"""Operators whose factory is a YieldingOperatorFactory: never chained behind a legacy source."""


def stateful(transformation: Transformation, role: Role) -> bool | Unknown:
    """Whether the node of ``transformation`` with ``role`` keeps state; Unknown where its function is."""
    if role in _COMMITTING:
        return True
    if role in _OF_ITERATIONS:
        return False
    if transformation.stateful is not None:
        return transformation.stateful
    if transformation.kind is Kind.SOURCE or transformation.operator in ALWAYS_STATEFUL:
        return True
    if transformation.keyed and transformation.operator in _LEGACY_TIMERS:
        return True
    if isinstance(transformation.state, Unknown):
        return transformation.state
    return bool(transformation.state)


def yielding(transformation: Transformation) -> bool:
    """Whether the operator must not chain behind a legacy source."""
    if transformation.yielding is not None:
        return transformation.yielding
    return transformation.operator in YIELDING
