"""Functions and objects of the standard library and of a few others, as far as they decide on topologies.

What is read of a file whose name is not known but for a few that it may have: the entries that the script asks for. An
edit of such a file that leaves these entries as they are changes nothing for the script.
"""

import posixpath
import re
from collections.abc import Callable
from configparser import RawConfigParser
from dataclasses import replace

from checker.extract.python.interpreter import imports
from checker.extract.python.interpreter.containers import changed_of, current, holds_flink
from checker.extract.python.interpreter.descriptions import Description, by_default, described, within
from checker.extract.python.interpreter.evaluate import Answer, Call
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
    Value,
    looked_up,
    unknown,
)
from checker.extract.python.library import (
    click_commands,
    jinja_templates,
    program_arguments,
    python_functions,
    resources,
)
from checker.extract.python.library.program_arguments import Parser, environment_variable
from checker.extract.python.library.python_functions import closure
from checker.extract.python.library.resources import any_code, any_data, named_files
from checker.model.unknowns import Cause, Location, Unknown

NON_DETERMINISTIC = ("uuid.", "random.", "time.time", "time.monotonic", "time.strftime", "datetime.", "secrets.",
                     "os.getpid", "os.urandom", "time.perf_counter", "tempfile.")  # fmt: skip
HARMLESS = ("logging.", "warnings.", "os.path.", "os.makedirs", "os.getcwd", "os.listdir", "time.sleep", "sys.path.",
            "typing.", "pathlib.", "json.", "re.", "collections.", "itertools.", "math.", "string.", "abc.", "enum.",
            "platform.", "socket.gethostname", "signal.signal", "textwrap.", "decimal.", "traceback.", "sys.stdout.",
            "sys.stderr.", "dotenv.", "copy.", "inspect.", "builtins.", "dataclasses.", "contextlib.suppress",
            "pprint.", "types.", "struct.", "base64.", "hashlib.", "loguru.", "structlog.")  # fmt: skip
"""Calls that change nothing that they are handed, unless it is code; their results are not known."""

Handler = Callable[[Run, Call], Value]


def of_package(run: Run, call: Call) -> Answer:
    """The result of a function of a library; None where it is not modelled."""
    path, arguments, place = call.name, call.arguments, call.place
    if path in ("sys.exit", "os._exit", "os.abort"):
        raise ExitSignal
    known = python_functions.of_library(run, call) or click_commands.of_click(run, call)
    if known is not None:
        return known
    handler = _FUNCTIONS.get(path)
    if handler is not None:
        return (handler(run, call),)
    first = arguments.positional[0] if arguments.positional else None
    if isinstance(first, Function) and len(arguments.positional) == 1 and not arguments.keywords and "." in path:
        if path.startswith(_IDENTITY):
            return (first,)
        if not path.startswith(("threading.", "concurrent.", "multiprocessing.", "atexit.", "asyncio.", *HARMLESS)):
            why = f"{first.name} is decorated by or handed to {path}, which is not followed"
            return (Decorated(first, Unknown(why, Cause.EXTERNAL, None, place)),)
    if path.startswith(_DATACLASS):
        return (External(path, tuple(arguments.positional), tuple(arguments.keywords.items()), True),)
    if path.startswith((*NON_DETERMINISTIC, *HARMLESS)) and not path.startswith("logging."):
        codes = [argument for argument in arguments.all() if isinstance(argument, Function | Bound | Class)]
        if any(may_do_something(run, code) for code in codes) or (codes and path.startswith(NON_DETERMINISTIC)):
            return None
        if holds_flink(*arguments.all()):  # what it gives may be the stream
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


_IDENTITY = ("abc.abstractmethod", "typing.overload", "typing.no_type_check", "abc.abstractproperty",
             "contextlib.contextmanager")  # fmt: skip
_DATACLASS = ("dataclasses.dataclass", "dataclasses.field", "attr.", "attrs.", "pydantic.Field",
              "pydantic.dataclasses", "pydantic_settings.SettingsConfigDict", "enum.unique", "functools.total_ordering",
              "contextlib.suppress")  # fmt: skip


def of_object(run: Run, call: Call) -> Answer:
    """A method of an object that is modelled here; None for others."""
    owner, name, arguments, place = call.receiver, call.name, call.arguments, call.place
    if isinstance(owner, Parser):
        return (program_arguments.parser_method(run, owner, call),)
    if isinstance(owner, RawConfigParser) and name in ("read", "read_file"):
        return (_configured(run, owner, arguments.get(0, "filenames"), place),)
    if isinstance(owner, FilePath):
        return resources.path_method(run, owner, name, arguments.positional, place)
    return jinja_templates.of_template(run, call)


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
    if name == "__dict__" and owner.open is None:
        return owner.values
    if name in owner.values:
        return owner.values[name]
    if owner.open is not None:
        return Opaque(owner.open, f"argument:{name}")
    return unknown(f"the program has no argument '{name}'", Cause.ARGUMENT, place)


def _getenv(run: Run, call: Call) -> Value:
    return environment_variable(run, call.argument(0, "key"), call.place, call.argument(1, "default"))


def _partial(run: Run, call: Call) -> Value:
    """A function that calls another one with the arguments that are given now before those that it is given."""
    function, *given = call.positional
    names = {"function": function, "rest": call.keywords.get("**", {})}
    names |= {f"given_{place}": value for place, value in enumerate(given)}
    names |= {f"kept_{name}": value for name, value in call.keywords.items() if name != "**"}
    by_place = "".join(f"{name}, " for name in names if name.startswith("given_"))
    by_name = "".join(f"'{name[5:]}': {name}, " for name in names if name.startswith("kept_"))
    text = f"lambda *more, **named: function({by_place}*more, **{{{by_name}**rest, **named}})"
    return closure(run, text, names, call.place)


