"""Source methods of the environment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from checker.extract.connectors.tables import ConnectorFacts
from checker.extract.datastream import table
from checker.extract.datastream.table import ApiCall
from checker.extract.java.flink_api import connecting, function_facts, jobs, source_elements
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    Opaque,
    Value,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.model.declared_state import LOG_AND_NEW_TABLES, StateDescriptor, StateKind
from checker.model.topology import ChainingStrategy, Kind
from checker.model.unknowns import Cause, Maybe, Unknown


def call(run: Run, env: EnvValue, call: Call) -> Value | None:
    """A source method; None for everything else."""
    row = table.lookup(table.ENVIRONMENT, call.name)
    if row is None:
        return None
    made = HANDLERS[row.makes](run, env, call, row)
    source_elements.remember_source(run, call, made)
    return made


def _from_row(run: Run, env: EnvValue, call: Call, row: ApiCall) -> StreamValue:
    settings: dict[str, Any] = {} if row.parallelism is None else {"parallelism": row.parallelism}
    kind = Kind.SOURCE if row.makes == "new-source" else Kind.LEGACY_SOURCE
    draft = jobs.make(
        run, env, kind, call.site, name=row.name, operator=row.operator, state=row.state, stateful=row.stateful,
        non_parallel=kind is Kind.LEGACY_SOURCE and row.parallelism == 1, **settings,
    )  # fmt: skip
    return StreamValue("DataStreamSource", env, draft)


def _maybe_one(run: Run, env: EnvValue, unknown: Unknown) -> Unknown | int:
    """1 or the default: the same where the default is 1."""
    known = env.parallelism if isinstance(env.parallelism, int) else run.entry.default_parallelism
    if known == 1 and not isinstance(env.parallelism, Unknown):
        return 1
    return replace(unknown, options=(1, known)) if isinstance(known, int) else unknown


def _from_source(run: Run, env: EnvValue, call: Call, row: ApiCall) -> Value:
    source = run.soften(call.arguments[0]) if call.arguments else None
    name = jobs.maybe_text(call.arguments[2]) if len(call.arguments) > 2 else row.name
    state: tuple[StateDescriptor, ...] = (StateDescriptor(name="SourceReaderState", kind=StateKind.OPERATOR_LIST),)
    draft = jobs.make(
        run, env, Kind.SOURCE, call.site, name=name, state=state,
        operator=LOG_AND_NEW_TABLES if connecting.looks_for_new_tables(source) else row.operator,
        function=function_facts.class_name(run, source) if source is not None else None,
        functions_at=function_facts.places(run, [source] if source is not None else []),
        **connecting.read_by(run, source),
    )  # fmt: skip
    return StreamValue("DataStreamSource", env, draft)


def _add_source(run: Run, env: EnvValue, call: Call, row: ApiCall) -> Value:
    function = run.soften(call.arguments[0]) if call.arguments else None
    name: Maybe[str] | None = row.name
    named = call.arguments[1] if len(call.arguments) > 1 else None
    if isinstance(named, Constant | Opaque | Choice) and not _is_type(named):
        name = jobs.maybe_text(named) or name
    settings: dict[str, Any] = {}
    parallel: Maybe[bool] = Unknown("an unknown source")
    if function is not None:
        parallel, facts = parallel_source(run, function, call.site)
        settings = {
            "function": function_facts.class_name(run, function), "unbounded": True,
            "functions_at": function_facts.places(run, [function]), **connecting.read_by(run, function),
        }  # fmt: skip
        if facts is not None:
            settings["state"], settings["stateful"] = facts.state, facts.stateful or None
        else:
            settings["state"], settings["stateful"] = function_facts.state_of(run, function)
    if isinstance(parallel, Unknown):
        settings["parallelism"] = _maybe_one(run, env, parallel)
    elif not parallel:
        settings["parallelism"], settings["non_parallel"] = 1, True
    draft = jobs.make(run, env, Kind.LEGACY_SOURCE, call.site, name=name, operator=row.operator, **settings)
    return StreamValue("DataStreamSource", env, draft)


def _is_type(value: Value) -> bool:
    return isinstance(value, Opaque) and isinstance(value.type, External) and value.type.simple == "TypeInformation"


def parallel_source(run: Run, function: Value, site: Site) -> tuple[Maybe[bool], ConnectorFacts | None]:
    """Whether a source function runs in parallel, and what the connector tables say of it."""
    alternatives = run.alternatives(function)
    if len(alternatives) > 1:
        verdicts = [parallel_source(run, alternative, site)[0] for alternative in alternatives]
        if all(verdict == verdicts[0] for verdict in verdicts):
            return verdicts[0], None
        return jobs.unknown(function), None
    function = alternatives[0]
    if isinstance(function, Lambda):
        return False, None
    names = function_facts.ancestry(run, function)
    if names is not None and "ParallelSourceFunction" in names:
        return True, None
    facts = connecting.facts_of(run, function)
    if facts is not None and facts.parallel is not None:
        return facts.parallel, facts
    if isinstance(function, Instance):
        for ancestor in run.index.ancestors(function.decl):
            if isinstance(ancestor, External):
                found = connecting.facts(run, ancestor, {})
                if found is not None and found.parallel is not None and not found.open:
                    return found.parallel, None
        if function_facts.complete(run, function.decl) and names is not None and "SourceFunction" in names:
            return False, None
    plain = ("SourceFunction", "RichSourceFunction")
    if isinstance(function, ExternalObject) and function.type.simple in plain and not function.calls:
        return False, None
    unknown = unknown_of(function)
    what = function_facts.class_name(run, function) or "a source function"
    if unknown is None:
        return run.unknown(f"cannot tell whether {what} is a parallel source", Cause.CONNECTOR, site), None
    return run.unknown(unknown.reason, unknown.cause, site, unknown.settled_by), None


def _files(run: Run, env: EnvValue, call: Call, row: ApiCall) -> Value:
    """``readFile``: a monitoring source of parallelism 1 and the reader, which is what the program gets."""
    monitor = jobs.make(
        run, env, Kind.LEGACY_SOURCE, call.site, name=row.name, operator="file-monitor", parallelism=1,
        suffix="#monitor", max_parallelism=1 if run.api.file_monitor_sets_max_parallelism else None, stateful=True,
        state=(StateDescriptor(name="file-monitoring-state", kind=StateKind.OPERATOR_LIST),),
        function="org.apache.flink.streaming.api.functions.source.ContinuousFileMonitoringFunction",
    )  # fmt: skip
    reader = jobs.make(
        run, env, Kind.OPERATOR, call.site, inputs=(monitor,), name=f"Split Reader: {row.name}",
        operator="file-reader", chaining=ChainingStrategy.HEAD, yielding=True, stateful=True,
        state=(StateDescriptor(name="splits", kind=StateKind.OPERATOR_LIST),),
    )  # fmt: skip
    return StreamValue("DataStreamSource", env, reader)


HANDLERS: dict[str, Callable[[Run, EnvValue, Call, ApiCall], Value]] = {
    "source": _from_source, "source-function": _add_source, "new-source": _from_row, "legacy-source": _from_row,
    "files": _files,
}  # fmt: skip
"""What a row of the table makes → who makes it."""
