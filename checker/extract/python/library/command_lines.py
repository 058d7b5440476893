"""Command lines: ``argparse``, ``click`` and ``typer``. Arguments that are known are parsed as argparse does it."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
from dataclasses import dataclass, field, replace
from typing import Any

from checker.extract.python.interpreter.descriptions import described, described_arguments, joined
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import ExitSignal, stopped
from checker.extract.python.interpreter.values import Arguments, External, Function, Opaque, Parsed, Value, unknown
from checker.extract.python.library import program_arguments
from checker.extract.python.library.program_arguments import SETTLED_BY
from checker.model.unknowns import Cause, Location, Unknown, given_by

_TYPES: dict[str, Any] = {"str": str, "int": int, "float": float, "STRING": str, "INT": int, "FLOAT": float}
_NOT_OF_VALUES = frozenset(
    {"help", "metavar", "show_default", "description", "epilog", "usage", "prog", "formatter_class", "choices"}
)
"""What a declaration says to people, or of values that it refuses."""
_NOTHING = ("()", "sys.argv")
"""Descriptions of a parser that nothing was said of, and of the arguments as they are."""
_PLAIN = frozenset({*_TYPES, "bool", "Optional[str]", "Optional[int]", "str | None", "int | None"})
"""Annotations that say nothing but the type."""
_TRUE = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@dataclass(slots=True)
class Option:
    """One argument of a command line."""

    dest: str
    flags: tuple[str, ...]
    """Empty for one that is given by its place."""
    default: Value = None
    type: str | None = "str"
    """Name of a builtin type; None where the conversion is not known."""
    action: str = "store"
    required: bool = False
    many: Value = None
    """``nargs``."""
    constant: Value = None
    derived_from: str = ""
    """Everything in its declaration that its value depends on; empty where that is not known."""

    @property
    def expected(self) -> bool:
        """Whether a command line without it is refused."""
        optional = self.flags or self.default is not None or self.many in ("?", "*")
        return self.required or self.default is ... or not optional


@dataclass(slots=True, eq=False)
class Parser:
    """An ``ArgumentParser``, a group of one, or the commands of one."""

    derived_from: str = ""
    """What it was made with; empty where that is not known."""
    options: list[Option] = field(default_factory=list)
    defaults: dict[str, Value] = field(default_factory=dict)
    open: Unknown | None = None
    """Why its arguments is not known: something of it is not known."""


@dataclass(slots=True, eq=False)
class Command:
    """A function behind ``click.command`` or ``typer``."""

    function: Value
    options: list[Option] = field(default_factory=list)


def parser_method(run: Run, parser: Parser, call: Call) -> Value:
    """A method of an ``ArgumentParser``."""
    if call.name == "add_argument":
        _add_argument(run, parser, call)
    elif call.name in ("add_argument_group", "add_mutually_exclusive_group"):
        return parser
    elif call.name == "set_defaults":
        parser.defaults.update(call.keywords)
    elif call.name in ("parse_args", "parse_known_args"):
        parsed = Parsed(_parsed(run, parser, call.argument(0, "args"), call.place), parser.open)
        rest = unknown("the arguments that the parser does not know", Cause.ARGUMENT, call.place, settled_by=SETTLED_BY)
        rest = replace(rest, derived_from="")
        return (parsed, rest) if call.name == "parse_known_args" else parsed
    elif call.name in ("add_subparsers", "add_parser", "parse_intermixed_args"):
        parser.open = Unknown("commands below a command line are not followed", Cause.ARGUMENT, SETTLED_BY, call.place)
        return Parsed({}, parser.open) if call.name == "parse_intermixed_args" else parser
    elif call.name in ("error", "exit"):
        raise ExitSignal
    return None


def _add_argument(run: Run, parser: Parser, call: Call) -> None:
    flags = tuple(argument for argument in call.positional if isinstance(argument, str))
    named = call.keywords
    if not flags or len(flags) != len(call.positional) or "**" in named:
        parser.open = Unknown(
            "an argument of the command line has no name that is known", Cause.OTHER, None, call.place
        )
        return
    dest = named.get("dest")
    if not isinstance(dest, str):
        long = next((flag for flag in flags if flag.startswith("--")), flags[0])
        dest = long.lstrip("-").replace("-", "_")
    optional = flags[0].startswith("-")
    action = named.get("action", "store")
    parser.options.append(
        Option(
            dest, flags if optional else (), named.get("default"), _type_name(named.get("type")),
            action if isinstance(action, str) else "unknown", named.get("required") is True, named.get("nargs"),
            named.get("const"), declared(run, call.arguments),
        )
    )  # fmt: skip


def _type_name(declared_type: Value) -> str | None:
    if declared_type is None:
        return "str"
    return declared_type.simple if isinstance(declared_type, External) and declared_type.simple in _TYPES else None


def _parsed(run: Run, parser: Parser, given: Value, place: Location) -> dict[str, Value]:
    all_of_them = given is None or (isinstance(given, Opaque) and given.derived_from == "sys.argv[1:]")
    if all_of_them and run.arguments_known:
        given = list(run.entry.args)
    found = dict(parser.defaults)
    known = (
        isinstance(given, list | tuple) and all(isinstance(argument, str) for argument in given) and parser.open is None
    )
    for dest, parsed in parse(run, parser.options, list(given) if known else None, place).items():
        found[dest] = _of_parser(run, parser, dest, given, parsed, place) if isinstance(parsed, Opaque) else parsed
    return found


def _of_parser(run: Run, parser: Parser, dest: str, given: Value, fallback: Opaque, at: Location) -> Opaque:
    """An argument whose value depends on the parser's settings and on what it parses."""
    given_value = [
        parser.derived_from,
        *(described(run, parser.defaults[key]) for key in (dest,) if key in parser.defaults),
    ]
    given_value.append(described(run, program_arguments.argument_vector(run, at) if given is None else given))
    return replace(
        fallback, derived_from=joined(fallback.derived_from, *(text for text in given_value if text not in _NOTHING))
    )


