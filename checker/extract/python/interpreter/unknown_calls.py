"""What a call of code that is not known may do."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter.call_record import Call
from checker.extract.python.interpreter.containers import changed_of, inside
from checker.extract.python.interpreter.effects import may_do_something, reached
from checker.extract.python.interpreter.functions import touches_flink
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import StoppedError, stopped
from checker.extract.python.interpreter.values import (
    Bound,
    Class,
    Decorated,
    External,
    Function,
    Instance,
    Opaque,
    Partial,
    Super,
    Value,
    first_opaque,
    unknown,
)
from checker.model.unknowns import Cause, Unknown


def unresolved(run: Run, call: Call) -> tuple[Opaque]:
    """The one end of calls that nothing models: code that is not known does anything with what it is handed.

    Raises StoppedError where a stream, the environment or code that uses them is among it.
    """
    name = _name(call) or _NAMELESS
    reason = Unknown(f"{name} may have changed it", Cause.EXTERNAL, None, call.place)
    pending, seen = list(inside(*_handed(call))), set[int]()
    while pending:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, FLINK_OBJECTS):
            raise _stopped(call, "a stream or environment")
        if isinstance(item, Function | Class | Instance | Partial | Decorated) and touches_flink(item):
            shown = item.of.name if isinstance(item, Instance) else getattr(item, "name", "code of the repository")
            raise _stopped(call, f"{shown}, which uses PyFlink,")
        if isinstance(item, list | dict | set | deque | Iterator | Instance) and not isinstance(item, Opaque):
            changed_of(run, item, reason)
        if isinstance(item, Function) and may_do_something(run, item):
            _variables_change(item, reason)
            pending.extend(inside(*reached(item)))
        if isinstance(item, Instance):
            pending.extend(member for member in item.of.members.values() if isinstance(member, Function))
    run.outside += 1
    symbol = run.fresh(f"{name}()")
    if isinstance(call.target, Opaque | Decorated):
        return (Opaque(call.target.unknown, symbol if isinstance(call.target, Opaque) else ""),)
    opaque = first_opaque(call.receiver, *call.arguments.all()) if isinstance(call.target, Bound) else None
    if opaque is not None:
        return (Opaque(opaque.unknown),)
    return (unknown(f"the result of {name}() is not known", Cause.EXTERNAL, call.place, symbol),)


def _name(call: Call) -> str:
    if isinstance(call.receiver, Instance):
        return f"{call.receiver.of.name}.{call.name}"
    if isinstance(call.receiver, External):
        return f"{call.receiver.path}.{call.name}"
    return call.name or (call.target.name if isinstance(call.target, Opaque) else "")


_NAMELESS = "code that is not known"


def _handed(call: Call) -> list[Value]:
    """What the code gets hold of; what PyFlink's own classes, and those of dataclasses, inherit keeps an object."""
    own = call.target.inner if isinstance(call.target, Decorated) else call.receiver
    kept = isinstance(own, Super) or (isinstance(own, Instance) and own.of.generated)
    return [*call.arguments.all()] if kept else [own, *call.arguments.all()]


def _stopped(call: Call, what: str) -> StoppedError:
    if isinstance(call.target, Decorated):
        return StoppedError(replace(call.target.unknown, location=call.place))
    name = _name(call)
    shown = f"{name}, which is not known" if name else _NAMELESS
    return stopped(f"{what} is handed to {shown}", Cause.EXTERNAL, call.place)


def _variables_change(function: Function, reason: Unknown) -> None:
    """Variables that a function declares ``global`` or ``nonlocal`` are not known any more."""
    for node in (node for statement in function.body for node in ast.walk(statement)):
        if isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                found = function.scope.module() if isinstance(node, ast.Global) else function.scope.find(name)
                if found is not None and name in found.names:
                    found.names[name] = Opaque(reason, derived_from="")
