"""Calls of library classes, in the order in which models are asked."""

from dataclasses import replace
from typing import Final

from checker.extract.java.flink_api import combined, connecting, environment, table_calls
from checker.extract.java.flink_api.states import registering
from checker.extract.java.interpreter import plugins, texts, unknown_calls
from checker.extract.java.library import makers, resources, statics, strings
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_text, short
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    MapValue,
    Opaque,
    TypeName,
    Value,
    is_null,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, given_by

CONSTRUCTORS: Final = (makers.create, *plugins.answering("create"), registering.create, table_calls.static_call)
STATIC_METHODS: Final = (
    statics.call,
    table_calls.static_call,
    environment.static_call,
    combined.static_call,
    connecting.builder_call,
    *plugins.answering("static_call"),
)


def create(run: Run, external: External, call: Call) -> Value:
    """``new`` of a class outside of the repository."""
    call = call.having(name="new")
    for resolve in CONSTRUCTORS:
        found = resolve(run, external, call)
        if found is not None:
            return found
    return unknown_calls.unresolved(run, TypeName(external), call)


def static_method(run: Run, receiver: TypeName, call: Call) -> Value | None:
    """``Type.name(...)`` of a class outside of the repository."""
    if isinstance(receiver.type, ClassDecl):
        return None
    for resolve in STATIC_METHODS:
        found = resolve(run, receiver.type, call)
        if found is not None:
            return found
    return None


def object_identity(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """``hashCode()`` and ``toString()`` of a plain Object: other in every run."""
    if call.name in ("hashCode", "toString") and not call.arguments and receiver.type.name == "java.lang.Object":
        return texts.identity(run, receiver, call.name, call.site)
    return None


def constant_method(run: Run, receiver: Constant, call: Call) -> Value | None:
    """A method of a String or a box; null throws."""
    if is_null(receiver):
        if run.following is not None:  # what sets it may be code that was not followed
            return run.opaque("cannot tell what a variable holds that nothing sets", Cause.OTHER, call.site)
        throw("NullPointerException")
    return strings.call(run, receiver, call)


def load_properties(run: Run, receiver: MapValue, call: Call) -> Value | None:
    """``Properties.load`` of a resource in the repository; None where it is another call."""
    if call.name != "load" or len(call.arguments) != 1:
        return None
    if is_null(call.arguments[0]):
        throw("NullPointerException")
    path = resources.path_of(run, call.arguments[0])
    if path is None or receiver.entries is None:
        return None
    source = call.arguments[0]
    decoded = isinstance(source, ExternalObject) and source.type.simple.endswith("Reader")
    loaded = resources.properties(run, path, "utf-8" if decoded else "iso-8859-1") | dict(run.entry.values)
    kept = [(k, v) for k, v in receiver.entries if not (isinstance(k, Constant) and k.value in loaded)]
    entries = (*kept, *((string(key), string(value)) for key, value in loaded.items()))
    run.memory.assign(receiver, "entries", entries)
    return NULL


def property_of_unknown_file(run: Run, receiver: MapValue, call: Call) -> Value | None:
    """``getProperty`` of properties whose content is not known: an argument of that name. None for other calls."""
    key = call.arguments[0] if call.name == "getProperty" and call.arguments else None
    if receiver.entries is not None or not isinstance(key, Constant) or key.java != "String":
        return None
    name, default = key.text, call.arguments[1] if len(call.arguments) > 1 else NULL
    given = dict(run.entry.values).get(name)
    if given is not None:
        return string(given)
    if name in run.entry.unset:
        return default
    if receiver.unknown is None:
        return None
    unknown = replace(receiver.unknown, settled_by=given_by(name), location=run.location(call.site))
    symbol = f"property:{name}"
    if unknown.derived_from not in (None, NEEDS_CODE):
        content = resources.narrowed(run, unknown.derived_from, name)
        if content != unknown.derived_from:  # one value, as an argument is
            unknown = replace(unknown, reason=f"cannot tell which resource gives '{name}'", cause=Cause.ARGUMENT)
        made = expression_text(f"({content}.{name} or {described_as(default)})", Cause.ARGUMENT)
        symbol = symbol if made == NEEDS_CODE else f"property({short(made)})"
        unknown = replace(unknown, derived_from=made)
    return Opaque(unknown, run.fresh(symbol), External(("java.lang.String",)))
