"""Flink's ``Configuration``, ``ConfigOption`` and the keys that touch ids."""

from checker.extract.datastream.table import table
from checker.extract.java.library.parameters import typed
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, short
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    MapValue,
    Opaque,
    OptionalValue,
    Settings,
    Value,
    boolean,
)
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, Unknown, given_by


def option_key(option: Value) -> tuple[str | None, Value | None]:
    """The key of a ConfigOption or plain key, and the option's default."""
    if isinstance(option, Constant) and isinstance(option.value, str):
        return option.value, None
    named = constant_name(option)
    if named is not None:
        return OPTION_KEYS.get(".".join(named)), None
    if isinstance(option, ExternalObject) and option.type.simple == "ConfigOptions":
        calls = dict(option.calls)
        key = calls.get("key", ())
        default = calls.get("defaultValue", ())
        if key and isinstance(key[0], Constant) and isinstance(key[0].value, str):
            return key[0].value, default[0] if default else NULL
    return None, None


_TYPES = {"getInteger": "int", "getLong": "long", "getDouble": "double", "getBoolean": "boolean", "getFloat": "float"}


def call(run: Run, receiver: Settings, call: Call) -> Value | None:
    """A method of Configuration; None where it is not modelled."""
    if call.name.startswith("set") and len(call.arguments) == 2:
        key, _ = option_key(call.arguments[0])
        if key is not None:
            run.memory.assign(receiver, "values", {**receiver.values, key: call.arguments[1]})
        elif constant_name(call.arguments[0]) is None:
            run.memory.assign(receiver, "complete", False)
        return receiver
    if call.name in ("addAll", "add") and call.arguments:
        added = call.arguments[0]
        if isinstance(added, Settings):
            run.memory.assign(receiver, "values", {**receiver.values, **added.values})
            run.memory.assign(receiver, "complete", receiver.complete and added.complete)
        else:
            run.memory.assign(receiver, "complete", False)
        return NULL
    if call.name in ("get", "getString", "getOptional", "getValue", "getRaw") or call.name in _TYPES:
        return _get(run, receiver, call)
    if call.name in ("contains", "containsKey") and call.arguments:
        key, _ = option_key(call.arguments[0])
        if key is not None and (key in receiver.values or receiver.complete):
            return boolean(key in receiver.values)
        return run.opaque(
            f"cannot tell whether '{key}' is configured",
            Cause.ARGUMENT,
            call.site,
            symbol=run.fresh(short(f"({described_as(receiver)} has {key})")),
        )
    if call.name == "clone":
        return Settings(dict(receiver.values), receiver.complete, receiver.source)
    if call.name == "removeConfig" and call.arguments:
        key, _ = option_key(call.arguments[0])
        run.memory.assign(receiver, "values", {k: v for k, v in receiver.values.items() if k != key})
        return boolean(True)
    return None


def _get(run: Run, receiver: Settings, call: Call) -> Value | None:
    if not call.arguments:
        return None
    key, default = option_key(call.arguments[0])
    if len(call.arguments) > 1:
        default = call.arguments[1]
    if call.name == "getOptional":
        if key is not None and (key in receiver.values or receiver.complete):
            return OptionalValue(receiver.values.get(key))
        default = None
    if key is not None and key in receiver.values:
        value = receiver.values[key]
        java = _TYPES.get(call.name)
        if java is not None and isinstance(value, Constant) and isinstance(value.value, str):
            return typed(value.value, java)
        return value
    if key is not None and receiver.complete and default is not None:
        return default
    what = f"'{key}' comes from {receiver.source}" if key else "a configuration value with an unknown key"
    unknown = run.unknown(what, Cause.ARGUMENT, call.site, given_by(key) if key else None)
    return Opaque(unknown, f"conf:{key}" if key else run.fresh("conf"))


def from_map(value: Value) -> Settings:
    """``Configuration.fromMap``."""
    if isinstance(value, MapValue) and value.entries is not None:
        known = {k.value: v for k, v in value.entries if isinstance(k, Constant) and isinstance(k.value, str)}
        return Settings(dict(known), len(known) == len(value.entries))
    return Settings({}, False)


_KNOWN: dict[str, Value] = {
    name: Constant(value, java) for name, typed in table("constants").items() for java, value in typed.items()
}
OPTION_KEYS = table("options_by_constant")
"""Options that touch ids, by the constant that names them."""


def of_class(external: External, member: str) -> Value | None:
    """The value of a library constant, None where it is not modelled."""
    return _KNOWN.get(f"{external.simple}.{member}")


def unknown_constant(external: External, member: str) -> Value:
    """A library constant that is not modelled: an object that knows what it is called."""
    unknown = Unknown(f"{external.simple}.{member} is not in the repository", Cause.EXTERNAL)
    return ExternalObject(external, (), ((member, ()),), f"{external.simple}.{member}", unknown)


def constant_name(value: Value) -> tuple[str, str] | None:
    """Class and member of a library constant that was mentioned, as ``unknown_constant`` made it."""
    if isinstance(value, ExternalObject) and len(value.calls) == 1 and value.symbol:
        owner, _, member = value.symbol.rpartition(".")
        if member == value.calls[0][0] and owner == value.type.simple:
            return owner, member
    return None
