"""commons-cli: ``Options``, ``Option``, ``DefaultParser`` and the ``CommandLine`` that it makes.

Modelled is ``DefaultParser`` of commons-cli 1.3 to 1.9 for options by their full names with one value. Everything else
is unknown, and so is what a group of options refuses.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from checker.extract.java.library import parameters
from checker.extract.java.library.parameters import Option
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import Parameters
from checker.extract.java.machine.numbers import whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    ListValue,
    Value,
    boolean,
    is_null,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import not_given

_PACKAGE: Final = "org.apache.commons.cli."
_PARSERS: Final = frozenset({"DefaultParser", "GnuParser", "PosixParser", "BasicParser"})
_FOR_PEOPLE: Final = frozenset({"desc", "argName", "setArgName", "setDescription", "type", "setType"})
_MANY: Final = 2
"""More than one value."""


class OptionValue(ExternalObject):
    """An ``Option``, or the builder of one: its names, how many values it takes, whether it is required.

    ``many``: 0, 1 or more values; None where something about it is not known.
    """

    __slots__ = ("long", "many", "required", "short")

    def __init__(self, short: str | None, long: str | None = None, many: int | None = 0, *, builder: bool = False):
        ExternalObject.__init__(self, External((f"{_PACKAGE}Option{'.Builder' if builder else ''}",)))
        self.short, self.long, self.many, self.required = short, long, many, False

    @property
    def option(self) -> Option | None:
        """The option as it is now, None where that is not known."""
        names = tuple(name for name in (self.long, self.short) if name)
        known = isinstance(self.many, int) and isinstance(self.required, bool)
        spelled = (*(f"--{name}" for name in (self.long,) if name), *(f"-{name}" for name in (self.short,) if name))
        return Option(names, bool(self.many), self.required, spelled) if known and names else None


class OptionsValue(ExternalObject):
    """``Options``: its members in order, None where some are not known."""

    __slots__ = ("members",)

    def __init__(self) -> None:
        ExternalObject.__init__(self, External((f"{_PACKAGE}Options",)))
        self.members: tuple[OptionValue, ...] | None = ()


class LineValue(ExternalObject):
    """A ``CommandLine``: what each option was given, and the arguments that are none."""

    __slots__ = ("given", "rest")

    def __init__(self, given: dict[Option, Parameters], rest: tuple[str, ...] | None) -> None:
        ExternalObject.__init__(self, External((f"{_PACKAGE}CommandLine",)))
        self.given, self.rest = given, rest


def create(run: Run, external: External, call: Call) -> Value | None:
    """``new Options()``, ``new Option(...)``; None for everything else."""
    if not _of_library(external):
        return None
    given = call.arguments
    if external.simple == "Options" and not given:
        return OptionsValue()
    return _option(given) if external.simple == "Option" else None


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``Option.builder(...)``; None for everything else."""
    if not (_of_library(external) and external.simple == "Option" and call.name == "builder"):
        return None
    names = [_text(a) for a in call.arguments]
    return OptionValue(names[0] if names else None, None, None if names == [None] else 0, builder=True)


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A method of these classes; None where it is not modelled."""
    if isinstance(receiver, OptionValue):
        return _of_option(run, receiver, call)
    if isinstance(receiver, OptionsValue):
        return _of_options(run, receiver, call)
    if isinstance(receiver, LineValue):
        return _of_line(run, receiver, call)
    if receiver.type.simple in _PARSERS and _of_library(receiver.type) and call.name == "parse":
        return _parsed(run, receiver, call)
    return None


def _of_library(external: External) -> bool:
    return any(name.startswith(_PACKAGE) for name in external.candidates)


def _text(value: Value) -> str | None:
    return value.text if isinstance(value, Constant) and value.java in ("String", "char", "Character") else None


def _option(given: Sequence[Value]) -> OptionValue | None:
    """``(opt, description)``, ``(opt, hasArg, description)``, ``(opt, longOpt, hasArg, description)``."""
    short, long = _text(given[0]) if given else None, _text(given[1]) if len(given) == 4 else None
    takes = given[-2] if len(given) > 2 else boolean(False)
    known = isinstance(takes, Constant) and isinstance(takes.value, bool)
    if len(given) not in (2, 3, 4) or not known or (short is None and not is_null(given[0])):
        return None
    if len(given) == 4 and long is None and not is_null(given[1]):
        return None
    assert isinstance(takes, Constant)
    return OptionValue(short, long, 1 if takes.value else 0)


def _of_option(run: Run, receiver: OptionValue, call: Call) -> Value | None:
    given = call.arguments
    answers = {"getOpt": receiver.short, "getLongOpt": receiver.long}
    if call.name in answers and not given:
        found = answers[call.name]
        return NULL if found is None else string(found)
    if call.name in ("build", "get") and not given:
        made = OptionValue(receiver.short, receiver.long, receiver.many)
        made.required = receiver.required
        return made
    flag = None
    if len(given) <= 1:
        given_flag = given[0].value if given and isinstance(given[0], Constant) else not given or None
        flag = given_flag if isinstance(given_flag, bool) else None
    count = whole(given[0]) if given else None
    if call.name in ("longOpt", "setLongOpt", "option") and given and _text(given[0]) is not None:
        run.memory.assign(receiver, "short" if call.name == "option" else "long", _text(given[0]))
    elif call.name in ("required", "setRequired") and flag is not None:
        run.memory.assign(receiver, "required", flag)
    elif call.name == "hasArg" and flag is not None:
        run.memory.assign(receiver, "many", int(flag))
    elif call.name == "hasArgs" or (call.name in ("numberOfArgs", "setArgs") and count is not None):
        run.memory.assign(receiver, "many", _MANY if count is None else min(count, _MANY))
    elif call.name not in _FOR_PEOPLE:
        run.memory.assign(receiver, "many", None)
    return receiver


def _of_options(run: Run, receiver: OptionsValue, call: Call) -> Value | None:
    added: OptionValue | None = None
    if call.name in ("addOption", "addRequiredOption"):
        only = call.arguments[0] if len(call.arguments) == 1 else None
        added = only if isinstance(only, OptionValue) else _option(call.arguments)
        if added is not None and call.name == "addRequiredOption":
            added.required = True
    elif call.name.startswith(("get", "has", "toString", "helpOptions")):
        return None
    members = receiver.members
    run.memory.assign(receiver, "members", None if added is None or members is None else (*members, added))
    return receiver


def _parsed(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """``parse(options, arguments)``."""
    declared = call.arguments[0] if len(call.arguments) == 2 else None
    if not isinstance(declared, OptionsValue) or not isinstance(declared.members, tuple):
        return None
    members = [member.option for member in declared.members]
    known = [member for member in members if member is not None]
    if len(known) != len(members):
        return None
    given = parameters.texts(run, call.arguments[1])
    read = None if given is None else parameters.read_options(run, known, given, equals=True)
    if given and (receiver.type.simple != "DefaultParser" or any('"' in text for text in given)):
        read = None
    if read is None or any(member.many == _MANY and member.option in read[0] for member in declared.members):
        why = not_given("the program's arguments", "args", run.location(call.site))
        run.may_throw_any((f"{_PACKAGE}ParseException",), why, call.arguments[1])
        return LineValue(parameters.command_line(run, known, None), None)
    return LineValue(parameters.command_line(run, known, read[0]), tuple(read[1]))


def _of_line(run: Run, receiver: LineValue, call: Call) -> Value | None:
    if call.name in ("getArgs", "getArgList") and not call.arguments:
        kind = "array" if call.name == "getArgs" else "List"
        why = not_given("the program's arguments", "args", run.location(call.site))
        rest = receiver.rest
        return ListValue(None, kind, why) if rest is None else ListValue(tuple(map(string, rest)), kind)
    if call.name not in ("hasOption", "getOptionValue") or not 1 <= len(call.arguments) <= 2:
        return None
    asked = call.arguments[0]
    names = {asked.short, asked.long} if isinstance(asked, OptionValue) else {_text(asked)}
    if names <= {None}:
        return None
    bare = {name.removeprefix("-").removeprefix("-") for name in names if name}
    option = next((o for o in receiver.given if bare & set(o.names)), None)
    default = call.arguments[1] if len(call.arguments) == 2 else None
    if option is None:
        return boolean(False) if call.name == "hasOption" else (default or NULL)
    given = receiver.given[option]
    if call.name == "hasOption":
        return parameters.is_given(run, option, given, call)
    if not option.takes_value:
        return default or NULL
    return parameters.value(run, option, replace(given), call, default)
