"""Static helpers of Flink: ``AsyncDataStream``, ``DataStreamUtils``, ``CEP``, table environments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from checker.extract.java.flink_api import drafts, element_types, environment, sinks, streams, unknowns
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, Settings, Value
from checker.extract.java.syntax.class_index import External
from checker.model.topology import Cause, Kind, PartitionerKind, StateDescriptor, StateKind, Unknown


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """A static helper around streams; None for every other call."""
    simple = external.simple
    if simple == "AsyncDataStream" and call.arguments:
        stream = streams.as_stream(run, call.arguments[0], call.site)
        queue = StateDescriptor(name="_async_wait_operator_state_", kind=StateKind.OPERATOR_LIST)
        made = streams.operator(
            run,
            stream,
            call.arguments[1] if len(call.arguments) > 1 else None,
            call.site,
            name="async wait operator",
            operator="async-wait",
            yielding=True,
            stateful=True,
            state=element_types.of_elements(run, (queue,), element_types.element_of(run, stream)),
        )
        element_types.remember(run, stream, call, made)
        return made
    if simple == "DataStreamUtils" and call.arguments:
        return _utils(run, call)
    if simple == "CEP" and call.name == "pattern" and call.arguments:
        stream = streams.as_stream(run, call.arguments[0], call.site)
        return StreamValue("PatternStream", stream.env, None, (stream,), {"pattern": call.arguments[1:2]})
    if simple == "StandardSinkTopologies" and call.name == "addGlobalCommitter" and call.arguments:
        return _global_committer(run, streams.as_stream(run, call.arguments[0], call.site), call.site)
    if simple in ("StreamTableEnvironment", "TableEnvironment") and call.name == "create":
        env = next((value for value in call.arguments if isinstance(value, EnvValue)), None)
        run.limits.tables = True
        unknown = Unknown(
            "the Table API plans its operators when the program runs",
            Cause.UNSUPPORTED,
            None,
            run.location(call.site),
        )
        return ExternalObject(external, tuple(v for v in (env,) if v is not None), (), run.fresh(simple), unknown)
    if simple == "GlobalConfiguration":
        return Settings({}, False, "the cluster's configuration file")
    if simple == "Transformation" and call.name == "getNewNodeId":
        return run.opaque("a transformation's number", Cause.NON_DETERMINISTIC, call.site)
    return None


def _utils(run: Run, call: Call) -> Value | None:
    stream = next((value for value in map(run.settle, call.arguments) if isinstance(value, StreamValue)), None)
    if stream is None:
        return None
    if call.name == "reinterpretAsKeyedStream":
        return streams.partition(run, stream, PartitionerKind.FORWARD, call.site, "KeyedStream")
    if call.name.startswith("collect"):
        return sinks.execute_and_collect(run, stream, call)
    unknown = Unknown(
        f"DataStreamUtils.{call.name}() is not modelled", Cause.UNSUPPORTED, None, run.location(call.site)
    )
    return unknowns.escaped(run, unknown, call)


def _global_committer(run: Run, stream: StreamValue, site: Site) -> Value:
    """``StandardSinkTopologies.addGlobalCommitter``: all to one operator of parallelism 1."""
    target = streams.partition(run, stream, PartitionerKind.GLOBAL, site, suffix="#global")
    draft = drafts.make(
        run, stream.env, Kind.OPERATOR, site, inputs=streams.inputs_of(target), name="Global Committer",
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


def table_call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A call on a table environment or what came out of one; None where the receiver is neither."""
    simple = receiver.type.simple
    if simple not in ("StreamTableEnvironment", "TableEnvironment"):
        return None
    env = next((value for value in receiver.arguments if isinstance(value, EnvValue)), None)
    if env is not None and call.name in _PLANS_NOTHING:
        read = tuple(s.draft for v in call.arguments for s in unknowns.streams_in(v) if s.draft is not None)
        if read:
            run.memory.assign(env, "tabled", (*env.tabled, *read))
    if env is None:
        return None
    if call.name == "execute" and not receiver.calls:
        environment.execute(run, env, call.site)
        return receiver
    submits = env.tabled and (
        call.name in ("execute", "executeInsert") or (call.name == "executeSql" and _queries(call.arguments))
    )
    if call.name in _MAKES_STREAMS or submits:
        unknown = Unknown(
            f"{call.name}() plans the operators of a table when the program runs", Cause.UNSUPPORTED, None,
            run.location(call.site),
        )  # fmt: skip
        handed = tuple(s.draft for v in call.arguments for s in unknowns.streams_in(v) if s.draft is not None)
        inputs = tuple(dict.fromkeys((*env.tabled, *handed)))
        made = unknowns.stream(run, env, unknown, inputs, call.site)
        return made if call.name in _MAKES_STREAMS else None
    return None


def _queries(given: Sequence[Value]) -> bool:
    """Whether a statement reads tables, as far as its text is known: definitions and settings don't."""
    text = given[0] if given else None
    if not isinstance(text, Constant) or not isinstance(text.value, str):
        return True
    return _QUERY.match(text.value) is not None


_QUERY = re.compile(r"\s*(insert|execute|select|with|values|create\s+table\s.*\bas\b)", re.IGNORECASE | re.DOTALL)


def handed_streams(receiver: ExternalObject, name: str, given: Sequence[Value]) -> bool:
    """Whether a call of the Table API only remembers the streams it is handed."""
    return receiver.type.simple in ("StreamTableEnvironment", "TableEnvironment") and name in _PLANS_NOTHING
