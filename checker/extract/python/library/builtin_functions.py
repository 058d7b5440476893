"""Builtin functions of Python on values that are known."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter.attributes import attribute_of
from checker.extract.python.interpreter.containers import MAX_ELEMENTS, current, elements, holds_flink
from checker.extract.python.interpreter.evaluate import call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import ExitSignal, StoppedError, raised
from checker.extract.python.interpreter.values import (
    MISSING,
    PLAIN,
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Instance,
    Opaque,
    Value,
    first_opaque,
    looked_up,
    truth,
    unknown,
)
from checker.extract.python.library.command_lines import Parsed
from checker.extract.python.repository_files import any_code
from checker.model.topology import Cause, Location, Unknown

_PURE: dict[str, Callable[..., Any]] = {
    "str": str, "int": int, "len": len, "range": range, "list": list, "tuple": tuple, "dict": dict, "set": set,
    "frozenset": set, "bool": bool, "float": float, "abs": abs, "min": min, "max": max, "sum": sum, "round": round,
    "repr": repr, "chr": chr, "ord": ord, "bytes": bytes, "divmod": divmod, "hex": hex, "sorted": sorted,
    "enumerate": lambda *a, **k: list(enumerate(*a, **k)), "zip": lambda *a, strict=False: list(zip(*a, strict=strict)),
    "reversed": lambda a: list(reversed(a)), "any": any, "all": all,
}  # fmt: skip
_KEEPS = frozenset({"list", "tuple", "dict", "enumerate", "zip", "reversed", "len", "bool", "any", "all"})
"""Functions that only move their elements: these may be anything."""
_RAISES = (ValueError, ZeroDivisionError, KeyError, IndexError)


def builtin_call(run: Run, name: str, arguments: Arguments, place: Location) -> tuple[Value] | None:
    """The result of a builtin; None where it is not modelled."""
    special = _SPECIAL.get(name)
    if special is not None:
        return (special(run, arguments, place),)
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, BaseException):
        return (External(f"builtins.{name}"),)
    function = _PURE.get(name)
    if function is None or any(key not in ("start", "reverse", "default", "strict") for key in arguments.keywords):
        if name == "dict" and not arguments.positional and "**" not in arguments.keywords:
            return (dict(arguments.keywords),)
        if name == "sorted" and set(arguments.keywords) <= {"key", "reverse"}:
            return (_sorted(run, arguments, place),)
        return None
    return (_pure(run, name, function, arguments, place),)


def _pure(run: Run, name: str, function: Callable[..., Any], arguments: Arguments, place: Location) -> Value:
    values = [current(run, one) for one in arguments.positional]
    opaque = first_opaque(*values)
    if opaque is not None:
        if holds_flink(*values):
            raise StoppedError(Unknown(opaque.unknown.reason, opaque.unknown.cause, opaque.unknown.settled_by, place))
        return Opaque(opaque.unknown, f"{name}({opaque.name})" if opaque.name else "")
    if any(isinstance(one, set) for one in values) and name not in (
        "len",
        "bool",
        "sorted",
        "set",
        "any",
        "all",
        "min",
        "max",
    ):
        ordered = [elements(run, one, place) if isinstance(one, set) else one for one in values]
        opaque = first_opaque(*ordered)
        if opaque is not None:
            return opaque
        values = ordered
    if not all(isinstance(one, PLAIN) for one in values):
        if name == "str" and holds_flink(*values):
            return unknown("the text of an object", at=place)
        return unknown(f"the result of {name}()", Cause.OTHER, place)
    if name != "range" and any(hasattr(one, "__len__") and len(one) > MAX_ELEMENTS for one in values):
        return unknown("a value that is too long", Cause.LIMIT, place)
    if name == "range" and not all(isinstance(one, int) and abs(one) < 10**12 for one in values):
        return unknown("a range that is not known", Cause.OTHER, place)
    inner = [part for one in values if isinstance(one, list | tuple | dict) for part in one]
    if name not in _KEEPS and any(
        not isinstance(part, str | int | float | bool | tuple | type(None)) for part in inner
    ):
        unclear = first_opaque(*inner)
        return Opaque(unclear.unknown) if unclear else unknown(f"the result of {name}()", Cause.OTHER, place)
    if name in ("any", "all") and values and isinstance(values[0], list | tuple | set | dict | range | str):
        return _any_or_all(name, list(values[0]), place)
    if name in ("bytes", "bytearray") and any(isinstance(one, int) for one in values):
        return unknown("bytes", Cause.OTHER, place)
    try:
        return function(*values, **arguments.keywords)
    except _RAISES as error:
        raise raised(type(error).__name__) from None
    except (TypeError, OverflowError, AttributeError):
        return unknown(f"{name}() of these values fails", Cause.OTHER, place)


def _any_or_all(name: str, values: list[Value], place: Location) -> Value:
    decided = [truth(one) for one in values]
    wanted = name == "any"
    if wanted in decided:
        return wanted
    if None in decided:
        opaque = first_opaque(*values)
        return Opaque(opaque.unknown) if opaque else unknown(f"the result of {name}()", at=place)
    return not wanted


def _sorted(run: Run, arguments: Arguments, place: Location) -> Value:
    items = elements(run, arguments.get(0, "iterable"), place)
    if isinstance(items, Opaque):
        return items
    key = arguments.keywords.get("key")
    keys = list(items) if key is None else [call(run, key, Arguments([one], {}), place) for one in items]
    if not all(isinstance(one, str | int | float | tuple) for one in keys):
        if holds_flink(*items):
            raise StoppedError(Unknown("the order of streams is not known", Cause.OTHER, None, place))
        opaque = first_opaque(*keys)
        return Opaque(opaque.unknown) if opaque else unknown("an order that is not known", at=place)
    try:
        order = sorted(
            range(len(keys)), key=lambda number: keys[number], reverse=arguments.keywords.get("reverse") is True
        )
    except TypeError:
        raise raised("TypeError") from None
    return [items[number] for number in order]


def _map(run: Run, arguments: Arguments, place: Location) -> Value:
    function, *collections = arguments.positional or [None]
    rows = [elements(run, one, place) for one in collections]
    opaque = first_opaque(*rows)
    if opaque is not None:
        return opaque
    return [call(run, function, Arguments(list(row), {}), place) for row in zip(*rows, strict=False)]


def _filter(run: Run, arguments: Arguments, place: Location) -> Value:
    items = elements(run, arguments.get(1, "iterable"), place)
    if isinstance(items, Opaque):
        return items
    test = arguments.get(0, "function")
    results = [one if test is None else call(run, test, Arguments([one], {}), place) for one in items]
    decided = [truth(one) for one in results]
    if None in decided:
        if holds_flink(*items):
            raise StoppedError(Unknown("which streams are taken is not known", Cause.COLLECTION, None, place))
        return unknown("which elements are taken is not known", Cause.COLLECTION, place)
    return [one for one, taken in zip(items, decided, strict=True) if taken]


def _isinstance(run: Run, arguments: Arguments, place: Location) -> Value:
    held, wanted = arguments.get(0, "obj"), arguments.get(1, "cls")
    options = list(wanted) if isinstance(wanted, tuple | list) else [wanted]
    if isinstance(held, Instance):
        if any(one in held.of.ancestors() for one in options if isinstance(one, Class)):
            return True
        return False if all(isinstance(one, Class) for one in options) else unknown("the class of an object", at=place)
    types = [getattr(builtins, one.simple, None) if isinstance(one, External) else None for one in options]
    if isinstance(held, PLAIN):
        if any(isinstance(one, type) and isinstance(held, one) for one in types):
            return True
        known = all(
            isinstance(one, type) or isinstance(option, Class) for one, option in zip(types, options, strict=True)
        )
        return False if known else unknown("the class of a value", at=place)
    return Opaque(held.unknown) if isinstance(held, Opaque) else unknown("the class of a value", at=place)


def _getattr(run: Run, arguments: Arguments, place: Location) -> Value:
    owner, name = arguments.get(0, "object"), arguments.get(1, "name")
    if isinstance(name, str):
        found = attribute_of(run, owner, name, place)
        missing = isinstance(found, Bound) and isinstance(owner, Instance | Class)
        return arguments.positional[2] if missing and len(arguments.positional) > 2 else found
    if holds_flink(owner):
        raise StoppedError(Unknown("which method of a stream is called is not known", Cause.REFLECTION, None, place))
    any_code(run)
    return looked_up(name, "an attribute that is looked up by its name", place)


def _setattr(run: Run, arguments: Arguments, place: Location) -> Value:
    owner, name = arguments.get(0, "object"), arguments.get(1, "name")
    if isinstance(owner, Instance) and isinstance(name, str):
        owner.attributes[name] = arguments.get(2, "value")
    elif isinstance(owner, (Instance, *FLINK_OBJECTS)):
        raise StoppedError(Unknown("which attribute is set is not known", Cause.OTHER, None, place))
    return None


def _hasattr(run: Run, arguments: Arguments, place: Location) -> Value:
    owner, name = arguments.get(0, "object"), arguments.get(1, "name")
    if isinstance(owner, Instance) and isinstance(name, str):
        return name in owner.attributes or owner.of.member(name) is not MISSING
    return unknown("whether an object has an attribute", at=place)


def _next(run: Run, arguments: Arguments, place: Location) -> Value:
    items = elements(run, arguments.get(0, "iterator"), place)
    if isinstance(items, Opaque):
        return items
    if not items:
        if len(arguments.positional) > 1:
            return arguments.positional[1]
        raise raised("StopIteration")
    first = items[0]
    held = arguments.get(0, "iterator")
    if isinstance(held, list):
        held.pop(0)
    return first


def _iter(run: Run, arguments: Arguments, place: Location) -> Value:
    items = elements(run, arguments.get(0, "object"), place)
    return (
        items
        if isinstance(items, Opaque)
        else list(items)
        if len(items) <= MAX_ELEMENTS
        else unknown("a long range", at=place)
    )


def _vars(run: Run, arguments: Arguments, place: Location) -> Value:
    held = arguments.get(0, "object")
    if isinstance(held, Parsed) and held.open is None:
        return held.values
    return held.attributes if isinstance(held, Instance) else unknown("the variables of an object", at=place)


def _callable(run: Run, arguments: Arguments, place: Location) -> Value:
    held = arguments.get(0, "obj")
    return True if isinstance(held, Function | Class) else unknown("whether something can be called", at=place)


def _exit(run: Run, arguments: Arguments, place: Location) -> Value:
    raise ExitSignal


def _executed(run: Run, arguments: Arguments, place: Location) -> Value:
    any_code(run)
    raise StoppedError(Unknown("the script runs code that it makes from a text", Cause.REFLECTION, None, place))


def _marked(binds: str) -> Callable[[Run, Arguments, Location], Value]:
    def handler(run: Run, arguments: Arguments, place: Location) -> Value:
        held = arguments.get(0, "function")
        if isinstance(held, Function):
            held.binds = binds
        return held

    return handler


_SPECIAL: dict[str, Callable[[Run, Arguments, Location], Value]] = {
    "map": _map, "filter": _filter, "isinstance": _isinstance, "getattr": _getattr, "setattr": _setattr,
    "hasattr": _hasattr, "next": _next, "callable": _callable, "exit": _exit, "quit": _exit, "exec": _executed,
    "eval": _executed, "print": lambda run, arguments, place: None,
    "iter": _iter, "vars": _vars, "staticmethod": _marked("nothing"),
    "classmethod": _marked("class"), "property": _marked("property"),
    "input": lambda run, arguments, place: unknown("what somebody types", Cause.ARGUMENT, place, run.fresh("input()")),
}  # fmt: skip
