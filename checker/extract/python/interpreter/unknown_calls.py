"""What a call of code that is not known may do."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator

from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter.containers import changed_of, inside
from checker.extract.python.interpreter.effects import may_do_something, reached
from checker.extract.python.interpreter.functions import touches_flink
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.interpreter.values import (
    Arguments,
    Class,
    Decorated,
    Function,
    Instance,
    Opaque,
    Partial,
    unknown,
)
from checker.model.unknowns import Cause, Location, Unknown


def unknown_call(run: Run, name: str, arguments: Arguments, place: Location) -> Opaque:
    """The one place for what code that is not known may do: anything with what it is handed, and with what that holds.

    Raises StoppedError where a stream, the environment or code that uses them is among it.
    """
    reason = Unknown(f"{name} may have changed it", Cause.EXTERNAL, None, place)
    shown_target = name if name.startswith("code ") else f"{name}, which is not known"
    pending, seen = list(inside(*arguments.all())), set[int]()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, FLINK_OBJECTS):
            why = f"a stream or environment is handed to {shown_target}"
            raise StoppedError(Unknown(why, Cause.EXTERNAL, None, place))
        if isinstance(one, Function | Class | Instance | Partial | Decorated) and touches_flink(one):
            shown = one.of.name if isinstance(one, Instance) else getattr(one, "name", "code of the repository")
            why = f"{shown}, which uses PyFlink, is handed to {shown_target}"
            raise StoppedError(Unknown(why, Cause.EXTERNAL, None, place))
        if isinstance(one, list | dict | set | deque | Iterator | Instance) and not isinstance(one, Opaque):
            changed_of(run, one, reason)
        if isinstance(one, Function) and may_do_something(run, one):
            _variables_change(one, reason)
            pending.extend(inside(*reached(one)))
        if isinstance(one, Instance):
            pending.extend(held for held in one.of.members.values() if isinstance(held, Function))
    run.outside += 1
    return unknown(f"the result of {name}() is not known", Cause.EXTERNAL, place, run.fresh(f"{name}()"))


def _variables_change(function: Function, reason: Unknown) -> None:
    """Variables that a function declares ``global`` or ``nonlocal`` are not known any more."""
    for node in (node for statement in function.body for node in ast.walk(statement)):
        if isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                found = function.scope.module() if isinstance(node, ast.Global) else function.scope.find(name)
                if found is not None and name in found.names:
                    found.names[name] = Opaque(reason, derived_from="")
