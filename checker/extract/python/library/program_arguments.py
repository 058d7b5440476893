"""What a script is given from outside: ``sys.argv``, environment variables, and what ``argparse`` makes of arguments.

Command lines that are known are parsed by argparse itself.
"""

import argparse
import ast
import contextlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from checker.extract.python.interpreter.assignments import PROCESS
from checker.extract.python.interpreter.descriptions import described, described_call, joined
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import ExitSignal, raised, stopped
from checker.extract.python.interpreter.values import Arguments, External, Opaque, Parsed, Value, unknown
from checker.model.unknowns import Cause, Location, Unknown, given_by

SETTLED_BY = "args"
"""The configuration that says what a script is given."""
_VECTORS = ("sys.argv", "sys.argv[1:]")
"""Descriptions of the arguments as they are, by how many are left out in front."""
ENVIRONMENT = ("os.environ", "os.environb")


def argument_vector(run: Run, place: Location) -> Value:
    """``sys.argv``: known where arguments were given, or a configured pipeline has none."""
    if run.entry.texts_known:
        return [run.entry.main or run.entry.file or "", *run.entry.args]
    vector = unknown("no value is given for the program's arguments", Cause.ARGUMENT, place, "sys.argv", SETTLED_BY)
    changes = run.packages.get("sys", [])
    before = described(run, changes) if all(changes) else ""
    return replace(vector, derived_from="" if not before else f"sys.argv after {before}" if changes else "sys.argv")


def environment_variable(
    run: Run, key: Value, place: Location, default: Value = None, *, needed: bool = False
) -> Value:
    """``os.getenv(key, default)``, or ``os.environ[key]``, which is ``needed``: known where somebody gives it.

    Raises RaiseSignal where a needed one is not set.
    """
    if isinstance(key, Opaque):
        return Opaque(key.unknown)
    if not isinstance(key, str):
        return unknown("an unknown environment variable", Cause.ARGUMENT, place)
    given = dict(run.entry.environment).get(key)
    if given is not None:
        return given
    if run.entry.is_unset(key) and not (default is None and run.entry.is_needed(key)):
        if needed:
            raise raised("KeyError", key)
        return default
    shown = f" (default {default!r})" if isinstance(default, str | int | float) else ""
    reason = f"no value is given for environment variable '{key}'{shown}"
    found = unknown(reason, Cause.ARGUMENT, place, f"environment:{key}", given_by(key))
    changes = run.packages.get(PROCESS, [])
    before = described(run, changes) if all(changes) else ""
    otherwise = "none" if default is None else described(run, default)
    made = f"environment variable {key!r}" + ("" if default is None else f" or {otherwise}")
    made += f" after {before}" if changes else ""
    return replace(found, default=default, derived_from=made if before and otherwise else "")


def element_of(run: Run, owner: Value, key: Value, place: Location) -> Value | None:
    """``os.environ[key]``, which may not be there; None for other objects.

    Raises RaiseSignal for an argument or variable that somebody said is not given.
    """
    if isinstance(owner, External):
        return environment_variable(run, key, place, needed=True) if owner.path in ENVIRONMENT else None
    if isinstance(owner, Opaque) and owner.derived_from in _VECTORS and isinstance(key, int) and key >= 0:
        argument = f"sys.argv[{_VECTORS.index(owner.derived_from) + key}]"
        if argument in run.entry.unset:
            raise raised("IndexError", "list index out of range")
    return None


def given_environment(run: Run, left: Value, right: Value, op: ast.cmpop) -> Value | None:
    """``key in os.environ``; None for other comparisons."""
    if not (isinstance(right, External) and right.path in ENVIRONMENT and isinstance(op, ast.In | ast.NotIn)):
        return None
    if isinstance(left, str) and left in dict(run.entry.environment):
        return isinstance(op, ast.In)
    if isinstance(left, str) and run.entry.is_unset(left):
        return isinstance(op, ast.NotIn)
    name = f"environment:{left}:given" if isinstance(left, str) else ""
    settled = given_by(left) if isinstance(left, str) else None
    given = unknown(f"cannot tell whether environment variable {left!r} is given", Cause.ARGUMENT, None, name, settled)
    return replace(given, negated=bool(name) and isinstance(op, ast.NotIn))


