"""Python's own functions on the values of a script: called for real, within bounds on what they may take and make.

This is exact because values of Python are real ones here, and all others refuse to be looked at (``Guarded``). A
function that only moves its elements works on any; one that looks at a value which is not known gives an unknown one.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from checker.extract.interpreting.bounds import OF_AN_ELEMENT, TOO_LONG, TOO_MUCH
from checker.extract.python.interpreter.containers import (
    changed_inside,
    changed_of,
    current,
    guarded_sets,
    holds_flink,
    inside,
)
from checker.extract.python.interpreter.evaluate import call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import (
    ExitSignal,
    LoopSignal,
    RaiseSignal,
    ReturnSignal,
    StoppedError,
    UnclearError,
    of_python,
    stopped,
    stopped_by,
)
from checker.extract.python.interpreter.sizes import too_large, too_long
from checker.extract.python.interpreter.values import (
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Guarded,
    Instance,
    Opaque,
    Value,
)
from checker.model.unknowns import Cause, Location, Unknown

_CALLABLE = (Function, Class, Bound, External)
_SIGNALS = (StoppedError, RaiseSignal, ExitSignal, LoopSignal, ReturnSignal)


@dataclass(frozen=True)
class Doing:
    """What a function of Python may do."""

    changes: bool = False
    """It may change its owner."""
    large: bool = True
    """Its numbers may be large."""
    calls: bool = False
    """It may call its arguments; others keep them as they are."""
    kept: Value = None
    """A collection of which it looks at one element, or at none."""


def perform(
    run: Run,
    function: Callable[..., Any],
    arguments: Arguments,
    place: Location,
    *,
    owner: Value = None,
    doing: Doing = Doing(),
) -> Value:
    """The result of a function of Python, or of a method of ``owner``.

    Raises RaiseSignal for what it raises, StoppedError where it would have called code with effects and it is not
    known which calls those are.
    """
    everything = [owner, *arguments.all()]
    changed = changed_inside(run, *everything)
    if changed is None:
        bound = owner is not None and owner is getattr(function, "__self__", None)
        operands = everything if bound else everything[1:]
        why = too_large(function, operands, run.limits.budget, numbers=doing.large, kept=doing.kept)
        changed = Unknown(why, Cause.LIMIT, None, place) if why else None
    if not run.limits.budget.take(0):
        raise stopped(f"the script was not followed to its end: {TOO_MUCH}", Cause.LIMIT, place)
    if changed is not None:
        return _unclear(run, changed, everything, owner if doing.changes else None, place)
    try:
        if doing.calls:
            found = function(
                *(as_python(run, given, place) for given in arguments.positional),
                **{key: as_python(run, given, place) for key, given in arguments.keywords.items()},
            )
        else:
            found = function(*arguments.positional, **arguments.keywords)
        return _within_bounds(run, _of_script(found), place)
    except UnclearError as unclear:
        if isinstance(unclear.asked, Instance) and any(may_do_something(run, m) for m in unclear.asked.of.special()):
            raise stopped_by(unclear.unknown, place) from None
        return _unclear(run, unclear.unknown, everything, owner if doing.changes else None, place)
    except _SIGNALS:
        raise
    except (RecursionError, MemoryError):
        return Opaque(Unknown("a value that is too large", Cause.LIMIT, None, place))
    except Exception as error:
        reason = _in_the_way(everything)
        if reason is None:
            raise of_python(error) from None
        return _unclear(run, reason, everything, owner if doing.changes else None, place)


def _in_the_way(values: list[Value]) -> Unknown | None:
    """Why Python may have failed on what stands for something else here, and not on the script's own values."""
    guarded = next((item for item in inside(*values) if isinstance(item, Guarded)), None)
    if guarded is not None:
        return guarded.reason()
    if any(isinstance(value, Iterator) for value in values):
        return Unknown("the elements of an iterator are not all known", Cause.COLLECTION)
    return None


def _unclear(run: Run, reason: Unknown, values: list[Value], owner: Value, place: Location) -> Value:
    called = [value for value in values if isinstance(value, _CALLABLE)]
    if any(may_do_something(run, value) for value in called):
        raise stopped_by(reason, place)
    for value in values:
        if isinstance(value, Iterator):
            changed_of(run, value, reason)
    if owner is not None:
        if holds_flink(*values):
            raise stopped_by(reason, place)
        changed_of(run, owner, reason)
    return Opaque(reason)


class _Callable:
    """A value of the script that Python can call."""

    def __init__(self, run: Run, value: Value, place: Location) -> None:
        self.run = run
        self.value = value
        self.place = place

    def __call__(self, *positional: Value, **keywords: Value) -> Value:
        self.run.limits.steps -= 1
        arguments = Arguments(
            [_of_script(given) for given in positional], {key: _of_script(given) for key, given in keywords.items()}
        )
        return current(self.run, call(self.run, self.value, arguments, self.place))


