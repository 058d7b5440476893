"""Dispatches a call on a PyFlink object, or of something of PyFlink, to what it declares."""

from __future__ import annotations

from checker.extract.python.flink_api import environment_calls, operators, stream_calls, tables
from checker.extract.python.flink_api.configuration import configuration_call
from checker.extract.python.flink_api.environment_calls import WITHOUT_EFFECT
from checker.extract.python.flink_api.function_texts import function_text
from checker.extract.python.flink_api.settings_calls import set_on
from checker.extract.python.flink_api.state_context import (
    KINDS,
    Descriptor,
    StateContext,
    context_call,
    descriptor_call,
)
from checker.extract.python.flink_api.streams import (
    FLINK_OBJECTS,
    JAVA_CONFIGURATION,
    JAVA_ENVIRONMENT,
    Broadcast,
    Configuration,
    Connected,
    Environment,
    EnvironmentPart,
    Sink,
    Stream,
    TableObject,
    Windowed,
)
from checker.extract.python.interpreter.call_record import Answer, Call
from checker.extract.python.interpreter.containers import holds_flink
from checker.extract.python.interpreter.functions import touches_flink
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.interpreter.values import Arguments, Decorated, External, Function, Opaque, Value
from checker.model.unknowns import Cause, Location, Unknown

_ASYNC = ("unordered_wait", "ordered_wait", "unordered_wait_with_retry", "ordered_wait_with_retry")


def of_object(run: Run, record: Call) -> Answer:
    """A method of an object of PyFlink; None for other objects."""
    owner = record.receiver
    return (
        (_method(run, owner, record.name, record.arguments, record.place),)
        if isinstance(owner, FLINK_OBJECTS)
        else None
    )


def _method(run: Run, owner: Value, name: str, arguments: Arguments, at: Location) -> Value:
    if "**" in arguments.keywords and not (isinstance(owner, Environment) and name in WITHOUT_EFFECT):
        reason = arguments.keywords["**"]
        why = reason.unknown.reason if isinstance(reason, Opaque) else "they are not known"
        raise StoppedError(
            Unknown(f"the arguments of .{name}() are unpacked from what is not known: {why}", Cause.OTHER, None, at)
        )
    if isinstance(owner, Configuration):
        return configuration_call(owner, name, arguments, at)
    if isinstance(owner, Environment):
        return environment_calls.call(run, owner, name, arguments, at)
    if isinstance(owner, EnvironmentPart):
        return environment_calls.part_call(run, owner, name, arguments, at)
    if isinstance(owner, Sink):
        return set_on(run, owner, owner.step, name, arguments, at)
    if isinstance(owner, Windowed):
        return _with_content(run, stream_calls.windowed(run, owner, name, arguments, at))
    if isinstance(owner, Connected):
        return _with_content(run, stream_calls.connected(run, owner, name, arguments, at))
    if isinstance(owner, Broadcast):
        return _with_content(run, stream_calls.broadcast(run, owner, name, arguments, at))
    if isinstance(owner, Descriptor):
        return descriptor_call(owner, name, arguments, at)
    if isinstance(owner, StateContext):
        return context_call(owner, name, arguments, at)
    if isinstance(owner, TableObject):
        return tables.object_call(run, owner, name, arguments, at)
    assert isinstance(owner, Stream)
    return _with_content(run, stream_calls.call(run, owner, name, arguments, at))


def _with_content(run: Run, made: Value) -> Value:
    if isinstance(made, Stream) and not made.step.kind.virtual and not made.step.content:
        made.step.content = function_text(run, made.step.function)
    return made


def of_package(run: Run, record: Call) -> Answer:
    """A call of something of PyFlink by its path: an environment, a builder, a descriptor, a type."""
    target: External = record.target
    arguments, at = record.arguments, record.place
    path = target.path
    if not path.startswith("pyflink."):
        return None
    if path.endswith("StreamExecutionEnvironment.get_execution_environment"):
        return (environment_calls.make(run, arguments, at),)
    if target.simple in KINDS:
        return (Descriptor(KINDS[target.simple], arguments, at),)
    if target.simple == "Configuration":
        given = arguments.get(0, "j_configuration")
        return (Configuration(of_environment=isinstance(given, EnvironmentPart)),)
    table = tables.static_call(run, target, arguments, at)
    if table is not None:
        return (table,)
    if ".AsyncDataStream." in path and target.simple in _ASYNC:
        stream = arguments.get(0, "data_stream")
        output = arguments.get(5 if "retry" in target.simple else 4, "output_type")
        if isinstance(stream, Stream):
            return (operators.async_wait(stream, arguments.get(1, "async_function"), output, at),)
    if target.simple == JAVA_CONFIGURATION and len(arguments.all()) == 1:
        (part,) = arguments.all()
        if isinstance(part, EnvironmentPart) and part.name == JAVA_ENVIRONMENT:
            return (EnvironmentPart(part.env, JAVA_CONFIGURATION),)
    if "java_gateway" in path or "java_utils" in path:
        raise StoppedError(Unknown(f"the script reaches into the JVM ({target.simple})", Cause.UNSUPPORTED, None, at))
    if any(_uses_streams(given) for given in arguments.all()):
        return None
    keywords = tuple(arguments.keywords.items())
    return (External(path, tuple(arguments.positional), keywords, called=True, before=target.before),)


def _uses_streams(given: Value) -> bool:
    if isinstance(given, Function | Decorated):
        return touches_flink(given, streams_only=True)
    return not isinstance(given, Configuration) and holds_flink(given)
