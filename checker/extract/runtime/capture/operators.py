"""What a captured operator is, as the API calls it, and what state it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checker.extract.documents.fields import state_of
from checker.extract.documents.values import boolean, items, or_unknown
from checker.model.declared_state import StateDescriptor
from checker.model.unknowns import Unknown

Record = dict[str, Any]

CALLS = {
    "StreamMap": "map",
    "StreamFlatMap": "flat-map",
    "StreamFilter": "filter",
    "StreamProject": "project",
    "ProcessOperator": "process",
    "KeyedProcessOperator": "keyed-process",
    "LegacyKeyedProcessOperator": "process",
    "StreamGroupedReduceOperator": "reduce",
    "StreamGroupedReduce": "reduce",
    "StreamGroupedReduceAsyncStateOperator": "reduce",
    "WindowOperator": "window",
    "EvictingWindowOperator": "window",
    "AsyncWindowOperator": "window",
    "TimestampsAndWatermarksOperator": "assign-timestamps",
    "AsyncWaitOperator": "async-wait",
    "CoStreamMap": "co-map",
    "CoStreamFlatMap": "co-flat-map",
    "CoProcessOperator": "co-process",
    "KeyedCoProcessOperator": "keyed-co-process",
    "LegacyKeyedCoProcessOperator": "co-process",
    "IntervalJoinOperator": "interval-join",
    "CoBroadcastWithNonKeyedOperator": "broadcast-process",
    "CoBroadcastWithKeyedOperator": "keyed-broadcast-process",
    "CepOperator": "cep",
    "ContinuousFileReaderOperator": "file-reader",
    "QueryableValueStateOperator": "queryable-state",
    "QueryableAppendingStateOperator": "queryable-state",
    "SinkWriterOperator": "sink-writer",
    "CommitterOperator": "sink-committer",
    "GlobalCommitterOperator": "sink-global-committer",
}
"""Simple name of Flink's operator class → the call that makes it."""

_states_of = or_unknown(items(state_of))
_stateful_of = or_unknown(boolean)
_FLINK = "org.apache.flink."


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """``call`` as in ``Transformation.operator``; ``stateful`` None = follows from the call and the state."""

    call: str | None
    state: tuple[StateDescriptor, ...] | Unknown = ()
    stateful: bool | Unknown | None = None


def describe(node: Record) -> Known:
    """What is known of a captured node's operator and state."""
    operator = node.get("operator", "")
    simple = operator.rpartition(".")[2].rpartition("$")[2] or operator.rpartition(".")[2]
    call = CALLS.get(simple) if operator.startswith(_FLINK) else None
    state = _states_of(node.get("state", []), ("state",))
    stateful = None if node.get("stateful") is None else _stateful_of(node["stateful"], ("stateful",))
    if isinstance(stateful, Unknown) and node["keyed"] and operator.startswith("org.apache.flink.table.runtime."):
        stateful = True  # keyed operators of the SQL runtime register state or timers when they open
    return Known(call=call, state=state, stateful=stateful)
