"""Methods such as ``__eq__`` of objects of the repository, as Python itself calls them while it works on values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

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
from checker.model.unknowns import Cause, Location, Unknown

_PLAIN_BASES = ("abc.", "typing.", "builtins.object")
_ABSENT = frozenset({"__len__", "__iter__", "__next__", "__getitem__", "__setitem__", "__delitem__", "__abs__",
                     "__neg__", "__index__", "__int__", "__float__", "__reversed__"})  # fmt: skip
"""What fails with a TypeError where a class does not have it; other operators ask the other operand first."""


def caller(run: Run, node: ast.ClassDef, file: str) -> Callable[[Instance, str, tuple[Value, ...]], Value]:
    """What answers for the objects of a class in one run."""
    place = Location(file, node.lineno)

    def special(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
        member = this.of.member(name)
        if isinstance(member, Function):
            return _called(run, this, name, member, others, place)
        if member is not MISSING or this.of.generated or id(this) in run.changed or not _known_bases(this):
            raise UnclearError(this.reason())
        return _DEFAULTS.get(name, _not_implemented)(this, name, others)

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


def _not_implemented(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
    if name in _ABSENT:
        raise TypeError(f"'{this.of.name}' object has no {name}")
    return NotImplemented


def _fields(this: Instance) -> list[tuple[str, Value]] | None:
    names = [name for of in reversed(this.of.ancestors()) for name, _ in of.fields or ()]
    return [(name, this.attributes.get(name)) for name in dict.fromkeys(names)] if names else None


def _eq(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
    second = others[0]
    fields = _fields(this)
    if this is second or fields is None:
        return True if this is second else NotImplemented
    if isinstance(second, Instance) and second.of is this.of:
        return [content for _, content in fields] == [content for _, content in _fields(second) or ()]
    return NotImplemented


def _hash(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
    if this.of.member("__eq__") is not MISSING or _fields(this) is not None:
        raise TypeError(f"unhashable type: '{this.of.name}'")
    return object.__hash__(this)


def _str(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
    shown = this.of.member("__repr__")
    if name != "__repr__" and isinstance(shown, Function):
        return repr(this)
    if is_exception(this):
        content = this.attributes.get("args", ())
        if name == "__repr__" or not isinstance(content, tuple):
            raise UnclearError(this.reason())
        return str(content[0]) if len(content) == 1 else str(content) if content else ""
    fields = _fields(this)
    if fields is not None:
        return f"{this.of.name}({', '.join(f'{key}={content!r}' for key, content in fields)})"
    if this.of.constants() is not None and name != "__repr__":
        return f"{this.of.name}.{this.attributes['name']}"
    raise UnclearError(Unknown(f"the text of a {this.of.name} holds its address", Cause.NON_DETERMINISTIC))


def _format(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
    if others and others[0]:
        raise TypeError("unsupported format string")
    return str(this)


def _bool(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
    return len(this) > 0 if this.of.member("__len__") is not MISSING else True


def _contains(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
    container: Any = this
    return any(element is others[0] or element == others[0] for element in container)


def _iter(this: Instance, name: str, others: tuple[Value, ...]) -> Value:
    if this.of.member("__getitem__") is MISSING:
        raise TypeError(f"'{this.of.name}' object is not iterable")
    return _by_number(this)


def _by_number(this: Any) -> Iterator[Value]:
    number = 0
    while True:
        try:
            element = this[number]
        except RaiseSignal as signal:
            if signal.kinds and "IndexError" in signal.kinds:
                return
            raise
        yield element
        number += 1


_DEFAULTS: dict[str, Callable[[Instance, str, tuple[Value, ...]], Value]] = {
    "__eq__": _eq, "__hash__": _hash, "__str__": _str, "__repr__": _str, "__format__": _format, "__bool__": _bool,
    "__contains__": _contains, "__iter__": _iter,
}  # fmt: skip
