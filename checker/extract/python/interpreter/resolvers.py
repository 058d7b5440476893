"""Who answers a call: an ordered list of resolvers for each kind of what is called.

A resolver returns its answer, or None where the call is not its own. The next one is asked then; what none answers is
an unknown call (``unresolved``).
"""

import ast
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from checker.extract.python.flink_api import flink_calls
from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter import functions, objects
from checker.extract.python.interpreter.containers import changed_of, holds_flink, inside
from checker.extract.python.interpreter.evaluate import Answer, Call, Resolver
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.functions import touches_flink
from checker.extract.python.interpreter.python_calls import may_do_something, perform, reached
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import StoppedError, raised, stopped
from checker.extract.python.interpreter.values import (
    Arguments,
    Bound,
    Class,
    Decorated,
    External,
    Function,
    Guarded,
    Instance,
    Opaque,
    Super,
    Value,
    first_opaque,
    unknown,
)
from checker.extract.python.library import builtin_functions, plain_methods, standard_library
from checker.model.unknowns import Cause, Unknown


def unresolved(run: Run, call: Call) -> tuple[Opaque]:
    """The one end of calls that nothing models: code that is not known does anything with what it is handed.

    Raises StoppedError where a stream, the environment or code that uses them is among it.
    """
    name = _name(call) or _NAMELESS
    reason = Unknown(f"{name} may have changed it", Cause.EXTERNAL, None, call.place)
    logger = isinstance(call.target, Opaque) and (call.target.derived_from or "").startswith("logging.")
    pending, seen = [] if logger else list(inside(*_handed(call))), set[int]()
    while pending:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, FLINK_OBJECTS):
            raise _stopped(call, "a stream or environment")
        if isinstance(item, Function | Class | Instance | Decorated) and touches_flink(item):
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
    return (unknown(f"cannot tell the result of {name}()", Cause.EXTERNAL, call.place, symbol),)


def _name(call: Call) -> str:
    if isinstance(call.receiver, Instance):
        return f"{call.receiver.of.name}.{call.name}"
    if isinstance(call.receiver, External):
        return f"{call.receiver.path}.{call.name}"
    return call.name or (call.target.name if isinstance(call.target, Opaque) else "")


_NAMELESS = "unknown code"


def _handed(call: Call) -> list[Value]:
    """What the code gets hold of; what PyFlink's own classes, and those of dataclasses, inherit keeps an object."""
    own = call.target.inner if isinstance(call.target, Decorated) else call.receiver
    kept = isinstance(own, Super) or (isinstance(own, Instance) and own.of.generated)
    return [*call.arguments.all()] if kept else [own, *call.arguments.all()]


def _stopped(call: Call, what: str) -> StoppedError:
    if isinstance(call.target, Decorated):
        return StoppedError(replace(call.target.unknown, location=call.place))
    name = _name(call)
    shown = f"{name}, which is unknown code" if name else _NAMELESS
    return stopped(f"{what} is handed to {shown}", Cause.EXTERNAL, call.place)


def _variables_change(function: Function, reason: Unknown) -> None:
    """Variables that a function declares ``global`` or ``nonlocal`` are not known any more."""
    for node in (node for statement in function.body for node in ast.walk(statement)):
        if isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                found = function.scope.module() if isinstance(node, ast.Global) else function.scope.find(name)
                if found is not None and name in found.names:
                    found.names[name] = Opaque(reason, derived_from="")


def _always(handler: Callable[[Run, Any, Call], Value]) -> Resolver:
    """A resolver that knows every call of its kind."""
    return lambda run, call: (handler(run, call.target, call),)


def _builder(run: Run, call: Call) -> Answer:
    """A method of an object from outside: the object with one more call."""
    owner = call.receiver
    if not isinstance(owner, External) or holds_flink(*call.arguments.all()):
        return None
    keywords = tuple(call.keywords.items())
    return (External(f"{owner.path}.{call.name}", tuple(call.positional), keywords, True, owner),)


def _object_that_is_called(run: Run, call: Call) -> Answer:
    method = call.target.of.member("__call__")
    if not isinstance(method, Function):
        return None
    arguments = Arguments([call.target, *call.positional], call.keywords)
    return (call_value(run, method, arguments, call.place),)


def _of_python(run: Run, call: Call) -> Answer:
    """A function or object of Python itself."""
    if isinstance(call.target, Guarded):
        return None
    if not callable(call.target):
        raise raised("TypeError", "object is not callable")
    return (perform(run, call.target, call.arguments, call.place),)


KNOWN: Final[dict[type, tuple[Resolver, ...]]] = {
    Function: (_always(functions.call_function),),
    Class: (_always(objects.make_instance),),
    Instance: (_object_that_is_called, _of_python),
    External: (flink_calls.of_package, builtin_functions.of_builtins, standard_library.of_package),
    Bound: (
        flink_calls.of_object,
        flink_calls.of_length,
        _builder,
        objects.inherited_from_flink,
        standard_library.of_object,
        plain_methods.of_python,
    ),
    Decorated: (),
    Opaque: (),
    object: (_of_python,),
}
"""Class of what is called → who is asked, in order; ``object`` for all other classes."""
RESOLVERS: Final = {kind: (*known, unresolved) for kind, known in KNOWN.items()}
