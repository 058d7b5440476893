"""Builtin functions: Python's own where they work on values, others for what asks about objects of the script."""

import builtins
from collections.abc import Callable, Iterator
from typing import Any

from checker.extract.interpreting.bounds import MAX_ELEMENTS
from checker.extract.python.flink_api.streams import FLINK_OBJECTS
from checker.extract.python.interpreter.assignments import record_change, set_attribute
from checker.extract.python.interpreter.containers import elements, holds_flink, without_order
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.evaluate import Answer, Call
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.functions import may_declare
from checker.extract.python.interpreter.objects import attribute_of
from checker.extract.python.interpreter.operations import named
from checker.extract.python.interpreter.python_calls import Doing, all_counted, perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import (
    ExitSignal,
    RaiseSignal,
    UnclearError,
    raised,
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
    Instance,
    Module,
    Opaque,
    Parsed,
    Value,
    first_opaque,
    looked_up,
    truth,
    unknown,
)
from checker.extract.python.library.plain_methods import python_type
from checker.extract.python.library.resources import any_code
from checker.model.unknowns import Cause

_NAMES = (
    "str", "int", "len", "range", "list", "tuple", "dict", "set", "frozenset", "bool", "float", "complex", "abs",
    "min", "max", "sum", "round", "repr", "ascii", "chr", "ord", "bytes", "bytearray", "divmod", "hex", "oct",
    "bin", "sorted", "enumerate", "zip", "reversed", "any", "all", "hash", "format", "slice", "iter", "next",
)  # fmt: skip
_PURE: dict[str, Callable[..., Any]] = {name: getattr(builtins, name) for name in _NAMES}
_METHODS: dict[str, type] = {type_.__name__: type_ for type_ in (str, int, float, tuple, bytes, frozenset)}
"""Classes whose methods change nothing, as functions: ``str.upper``."""
_ORDERLESS = frozenset({"sorted", "min", "max", "sum", "any", "all"})
"""Functions that give the same for every order of a set, as long as nothing else decides on it."""
_LARGE = frozenset({"str", "int", "float", "abs", "min", "max", "sum", "round", "repr", "divmod", "hex", "range",
                    "bool", "hash", "next", "iter", "dict", "set", "list", "tuple"})  # fmt: skip
"""Functions that may be given large numbers."""
_WALKING = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "enumerate", "zip",
                      "any", "all", "iter", "next", "bytes", "bytearray"})  # fmt: skip
"""Functions that go over their arguments."""
_CALLING = frozenset({"sorted", "min", "max", "iter"})
"""Functions that may call an argument."""
_WALKING_CLASSES = _WALKING | {"len", "reversed"}
"""Functions that go over the members of an enumeration."""


def of_builtins(run: Run, call: Call) -> Answer:
    """The result of a builtin; None where it is not modelled."""
    if not call.name.startswith("builtins."):
        return None
    name = call.name.removeprefix("builtins.")
    special = _SPECIAL.get(name)
    if special is not None:
        return (special(run, call),)
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, BaseException):
        return (perform(run, known, call.arguments, call.place),)
    of, _, method = name.rpartition(".")
    if name == "dict.fromkeys":
        return (perform(run, dict.fromkeys, call.arguments, call.place),)
    if of in _METHODS and not method.startswith("_") and hasattr(_METHODS[of], method):
        doing = Doing(large=of not in ("str", "bytes"))
        return (perform(run, getattr(_METHODS[of], method), call.arguments, call.place, doing=doing),)
    function = _PURE.get(name)
    return None if function is None else (_pure(run, name, function, call),)


def _pure(run: Run, name: str, function: Callable[..., Any], call: Call) -> Value:
    text = named(call.positional[0]) if name == "str" and len(call.arguments.all()) == 1 and call.positional else None
    if isinstance(text, Opaque) and (text.parts or text.name_of is not None):
        return text
    opaque = first_opaque(*call.arguments.all())
    if opaque is not None and not (name in ("next", "dict", "sum", "min", "max") and len(call.positional) != 1):
        if holds_flink(*call.arguments.all()):
            raise stopped_by(opaque.unknown, call.place)
        known_by = opaque.name and len(call.arguments.all()) == 1
        return Opaque(opaque.unknown, f"{name}({opaque.symbol})" if known_by else "")
    values = [_members(argument) for argument in call.positional] if name in _WALKING_CLASSES else [*call.positional]
    if name in _ORDERLESS and "key" not in call.keywords:
        values = [without_order(value) for value in values]
    if name in _WALKING and any(isinstance(value, range) and len(value) > MAX_ELEMENTS for value in values):
        return unknown("a collection that is too long", Cause.LIMIT, call.place)
    if name == "hash" and not all(isinstance(value, int | float | bool) for value in values):
        return unknown("a hash is different in every run", Cause.NON_DETERMINISTIC, call.place)
    if name in _WALKING and name not in ("next", "iter"):
        values = all_counted(run, values, call.place)
    given = Arguments(values, call.keywords)
    found = perform(run, function, given, call.place, doing=Doing(large=name in _LARGE, calls=name in _CALLING))
    if isinstance(found, Opaque) and name in _WALKING and holds_flink(*values):
        raise stopped_by(found.unknown, call.place)
    return found


def _members(collection: Value) -> Value:
    """The members of an enumeration in order; other values as they are."""
    constants = collection.constants() if isinstance(collection, Class) else None
    return collection if constants is None else constants


