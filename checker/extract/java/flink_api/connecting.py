"""Connector classes and other library classes that make or take streams, joined to the connector tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from checker.extract.connectors import tables as connectors
from checker.extract.connectors.tables import INPUT, INPUT_PARALLELISM, SERVERS, ConnectorFacts, hosts
from checker.extract.datastream.records import Draft
from checker.extract.java.flink_api import jobs
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import described_as, expression_of
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, ListValue, MapValue, Opaque, Value, unknown_of
from checker.extract.java.syntax.class_index import External
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.topology import Transformation
from checker.model.unknowns import OF_TABLES, Cause, Unknown


def facts(run: Run, external: External, calls: dict[str, Sequence[object]]) -> ConnectorFacts | None:
    """What the tables say of a class outside of the repository."""
    for candidate in external.candidates:
        found = connectors.lookup(candidate, run.api.minor, calls)
        if found is not None:
            return found
    return None


def facts_of(run: Run, value: Value) -> ConnectorFacts | None:
    """What the tables say of an object's class."""
    if isinstance(value, ExternalObject):
        known = facts(run, value.type, constant_calls(value))
        return None if known is None else _made_of(known, value)
    if isinstance(value, Opaque) and isinstance(value.type, External):
        declared = facts(run, value.type, {})
        return None if declared is not None and declared.open else declared
    return None


def read_by(run: Run, value: Value | None) -> dict[str, Any]:
    """What a source reads, as a draft has it: the topics, streams or tables, what names them else, and their hosts.

    One that an argument names is that of the argument's default. Of patterns only plain names are compared:
    others may match the same tables.
    """
    known = facts_of(run, value) if value is not None else None
    if known is None or known.reads is None or not isinstance(value, ExternalObject):
        return {}
    at = hosts([_text(address) for address in _addresses(known, value)])
    given = value.arguments[:1] if known.reads == "new" else dict(value.calls).get(known.reads, ())
    names: list[str] = []
    expressions: list[str] = []
    for argument in given:
        for name in (argument.elements or (argument,)) if isinstance(argument, ListValue) else (argument,):
            text = _text(name)
            if text is not None:
                names.append(text)
            else:
                unknown = unknown_of(name)
                expressions.append(NEEDS_CODE if unknown is None else expression_of(name, unknown.cause))
    if expressions:
        return {"reads_by": () if NEEDS_CODE in expressions else (*names, *expressions), "reads_at": at}
    if known.patterns and not all(map(_PLAIN.fullmatch, names)):
        return {"reads_at": at}
    return {"reads": tuple(names), "reads_at": at}


def looks_for_new_tables(value: Value | None) -> bool:
    """Whether a source of Flink CDC also reads what tables held that are added to those it reads."""
    calls = dict(value.calls) if isinstance(value, ExternalObject) else {}
    given = calls.get("scanNewlyAddedTableEnabled", ())
    return bool(given) and not (isinstance(given[0], Constant) and given[0].value is False)


def _addresses(known: ConnectorFacts, value: ExternalObject) -> Iterator[Value]:
    """The values that name a source's servers: of a builder's method, of a property, of ``Properties``."""
    for name, arguments in (("", value.arguments), *value.calls):
        if name == known.at or (len(arguments) == 2 and _text(arguments[0]) == SERVERS):
            yield arguments[-1]
        for given in arguments:
            if isinstance(given, MapValue):
                yield from (address for key, address in given.entries or () if _text(key) == SERVERS)


def _text(value: Value) -> str | None:
    """A text, or that of an argument's default."""
    default = _DEFAULT.fullmatch(described_as(value)) if isinstance(value, Opaque) else None
    if default is not None:
        return default[1]
    return value.value if isinstance(value, Constant) and isinstance(value.value, str) else None


_PLAIN = re.compile(r"[\w$]+(\.[\w$]+)*")
_DEFAULT = re.compile(r"arg:[^|]*\|([^|:]+):String")
"""The text of an argument that is not known, with its default."""
Facts = TypeVar("Facts", ConnectorFacts, Transformation)


def _made_of(known: Facts, value: ExternalObject) -> Facts:
    """What the tables say of one object: what they leave open is as it was where the object is made alike."""
    left: dict[str, Any] = {}
    for field in fields(known):
        unknown = getattr(known, field.name)
        if isinstance(unknown, Unknown) and unknown.derived_from is None:
            left[field.name] = replace(unknown, derived_from=expression_of(value, unknown.cause))
    return replace(known, **left)


def constant_calls(value: ExternalObject) -> dict[str, Sequence[object]]:
    """The methods called on a builder so far with their constant arguments."""
    found: dict[str, Sequence[object]] = {}
    for name, arguments in value.calls:
        _record(found, name, arguments)
    return found


