"""What a captured operator is, as the API calls it, and what state it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checker.extract.documents.fields import class_of
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.unknowns import Cause, Unknown

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
    listed = node.get("state", ())
    state = Unknown(listed["unknown"], Cause.EXTERNAL) if isinstance(listed, dict) else tuple(map(_descriptor, listed))
    captured = node.get("stateful")
    stateful: bool | Unknown | None = (
        Unknown(captured["unknown"], Cause.EXTERNAL) if isinstance(captured, dict) else captured
    )
    if isinstance(stateful, Unknown) and node["keyed"] and operator.startswith("org.apache.flink.table.runtime."):
        stateful = True  # keyed operators of the SQL runtime register state or timers when they open
    return Known(call=call, state=state, stateful=stateful)


def _descriptor(record: Record) -> StateDescriptor:
    return StateDescriptor(
        name=record["name"],
        kind=StateKind(record["kind"]),
        key_type=record.get("key_type"),
        value_type=record.get("value_type"),
        serializer=record.get("serializer"),
        ttl=record.get("ttl"),
        classes=tuple(class_of(shape, ("classes",)) for shape in record.get("classes", ())),
    )
