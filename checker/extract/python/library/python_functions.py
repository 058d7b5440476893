"""Functions and constants of Python's standard library that are computed by calling the real ones."""

from __future__ import annotations

import ast
import configparser
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

from checker.extract.interpreting.bounds import MAX_TEXT, TOO_LONG
from checker.extract.python.interpreter.evaluate import Call, value
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.python_calls import Doing, counted, perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import Arguments, Guarded, Opaque, Scope, Value, truth, unknown
from checker.extract.python.library.resources import UnfilledGroups
from checker.model.unknowns import Cause, Location, Unknown

_REFERENCE: Final = re.compile(r"%\(([^)]{1,500})\)s")


class _Counted(configparser.BasicInterpolation):
    def before_get(
        self, parser: MutableMapping[str, Mapping[str, str]], section: str, option: str, value: str,
        defaults: Mapping[str, str],
    ) -> str:  # fmt: skip
        if _length(value, defaults, {}) > MAX_TEXT:
            raise UnclearError(Unknown(TOO_LONG, Cause.LIMIT))
        return super().before_get(parser, section, option, value, defaults)


def _length(value: str, values: Mapping[str, str], known: dict[str, int]) -> int:
    """The length of a value with its references written out."""
    found = len(value)
    for name in map(str.lower, _REFERENCE.findall(value)):
        if name not in known:
            known[name] = 0  # one that refers to itself is refused later
            known[name] = _length(values.get(name) or "", values, known)
        found += known[name]
    return found


def bounded_configuration(*given: Any, **named: Any) -> configparser.ConfigParser:
    """``ConfigParser(...)``."""
    return configparser.ConfigParser(*given, **{"interpolation": _Counted(), **named})


def _members(kind: str) -> dict[str, Any]:
    """Members of modules by their dotted paths."""
    text = files("checker.extract.python.library").joinpath("python_functions.toml").read_text(encoding="utf-8")
    named = ((module, name) for module, names in tomllib.loads(text)[kind].items() for name in names.split())
    return {f"{module}.{name}": getattr(import_module(module), name) for module, name in named}


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **_members("functions"),
    "configparser.ConfigParser": bounded_configuration,
    "itertools.chain.from_iterable": itertools.chain.from_iterable,
}
_CONSTANTS: dict[str, Any] = {**_members("constants"), "os.sep": "/", "os.linesep": "\n"}
_PREDICATES: dict[str, Callable[[Callable[[Any], bool], Any], Iterator[Any]]] = {
    "itertools.takewhile": itertools.takewhile,
    "itertools.dropwhile": itertools.dropwhile,
    "itertools.filterfalse": itertools.filterfalse,
}


def constant(path: str) -> Value | None:
    """The value of a constant by its dotted path; None for others."""
    return _CONSTANTS.get(path)


def of_library(run: Run, call: Call) -> tuple[Value] | None:
    """The result of a function by its dotted path; None where it is not one of those here."""
    predicate = _PREDICATES.get(call.name)
    if predicate is not None and len(call.positional) == 2:
        test = _decided(run, call.positional[0], call.place)
        return (perform(run, lambda items: predicate(test, items), Arguments(call.positional[1:], {}), call.place),)
    taken = call.argument(0, "attr")
    members = taken.split(".") if isinstance(taken, str) else [""]
    if call.name == "operator.attrgetter" and len(call.positional) == 1 and all(map(str.isidentifier, members)):
        selector = ast.parse(f"lambda value: value.{taken}", mode="eval").body
        return (value(run, selector, Scope({}, call.place.file)),)
    function = _FUNCTIONS.get(call.name)
    if function is None:
        return None
    text = call.argument(0, "s") if call.name == "json.loads" else None
    if isinstance(text, UnfilledGroups):
        return (text.loaded(),)
    if isinstance(text, Opaque) and text.holds:
        return (text,)
    found = perform(
        run,
        function,
        call.arguments,
        call.place,
        doing=Doing(large=call.name.startswith(("math.", "zlib.")), calls=True),
    )
    if isinstance(found, Iterator) and not isinstance(found, Guarded) and not isinstance(found, tuple):
        found = counted(run, found, call.place)
    return (found,)


def _decided(run: Run, test: Value, place: Location) -> Callable[[Any], bool]:
    def decided(item: Value) -> bool:
        result = call_value(run, test, Arguments([item], {}), place)
        taken = truth(result)
        if taken is None:
            raise UnclearError((result if isinstance(result, Opaque) else unknown("a condition", at=place)).unknown)
        return taken

    return decided
