"""Settings in PyFlink: of operators, of the environment, and the keys of a ``Configuration``."""

from dataclasses import replace
from typing import Any

from checker.extract.datastream.records import Draft
from checker.extract.datastream.settings import (
    MODE,
    OF_JOBS,
    OF_OPERATORS,
    OPTIONS,
    RefusedError,
    Takes,
    mode_named,
    number_or_truth,
    set_on,
    set_on_job,
)
from checker.extract.datastream.table import camel
from checker.extract.python.flink_api.streams import Configuration, Environment, calls_to
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, stopped
from checker.extract.python.interpreter.values import External, Opaque, Value, reason_of
from checker.model.deployments import STATE_BACKEND, backend_named
from checker.model.topology import Mode
from checker.model.unknowns import Cause, Location, Maybe, Unknown

_WITHOUT_EFFECT = ("set_description", "set_buffer_timeout")
_SHOWN = {"uid_hash": "the uid hash", "slot_sharing_group": "the slot sharing group"}


def unsupported(call: Call) -> Value:
    """Raises StoppedError: the call is not one that is followed."""
    why = f"the call .{call.name}() of PyFlink is not one that can be read"
    raise stopped(why, Cause.UNSUPPORTED, call.place)


def is_setting(name: str) -> bool:
    """Whether a method of a stream or sink sets something of its operator."""
    setting = OF_OPERATORS.get(camel(name))
    return name in _WITHOUT_EFFECT or (setting is not None and setting.python)


def set_by(run: Run, result: Value, step: Draft, call: Call) -> Value:
    """A setter of a step, which gives what it was called on. Raises RaiseSignal where Flink refuses."""
    if not is_setting(call.name):
        return unsupported(call)
    setting = OF_OPERATORS.get(camel(call.name))
    if setting is None:
        return result
    read: Any = setting.value
    if setting.takes is Takes.NUMBER:
        read = number(run, call.first, call.place)
    elif setting.takes is not Takes.NOTHING:
        given = _group(call.first) if setting.takes is Takes.GROUP else call.first
        read = text(run, given, _SHOWN.get(setting.of, f"the {setting.of}"), call.place)
    if setting.of == "uid":
        step.uid_location = call.place
    try:
        set_on(setattr, step, setting.of, read)
    except RefusedError:
        raise _refused() from None
    return result


def set_job(run: Run, env: Environment, call: Call) -> bool:
    """Set something of the whole job; False for other methods. Raises RaiseSignal where Flink refuses."""
    setting = OF_JOBS.get(camel(call.name))
    if setting is None or not setting.python:
        return False
    read: Any = setting.value
    if setting.takes is Takes.NUMBER:
        read = number(run, call.first, call.place)
    elif setting.takes is not Takes.NOTHING:
        read = _runtime_mode(call.first, call.place) if setting.takes is Takes.MODE else _state_backend(call.first)
    try:
        set_on_job(setattr, env, setting.of, read)
    except RefusedError:
        raise _refused() from None
    return True


def _refused() -> RaiseSignal:
    """An exception of the JVM, as PyFlink shows it."""
    return RaiseSignal(("IllegalArgumentException", "Py4JJavaError", "Py4JError", "Exception", "BaseException"))


def _group(value: Value) -> Value:
    """A group's name: as it is given, or to ``SlotSharingGroup.builder(name)``."""
    made = next((built for built in calls_to(value) if built.simple == "builder"), None)
    return value if made is None else made.arguments[0] if made.arguments else dict(made.keywords).get("name")


def text(run: Run, value: Value, what: str, at: Location) -> Maybe[str]:
    """A text argument, or why it is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, Opaque):
        return reason_of(value)
    why = f"{what} is not a text that can be read here"
    return Unknown(why, Cause.OTHER, None, at, derived_from=described(run, value) or None)


def number(run: Run, value: Value, at: Location) -> Maybe[int]:
    """A number argument, or why it is not known."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Opaque):
        return reason_of(value)
    return Unknown("an unknown number", Cause.OTHER, None, at, derived_from=described(run, value) or None)


# -- configuration -------------------------------------------------------------------------------------------------

REFUSED = ("pipeline.auto-generate-uids", "python.execution-mode")
"""Keys that change more than is followed here."""
AUTOMATIC = f"{MODE}=AUTOMATIC"
"""What a mode is derived from that Flink chooses by the sources."""


def configure(env: Environment, configuration: Configuration, at: Location) -> None:
    """What a Configuration says of the topology. Raises StoppedError for a key that is not followed."""
    for key, value in configuration.keys.items():
        if key in REFUSED and (key, value) != ("python.execution-mode", "process"):
            raise stopped(f"the configuration sets {key}", Cause.UNSUPPORTED, at)
        if key in STATE_BACKEND:
            env.state_backend = _state_backend(value)
        elif key == MODE:
            env.mode = _runtime_mode(value, at)
        elif key in OPTIONS:
            setattr(env, OPTIONS[key], _known(key, value, at))


def _known(key: str, value: Value, at: Location) -> Any:
    if isinstance(value, Opaque):
        reason = f"the configuration sets {key} ({value.unknown.reason})"
        return replace(reason_of(value), reason=reason, location=at, options=())
    found = number_or_truth(OPTIONS[key], str(value)) if isinstance(value, str | int) else None
    return (
        Unknown(f"cannot tell what the configuration sets {key} to", Cause.OTHER, None, at) if found is None else found
    )


def _state_backend(value: Value) -> Maybe[str]:
    """The state backend that a name or an object stands for."""
    if isinstance(value, str):
        return backend_named(value)
    return backend_named(value.simple) if isinstance(value, External) else reason_of(value)


def _runtime_mode(value: Value, at: Location) -> Mode | Unknown:
    """``RuntimeExecutionMode``, or its name in a configuration."""
    name = value.simple if isinstance(value, External) else value
    if isinstance(name, str) and (mode := mode_named(name)) is not None:
        return mode
    if isinstance(value, Opaque):
        return replace(reason_of(value), location=at, options=())
    reason = "whether the job runs as a batch depends on whether its sources end"
    return Unknown(reason, Cause.UNSUPPORTED, None, at, derived_from=AUTOMATIC)
