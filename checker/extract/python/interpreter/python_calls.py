"""Python's own functions on the values of a script: called for real, within bounds on what they may take and make.

This is exact because values of Python are real ones here, and all others refuse to be looked at (``Guarded``). A
function that only moves its elements works on any; one that looks at a value which is not known gives an unknown one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from checker.extract.python.interpreter.containers import (
    changed_inside,
    changed_of,
    current,
    guarded_sets,
    holds_flink,
    inside,
)
from checker.extract.python.interpreter.effects import may_do_something
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
from checker.extract.python.interpreter.values import (
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Guarded,
    Opaque,
    Partial,
    Value,
)
from checker.model.unknowns import Cause, Location, Unknown

MAX_LENGTH = 100_000
MAX_NUMBER = 1_000_000
MAX_PRODUCT = 5_000_000
_CALLABLE = (Function, Class, Partial, Bound, External)
_SIGNALS = (StoppedError, RaiseSignal, ExitSignal, LoopSignal, ReturnSignal)


def perform(
    run: Run, function: Callable[..., Any], arguments: Arguments, place: Location, *, owner: Value = None,
    changes: bool = False, numbers: bool = True, calls: bool = False,
) -> Value:  # fmt: skip
    """The result of a function of Python, or of a method of ``owner``.

    ``changes``: it may change its owner. ``numbers``: its numbers may be large. ``calls``: it may call its arguments;
    others keep them as they are. Raises RaiseSignal for what it raises,
    StoppedError where it would have called code with effects and it is not known which calls those are.
    """
    everything = [owner, *arguments.all()]
    changed = changed_inside(run, *everything)
    if changed is None:
        too_large = _too_large(everything, numbers)
        changed = Unknown(too_large, Cause.LIMIT, None, place) if too_large else None
    if changed is not None:
        return _unclear(run, changed, everything, owner if changes else None, place)
    try:
        if calls:
            found = function(
                *(as_python(run, given, place) for given in arguments.positional),
                **{key: as_python(run, given, place) for key, given in arguments.keywords.items()},
            )
        else:
            found = function(*arguments.positional, **arguments.keywords)
        return within_bounds(_of_script(found), place)
    except UnclearError as unclear:
        return _unclear(run, unclear.unknown, everything, owner if changes else None, place)
    except _SIGNALS:
        raise
    except (RecursionError, MemoryError):
        return Opaque(Unknown("a value that is too large", Cause.LIMIT, None, place))
    except Exception as error:
        reason = _in_the_way(everything)
        if reason is None:
            raise of_python(error) from None
        return _unclear(run, reason, everything, owner if changes else None, place)


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


def _too_large(values: list[Value], numbers: bool) -> str | None:
    sizes = []
    for value in values:
        if isinstance(value, int) and not numbers:
            if abs(value) > MAX_NUMBER:
                return "a number that is too large"
            sizes.append(abs(value))
        if isinstance(value, range) and (abs(value.start) > MAX_NUMBER or abs(value.stop) > MAX_NUMBER):
            return "a range that is too long"
        if isinstance(value, str | bytes | list | tuple | dict | set | frozenset | range):
            if len(value) > MAX_LENGTH:
                return "a value that is too long"
            sizes.append(len(value))
        if isinstance(value, list | tuple | dict | set | frozenset) and too_deep(value):
            return "a value that holds too much"
    sizes.sort()
    return "a value that is too long" if len(sizes) > 1 and sizes[-1] * sizes[-2] > MAX_PRODUCT else None


def too_deep(value: Any) -> bool:
    """Whether a collection, written down with all that it holds, is too long: it may hold another many times."""
    left = MAX_LENGTH
    pending: list[Any] = [(value, 0)]
    while pending:
        part, depth = pending.pop()
        left -= 1
        if isinstance(part, dict):
            parts: Collection[Any] = part.values()
        elif isinstance(part, list | tuple):
            parts = part
        else:
            parts = ()
            left -= len(part) // 10 if isinstance(part, str | bytes) else 0
        if left < 0 or depth > 200 or len(parts) > left:
            return True
        pending.extend((part, depth + 1) for part in parts)
    return False


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


def within_bounds(found: Any, place: Location) -> Value:
    """A result as the script goes on with it; unknown where it is longer than anybody writes."""
    if isinstance(found, str | bytes | list | tuple | dict | set | frozenset) and len(found) > MAX_LENGTH:
        return Opaque(Unknown("a value that is too long", Cause.LIMIT, None, place))
    return guarded_sets(found)


def counted(run: Run, items: Iterator[Value], place: Location) -> Iterator[Value]:
    """Elements of an iterator that may have no end, each counted as a step."""
    for item in items:
        run.limits.steps -= 1 + (len(item) // 100 if isinstance(item, str | bytes) else 0)
        if run.limits.steps < 0:
            raise stopped("the script takes too many steps to be followed", Cause.LIMIT, place)
        yield item