def as_python(run: Run, value: Value, place: Location) -> Any:
    """A value as Python takes it: what can be called is a function that Python can call."""
    return _Callable(run, value, place) if isinstance(value, _CALLABLE) else value


def _of_script(value: Any) -> Value:
    """A value as the script knows it."""
    return value.value if isinstance(value, _Callable) else value


def _within_bounds(run: Run, found: Any, place: Location) -> Value:
    """A result as the script goes on with it, noted; unknown where it is longer than anybody writes."""
    if too_long(found):
        return Opaque(Unknown(TOO_LONG, Cause.LIMIT, None, place))
    if isinstance(found, str | bytes | list | tuple | dict | set | frozenset):
        run.limits.budget.take(len(found) // (OF_AN_ELEMENT if isinstance(found, str | bytes) else 1))
    return guarded_sets(found)


def all_counted(run: Run, values: list[Value], place: Location) -> list[Value]:
    """Arguments of a function that goes over them."""
    open_ended = [isinstance(value, Iterator) and not isinstance(value, Guarded) for value in values]
    return [counted(run, v, place) if o else v for v, o in zip(values, open_ended, strict=True)]


def counted(run: Run, items: Iterator[Value], place: Location) -> Iterator[Value]:
    """Elements of an iterator that may have no end, each counted as a step."""
    for item in items:
        run.limits.steps -= 1 + (len(item) // 100 if isinstance(item, str | bytes) else 0)
        if run.limits.steps < 0:
            raise stopped("the script takes too many steps to be followed", Cause.LIMIT, place)
        yield item


_READING = frozenset({
    "get", "items", "keys", "values", "upper", "lower", "strip", "lstrip", "rstrip", "replace", "split", "rsplit",
    "join", "startswith", "endswith", "format", "title", "zfill", "count", "index", "find", "encode", "decode",
    "copy", "partition", "rpartition", "removeprefix", "removesuffix", "isdigit", "isalpha",
})  # fmt: skip
"""Names of methods that change nothing, whatever they are called on."""
_PURE = frozenset({
    "str", "int", "float", "bool", "len", "abs", "min", "max", "sum", "sorted", "repr", "list", "tuple", "dict",
    "set", "frozenset", "range", "enumerate", "zip", "any", "all", "round", "isinstance", "reversed", "chr",
    "ord", "hash", "type", "divmod",
})  # fmt: skip


def holds_calls(node: ast.AST) -> bool:
    """Whether evaluating an expression calls what may do something, or gives a variable another value."""
    for child in ast.walk(node):
        if isinstance(child, ast.Call):
            name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
            if name not in _PURE | _READING:
                return True
        if isinstance(child, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return True
    return False


def may_do_something(run: Run, target: Value, seen: frozenset[int] = frozenset()) -> bool:
    """Whether calling a value could change anything but its own variables. True when in doubt."""
    if isinstance(target, External):
        return target.path.removeprefix("builtins.") not in _PURE
    if isinstance(target, Bound):
        return isinstance(target.owner, Guarded) or target.name not in _READING
    if isinstance(target, Function):
        if id(target.body) in seen:
            return False
        inner = seen | {id(target.body)}
        return any(_changes(run, node, target, inner) for node in _nodes(target.body))
    return isinstance(target, Guarded)


def _nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _changes(run: Run, node: ast.AST, function: Function, seen: frozenset[int]) -> bool:
    if isinstance(node, ast.Call):
        return not _harmless_call(run, node.func, function, seen)
    if isinstance(node, ast.Attribute | ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    return isinstance(
        node,
        ast.Global | ast.Nonlocal | ast.Await | ast.With | ast.AsyncWith | ast.Delete | ast.Import | ast.ImportFrom
        | ast.AugAssign | ast.Raise | ast.ClassDef,
    )  # fmt: skip


def _harmless_call(run: Run, called: ast.expr, function: Function, seen: frozenset[int]) -> bool:
    if isinstance(called, ast.Attribute):
        return called.attr in _READING
    if not isinstance(called, ast.Name) or called.id in {node.arg for node in ast.walk(function.arguments)
                                                         if isinstance(node, ast.arg)}:  # fmt: skip
        return False
    found = function.scope.find(called.id)
    if found is None:
        return called.id in _PURE
    known = found.names[called.id]
    return isinstance(known, Function) and not may_do_something(run, known, seen)


def reached(function: Function) -> Iterator[Value]:
    """What a function could change when it is called: its object, defaults, and the variables that it names."""
    yield function.bound
    yield from function.defaults.values()
    for name in {node.id for node in _nodes(function.body) if isinstance(node, ast.Name)}:
        scope = function.scope.find(name)
        if scope is not None:
            yield scope.names[name]
