"""Static helpers of Flink: ``AsyncDataStream``, ``DataStreamUtils``, ``CEP``, table environments."""

from __future__ import annotations

import re

from tree_sitter import Node

from checker.extract.java.flink_api import drafts, environment, sinks, streams, unknowns
from checker.extract.java.flink_api.flink_values import EnvValue, StreamValue
from checker.extract.java.interpreter.frames import Frame
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import Constant, ExternalObject, Settings, Value
from checker.extract.java.syntax.class_index import External
from checker.model.topology import Cause, Kind, PartitionerKind, StateDescriptor, StateKind, Unknown


def static_call(run: Run, external: External, name: str, given: list[Value], node: Node, frame: Frame) -> Value | None:
    """A static helper around streams; None for every other call."""
    simple = external.simple
    if simple == "AsyncDataStream" and given:
        return streams.operator(
            run, streams.as_stream(run, given[0], node, frame), given[1] if len(given) > 1 else None, node, frame,
            name="async wait operator", operator="async-wait", yielding=True, stateful=True,
            state=(StateDescriptor(name="_async_wait_operator_state_", kind=StateKind.OPERATOR_LIST),),
        )  # fmt: skip
    if simple == "DataStreamUtils" and given:
        return _utils(run, name, given, node, frame)
    if simple == "CEP" and name == "pattern" and given:
        stream = streams.as_stream(run, given[0], node, frame)
        return StreamValue("PatternStream", stream.env, None, (stream,), {"pattern": given[1:2]})
    if simple == "StandardSinkTopologies" and name == "addGlobalCommitter" and given:
        return _global_committer(run, streams.as_stream(run, given[0], node, frame), node, frame)
    if simple in ("StreamTableEnvironment", "TableEnvironment") and name == "create":
        env = next((value for value in given if isinstance(value, EnvValue)), None)
        run.limits.tables = True
        unknown = Unknown(
            "the Table API plans its operators when the program runs",
            Cause.UNSUPPORTED,
            None,
            run.location(node, frame),
        )
        return ExternalObject(external, tuple(v for v in (env,) if v is not None), (), run.fresh(simple), unknown)
    if simple == "GlobalConfiguration":
        return Settings({}, False, "the cluster's configuration file")
    if simple == "Transformation" and name == "getNewNodeId":
        return run.opaque("a transformation's number", Cause.NON_DETERMINISTIC, node, frame)
    return None


def _utils(run: Run, name: str, given: list[Value], node: Node, frame: Frame) -> Value | None:
    stream = next((value for value in map(run.settle, given) if isinstance(value, StreamValue)), None)
    if stream is None:
        return None
    if name == "reinterpretAsKeyedStream":
        return streams.partition(run, stream, PartitionerKind.FORWARD, node, frame, "KeyedStream")
    if name.startswith("collect"):
        return sinks.execute_and_collect(run, stream, given, node, frame)
    unknown = Unknown(f"DataStreamUtils.{name}() is not modelled", Cause.UNSUPPORTED, None, run.location(node, frame))
    return unknowns.escaped(run, unknown, given, node, frame)


def _global_committer(run: Run, stream: StreamValue, node: Node, frame: Frame) -> Value:
    """``StandardSinkTopologies.addGlobalCommitter``: all to one operator of parallelism 1."""
    target = streams.partition(run, stream, PartitionerKind.GLOBAL, node, frame, suffix="#global")
    draft = drafts.make(
        run, stream.env, Kind.OPERATOR, node, frame, inputs=streams.inputs_of(target), name="Global Committer",
        operator="global-committer", parallelism=1, max_parallelism=1, stateful=True,
        state=(StateDescriptor(name="streaming_committer_raw_states", kind=StateKind.OPERATOR_LIST),),
    )  # fmt: skip
    return StreamValue("DataStreamSink", stream.env, draft)


_PLANS_NOTHING = frozenset(
    {
        "createTemporaryView", "executeSql", "getConfig", "registerFunction", "createTemporaryFunction", "useCatalog",
        "createTemporarySystemFunction", "registerCatalog", "useDatabase", "sqlQuery", "from", "scan", "listTables",
        "createStatementSet", "explainSql", "fromDataStream", "createTable", "createTemporaryTable", "fromValues",
        "fromChangelogStream", "loadModule", "getCurrentCatalog", "createFunction", "dropTemporaryView", "listCatalogs",
        "registerTable", "registerDataStream", "connect", "sqlUpdate", "getCatalog", "unloadModule", "createView",
        "createTemporaryTableFunction", "createCatalog",
    }
)  # fmt: skip
_MAKES_STREAMS = frozenset(
    {"toDataStream", "toAppendStream", "toRetractStream", "toChangelogStream", "attachAsDataStream"}
)


def table_call(
    run: Run, receiver: ExternalObject, name: str, given: list[Value], node: Node, frame: Frame
) -> Value | None:
    """A call on a table environment or what came out of one; None where the receiver is neither."""
    simple = receiver.type.simple
    if simple not in ("StreamTableEnvironment", "TableEnvironment"):
        return None
    env = next((value for value in receiver.arguments if isinstance(value, EnvValue)), None)
    if env is not None and name in _PLANS_NOTHING:
        read = tuple(s.draft for v in given for s in unknowns.streams_in(v) if s.draft is not None)
        if read:
            run.world.assign(env, "tabled", (*env.tabled, *read))
    if env is None:
        return None
    if name == "execute" and not receiver.calls:
        environment.execute(run, env, node, frame)
        return receiver
    submits = env.tabled and (name in ("execute", "executeInsert") or (name == "executeSql" and _queries(given)))
    if name in _MAKES_STREAMS or submits:
        unknown = Unknown(
            f"{name}() plans the operators of a table when the program runs", Cause.UNSUPPORTED, None,
            run.location(node, frame),
        )  # fmt: skip
        handed = tuple(s.draft for v in given for s in unknowns.streams_in(v) if s.draft is not None)
        inputs = tuple(dict.fromkeys((*env.tabled, *handed)))
        made = unknowns.stream(run, env, unknown, inputs, node, frame)
        return made if name in _MAKES_STREAMS else None
    return None


def _queries(given: list[Value]) -> bool:
    """Whether a statement reads tables, as far as its text is known: definitions and settings don't."""
    text = given[0] if given else None
    if not isinstance(text, Constant) or not isinstance(text.value, str):
        return True
    return _QUERY.match(text.value) is not None


_QUERY = re.compile(r"\s*(insert|execute|select|with|values|create\s+table\s.*\bas\b)", re.IGNORECASE | re.DOTALL)


def handed_streams(receiver: ExternalObject, name: str, given: list[Value]) -> bool:
    """Whether a call of the Table API only remembers the streams it is handed."""
    return receiver.type.simple in ("StreamTableEnvironment", "TableEnvironment") and name in _PLANS_NOTHING
