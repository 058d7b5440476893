"""Settings of one operator: ``uid``, ``name``, ``setParallelism``, ``slotSharingGroup``, chaining."""

from __future__ import annotations

from typing import Any

from checker.extract.datastream import table
from checker.extract.datastream.records import Draft
from checker.extract.datastream.settings import OF_OPERATORS, RefusedError, Takes, set_on
from checker.extract.java.flink_api import jobs
from checker.extract.java.flink_api.jobs import parallelism_value, refuse
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, Value, boolean, depends_of, is_null
from checker.model.topology import ChainingStrategy
from checker.model.unknowns import Maybe, Unknown

NAMES = frozenset({*OF_OPERATORS, "getParallelism", "getName"})
"""Names of the methods that set or return properties of an operator."""


def call(run: Run, stream: StreamValue, call: Call) -> Value | None:
    """A setting of the stream's transformation; None for every other call."""
    draft = stream.draft
    if call.name not in NAMES or draft is None or table.is_a(stream.type, "WindowedStream"):
        return None
    if call.name == "getParallelism":
        return parallelism_value(run, draft.parallelism, call.site)
    if call.name == "getName":
        return Constant(draft.name, "String") if isinstance(draft.name, str) else boolean(False)
    setting = OF_OPERATORS[call.name]
    if setting.takes is Takes.NOTHING:
        apply(run, draft, setting.of, setting.value)
    elif call.arguments:
        _given(run, stream, draft, setting.of, setting.takes, call)
    return stream


def apply(run: Run, draft: Draft, attribute: str, value: Any) -> None:
    """Set an attribute of an operator, or throw as Flink does."""
    try:
        set_on(run.memory.assign, draft, attribute, value)
    except RefusedError as refused:
        refuse(str(refused))


def _given(run: Run, stream: StreamValue, draft: Draft, of: str, takes: Takes, call: Call) -> None:
    value = call.arguments[0]
    if of in ("uid", "uid_hash"):
        if of == "uid_hash" and is_null(value):
            refuse("uidHash must not be null")
        run.memory.assign(draft, f"{of}_location", jobs.call_site(run, call.site)[1])
    if of == "uid":
        run.memory.assign(draft, "uid_depends_on", tuple(sorted(depends_of(value))))
    read: Any
    if takes is Takes.TEXT:
        read = jobs.maybe_text(value)
    elif takes is Takes.NUMBER:
        read = jobs.maybe_int(value)
    elif takes is Takes.CHAINING:
        chosen = run.settle(value)
        named = chosen.calls[-1][0] if isinstance(chosen, ExternalObject) and chosen.calls else ""
        read = ChainingStrategy.__members__.get(named) or Unknown("an unknown chaining strategy")
    else:
        value = run.settle(value)
        if is_null(value):
            if run.api.null_slot_sharing_group_refused:
                refuse("slotSharingGroup must not be null")
            return
        read = _group(run, stream, value)
    apply(run, draft, of, read)


def _group(run: Run, stream: StreamValue, value: Value) -> Maybe[str] | None:
    """A slot sharing group by its name. Flink refuses one name for groups of different resources."""
    if not (isinstance(value, ExternalObject) and value.type.simple.startswith("SlotSharingGroup")):
        return jobs.maybe_text(value)
    named = dict(value.calls).get("newBuilder", ())
    name = jobs.maybe_text(named[0]) if named else None
    given = {call: arguments[0] for call, arguments in value.calls if call.startswith("set") and arguments}
    resources = {call: argument.value for call, argument in given.items() if isinstance(argument, Constant)}
    if isinstance(name, str) and resources and len(resources) == len(given):
        if any(known == name and asked != resources for known, asked in stream.env.groups):
            refuse(f"The slot sharing group {name} has been configured with two different resource spec.")
        run.memory.assign(stream.env, "groups", (*stream.env.groups, (name, resources)))
    return name or jobs.unknown(value)