_TYPES: dict[str, Any] = {"str": str, "int": int, "float": float}
_PASSED_ON = ("action", "default", "dest", "nargs", "const", "required")
"""What of a declaration argparse is told beside the type."""
_NOT_OF_VALUES = frozenset(
    {"help", "metavar", "show_default", "description", "epilog", "usage", "prog", "formatter_class", "choices"}
)
"""What a declaration says to people, or of values that it refuses."""
_NOTHING = ("()", "sys.argv")
"""Descriptions of a parser that nothing was said of, and of the arguments as they are."""
_TRUE = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@dataclass(frozen=True, slots=True)
class Option:
    """One argument of a command line."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]
    """What argparse is told of it."""
    action: argparse.Action
    """What argparse makes of that."""
    open_type: bool
    """Whether it is not known how its text is converted."""
    derived_from: str
    """Everything in its declaration that its value depends on; empty where that is not known."""

    @property
    def expected(self) -> bool:
        """Whether a command line without it is refused."""
        return self.action.required and self.action.nargs != "*"

    @property
    def flags(self) -> tuple[str, ...]:
        """Empty for one that is given by its place."""
        return tuple(self.action.option_strings)


@dataclass(slots=True, eq=False)
class Parser:
    """An ``ArgumentParser``, a group of one, or the commands of one."""

    derived_from: str = ""
    """What it was made with; empty where that is not known."""
    options: list[Option] = field(default_factory=list)
    defaults: dict[str, Value] = field(default_factory=dict)
    open: Unknown | None = None
    """Why its arguments are not known: something of it is not known."""


def parser_method(run: Run, parser: Parser, call: Call) -> Value:
    """A method of an ``ArgumentParser``."""
    if call.name == "add_argument":
        add_argument(run, parser, call)
        return None
    if call.name in ("add_argument_group", "add_mutually_exclusive_group"):
        return parser
    if call.name == "set_defaults":
        parser.defaults.update(call.keywords)
        parser.options[:] = [_with_default(option, call.keywords) for option in parser.options]
        return None
    if call.name in ("parse_args", "parse_known_args"):
        parsed = Parsed(_parsed(run, parser, call.argument(0, "args"), call.place), parser.open)
        rest = unknown("the arguments that the parser does not know", Cause.ARGUMENT, call.place, settled_by=SETTLED_BY)
        return (parsed, replace(rest, derived_from="")) if call.name == "parse_known_args" else parsed
    if call.name in ("error", "exit"):
        raise ExitSignal
    if call.name in ("add_subparsers", "add_parser"):
        parser.open = Unknown("commands below a command line are not followed", Cause.ARGUMENT, SETTLED_BY, call.place)
        return parser
    return unknown(f"cannot tell the result of .{call.name}() of a command line", Cause.ARGUMENT, call.place)


def add_argument(run: Run, parser: Parser, call: Call) -> None:
    """An argument that a parser is told of."""
    names = tuple(argument for argument in call.positional if isinstance(argument, str))
    named = call.keywords
    kind = named.get("type")
    known_type = _TYPES.get(kind.simple) if isinstance(kind, External) else None
    settings = {key: named[key] for key in _PASSED_ON if key in named}
    if known_type is not None:
        settings["type"] = known_type
    if isinstance(chosen := settings.get("action"), External) and chosen.simple == "BooleanOptionalAction":
        settings["action"] = argparse.BooleanOptionalAction
    plain = all(isinstance(value, str | int | type | None) for key, value in settings.items() if key != "default")
    action = None
    if names and len(names) == len(call.positional) and "**" not in named and plain:
        with contextlib.suppress(ValueError, TypeError, argparse.ArgumentError):
            action = argparse.ArgumentParser(add_help=False).add_argument(*names, **settings)
    if action is None:
        parser.open = Unknown("an argument of the command line can't be read", Cause.OTHER, None, call.place)
        return
    declaration = declared(run, call.arguments)
    option = Option(names, settings, action, kind is not None and known_type is None, declaration)
    parser.options.append(option if "default" in settings else _with_default(option, parser.defaults))


def _with_default(option: Option, defaults: Mapping[str, Value]) -> Option:
    """An option with its default of ``set_defaults``, if that gives one."""
    if option.action.dest not in defaults:
        return option
    option.action.default = defaults[option.action.dest]
    return replace(option, settings={**option.settings, "default": option.action.default})


def _parsed(run: Run, parser: Parser, given: Value, place: Location) -> dict[str, Value]:
    all_of_them = given is None or (isinstance(given, Opaque) and given.derived_from == "sys.argv[1:]")
    if all_of_them and run.entry.arguments_known:
        given = list(run.entry.args)
    found = dict(parser.defaults)
    known = (
        isinstance(given, list | tuple) and all(isinstance(argument, str) for argument in given) and parser.open is None
    )
    for dest, parsed in _parse(run, parser.options, list(given) if known else None, place).items():
        found[dest] = _of_parser(run, parser, dest, given, parsed, place) if isinstance(parsed, Opaque) else parsed
    return found


def _of_parser(run: Run, parser: Parser, dest: str, given: Value, fallback: Opaque, at: Location) -> Opaque:
    """An argument whose value depends on the parser's settings and on what it parses."""
    usual = [parser.defaults[dest]] if dest in parser.defaults else []
    read = argument_vector(run, at) if given is None else given
    made = [fallback.derived_from, parser.derived_from, *(described(run, value) for value in (*usual, read))]
    return replace(fallback, derived_from=joined(*(text for text in made if text not in _NOTHING)))