def declared(run: Run, arguments: Arguments) -> str:
    """What a declaration says of a value."""
    shown = {key: argument for key, argument in arguments.keywords.items() if key not in _NOT_OF_VALUES}
    return described_arguments(run, Arguments(arguments.positional, shown))


def parse(run: Run, options: list[Option], given: list[str] | None, place: Location) -> dict[str, Value]:
    """The value of each option; unknown by name where arguments are not known. Raises StoppedError for refused ones.

    Raises ExitSignal where somebody said that an expected one is not given.
    """
    expected = [o for o in options if not (run.entry.arguments_assumed and o.expected)]
    known = {} if given is None else _as_argparse(expected, given, place)
    found: dict[str, Value] = {}
    by_place = [option for option in options if option.expected and not option.flags]
    for option in options:
        names = (option.dest, option.dest.replace("_", "-"), *(flag.lstrip("-") for flag in option.flags))
        given_value = run.given(*names)
        if given_value is not None:
            found[option.dest] = _converted(option, given_value, place)
        elif option.dest in known:
            found[option.dest] = known[option.dest]
        else:
            if option.expected and given is None:
                asked = option.flags[-1] if option.flags else f"argument {by_place.index(option) + 1}"
                if asked in run.entry.unset:
                    raise ExitSignal
            found[option.dest] = _open(option, place)
    return found


def _open(option: Option, place: Location) -> Opaque:
    shown = option.flags[-1] if option.flags else option.dest
    default = f" (default {option.default!r})" if isinstance(option.default, str | int | float) else ""
    opened = unknown(
        f"no value is given for the program's argument '{shown}'{default}", Cause.ARGUMENT, place,
        f"argument:{option.dest}", given_by(option.dest),
    )  # fmt: skip
    derived_from = option.derived_from and f"argument {option.derived_from}"
    return replace(opened, default=option.default, derived_from=derived_from)


def _converted(option: Option, given_value: str, place: Location) -> Value:
    if option.action in ("store_true", "store_false", "BooleanOptionalAction"):
        return _TRUE.get(given_value.lower(), bool(given_value))
    if option.type is None:
        return _open(option, place)
    try:
        converted = _TYPES[option.type](given_value)
    except ValueError:
        raise stopped(
            f"argument '{option.dest}' has the value '{given_value}'", Cause.ARGUMENT, place, SETTLED_BY
        ) from None
    return [converted] if option.many in ("*", "+") or option.action == "append" else converted


def _as_argparse(options: list[Option], given: list[str], place: Location) -> dict[str, Value]:
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            parser = _argument_parser(options)
            result = {} if parser is None else vars(parser.parse_known_args(given)[0])
    except (argparse.ArgumentError, argparse.ArgumentTypeError, SystemExit, ValueError, TypeError) as error:
        why = f"the arguments {given} are refused: {error}" if str(error) else f"the arguments {given} are refused"
        raise stopped(why, Cause.ARGUMENT, place, SETTLED_BY) from None
    defaults = {option.dest for option in options if result.get(option.dest) is option.default}
    open_types = {option.dest for option in options if option.type is None and option.dest not in defaults}
    return {key: parsed for key, parsed in result.items() if key not in open_types}


