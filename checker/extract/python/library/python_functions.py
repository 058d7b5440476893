"""Functions and constants of Python's standard library that are computed by calling the real ones."""

import ast
import configparser
import itertools
import tomllib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from importlib.resources import files
from typing import Any

from checker.extract.python.interpreter.evaluate import Call, value
from checker.extract.python.interpreter.python_calls import Doing, counted, perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import Guarded, Opaque, Scope, Value
from checker.extract.python.library.resources import UnfilledGroups
from checker.model.unknowns import Cause, Location, Unknown


class _NoReferences(configparser.Interpolation):
    """Values that refer to others are not known: these may make a small file a huge value."""

    def before_get(
        self, parser: MutableMapping[str, Mapping[str, str]], section: str, option: str, value: str,
        defaults: Mapping[str, str],
    ) -> str:  # fmt: skip
        if "%" in value or "$" in value:
            raise UnclearError(Unknown("a setting that refers to others", Cause.LIMIT))
        return super().before_get(parser, section, option, value, defaults)


def _configuration(*given: Any, **named: Any) -> configparser.ConfigParser:
    """``ConfigParser(...)``."""
    plain = named.get("interpolation", ...) is None
    return configparser.ConfigParser(*given, **{**named, "interpolation": None if plain else _NoReferences()})


def _members(kind: str) -> dict[str, Any]:
    """Members of modules by their dotted paths."""
    text = files("checker.extract.python.library").joinpath("python_functions.toml").read_text(encoding="utf-8")
    named = ((module, name) for module, names in tomllib.loads(text)[kind].items() for name in names.split())
    return {f"{module}.{name}": getattr(import_module(module), name) for module, name in named}


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **_members("functions"),
    "configparser.ConfigParser": _configuration,
    "itertools.chain.from_iterable": itertools.chain.from_iterable,
}
_CONSTANTS: dict[str, Any] = {**_members("constants"), "os.sep": "/", "os.linesep": "\n"}


def constant(path: str) -> Value | None:
    """The value of a constant by its dotted path; None for others."""
    return _CONSTANTS.get(path)


def closure(run: Run, text: str, names: dict[str, Value], place: Location) -> Value:
    """A function of the script's that does what the text of a lambda says with values by name."""
    tree = ast.parse(text, mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            node.lineno, node.col_offset = place.line, place.column - 1
    return value(run, tree, Scope(names, place.file))


def of_library(run: Run, call: Call) -> tuple[Value] | None:
    """The result of a function by its dotted path; None where it is not one of those here."""
    taken = call.argument(0, "attr")
    members = taken.split(".") if isinstance(taken, str) else [""]
    if call.name == "operator.attrgetter" and len(call.positional) == 1 and all(map(str.isidentifier, members)):
        return (closure(run, f"lambda value: value.{taken}", {}, call.place),)
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
