"""Methods such as ``__eq__`` of objects of the repository, as Python itself calls them while it works on values."""

from __future__ import annotations

import ast
from collections.abc import Callable

from checker.extract.python.interpreter.attributes import bound
from checker.extract.python.interpreter.evaluate import call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, UnclearError
from checker.extract.python.interpreter.values import (
    MISSING,
    Arguments,
    Bound,
    External,
    Function,
    Instance,
    Opaque,
    Value,
)
from checker.model.unknowns import Location

_PLAIN_BASES = ("abc.", "typing.", "builtins.object")


def caller(run: Run, node: ast.ClassDef, file: str) -> Callable[[Instance, str, tuple[Value, ...]], Value]:
    """What answers for the objects of a class in one run."""
    place = Location(file, node.lineno)

    def special(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
        member = this.of.member(name)
        if isinstance(member, Function):
            return _called(run, this, name, member, others, place)
        if member is not MISSING or this.of.generated or id(this) in run.changed or not _known_bases(this):
            raise UnclearError(this.reason())
        default = _DEFAULTS.get(name)
        if default is None:
            raise UnclearError(this.reason())
        return default(this, others)

    return special


def _called(run: Run, this: Instance, name: str, member: Function, others: tuple[Value, ...], place: Location) -> Value:
    try:
        found = call(run, bound(run, member, this, place), Arguments(list(others), {}), place)
    except RaiseSignal as signal:
        if name == "__next__" and signal.kinds and "StopIteration" in signal.kinds:
            raise StopIteration from None
        raise
    if isinstance(found, External) and found.path == "builtins.NotImplemented":
        return NotImplemented
    if isinstance(found, Opaque):
        raise UnclearError(found.unknown)
    return found


def is_exception(this: Instance) -> bool:
    """Whether an object is of a class below one of Python's own exceptions."""
    foreign = this.of.foreign()
    return isinstance(foreign, External) and foreign.path.startswith("builtins.") and foreign.simple != "object"


def _known_bases(this: Instance) -> bool:
    for of in this.of.ancestors():
        for base in of.bases:
            if isinstance(base, External) and not base.path.startswith((*_PLAIN_BASES, "builtins.", "enum.")):
                return False
            if isinstance(base, Opaque | Bound):
                return False
    return True


def _fields(this: Instance) -> list[tuple[str, Value]] | None:
    names = [name for of in reversed(this.of.ancestors()) for name, _ in of.fields or ()]
    return [(name, this.attributes.get(name)) for name in dict.fromkeys(names)] if names else None


def _eq(this: Instance, others: tuple[Value, ...]) -> Value:
    second = others[0]
    fields = _fields(this)
    if this is second or fields is None:
        return True if this is second else NotImplemented
    if isinstance(second, Instance) and second.of is this.of:
        return [content for _, content in fields] == [content for _, content in _fields(second) or ()]
    return NotImplemented


def _hash(this: Instance, others: tuple[Value, ...]) -> Value:
    if this.of.member("__eq__") is not MISSING or _fields(this) is not None:
        raise TypeError(f"unhashable type: '{this.of.name}'")
    return object.__hash__(this)


def _bool(this: Instance, others: tuple[Value, ...]) -> Value:
    return len(this) > 0 if this.of.member("__len__") is not MISSING else True


_DEFAULTS: dict[str, Callable[[Instance, tuple[Value, ...]], Value]] = {
    "__eq__": _eq,
    "__hash__": _hash,
    "__bool__": _bool,
}
