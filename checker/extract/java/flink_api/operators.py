"""What every call on a stream declares with: one operator, one repartitioning, the stream that a value is."""

from dataclasses import replace
from typing import Any

from checker.extract.datastream import table
from checker.extract.datastream.table import ApiCall
from checker.extract.java.flink_api import function_facts, jobs, unknowns
from checker.extract.java.flink_api.keys import types as key_types
from checker.extract.java.flink_api.states.records import ONLY_V2, record
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import BASE, Described, ExternalObject, Instance, Opaque, Value
from checker.extract.java.syntax.tree import children, field, text
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import Kind, PartitionerKind
from checker.model.unknowns import Cause, Maybe, Unknown


def is_keyed(stream: StreamValue) -> bool:
    """Whether an operator on the stream has keyed state."""
    if stream.parts and stream.draft is None:
        if stream.type == "BroadcastConnectedStream":
            return table.is_a(stream.parts[0].type, "KeyedStream")
        return all(table.is_a(part.type, "KeyedStream") for part in stream.parts)
    return table.is_a(stream.type, "KeyedStream")


def operator(run: Run, stream: StreamValue, code: Value | None, site: Site, **options: Any) -> StreamValue:
    """A one- or two-input operator with a user function ``code``."""
    if code is not None:
        code = run.soften(code)
        states, stateful = function_facts.state_of(run, code)
        options["function"] = function_facts.class_name(run, code)
        options["functions_at"] = function_facts.places(run, [code])
        options["function_values"] = function_facts.held_values(run, code)
        if isinstance(states, Unknown) or isinstance(options.get("state", ()), Unknown):
            options["state"] = states
        else:
            asynchronous = is_keyed(stream) and _asynchronous(stream)
            given = (_of_state_api(state, asynchronous=asynchronous) for state in states)
            options["state"] = (*options.get("state", ()), *given)
        options.setdefault("stateful", stateful)
    options.setdefault("keyed", is_keyed(stream))
    key = key_types.refined(run, key_types.joined(stream), code)
    options |= {"key_type": key.type, "key_classes": key.classes, "key": key.part, "key_at": key.at}
    draft = jobs.make(run, stream.env, Kind.OPERATOR, site, inputs=stream.inputs, **options)
    return StreamValue("SingleOutputStreamOperator", stream.env, draft)


def declared(
    run: Run, stream: StreamValue, row: ApiCall, site: Site, kind: Kind = Kind.OPERATOR, **options: Any
) -> StreamValue:
    """What a row of the table says of a call without a function of the user; ``options`` say more."""
    options = {"name": row.name, "operator": row.operator, "state": row.state, **options}
    draft = jobs.make(run, stream.env, kind, site, inputs=stream.inputs, **options)
    sink = kind in (Kind.SINK, Kind.LEGACY_SINK)
    return StreamValue("DataStreamSink" if sink else "SingleOutputStreamOperator", stream.env, draft)


def _asynchronous(stream: StreamValue) -> bool:
    """Whether ``enableAsyncState`` was called on a keyed stream, or on all of several."""
    parts = [part for part in stream.parts if part.type == "KeyedStream"] if stream.draft is None else [stream]
    return all("asynchronous" in part.extra for part in parts)


def _of_state_api(state: StateDescriptor, *, asynchronous: bool) -> StateDescriptor:
    """Operators give states of one API alone. Asked of 2.3.0 on both backends."""
    if not asynchronous or not isinstance(state.kind, StateKind) or not state.kind.keyed:
        return state
    of_v1 = state.refused is None and state.kind is not StateKind.TIMERS
    return replace(state, refused=ONLY_V2 if of_v1 else None)


def partition(
    run: Run, stream: StreamValue, kind: Maybe[PartitionerKind], site: Site, gives: str = "DataStream",
    suffix: str = "", **extra: Any,
) -> StreamValue:  # fmt: skip
    """A repartitioning."""
    draft = jobs.make(run, stream.env, Kind.PARTITION, site, inputs=stream.inputs, suffix=suffix, partitioner=kind)
    return StreamValue(gives, stream.env, draft, extra=extra)


def as_stream(run: Run, value: Value, site: Site) -> StreamValue:
    """The stream that a value is; an unknown one where that is not known."""
    value = run.settle(value)
    if isinstance(value, Instance) and isinstance(value.fields.get(BASE), StreamValue):
        value = value.fields[BASE]
    if isinstance(value, StreamValue):
        return value
    if isinstance(value, Opaque) and value.origin is not None:
        env = run.env_of(value.origin)
        if env is not None:
            return StreamValue("SingleOutputStreamOperator", env, value.origin)
    unknown = replace(jobs.unknown(value), location=run.location(site))
    return unknowns.stream_for(run, unknown, "DataStream", site)


def tag_of(run: Run, value: Value) -> tuple[Maybe[str], str | None]:
    """The id of an OutputTag and its type as written."""
    value = run.settle(value)
    kind: str | None = None
    if isinstance(value, Instance):
        if value.decl.superclass is not None:
            kind = str(value.decl.superclass) if value.decl.superclass.arguments else None
        if value.base is not None:
            value = value.base
    if isinstance(value, ExternalObject) and value.type.simple == "OutputTag" and value.arguments:
        tag = jobs.maybe_text(value.arguments[0])
        return (tag if tag is not None else Unknown("an output tag without id")), kind
    return jobs.unknown(value), None


def broadcast_descriptors(run: Run, call: Call) -> tuple[StateDescriptor, ...]:
    """The states that the descriptors given to ``broadcast`` describe, with their types where the source shows them."""
    arguments = field(call.site.written(), "arguments")
    written = children(arguments) if arguments is not None else []
    found: list[StateDescriptor] = []
    for place, value in enumerate(call.arguments):
        settled = run.soften(value)
        made = settled.base if isinstance(settled, Instance) else settled
        if isinstance(made, Described):
            found.append(record(run, made, StateKind.BROADCAST, of=settled))
        elif place < len(written):
            reason = f"the descriptor '{text(written[place])[:60]}' can't be followed"
            made_of = expression_of(value, Cause.OTHER)
            why = Unknown(reason, Cause.OTHER, location=run.location(call.site), derived_from=made_of)
            found.append(StateDescriptor(name=why, kind=StateKind.BROADCAST, key_type=why, value_type=why))
    return tuple(found)
