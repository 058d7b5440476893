"""Sinks: ``addSink``, ``sinkTo`` with what the sink's class says, and the collect sink."""

from dataclasses import replace
from functools import partial
from typing import Any

from checker.extract.connectors.tables import INPUT, ConnectorFacts
from checker.extract.datastream.table import ApiCall
from checker.extract.java.flink_api import connecting, function_facts, jobs, operators
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import ExternalObject, Instance, ListValue, Value, is_null, unknown_of
from checker.extract.java.syntax.class_index import External
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import Kind, SinkUidHashes, Transformation
from checker.model.unknowns import Cause, Maybe, Unknown

_WRITER_STATE = StateDescriptor(name="writer_raw_states", kind=StateKind.OPERATOR_LIST)
_COMMITTERS = frozenset({"TwoPhaseCommittingSink", "SupportsCommitter"})
_STATEFUL = frozenset({"StatefulSink", "SupportsWriterState", "AsyncSinkBase"})
_STAGES = ("pre_write", "pre_commit", "post_commit")
_WITH_OPERATORS = frozenset(
    f"{marked}{stage}Topology" for marked in ("With", "Supports") for stage in ("PreWrite", "PreCommit", "PostCommit")
)
"""Interfaces of sinks that declare operators around their writer and committer."""
_INTERFACES = (
    "org.apache.flink.api.connector.sink2.", "org.apache.flink.streaming.api.connector.sink2.",
    "org.apache.flink.api.connector.sink.",
)  # fmt: skip
_V1 = "org.apache.flink.api.connector.sink.Sink"


