"""Functions that library code makes (``Function.identity``, ``andThen``) and calls of functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from checker.extract.datastream.table import table
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed, unboxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Lambda, MethodRef, Value, is_null
from checker.extract.java.syntax.class_index import External


def apply(run: Run, function: Value, arguments: Sequence[Value], call: Call) -> Value:
    """The result of a function, boxed."""
    if is_null(function):
        throw("NullPointerException")
    return boxed(run.interpreter.call_function(function, call.having(arguments=list(arguments))))


def test(run: Run, function: Value, arguments: Sequence[Value], call: Call) -> bool:
    """What a predicate says; where it is not known, a choice of the path."""
    return run.decide(unboxed(apply(run, function, arguments, call)))


_SINGLE = table("methods_of_interfaces")
"""The one abstract method of the JDK's functional interfaces."""
_METHODS: Final = frozenset(_SINGLE.values())


def interface_of(function: Value) -> str | None:
    """The simple name of the functional interface that a function was declared as."""
    if isinstance(function, Lambda | MethodRef) and isinstance(function.interface, External):
        return function.interface.simple
    return None


def call(run: Run, receiver: Value, request: Call) -> Value | None:
    """A default method of a functional interface of the JDK, or its one method; None for everything else."""
    name, interface = request.name, interface_of(receiver)
    if name == _SINGLE.get(interface or "", "") or (interface is None and name in _METHODS):
        result = run.interpreter.call_function(receiver, request)
        return boxed(result) if name in ("apply", "get") else unboxed(result)
    return None
