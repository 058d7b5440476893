"""Dispatches a call on a PyFlink object, or of something of PyFlink, to what it declares."""

from collections.abc import Callable
from typing import Any

from checker.extract.python.flink_api import environment_calls, stream_calls, tables
from checker.extract.python.flink_api.environment_calls import WITHOUT_EFFECT
from checker.extract.python.flink_api.keys.selector_texts import function_values
from checker.extract.python.flink_api.settings_calls import set_by
from checker.extract.python.flink_api.states import milliseconds_of, record
from checker.extract.python.flink_api.streams import (
    FLINK_OBJECTS,
    GETTERS,
    Broadcast,
    Configuration,
    Connected,
    Descriptor,
    Environment,
    EnvironmentPart,
    Sink,
    StateContext,
    Stream,
    TableObject,
    Windowed,
)
from checker.extract.python.interpreter.containers import holds_flink
from checker.extract.python.interpreter.evaluate import Answer, Call
from checker.extract.python.interpreter.functions import touches_flink
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Decorated, External, Function, Value, unknown, why
from checker.model.declared_state import DESCRIPTORS
from checker.model.unknowns import Cause


def of_object(run: Run, call: Call) -> Answer:
    """A method of an object of PyFlink; None for other objects."""
    owner = call.receiver
    if not isinstance(owner, FLINK_OBJECTS):
        return None
    if "**" in call.keywords and not (isinstance(owner, Environment) and call.name in WITHOUT_EFFECT):
        spread = call.keywords["**"]
        reason = f"cannot tell the arguments of .{call.name}() ({why(spread, 'they are unpacked').reason})"
        raise stopped(reason, Cause.OTHER, call.place)
    made = next(handler for kind, handler in _METHODS.items() if isinstance(owner, kind))(run, owner, call)
    if (
        isinstance(made, Stream)
        and isinstance(owner, _DECLARING)
        and not made.step.kind.virtual
        and not made.step.function_values
    ):
        made.step.function_values = function_values(run, made.step.code)
    return (made,)


def of_length(run: Run, call: Call) -> Answer:
    """How long a ``Time`` or ``Duration`` is, in milliseconds; None for other calls."""
    owner = call.receiver
    asked = isinstance(owner, External) and owner.path.startswith("pyflink.common.") and call.name in _MILLISECONDS
    known = milliseconds_of(owner) if asked else None
    return None if known is None else (known,)


_MILLISECONDS = ("to_milliseconds", "to_millis")
_DECLARING = (Stream, Windowed, Connected, Broadcast)
"""Objects whose methods declare operators with functions of the user."""


def _descriptor_call(run: Run, owner: Descriptor, call: Call) -> Value:
    """A method of a descriptor."""
    if call.name == "enable_time_to_live":
        owner.ttl = call.argument(0, "ttl_config")
        return None
    return unknown(f"cannot tell the result of .{call.name}() of a state descriptor", Cause.OTHER, call.place)


def _context_call(run: Run, owner: StateContext, call: Call) -> Value:
    """A method of a context. Raises StoppedError for a descriptor that is not known."""
    if call.name in GETTERS:
        given = call.argument(0, "state_descriptor")
        if not isinstance(given, Descriptor):
            reason = f"an unknown state descriptor ({why(given, 'it is no descriptor of PyFlink').reason})"
            raise stopped(reason, Cause.OTHER, call.place)
        symbol = run.fresh("state")
        owner.found.append((record(run, given), symbol))
        return unknown("the content of a state", Cause.EXTERNAL, call.place, symbol)
    return unknown(f"cannot tell the result of .{call.name}() of the runtime context", Cause.EXTERNAL, call.place)


_METHODS: dict[type, Callable[[Run, Any, Call], Value]] = {
    Configuration: environment_calls.configuration_call,
    Environment: environment_calls.environment_call,
    EnvironmentPart: environment_calls.part_call,
    Sink: lambda run, sink, call: set_by(run, sink, sink.step, call),
    **dict.fromkeys(_DECLARING, stream_calls.stream_call),
    Descriptor: _descriptor_call,
    StateContext: _context_call,
    TableObject: tables.object_call,
}
"""Class of an object → what answers calls of its methods."""


def of_package(run: Run, call: Call) -> Answer:
    """A call of something of PyFlink by its path: an environment, a builder, a descriptor, a type."""
    target: External = call.target
    path = target.path
    if not path.startswith("pyflink."):
        return None
    if path.endswith("StreamExecutionEnvironment.get_execution_environment"):
        return (environment_calls.make(run, call),)
    if target.simple in DESCRIPTORS:
        return (Descriptor(DESCRIPTORS[target.simple], call.arguments, call.place),)
    if target.simple == "Configuration":
        copied = call.argument(0, "other")
        if call.argument(1, "j_configuration") is not None or not isinstance(copied, Configuration | None):
            raise stopped("a configuration is made of one that is not known", Cause.UNSUPPORTED, call.place)
        return (Configuration({} if copied is None else dict(copied.keys)),)
    if path.endswith((".TableConfig", ".TableConfig.get_default")) and not call.arguments.all():
        return (Configuration(),)  # of its own: a table environment's is that which it hands out
    table = tables.static_call(run, target, call)
    if table is not None:
        return (table,)
    if "java_gateway" in path or "java_utils" in path:
        raise stopped(f"the script reaches into the JVM ({target.simple})", Cause.UNSUPPORTED, call.place)
    if any(_uses_streams(given) for given in call.arguments.all()):
        return None
    keywords = tuple(call.keywords.items())
    return (External(path, tuple(call.positional), keywords, called=True, before=target.before),)


def _uses_streams(given: Value) -> bool:
    if isinstance(given, Function | Decorated):
        return touches_flink(given, streams_only=True)
    return not isinstance(given, Configuration) and holds_flink(given)