def add_sink(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``addSink``: one operator whatever the function is."""
    function = run.soften(call.arguments[0]) if call.arguments else None
    options: dict[str, Any] = {}
    if function is not None:
        options["function"] = function_facts.class_name(run, function)
        options["state"], options["stateful"] = run.agreed(
            function, partial(_legacy_state, run), lambda: (jobs.unknown(function),) * 2
        )
    return operators.declared(run, stream, row, call.site, Kind.LEGACY_SINK, **options)


def _legacy_state(run: Run, function: Value) -> tuple[tuple[StateDescriptor, ...] | Unknown, Maybe[bool] | None]:
    facts = connecting.facts_of(run, function)
    if facts is not None:
        return facts.state, facts.stateful or None
    names = function_facts.ancestry(run, function) or ()
    if "PrintSinkFunction" in names or "DiscardingSink" in names:
        return (), None
    return function_facts.state_of(run, function)


def sink_to(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``sinkTo``: as many operators as the sink's class says."""
    sink = run.soften(call.arguments[0]) if call.arguments else None
    options: dict[str, Any] = {
        "name": run.api.default_sink_name,
        "uid_hashes": _hashes(run, call.arguments[1]) if len(call.arguments) > 1 else None,
    }
    if sink is not None:
        options.update(shape(run, sink, stream, call.site))
        options["function"] = function_facts.class_name(run, sink)
    return operators.declared(run, stream, row, call.site, Kind.SINK, **options)


def _hashes(run: Run, value: Value) -> SinkUidHashes | None:
    """The hashes that a program gives to a sink's operators, as ``repair`` writes them."""
    value = run.settle(value)
    if is_null(value):
        return None
    if isinstance(value, ExternalObject):
        calls = dict(value.calls)
        if "DEFAULT" in calls:
            return None
        return SinkUidHashes(
            writer=_hash(calls, "setWriterUidHash"),
            committer=_hash(calls, "setCommitterUidHash"),
            global_committer=_hash(calls, "setGlobalCommitterUidHash"),
        )
    unknown = jobs.unknown(value)
    return SinkUidHashes(writer=unknown, committer=unknown, global_committer=unknown)


def _hash(calls: dict[str, tuple[Value, ...]], name: str) -> Maybe[str] | None:
    return jobs.maybe_text(calls[name][0]) if calls.get(name) else None


def shape(run: Run, sink: Value, stream: StreamValue, site: Site) -> dict[str, Any]:
    """Whether a sink commits, what its writer keeps, and the operators that it adds itself."""
    found = [_shape(run, alternative, stream, site) for alternative in run.alternatives(sink)]
    return found[0] if all(traits == found[0] for traits in found) else _shape(run, run.settle(sink), stream, site)


def _shape(run: Run, sink: Value, stream: StreamValue, site: Site) -> dict[str, Any]:
    facts = connecting.facts_of(run, sink)
    if facts is not None:
        return _from_facts(run, facts, stream, site)
    if isinstance(sink, Instance):
        return _from_class(run, sink, stream, site)
    return _not_known(run, sink, stream, site)


def _from_facts(run: Run, facts: ConnectorFacts, stream: StreamValue, site: Site) -> dict[str, Any]:
    found: dict[str, Any] = {
        "committer": facts.committer, "global_committer": facts.global_committer, "state": facts.state,
        "stateful": facts.stateful,
    }  # fmt: skip
    if not facts.state and facts.stateful is True:
        found["state"] = (_WRITER_STATE,)
    for stage in _STAGES:
        operators: tuple[Transformation, ...] = getattr(facts, stage)
        if operators:
            found[stage] = operators
    if facts.topology is not None:
        found["pre_write"] = _unknown_stage(run, facts.topology, site)
    return found


def _unknown_stage(run: Run, unknown: Unknown, place: Site) -> tuple[Transformation, ...]:
    """Operators of a sink itself that are not known, behind the stream that it is handed: ``"@"`` in the document."""
    location = run.location(place)
    return (Transformation(id="topology", kind=Kind.UNKNOWN, inputs=(INPUT,), unknown=unknown, location=location),)


def _not_known(run: Run, sink: Value, stream: StreamValue, site: Site) -> dict[str, Any]:
    what = function_facts.class_name(run, sink) or "a sink"
    unknown = unknown_of(sink)
    if unknown is None or unknown.cause is Cause.EXTERNAL:
        unknown = Unknown(
            f"cannot tell what operators {what} becomes", Cause.CONNECTOR, None, run.location(site),
            derived_from=expression_of(sink, Cause.CONNECTOR),
        )  # fmt: skip
    found: dict[str, Any] = {"committer": unknown, "stateful": unknown, "state": unknown}
    if run.api.sinks_expand:
        found["pre_write"] = _unknown_stage(run, unknown, site)
    else:
        found["global_committer"] = unknown
    return found


def _from_class(run: Run, sink: Instance, stream: StreamValue, site: Site) -> dict[str, Any]:
    names = function_facts.ancestry(run, sink) or ()
    qualified = {a.name for a in run.index.ancestors(sink.decl) if isinstance(a, External)}
    for ancestor in run.index.ancestors(sink.decl):
        if isinstance(ancestor, External) and not ancestor.name.startswith(_INTERFACES):
            facts = connecting.facts(run, ancestor, {})
            if facts is not None and not facts.open:
                return _from_facts(run, facts, stream, site)
    if _V1 in qualified or not function_facts.all_ancestors_known(run, sink.decl):
        return _not_known(run, sink, stream, site)
    stateful = any(name in _STATEFUL for name in names)
    found: dict[str, Any] = {
        "committer": any(name in _COMMITTERS for name in names),
        "stateful": stateful, "state": (_WRITER_STATE,) if stateful else (),
    }  # fmt: skip
    if any(name in _WITH_OPERATORS for name in names):
        why = run.unknown(f"{sink.decl.name} adds operators of its own", Cause.EXTERNAL, site)
        found["pre_write"] = _unknown_stage(run, replace(why, derived_from=NEEDS_CODE), site)
    return found


# -- collecting ----------------------------------------------------------------------------------------------------


def collect(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """The collect sink: parallelism 1; from 2.0 with a uid made of its transformation's number."""
    number = run.created(stream.env) + 1
    uid: Maybe[str] | None = None
    if run.api.collect_sink_has_uid:
        why = "the collect sink's uid holds the number of transformations made before it"
        uid = f"dataStreamCollect_{number}" if number else Unknown(why, Cause.NON_DETERMINISTIC)
    operators.declared(run, stream, row, call.site, Kind.LEGACY_SINK, parallelism=1, uid=uid)
    unknown = run.unknown("cannot tell what a job computes", Cause.UNSUPPORTED, call.site)
    return ListValue(None, "List", unknown)


def execute_and_collect(run: Run, stream: StreamValue, call: Call, row: ApiCall) -> Value:
    """``executeAndCollect``: the sink and the job."""
    result = collect(run, stream, call, row)
    jobs.execute(run, stream.env, call.site)
    return result