def _record(calls: dict[str, Sequence[object]], name: str, arguments: Sequence[Value]) -> None:
    """A call with its constants: of an enum its name, ``distributionMode=NONE``, and an option's key, ``set=KEY``."""
    given = tuple(a.value if isinstance(a, Constant) else jobs.unknown(a) for a in arguments)
    calls[name] = given
    for first in arguments[:1]:
        enum = first.calls[-1][0] if isinstance(first, ExternalObject) and first.calls else None
        if isinstance(given[0], str) or enum is not None:
            calls[f"{name}={enum or given[0]}"] = given[1:]


def builder_call(run: Run, receiver: ExternalObject | External, call: Call) -> Value | None:
    """A method of a connector class that the tables know; None for every other."""
    external = receiver.type if isinstance(receiver, ExternalObject) else receiver
    if not any(connectors.has_method(candidate, call.name) for candidate in external.candidates):
        return None  # as for nearly every object of a library, before its calls are described
    calls = constant_calls(receiver) if isinstance(receiver, ExternalObject) else {}
    _record(calls, call.name, call.arguments)
    for candidate in external.candidates:
        result = connectors.call(candidate, call.name, run.api.minor, calls)
        if result is None:
            continue
        before = receiver.calls if isinstance(receiver, ExternalObject) else ()
        after = (*before, (call.name, tuple(call.arguments)))
        if result.operators:
            return _declared(run, result, after, receiver, call)
        if isinstance(receiver, ExternalObject) and result.gives == candidate:
            run.memory.assign(receiver, "calls", after)  # every reference to a builder sees its calls
            return receiver
        unknown = run.unknown(f"{external.simple}.{call.name}()", Cause.CONNECTOR, call.site)
        arguments = receiver.arguments if isinstance(receiver, ExternalObject) else ()
        return ExternalObject(External((result.gives,)), arguments, after, run.fresh(external.simple), unknown)
    return None


def _decides(result: connectors.CallResult, name: str, arguments: Sequence[Value]) -> bool:
    """Whether what a builder was given may decide on operators: of options only those whose keys are listed, if any."""
    first, deciding = (arguments or (None,))[0], result.options.get(name)
    key = first.value if isinstance(first, Constant) else None
    return deciding is None or (bool(deciding) and (not isinstance(key, str) or key in deciding))


def _declared(
    run: Run, result: connectors.CallResult, calls: tuple[tuple[str, tuple[Value, ...]], ...],
    receiver: ExternalObject | External, call: Call,
) -> Value:  # fmt: skip
    """Operators that a connector's call declares itself."""
    stream: StreamValue | None = None
    env: EnvValue | None = None
    for name, arguments in calls:
        for value in arguments:
            if isinstance(value, StreamValue) and (name in result.stream_from or stream is None):
                stream = value
            elif isinstance(value, EnvValue):
                env = value
    home = stream.env if stream is not None else env
    if home is None:
        home = jobs.default(run)
    built = ExternalObject(receiver if isinstance(receiver, External) else receiver.type, (), calls)
    if isinstance(receiver, ExternalObject):
        built = replace(receiver, calls=tuple(made for made in calls if _decides(result, *made)))
    made: dict[str, Draft] = {}
    if stream is not None and stream.draft is not None:
        made[INPUT] = stream.draft
    last: Draft | None = None
    for operator in result.operators:
        operator = _made_of(operator, built)
        if operator.unknown is not None and operator.unknown.derived_from not in (None, NEEDS_CODE):
            unknown = replace(operator.unknown, derived_from=f"{OF_TABLES}{operator.unknown.derived_from}")
            operator = replace(operator, unknown=replace(unknown, location=unknown.location or run.location(call.site)))
        last = _operator(run, home, operator, made, call.site)
        made[operator.id] = last
    kind = "DataStreamSink" if last is not None and last.kind.name.endswith("SINK") else "SingleOutputStreamOperator"
    return StreamValue(kind, home, last)


def _operator(run: Run, env: EnvValue, operator: Transformation, made: dict[str, Draft], site: Site) -> Draft:
    settings: dict[str, Any] = {name: getattr(operator, name) for name in (
        "name", "uid", "max_parallelism", "chaining", "operator", "partitioner", "state", "stateful", "unknown",
    )}  # fmt: skip
    if operator.parallelism == INPUT_PARALLELISM:
        if INPUT in made:
            settings["parallelism"] = made[INPUT].parallelism
    elif operator.parallelism is not None:
        settings["parallelism"] = operator.parallelism
    named = (next((name for name in names.split("|") if name in made), None) for names in operator.inputs)
    inputs = tuple(made[name] for name in named if name is not None)  # the first that there is
    return jobs.make(run, env, operator.kind, site, inputs=inputs, suffix=f"#{operator.id}", **settings)