def _map(run: Run, call: Call) -> Value:
    function, *collections = call.positional or [None]
    rows = [elements(run, collection, call.place) for collection in collections]
    opaque = first_opaque(*rows)
    if opaque is not None:
        if may_declare(function):
            raise stopped_by(opaque.unknown, call.place)
        return opaque
    return (call_value(run, function, Arguments(list(row), {}), call.place) for row in zip(*rows, strict=False))


def _filter(run: Run, call: Call) -> Value:
    test, items = call.argument(0, "function"), elements(run, call.argument(1, "iterable"), call.place)
    if isinstance(items, Opaque):
        if may_declare(test):
            raise stopped_by(items.unknown, call.place)
        return items

    def taken(item: Value) -> bool:
        result = item if test is None else call_value(run, test, Arguments([item], {}), call.place)
        decided = truth(result)
        if decided is None:
            found = result if isinstance(result, Opaque) else unknown("cannot tell which elements are taken")
            raise UnclearError(found.unknown)
        return decided

    return (item for item in items if taken(item))


def _isinstance(run: Run, call: Call) -> Value:
    tested, wanted = call.argument(0, "obj"), call.argument(1, "cls")
    options = list(wanted) if isinstance(wanted, tuple | list) else [wanted]
    if isinstance(tested, Opaque):
        return Opaque(tested.unknown)
    results = [_is_one(tested, option) for option in options]
    if True in results:
        return True
    return unknown("the class of a value", at=call.place) if None in results else False


def _is_one(tested: Value, option: Value) -> bool | None:
    """Whether a value is of a class, None where that is not known."""
    known = python_type(option)
    if isinstance(tested, Instance):
        if isinstance(option, Class):
            return option in tested.of.ancestors()
        if known is object:
            return True
        foreign = [base for of in tested.of.ancestors() for base in of.bases if not isinstance(base, Class)]
        return False if not foreign and known is not None else None
    if not isinstance(tested, Guarded):
        return False if isinstance(option, Class) else None if known is None else isinstance(tested, known)
    if isinstance(tested, External | Bound) or known is None:
        return None
    return known is object or (isinstance(tested, Class) and known is type)


def _unseen(run: Run, call: Call) -> Value:
    return unknown("cannot tell what an object has", at=call.place)


def _type(run: Run, call: Call) -> Value:
    item = call.argument(0, "object")
    made = isinstance(item, Instance) and len(call.arguments.all()) == 1
    return item.of if made else unknown("the class of a value", at=call.place)


def _getattr(run: Run, call: Call) -> Value:
    owner, name = call.argument(0, "object"), call.argument(1, "name")
    if isinstance(name, str):
        try:
            found = attribute_of(run, owner, name, call.place)
        except RaiseSignal as signal:
            if len(call.positional) > 2 and signal.kinds and "AttributeError" in signal.kinds:
                return call.positional[2]
            raise
        missing = isinstance(found, Bound) and isinstance(owner, Instance | Class)
        return call.positional[2] if missing and len(call.positional) > 2 else found
    if holds_flink(owner):
        raise stopped("cannot tell which method of a stream is called", Cause.REFLECTION, call.place)
    any_code(run)
    return looked_up(name, "an attribute that is looked up by its name", call.place)


def _setattr(run: Run, call: Call) -> Value:
    owner, name, given = (call.argument(place, word) for place, word in enumerate(("object", "name", "value")))
    if isinstance(name, str) and not isinstance(owner, FLINK_OBJECTS):
        set_attribute(run, owner, name, given, call.place)
    elif isinstance(owner, (Instance, Class, Module, *FLINK_OBJECTS)):
        raise stopped("cannot tell which attribute is set", Cause.OTHER, call.place)
    else:
        record_change(run, owner, described(run, name, given))
    return None


def _vars(run: Run, call: Call) -> Value:
    item = call.argument(0, "object")
    if isinstance(item, Parsed) and item.open is None:
        return item.values
    if isinstance(item, Instance):
        return attribute_of(run, item, "__dict__", call.place)
    return unknown("the variables of an object", at=call.place)


def _exit(run: Run, call: Call) -> Value:
    raise ExitSignal


def _executed(run: Run, call: Call) -> Value:
    any_code(run)
    raise stopped("the script runs code that it makes from a text", Cause.REFLECTION, call.place)


def _next(run: Run, call: Call) -> Value:
    iterator = call.argument(0, "iterator")
    if isinstance(iterator, Guarded) or id(iterator) in run.changed:
        found = _pure(run, "next", next, call)
        record_change(run, iterator, "next")
        return found
    try:
        return next(iterator) if isinstance(iterator, Iterator) else _pure(run, "next", next, call)
    except StopIteration:
        if len(call.positional) > 1:
            return call.positional[1]
        raise raised("StopIteration") from None


def _marked(binds: str) -> Callable[[Run, Call], Value]:
    def handler(run: Run, call: Call) -> Value:
        function = call.argument(0, "function")
        if isinstance(function, Function):
            function.binds = binds
        return function

    return handler


_SPECIAL: dict[str, Callable[[Run, Call], Value]] = {
    "map": _map, "filter": _filter, "isinstance": _isinstance, "getattr": _getattr,
    "setattr": _setattr, "object.__setattr__": _setattr, "exit": _exit, "quit": _exit, "exec": _executed,
    "eval": _executed, "print": lambda run, call: None, "type": _type, "next": _next,
    "hasattr": _unseen, "callable": _unseen,
    "vars": _vars, "staticmethod": _marked("nothing"),
    "classmethod": _marked("class"), "property": _marked("property"),
    "input": lambda run, call: unknown("a text that is typed", Cause.ARGUMENT, call.place, run.fresh("input()")),
}  # fmt: skip