def declared(run: Run, arguments: Arguments) -> str:
    """What a declaration says of a value."""
    shown = {key: argument for key, argument in arguments.keywords.items() if key not in _NOT_OF_VALUES}
    return described_call(run, None, Arguments(arguments.positional, shown))


def _parse(run: Run, options: list[Option], given: list[str] | None, place: Location) -> dict[str, Value]:
    """The value of each option; unknown by name where arguments are not known. Raises StoppedError for refused ones.

    Raises ExitSignal where somebody said that an expected one is not given.
    """
    expected = [o for o in options if not (run.entry.arguments_assumed and o.expected)]
    known = {} if given is None else _as_argparse(expected, given, place)
    found: dict[str, Value] = {}
    by_place = [option for option in options if option.expected and not option.flags]
    for option in options:
        dest = option.action.dest
        given_value = run.given(dest, dest.replace("_", "-"), *(flag.lstrip("-") for flag in option.flags))
        if given_value is not None:
            found[dest] = _converted(option, given_value, place)
        elif dest in known:
            found[dest] = known[dest]
        else:
            if option.expected and given is None:
                asked = option.flags[-1] if option.flags else f"argument {by_place.index(option) + 1}"
                if asked in run.entry.unset:
                    raise ExitSignal
            found[dest] = _open(option, place)
    return found


def _open(option: Option, place: Location) -> Opaque:
    dest, usual = option.action.dest, option.action.default
    shown = option.flags[-1] if option.flags else dest
    default = f" (default {usual!r})" if isinstance(usual, str | int | float) else ""
    opened = unknown(
        f"no value is given for the program's argument '{shown}'{default}", Cause.ARGUMENT, place,
        f"argument:{dest}", given_by(dest),
    )  # fmt: skip
    derived_from = option.derived_from and f"argument {option.derived_from}"
    return replace(opened, default=usual, derived_from=derived_from)


def _converted(option: Option, given_value: str, place: Location) -> Value:
    if option.action.nargs == 0:
        return _TRUE.get(given_value.lower(), bool(given_value))
    if option.open_type:
        return _open(option, place)
    try:
        converted = option.settings.get("type", str)(given_value)
    except ValueError:
        why = f"argument '{option.action.dest}' has the value '{given_value}'"
        raise stopped(why, Cause.ARGUMENT, place, SETTLED_BY) from None
    return [converted] if option.action.nargs in ("*", "+") or option.settings.get("action") == "append" else converted


def _as_argparse(options: list[Option], given: list[str], place: Location) -> dict[str, Value]:
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            for option in options:
                parser.add_argument(*option.names, **option.settings)
            result = vars(parser.parse_known_args(given)[0])
    except (argparse.ArgumentError, argparse.ArgumentTypeError, SystemExit, ValueError, TypeError) as error:
        why = f"the arguments {given} are refused: {error}" if str(error) else f"the arguments {given} are refused"
        raise stopped(why, Cause.ARGUMENT, place, SETTLED_BY) from None
    defaults = {option.action.dest for option in options if result.get(option.action.dest) is option.action.default}
    open_types = {option.action.dest for option in options if option.open_type} - defaults
    return {key: parsed for key, parsed in result.items() if key not in open_types}
