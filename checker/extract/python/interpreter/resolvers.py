"""Who answers a call: an ordered list of resolvers for each kind of what is called.

A resolver returns its answer, or None where the call is not its own. The next one is asked then; what none answers is
an unknown call (``unknown_calls.unresolved``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from checker.extract.python.flink_api import flink_calls
from checker.extract.python.interpreter import classes, functions
from checker.extract.python.interpreter.call_record import Answer, Call, Resolver
from checker.extract.python.interpreter.containers import holds_flink
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.python_calls import perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import raised
from checker.extract.python.interpreter.special_methods import is_exception
from checker.extract.python.interpreter.unknown_calls import unresolved
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
    Partial,
    Super,
    Value,
)
from checker.extract.python.library import builtin_functions, plain_methods, standard_library


def _always(handler: Callable[[Run, Any, Call], Value]) -> Resolver:
    """A resolver that knows every call of its kind."""
    return lambda run, call: (handler(run, call.target, call),)


def _exception_arguments(run: Run, call: Call) -> Answer:
    """``super().__init__(...)`` of an exception of the repository."""
    owner = call.receiver
    if not (isinstance(owner, Super) and call.name == "__init__" and isinstance(owner.this, Instance)):
        return None
    if not is_exception(owner.this):
        return None
    owner.this.attributes["args"] = tuple(call.positional)
    return (None,)


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
    Class: (_always(classes.make_instance),),
    Partial: (_always(functions.call_partial),),
    Instance: (_object_that_is_called, _of_python),
    External: (flink_calls.of_package, builtin_functions.of_builtins, standard_library.of_package),
    Bound: (
        _exception_arguments,
        flink_calls.of_object,
        flink_calls.of_length,
        _builder,
        classes.inherited_from_flink,
        standard_library.of_object,
        plain_methods.of_python,
    ),
    Decorated: (),
    Opaque: (),
    object: (_of_python,),
    **{kind: (_always(handler),) for kind, handler in standard_library.CALLED.items()},
}
"""Class of what is called → who is asked, in order; ``object`` for all other classes."""
RESOLVERS: Final = {kind: (*known, unresolved) for kind, known in KNOWN.items()}