def _argument_parser(options: list[Option]) -> argparse.ArgumentParser | None:
    """None where an option is of a kind that is not followed."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    for option in options:
        named: dict[str, Any] = {"default": option.default}
        if option.action in ("store_true", "store_false"):
            parser.add_argument(*option.flags, dest=option.dest, action=option.action, default=option.default is True)
            continue
        if option.action not in ("store", "append", "store_const") or not isinstance(option.many, str | int | None):
            return None
        if option.action == "store_const":
            parser.add_argument(*option.flags, dest=option.dest, action="store_const", const=option.constant, **named)
            continue
        named.update(type=_TYPES[option.type or "str"], action=option.action)
        if option.many is not None:
            named["nargs"] = option.many
        if option.flags:
            parser.add_argument(*option.flags, dest=option.dest, required=option.required, **named)
        else:
            parser.add_argument(option.dest, **named)
    return parser


def click_decorator(run: Run, kind: str, call: Call) -> Value:
    """``@click.option(...)``, ``@click.argument(...)``, ``@click.command()``: a function that decorates."""
    return _Decorator(kind, call.arguments)


@dataclass(frozen=True, slots=True, eq=False)
class _Decorator:
    kind: str
    arguments: Arguments


Decorator = _Decorator


def decorate(run: Run, decorator: _Decorator, call: Call) -> Value:
    """A function behind one more decorator of click."""
    function = call.argument(0, "function")
    command = function if isinstance(function, Command) else Command(function)
    if decorator.kind in ("option", "argument"):
        option = _click_option(run, decorator)
        if option is not None:
            command.options.insert(0, option)
    return command


def _click_option(run: Run, decorator: _Decorator) -> Option | None:
    names = [argument for argument in decorator.arguments.positional if isinstance(argument, str)]
    if not names:
        return None
    named = decorator.arguments.keywords
    flags = tuple(name.split("/")[0] for name in names if name.startswith("-"))
    plain = next((name for name in names if not name.startswith("-")), None)
    long = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else names[0])
    dest = plain or long.lstrip("-").replace("-", "_").lower()
    action = "store_true" if named.get("is_flag") is True else "append" if named.get("multiple") is True else "store"
    default = named.get("default")
    kind = _type_name(named.get("type"))
    if "type" not in named and isinstance(default, int | float) and not isinstance(default, bool):
        kind = type(default).__name__
    return Option(
        dest, flags if decorator.kind == "option" else (), default, kind, action, named.get("required") is True,
        derived_from=declared(run, decorator.arguments),
    )  # fmt: skip


def typer_options(run: Run, function: Function) -> list[Option]:
    """The options that typer makes of a function's parameters."""
    parameters = [*function.arguments.posonlyargs, *function.arguments.args]
    offset = len(parameters) - len(function.defaults)
    found: list[Option] = []
    for number, parameter in enumerate([*parameters, *function.arguments.kwonlyargs]):
        places = number - offset
        default = (
            function.defaults[places]
            if 0 <= places < len(function.defaults)
            else dict(function.keyword_defaults).get(parameter.arg)
        )
        positional = number < offset
        typed = ast.unparse(parameter.annotation) if parameter.annotation else "str"
        derived_from = joined(repr(parameter.arg), repr(typed), described(run, default)) if typed in _PLAIN else ""
        if isinstance(default, External) and default.path.startswith("typer."):
            positional = default.simple == "Argument"
            default = default.arguments[0] if default.arguments else None
        annotation = getattr(parameter.annotation, "id", "str")
        kind = annotation if annotation in _TYPES else None if annotation != "bool" else "str"
        action = "store_true" if annotation == "bool" else "store"
        flags = () if positional else (f"--{parameter.arg.replace('_', '-')}",)
        found.append(Option(parameter.arg, flags, default, kind, action, derived_from=derived_from))
    return found


def call_command(run: Run, command: Command, call: Call) -> Value:
    """The call of a command without arguments reads the command line; with some it is a plain call."""
    if call.positional or call.keywords:
        return call_value(run, command.function, call.arguments, call.place)
    given = list(run.entry.args) if run.arguments_known else None
    return call_value(run, command.function, Arguments([], parse(run, command.options, given, call.place)), call.place)
