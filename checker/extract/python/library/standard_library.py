"""Functions and objects of the standard library and of a few others, as far as they decide on topologies."""

from __future__ import annotations

import copy
import posixpath
from collections.abc import Callable
from configparser import RawConfigParser
from dataclasses import replace
from typing import Any

from checker.extract.python.interpreter import imports
from checker.extract.python.interpreter.containers import changed_of
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.evaluate import Answer, Call
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.python_calls import may_do_something, perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import ExitSignal
from checker.extract.python.interpreter.values import (
    Arguments,
    Bound,
    Class,
    Decorated,
    External,
    FilePath,
    Function,
    Instance,
    Opaque,
    Parsed,
    Partial,
    Value,
    looked_up,
    unknown,
)
from checker.extract.python.library import command_lines, python_functions, resources
from checker.extract.python.library.command_lines import Command, Decorator, Parser
from checker.extract.python.library.file_entries import with_contents
from checker.extract.python.library.program_arguments import SETTLED_BY, environment_variable
from checker.extract.python.repository_files import any_code, any_data
from checker.model.unknowns import Cause, Location, Unknown

NON_DETERMINISTIC = ("uuid.", "random.", "time.time", "time.monotonic", "time.strftime", "datetime.", "secrets.",
                     "os.getpid", "os.urandom", "time.perf_counter", "tempfile.")  # fmt: skip
HARMLESS = ("logging.", "warnings.", "os.path.", "os.makedirs", "os.getcwd", "os.listdir", "time.sleep", "sys.path.",
            "typing.", "pathlib.", "json.", "re.", "collections.", "itertools.", "math.", "string.", "abc.", "enum.",
            "platform.", "socket.gethostname", "signal.signal", "textwrap.", "decimal.", "traceback.", "sys.stdout.",
            "sys.stderr.", "dotenv.", "copy.", "inspect.", "builtins.", "dataclasses.", "contextlib.suppress",
            "pprint.", "types.", "struct.", "base64.", "hashlib.")  # fmt: skip
"""Calls that change nothing that they are handed, unless it is code; their results are not known."""

Handler = Callable[[Run, Call], Value]


def of_package(run: Run, call: Call) -> Answer:
    """The result of a function of a library; None where it is not modelled."""
    path, arguments, place = call.name, call.arguments, call.place
    if path in ("sys.exit", "os._exit", "os.abort"):
        raise ExitSignal
    known = python_functions.of_library(run, call)
    if known is not None:
        return known
    handler = _FUNCTIONS.get(path)
    if handler is not None:
        return (handler(run, call),)
    if path.startswith(("click.", "rich_click.")):
        return (_click(run, path.rpartition(".")[2], call),)
    if path in ("typer.Option", "typer.Argument"):
        return (External(path, tuple(arguments.positional), tuple(arguments.keywords.items()), True),)
    first = arguments.positional[0] if arguments.positional else None
    if isinstance(first, Function) and len(arguments.positional) == 1 and not arguments.keywords and "." in path:
        if path.startswith(_IDENTITY):
            return (first,)
        if path == "contextlib.contextmanager":
            return (first,)
        if not path.startswith(("threading.", "concurrent.", "multiprocessing.", "atexit.", "asyncio.", *HARMLESS)):
            why = f"{first.name} is decorated by or handed to {path}, which is not followed"
            return (Decorated(first, Unknown(why, Cause.EXTERNAL, None, place)),)
    if path.startswith(_DATACLASS):
        return (External(path, tuple(arguments.positional), tuple(arguments.keywords.items()), True),)
    if path.startswith((*NON_DETERMINISTIC, *HARMLESS)) and not path.startswith("logging."):
        codes = [argument for argument in arguments.all() if isinstance(argument, Function | Partial | Bound | Class)]
        if any(may_do_something(run, code) for code in codes) or (codes and path.startswith(NON_DETERMINISTIC)):
            return None
    if path.startswith(NON_DETERMINISTIC):
        for argument in arguments.all():
            if isinstance(argument, list):
                changed_of(run, argument, Unknown(f"{path}() has changed it", Cause.NON_DETERMINISTIC, None, place))
        why = f"{path}() gives a different value in every run"
        return (unknown(why, Cause.NON_DETERMINISTIC, place, run.fresh(f"{path}()")),)
    if path.startswith(HARMLESS):
        return (unknown(f"cannot tell the result of {path}()", Cause.EXTERNAL, place, run.fresh(f"{path}()")),)
    return None


_IDENTITY = ("abc.abstractmethod", "typing.overload", "typing.no_type_check", "abc.abstractproperty")  # fmt: skip
_DATACLASS = ("dataclasses.dataclass", "dataclasses.field", "attr.", "attrs.", "pydantic.Field", "pydantic.dataclasses",
              "enum.unique", "functools.total_ordering")  # fmt: skip


