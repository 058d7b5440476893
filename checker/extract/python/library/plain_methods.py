"""Methods and attributes of Python's own objects: texts, numbers, collections, iterators, patterns, exceptions."""

import builtins
from collections import deque
from typing import Any

from checker.extract.interpreting.bounds import MAX_ELEMENTS, TOO_LONG
from checker.extract.python.interpreter.containers import changed_of, holds_flink
from checker.extract.python.interpreter.evaluate import Answer, Call
from checker.extract.python.interpreter.functions import holds_jobs
from checker.extract.python.interpreter.operations import filled
from checker.extract.python.interpreter.python_calls import Doing, all_counted, perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import raised, stopped, stopped_by
from checker.extract.python.interpreter.sizes import template_may_be_wide
from checker.extract.python.interpreter.values import Arguments, External, Guarded, Opaque, Value, first_opaque, unknown
from checker.extract.python.library.standard_library import MODELLED_OBJECTS, entry
from checker.model.unknowns import Cause, Location, Unknown

_WRITING = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "add", "discard",
                      "reverse", "sort", "popitem", "appendleft", "extendleft", "popleft", "rotate", "subtract",
                      "move_to_end", "difference_update", "intersection_update",
                      "symmetric_difference_update", "send", "throw", "close"})  # fmt: skip
_MOVING = frozenset({"append", "appendleft", "insert", "setdefault", "get", "update", "extend", "pop", "items", "keys",
                     "values", "copy", "clear", "reverse"})  # fmt: skip
"""Methods that take elements as they are."""


def plain_attribute(run: Run, owner: Any, name: str, place: Location) -> Value | None:
    """An attribute that is not a method; None for methods."""
    if name.startswith("_") and not (isinstance(owner, tuple) and hasattr(type(owner), "_fields")):
        return unknown(f"the attribute {name} of an object of Python", Cause.OTHER, place)
    try:
        attribute = getattr(owner, name)
    except AttributeError as error:
        raise raised("AttributeError", str(error)) from None
    return None if callable(attribute) else attribute


def of_python(run: Run, call: Call) -> Answer:
    """A method of an object of Python; None for other objects."""
    owner = call.receiver
    if isinstance(owner, Opaque) and owner.holds:
        return (entry(run, owner, *call.positional[:2]) if call.positional else owner,)
    if isinstance(owner, (Guarded, *MODELLED_OBJECTS)):
        return None
    return (_method(run, owner, call),)


def _method(run: Run, owner: Value, call: Call) -> Value:
    given = call.arguments.all()
    opaque = first_opaque(*given)
    writes = call.name in _WRITING
    if isinstance(owner, str) and call.name in ("format", "format_map") and template_may_be_wide(owner):
        return unknown("a text whose format is not followed", Cause.LIMIT, call.place)
    if isinstance(owner, str) and call.name == "format" and any(isinstance(part, Guarded) for part in given):
        return filled(run, owner, call.arguments, call.place)
    if opaque is not None and not (call.name in _MOVING and not isinstance(owner, str | bytes)):
        return _unclear(run, owner, call, opaque.unknown)
    method = getattr(owner, call.name, None)
    if method is None:
        raise raised("AttributeError", call.name)
    if isinstance(owner, deque) and len(owner) > MAX_ELEMENTS:
        return _unclear(run, owner, call, Unknown(TOO_LONG, Cause.LIMIT, None, call.place))
    passed = Arguments(all_counted(run, call.positional, call.place), call.keywords)
    large = isinstance(owner, list | dict | set | int | float | deque)
    doing = Doing(writes, large, call.name == "sort", owner if call.name in _MOVING else None)
    found = perform(run, method, passed, call.place, owner=owner, doing=doing)
    if isinstance(found, Opaque) and not writes and holds_flink(owner, *given) and call.name not in _MOVING:
        raise stopped_by(found.unknown, call.place)
    taken = isinstance(found, Opaque) and call.name in ("get", "pop") and found is not opaque
    if taken and (holds_flink(owner) or holds_jobs(owner)):
        raise stopped_by(found.unknown, call.place)
    return found


def _unclear(run: Run, owner: Value, call: Call, reason: Unknown) -> Value:
    if holds_flink(owner, *call.arguments.all()):
        why = f"cannot tell what .{call.name}() does with a stream"
        raise stopped(why, reason.cause, call.place)
    if call.name in _WRITING:
        changed_of(run, owner, reason)
    return Opaque(reason)


def python_type(named: Value) -> type | None:
    """The builtin class that a script names; None for others."""
    if not isinstance(named, External) or named.called:
        return None
    module, _, simple = named.path.rpartition(".")
    known = getattr(builtins, simple, None) if module == "builtins" else None
    return known if isinstance(known, type) else None
