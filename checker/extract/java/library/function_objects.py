"""Functions that library code makes (``Comparator.comparing``, ``andThen``, ``negate``) and calls of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from checker.extract.java.library import equality
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed, unboxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    MethodRef,
    Value,
    integer,
    is_null,
)
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause

Body = Callable[[Run, Sequence[Value], Call], Value]


class LibraryFunction(ExternalObject):
    """A function that library code made, with what it does."""

    __slots__ = ("body",)

    def __init__(self, interface: str, body: Body, of: Sequence[Value] = (), name: str = "") -> None:
        called = ((name, ()),) if name else ()
        ExternalObject.__init__(self, External((f"java.util.function.{interface}",)), tuple(of), called)
        self.body = body


def is_function(value: Value) -> bool:
    """Whether a value can be called."""
    return isinstance(value, Lambda | MethodRef | Instance | LibraryFunction)


def apply(run: Run, function: Value, arguments: Sequence[Value], call: Call) -> Value:
    """The result of a function, boxed."""
    if is_null(function):
        throw("NullPointerException")
    return boxed(run.interpreter.call_function(function, call.having(arguments=list(arguments))))


def test(run: Run, function: Value, arguments: Sequence[Value], call: Call) -> bool:
    """What a predicate says; where it is not known, a choice of the path."""
    return run.decide(unboxed(apply(run, function, arguments, call)))


_SINGLE: Final = {
    "Predicate": "test", "BiPredicate": "test", "Consumer": "accept", "BiConsumer": "accept", "Supplier": "get",
    "Comparator": "compare", "Function": "apply", "BiFunction": "apply", "UnaryOperator": "apply",
    "BinaryOperator": "apply", "Runnable": "run", "Callable": "call", "IntFunction": "apply", "ToIntFunction":
    "applyAsInt", "IntUnaryOperator": "applyAsInt", "IntPredicate": "test", "IntBinaryOperator": "applyAsInt",
    "ToLongFunction": "applyAsLong", "ToDoubleFunction": "applyAsDouble", "IntConsumer": "accept",
    "BooleanSupplier": "getAsBoolean", "IntSupplier": "getAsInt", "LongSupplier": "getAsLong", "DoubleSupplier":
    "getAsDouble", "IntToLongFunction": "applyAsLong", "ObjIntConsumer": "accept",
}  # fmt: skip
"""The one abstract method of the JDK's functional interfaces."""
_METHODS: Final = frozenset(_SINGLE.values())


def interface_of(function: Value) -> str | None:
    """The simple name of the functional interface that a function was declared as."""
    if isinstance(function, LibraryFunction):
        return function.type.simple
    if isinstance(function, Lambda | MethodRef) and isinstance(function.interface, External):
        return function.interface.simple
    return None


def call(run: Run, receiver: Value, request: Call) -> Value | None:
    """A default method of a functional interface of the JDK, or its one method; None for everything else."""
    name, given = request.name, request.arguments
    if name == "negate" and not given:
        return _negated(receiver)
    interface = interface_of(receiver)
    if name in ("andThen", "compose") and len(given) == 1 and (interface or "").endswith(("Function", "Operator")):
        return _in_turn(receiver, given[0], name)
    if name == _SINGLE.get(interface or "", "") or (interface is None and name in _METHODS):
        result = run.interpreter.call_function(receiver, request)
        return boxed(result) if name in ("apply", "get") else unboxed(result)
    return None


def _in_turn(receiver: Value, given: Value, name: str) -> Value:
    first, second = (receiver, given) if name == "andThen" else (given, receiver)
    return LibraryFunction(
        "Function", lambda run, args, at: apply(run, second, [apply(run, first, args, at)], at), (receiver, given), name
    )


def _negated(receiver: Value) -> Value:
    return LibraryFunction(
        "Predicate",
        lambda run, args, at: Constant(not test(run, receiver, args, at), "boolean"),
        (receiver,),
        "negate",
    )


def comparing(given: Sequence[Value]) -> LibraryFunction:
    """``Comparator.comparing(key)`` and ``comparing(key, comparator)``."""
    order = given[1] if len(given) > 1 else None

    def body(run: Run, args: Sequence[Value], at: Call) -> Value:
        keys = [apply(run, given[0], [value], at) for value in args]
        return _compared(run, keys, order, at)

    return LibraryFunction("Comparator", body, given, "comparing")


def _compared(run: Run, values: Sequence[Value], order: Value | None, at: Call) -> Value:
    if order is None and any(is_null(value) for value in values):
        throw("NullPointerException")
    result = equality.compare(run, values[0], values[1], order, at)
    if result is None:
        return run.opaque("how two values compare is not known", Cause.UNSUPPORTED, at.site, of=tuple(values))
    return integer(result)


NATURAL: Final = LibraryFunction("Comparator", lambda run, args, at: _compared(run, args, None, at), (), "natural")
REVERSE: Final = LibraryFunction(
    "Comparator", lambda run, args, at: _compared(run, [args[1], args[0]], None, at), (), "reverse"
)
IDENTITY: Final = LibraryFunction("Function", lambda run, args, at: args[0])


def static(simple: str, name: str, given: Sequence[Value]) -> Value | None:
    """A static method that makes a function, None for everything else."""
    match simple, name:
        case "Comparator", "comparing" | "comparingInt" | "comparingLong" | "comparingDouble":
            return comparing(given)
        case "Comparator", "naturalOrder":
            return NATURAL
        case (("Comparator" | "Collections"), "reverseOrder") if not given:
            return REVERSE
        case "Collections", "reverseOrder":
            return LibraryFunction(
                "Comparator", lambda run, args, at: apply(run, given[0], [args[1], args[0]], at), given, "reversed"
            )
        case (("Function" | "UnaryOperator"), "identity"):
            return IDENTITY
        case "Predicate", "not":
            return _negated(given[0])
    return None