def _as_dictionary(run: Run, call: Call) -> Value:
    """``dataclasses.asdict`` of an object whose fields hold no other objects or collections."""
    item = current(run, call.argument(0, "obj"))
    above = reversed(item.of.ancestors()) if isinstance(item, Instance) and len(call.arguments.all()) == 1 else ()
    names = [name for ancestor in above for name, _ in ancestor.fields or ()]
    fields = {name: item.attributes.get(name, item) for name in names}
    if not fields or not all(isinstance(kept, str | int | float | Opaque | None) for kept in fields.values()):
        why = "cannot tell the result of dataclasses.asdict()"
        return unknown(why, Cause.EXTERNAL, call.place, run.fresh("dataclasses.asdict()"))
    return fields


def _wraps(run: Run, call: Call) -> Value:
    names = {"as_named": External("checker.wrapped"), "wrapped": call.argument(0, "wrapped")}
    return closure(run, "lambda wrapper: as_named(wrapped, wrapper)", names, call.place)


def _wrapped(run: Run, call: Call) -> Value:
    """A function under the name of the one that it wraps."""
    wrapped, wrapper = call.positional
    known = isinstance(wrapped, Function | Class) and isinstance(wrapper, Function)
    return replace(wrapper, name=wrapped.name) if known else wrapper


def _remembered(run: Run, call: Call) -> Value:
    """What only computes gives what it remembers; ``lru_cache(…)`` is handed the function next."""
    if not isinstance(call.first, Function):
        return External("functools.cache")
    why = f"{call.first.name} remembers its results, and does more than to give them"
    acts = may_do_something(run, call.first)
    return Decorated(call.first, Unknown(why, Cause.EXTERNAL, None, call.place)) if acts else call.first


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
    return imports.module_named(run, name, run.entry.file or run.entry.main or "") or External(name)


_FUNCTIONS: dict[str, Handler] = {
    "os.getenv": _getenv, "os.environ.get": _getenv, "os.environ.setdefault": _getenv,
    "argparse.ArgumentParser": lambda run, call: Parser(program_arguments.declared(run, call.arguments)),
    "functools.partial": _partial, "functools.wraps": _wraps, "checker.wrapped": _wrapped,
    "functools.cache": _remembered, "functools.lru_cache": _remembered,
    "dataclasses.asdict": _as_dictionary,
    "pathlib.Path": _path, "pathlib.PurePath": _path, "pathlib.PosixPath": _path,
    "builtins.open": _open, "io.open": _open,
    **{f"os.path.{name}": _os_path(name) for name in (
        "join", "dirname", "basename", "abspath", "realpath", "normpath", "exists", "isfile", "isdir", "splitext",
        "split",
    )},
    "json.load": _loader("json"), "yaml.safe_load": _loader("yaml"),
    "yaml.full_load": _loader("yaml"), "yaml.load": _loader("yaml"), "tomllib.load": _loader("toml"),
    "tomllib.loads": _loader("toml"), "toml.load": _loader("toml"), "tomli.load": _loader("toml"),
    "jinja2.Template": jinja_templates.template,
    "jinja2.Environment": jinja_templates.environment, "jinja2.FileSystemLoader": jinja_templates.loader,
    "asyncio.run": lambda run, call: call.first,
    "importlib.import_module": _import_module, "builtins.__import__": _import_module,
    "typing.cast": lambda run, call: call.argument(1, "val"),
}  # fmt: skip


MODELLED_OBJECTS = (Parser, Parsed, FilePath)
"""Objects of libraries that are modelled here."""


METHODS = frozenset({"get", "read", "read_text"})
"""Methods of files and of what they hold that are followed."""
_KINDS = {"json": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml"}
_CONTENT = re.compile(r" content [0-9a-f]{16}\b")
_MISSING = "nothing"
_MOST_FILES = 20


def with_contents(run: Run, file: Opaque, name: Value, shown: str, place: Location) -> Opaque:
    """A file that is opened, with what each holds that it may be; as it is where not all of them are read."""
    paths, few = named_files(run, name)
    holds = [_parsed(run, path, place) for path in paths] if few and len(paths) <= _MOST_FILES else []
    if not holds or any(isinstance(content, Opaque) for content in holds):
        return file
    usual = by_default(name)
    contents = dict(zip(paths, holds, strict=True))
    default = contents.get(resources.joined(usual)) if isinstance(usual, str) else None
    return replace(file, holds=tuple(holds), default=default, kept_in=_CONTENT.sub("", f"file {shown}"))


def _parsed(run: Run, path: str, place: Location) -> Value:
    kind = _KINDS.get(path.rpartition(".")[2])
    if kind is None:
        return unknown(f"cannot tell what '{path}' holds", at=place)
    return resources.loaded(run, kind, run.files.read(path), place)


def entry(run: Run, owner: Opaque, key: Value, default: Value = _MISSING) -> Opaque:
    """``content[key]`` and ``content.get(key)``: what lies in each of the files there."""
    if not owner.holds or not isinstance(key, str | int) or Description(run).given_to(owner.derived_from or ""):
        return Opaque(owner.unknown)
    holds = tuple(_of(content, key, default) for content in owner.holds)
    kept_in = f"{owner.kept_in}[{key!r}]"
    text = described(run, *holds)
    made = within(run, f"{kept_in} of {text}") if text else None
    usual = None if owner.default is None else _of(owner.default, key, None if default is _MISSING else default)
    return Opaque(owner.unknown, derived_from=made, holds=holds, kept_in=kept_in, default=usual)


def _of(content: Value, key: str | int, default: Value) -> Value:
    try:
        return content[key]
    except (KeyError, IndexError, TypeError):
        return default