def of_object(run: Run, call: Call) -> Answer:
    """A method of an object that is modelled here; None for others."""
    owner, name, arguments, place = call.receiver, call.name, call.arguments, call.place
    if isinstance(owner, Parser):
        return (command_lines.parser_method(run, owner, call),)
    if isinstance(owner, RawConfigParser) and name in ("read", "read_file"):
        return (_configured(run, owner, arguments.get(0, "filenames"), place),)
    if isinstance(owner, FilePath):
        return resources.path_method(run, owner, name, arguments.positional, place)
    if isinstance(owner, Command) and name in ("main", "callback", "__call__"):
        return (command_lines.call_command(run, owner, call.having()),)
    if isinstance(owner, _TyperApp) and name in ("command", "callback"):
        return (owner,)
    return None


def _configured(run: Run, owner: RawConfigParser, named: Value, place: Location) -> Value:
    """``ConfigParser.read``: files of the repository; others may be there or not when the program runs."""
    paths = list(named) if isinstance(named, list | tuple) else [named]
    for path in paths:
        data = resources.content(run, path, place)
        text = data if isinstance(data, Opaque) else data.decode("utf-8-sig", "replace")
        found = text if isinstance(text, Opaque) else perform(run, owner.read_string, Arguments([text], {}), place)
        if isinstance(found, Opaque):
            changed_of(run, owner, found.unknown)
            return Opaque(found.unknown)
    return paths


def parsed_attribute(owner: Parsed, name: str, place: Location) -> Value:
    """``args.name``."""
    if name in owner.values:
        return owner.values[name]
    if owner.open is not None:
        return Opaque(owner.open, f"argument:{name}")
    return unknown(f"the program has no argument '{name}'", Cause.ARGUMENT, place)


class _TyperApp:
    """``typer.Typer()``: one command, or several of which an argument picks one."""

    def __init__(self) -> None:
        self.commands: list[Function] = []


TyperApp = _TyperApp


def call_typer(run: Run, app: _TyperApp, call: Call) -> Value:
    """``@app.command()`` on a function, or ``app()``."""
    first = call.argument(0, "function")
    if isinstance(first, Function):
        app.commands.append(first)
        return first
    if call.positional or call.keywords:
        return app
    if len(app.commands) == 1:
        return _typer_run(run, call.having(app.commands[0]))
    if not app.commands:
        return app
    return call_value(run, Decorated(app.commands[0], Unknown(
        "cannot tell which command of the command line runs", Cause.ARGUMENT, SETTLED_BY, call.place
    )), Arguments([], {}), call.place)  # fmt: skip


def _click(run: Run, name: str, call: Call) -> Value:
    if name in ("option", "argument", "command", "version_option", "help_option"):
        return command_lines.click_decorator(run, name, call)
    if name in ("group", "pass_context"):
        command = call.argument(0, "function")
        why = Unknown("commands below a command line are not followed", Cause.ARGUMENT, SETTLED_BY, call.place)
        return Decorated(command, why) if isinstance(command, Function) else unknown(why.reason, why.cause, call.place)
    return External(f"click.{name}", tuple(call.positional), tuple(call.keywords.items()), True)


def _typer_run(run: Run, call: Call) -> Value:
    function = call.argument(0, "function")
    if not isinstance(function, Function):
        return call_value(run, function, Arguments([], {}), call.place)
    command = Command(function, command_lines.typer_options(run, function))
    return command_lines.call_command(run, command, call.having())


def _getenv(run: Run, call: Call) -> Value:
    return environment_variable(run, call.argument(0, "key"), call.place, call.argument(1, "default"))


def _reduced_by(run: Run, call: Call) -> None:
    """``copyreg.pickle``: a function is for a class what its ``__reduce__`` would be."""
    of, reducer = call.argument(0, "ob_type"), call.argument(1, "pickle_function")
    if isinstance(of, Class) and isinstance(reducer, Function):
        of.members["__reduce__"] = reducer


def _partial(run: Run, call: Call) -> Value:
    return Partial(call.positional[0], tuple(call.positional[1:]), tuple(call.keywords.items()))


def _wraps(run: Run, call: Call) -> Value:
    return Partial(External("checker.wrapped"), (call.argument(0, "wrapped"),), ())


def _wrapped(run: Run, call: Call) -> Value:
    """A function under the name of the one that it wraps."""
    wrapped, wrapper = call.positional
    known = isinstance(wrapped, Function | Class) and isinstance(wrapper, Function)
    return replace(wrapper, name=wrapped.name) if known else wrapper


def _setter(run: Run, call: Call) -> Value:
    made, setter = call.positional
    return replace(made, setter=setter)


def _cached_property(run: Run, call: Call) -> Value:
    function = call.argument(0, "func")
    return replace(function, binds="cached") if isinstance(function, Function) else unknown("a property", at=call.place)


def _remembering(run: Run, call: Call) -> Value:
    """``functools.lru_cache``: with a function, or with settings that come before it."""
    function = call.argument(0, "user_function")
    return replace(function, results={}) if isinstance(function, Function) else External("functools.cache")


def _first(run: Run, call: Call) -> Value:
    return call.positional[0] if call.positional else None


