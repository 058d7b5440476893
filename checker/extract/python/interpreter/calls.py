"""Calls: of functions, classes and methods of the repository, of PyFlink, of libraries, of what is not known."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from checker.extract.python.flink_api import flink_calls
from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter.attributes import attribute_of
from checker.extract.python.interpreter.classes import call_bound_member, make_instance
from checker.extract.python.interpreter.containers import all_elements, current, holds_flink
from checker.extract.python.interpreter.descriptions import described, part
from checker.extract.python.interpreter.evaluate import call, value
from checker.extract.python.interpreter.outside_objects import record_call
from checker.extract.python.interpreter.python_calls import is_python, perform
from checker.extract.python.interpreter.run_state import Run, at
from checker.extract.python.interpreter.signals import StoppedError, raised
from checker.extract.python.interpreter.special_methods import is_exception
from checker.extract.python.interpreter.unknown_calls import unknown_call
from checker.extract.python.interpreter.values import (
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Guarded,
    Instance,
    Opaque,
    Scope,
    Super,
    Value,
    first_opaque,
    unknown,
)
from checker.extract.python.library import standard_library as library
from checker.extract.python.library.builtin_functions import builtin_call
from checker.extract.python.library.plain_methods import plain_method
from checker.model.unknowns import Cause, Location, Unknown

STREAM_CALLS = frozenset(
    {"key_by", "flat_map", "sink_to", "add_sink", "from_source", "add_source", "from_collection", "execute_async",
     "assign_timestamps_and_watermarks", "set_uid_hash", "get_side_output", "window_all", "rebalance",
     "execute_and_collect", "to_data_stream", "from_data_stream", "partition_custom", "count_window", "execute_insert"}
)  # fmt: skip
"""Names of methods that only PyFlink has: who calls one on something that is not known declares operators."""


def call_expression(run: Run, node: Any, scope: Scope) -> Value:
    """``target(arguments)``."""
    place = at(node, scope)
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        found = scope.find("* super")
        if found is not None:
            return found.names["* super"]
    owner: Value = None
    if isinstance(node.func, ast.Attribute):
        owner = value(run, node.func.value, scope)
        target = attribute_of(run, owner, node.func.attr, at(node.func, scope))
        if isinstance(target, Opaque):
            made = part(described(run, owner), node.func.attr) if target.derived_from is None else target.derived_from
            target = replace(target, derived_from=made)
    else:
        target = value(run, node.func, scope)
    if isinstance(node.func, ast.Attribute) and node.func.attr in STREAM_CALLS:
        _must_be_known(target, node.func.attr, place)
    positional: list[Value] = []
    keywords: dict[str, Value] = {}
    for one in node.args:
        if not isinstance(one, ast.Starred):
            positional.append(value(run, one, scope))
            continue
        spread = all_elements(run, value(run, one.value, scope), place)
        if isinstance(spread, Opaque):
            keywords["**"] = _unpacked(spread, keywords, place)
            break
        positional.extend(spread)
    for keyword in node.keywords:
        held = value(run, keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = held
            continue
        spread = current(run, held)
        if isinstance(spread, dict) and all(isinstance(key, str) for key in spread):
            keywords.update(spread)
        else:
            keywords["**"] = _unpacked(spread, keywords, place)
    arguments = Arguments(positional, keywords)
    found = call(run, target, arguments, place)
    record_call(run, node, owner, target, arguments)
    return found


def _unpacked(spread: Value, keywords: dict[str, Value], place: Location) -> Opaque:
    """Arguments that are not known one by one; two of such are taken for different ones."""
    held = spread if isinstance(spread, Opaque) else unknown("unpacked arguments", at=place)
    return replace(held, derived_from="" if "**" in keywords else held.derived_from or "")


def _must_be_known(target: Value, name: str, place: Location) -> None:
    outside = isinstance(target, External) and not target.path.startswith("pyflink.")
    if isinstance(target, Opaque) or outside:
        reason = target.unknown.reason if isinstance(target, Opaque) else f"{target.path} is not part of the repository"
        cause = target.unknown.cause if isinstance(target, Opaque) else Cause.EXTERNAL
        settled = target.unknown.settled_by if isinstance(target, Opaque) else None
        raise StoppedError(Unknown(f".{name}() is called on what is not known: {reason}", cause, settled, place))


def call_class(run: Run, target: Class, arguments: Arguments, place: Location) -> Value:
    """An object of a class of the repository."""
    return make_instance(run, target, arguments, place)


def call_external(run: Run, target: External, arguments: Arguments, place: Location) -> Value:
    """A call of something from outside by its dotted path: the first that knows it says what comes of it."""
    for resolve in _RESOLVERS:
        found = resolve(run, target, arguments, place)
        if found is not None:
            return found[0]
    return unknown_call(run, target.path, arguments, place)


def _of_flink(run: Run, target: External, arguments: Arguments, place: Location) -> tuple[Value] | None:
    known = target.path.startswith("pyflink.")
    return (flink_calls.external(run, target, arguments, place),) if known else None


def _builtin(run: Run, target: External, arguments: Arguments, place: Location) -> tuple[Value] | None:
    name = target.path.removeprefix("builtins.")
    return None if name == target.path else builtin_call(run, name, arguments, place)


def _of_library(run: Run, target: External, arguments: Arguments, place: Location) -> tuple[Value] | None:
    return library.call(run, target.path, arguments, place)


_RESOLVERS = (_of_flink, _builtin, _of_library)
"""Who may know what a call from outside gives, in order; each gives None for what it does not know."""


def call_bound(run: Run, target: Bound, arguments: Arguments, place: Location) -> Value:
    """A method of a Flink object, a builder, a plain value or an object of a library."""
    owner = current(run, target.owner)
    if (
        isinstance(owner, Super)
        and target.name == "__init__"
        and isinstance(owner.this, Instance)
        and is_exception(owner.this)
    ):
        owner.this.attributes["args"] = tuple(arguments.positional)
        return None
    if isinstance(owner, FLINK_OBJECTS):
        return flink_calls.call(run, owner, target.name, arguments, place)
    if isinstance(owner, External):
        if holds_flink(*arguments.all()):
            why = f"a stream or environment is handed to {owner.path}.{target.name}, which is not followed"
            raise StoppedError(Unknown(why, Cause.UNSUPPORTED, None, place))
        keywords = tuple(arguments.keywords.items())
        return External(f"{owner.path}.{target.name}", tuple(arguments.positional), keywords, True, owner)
    if isinstance(owner, Instance | Class):
        return call_bound_member(run, owner, target.name, arguments, place)
    found = library.method(run, owner, target.name, arguments, place)
    if found is not None:
        return found[0]
    if is_python(owner) and not isinstance(owner, library.OBJECTS):
        return plain_method(run, owner, target.name, arguments, place)
    opaque = first_opaque(owner, *arguments.all())
    result = unknown_call(run, target.name, arguments, place)
    return Opaque(opaque.unknown) if opaque is not None else result


def call_unknown(run: Run, target: Value, arguments: Arguments, place: Location) -> Value:
    """A call of something that is not known, or that nobody can call."""
    if isinstance(target, Instance):
        method = target.of.member("__call__")
        if isinstance(method, Function):
            return call(run, method, Arguments([target, *arguments.positional], arguments.keywords), place)
    if callable(target) and not isinstance(target, Guarded):
        return perform(run, target, arguments, place)
    if not isinstance(target, Guarded):
        raise raised("TypeError", "object is not callable")
    name = target.name if isinstance(target, Opaque) and target.name else "code that is not known"
    result = unknown_call(run, name, arguments, place)
    return Opaque(target.unknown, result.name) if isinstance(target, Opaque) else result