def _path(run: Run, call: Call) -> Value:
    parts = [argument.path if isinstance(argument, FilePath) else argument for argument in call.positional]
    if all(isinstance(part, str) for part in parts):
        return FilePath(resources.joined(*parts))
    return _unnamed(run, parts, "an unknown path", call.place)


def _unnamed(run: Run, parts: list[Value], reason: str, place: Location) -> Opaque:
    """A file that may be any of the repository; one that is named by itself is that one."""
    if len(parts) == 1 and isinstance(parts[0], Opaque) and parts[0].holds:
        return parts[0]
    content = any_data(run, parts[0] if len(parts) == 1 else None)
    name = described(run, *parts)
    found = next((part for part in parts if isinstance(part, Opaque)), unknown(reason, at=place))
    file = replace(found, derived_from=f"file {name} {content}" if name else "")
    return with_contents(run, file, parts[0], name, place) if name and len(parts) == 1 else file


def _open(run: Run, call: Call) -> Value:
    name = call.argument(0, "file")
    if isinstance(name, str | FilePath):
        return FilePath(name.path if isinstance(name, FilePath) else name)
    return _unnamed(run, [name], "an unknown file", call.place)


def _os_path(name: str) -> Handler:
    def handler(run: Run, call: Call) -> Value:
        parts = call.positional
        files = any(isinstance(part, FilePath) for part in parts)
        texts = [part.path if isinstance(part, FilePath) else part for part in parts]
        if not parts or not all(isinstance(text, str) for text in texts):
            return next(
                (Opaque(part.unknown) for part in parts if isinstance(part, Opaque)), unknown("a path", at=call.place)
            )
        if name in ("exists", "isfile", "isdir"):
            return resources.exists(run, name, resources.joined(*texts), call.place)
        if name in ("abspath", "realpath") or (files and name not in ("basename", "splitext")):
            path = resources.joined(*texts)
            return FilePath(path.rpartition("/")[0] if name == "dirname" else path)
        return perform(run, getattr(posixpath, name), Arguments(texts, {}), call.place)

    return handler


def _loader(kind: str) -> Handler:
    def handler(run: Run, call: Call) -> Value:
        return resources.loaded(run, kind, call.positional[0] if call.positional else None, call.place)

    return handler


def _import_module(run: Run, call: Call) -> Value:
    name = call.argument(0, "name")
    if not isinstance(name, str):
        any_code(run)
        return looked_up(name, "a module that is looked up by its name", call.place)
    return imports.module_or_external(run, name, call.place)


def _copied(run: Run, call: Call, *, deep: bool = True) -> Value:
    original = call.argument(0, "x")
    if isinstance(original, Instance):
        return unknown("a copy of an object", Cause.OTHER, call.place)
    return perform(run, copy.deepcopy if deep else copy.copy, Arguments([original], {}), call.place)


_FUNCTIONS: dict[str, Handler] = {
    "os.getenv": _getenv, "os.environ.get": _getenv, "os.environ.setdefault": _getenv,
    "argparse.ArgumentParser": lambda run, call: Parser(command_lines.declared(run, call.arguments)),
    "functools.partial": _partial, "functools.wraps": _wraps, "checker.wrapped": _wrapped,
    "checker.setter": _setter, "checker.deleter": _first, "functools.cached_property": _cached_property,
    "checker.getter": lambda run, call: call.positional[1],
    "copyreg.pickle": _reduced_by,
    "contextlib.suppress": lambda run, call: External(
        "contextlib.suppress", tuple(call.positional), called=True
    ), "checker.identity": _first,
    "functools.lru_cache": _remembering,
    "copy.copy": lambda run, call: _copied(run, call, deep=False),
    "functools.cache": _remembering, "pathlib.Path": _path, "pathlib.PurePath": _path, "pathlib.PosixPath": _path,
    "builtins.open": _open, "io.open": _open,
    "copy.deepcopy": _copied,
    **{f"os.path.{name}": _os_path(name) for name in (
        "join", "dirname", "basename", "abspath", "realpath", "normpath", "exists", "isfile", "isdir", "splitext",
        "split",
    )},
    "json.load": _loader("json"), "yaml.safe_load": _loader("yaml"),
    "yaml.full_load": _loader("yaml"), "yaml.load": _loader("yaml"), "tomllib.load": _loader("toml"),
    "tomllib.loads": _loader("toml"), "toml.load": _loader("toml"), "tomli.load": _loader("toml"),
    "asyncio.run": _first, "importlib.import_module": _import_module, "builtins.__import__": _import_module,
    "typer.run": _typer_run,
    "typer.Typer": lambda run, call: _TyperApp(),
    "typing.cast": lambda run, call: call.argument(1, "val"),
    "contextlib.nullcontext": _first,
}  # fmt: skip


MODELLED_OBJECTS = (Parser, Parsed, Command, Decorator, FilePath, _TyperApp)
"""Objects of libraries that are modelled here."""
CALLED: dict[type, Callable[[Run, Any, Call], Value]] = {
    Command: command_lines.call_command,
    Decorator: command_lines.decorate,
    TyperApp: call_typer,
}
