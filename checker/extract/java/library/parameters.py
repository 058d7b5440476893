"""``ParameterTool`` and ``MultipleParameterTool``.

What the libraries of command lines share: options by all of their names, read as ``ParameterTool`` reads its own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from checker.extract.java.library import lang
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.exceptions import ThrowSignal, throw
from checker.extract.java.machine.flink_values import Parameters
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    ListValue,
    MapValue,
    Opaque,
    Settings,
    Value,
    boolean,
    integer,
    is_null,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, Unknown, given_by

NO_VALUE = "__NO_VALUE_KEY"


def pinned(run: Run) -> dict[str, tuple[str, ...]]:
    """The values that the pipeline's configuration gives."""
    return {key: (value,) for key, value in run.entry.values}


def open_to(run: Run, source: str, symbol: str) -> Parameters:
    """Parameters that hold more than the configuration gives."""
    known = pinned(run)
    return Parameters(tuple(known.items()), False, source=source, pinned=frozenset(known), symbol=symbol)


def from_args(run: Run, given: Value, multiple: bool) -> Parameters:
    """``fromArgs(args)``."""
    known = pinned(run)
    if isinstance(given, ListValue) and given.elements is not None:
        texts = [e.value for e in given.elements if isinstance(e, Constant) and isinstance(e.value, str)]
        if len(texts) == len(given.elements):
            entries = parse_arguments(texts, multiple)
            entries.update(known)
            return Parameters(tuple(entries.items()), True, multiple, pinned=frozenset(entries))
    complete = by_name(run, given) or (run.entry.assume_needed and run.entry.arguments_assumed)
    return Parameters(tuple(known.items()), complete, multiple, pinned=frozenset(known))


def by_name(run: Run, given: Value | None) -> bool:
    """Whether these are the program's arguments, and all that are given are known by name."""
    mains = isinstance(given, ListValue) and given.kind == "args"
    return mains and run.entry.arguments_by_name and not run.entry.assume_needed


def parse_arguments(arguments: list[str], multiple: bool) -> dict[str, tuple[str, ...]]:
    """``--key value``, ``-key value`` and ``--flag``, as ``ParameterTool.fromArgs`` reads them; it refuses others."""
    found: dict[str, tuple[str, ...]] = {}
    place = 0
    while place < len(arguments):
        key = arguments[place].removeprefix("-").removeprefix("-")
        if not key or not arguments[place].startswith("-"):
            throw("IllegalArgumentException")
        place += 1
        value = NO_VALUE
        if place < len(arguments) and (not arguments[place].startswith("-") or _NUMBER.fullmatch(arguments[place])):
            value = arguments[place]
            place += 1
        found[key] = (*found.get(key, ()), value) if multiple else (value,)
    return found


_NUMBER = re.compile(r"-(?:0[xX][0-9a-fA-F]+|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdDlL]?", re.ASCII)
"""A negative number, which is a value and no key."""


_TYPES = {
    "getInt": "int", "getLong": "long", "getDouble": "double", "getFloat": "float", "getBoolean": "boolean",
    "getShort": "short", "getByte": "byte",
}  # fmt: skip


def call(run: Run, receiver: Parameters, call: Call) -> Value | None:
    """A method of ParameterTool; None where it is not modelled."""
    entries = dict(receiver.entries)
    if call.name in ("getConfiguration",):
        values: dict[str, Value] = {key: string(found[-1]) for key, found in entries.items()}
        return Settings(values, receiver.complete, receiver.source)
    if call.name in ("toMap", "getProperties") and not call.arguments:
        if not receiver.complete:
            return MapValue(None, "hash", _unknown(run, receiver, None, call.site))
        return MapValue(tuple((string(k), string(v[-1])) for k, v in entries.items()), "hash")
    if call.name == "mergeWith" and len(call.arguments) == 1 and isinstance(call.arguments[0], Parameters):
        added = call.arguments[0]
        if not added.complete and not added.of_jvm:  # arguments that are not known may override
            entries = {key: found for key, found in entries.items() if key in receiver.pinned}
        merged = {**entries, **dict(added.entries)}
        return Parameters(
            tuple(merged.items()), receiver.complete and added.complete, receiver.multiple, receiver.source,
            receiver.pinned | added.pinned, f"{receiver.symbol}+{added.symbol}", receiver.of_jvm,
        )  # fmt: skip
    if call.name == "getNumberOfParameters":
        counted = receiver.complete and not run.entry.assume_needed
        return integer(len(entries)) if counted else _opaque(run, receiver, "number", call.site, "int")
    if (
        not call.arguments
        or not isinstance(call.arguments[0], Constant)
        or not isinstance(call.arguments[0].value, str)
    ):
        if receiver.complete and not entries and call.arguments and call.name in ("has", "get"):  # whatever the key is
            return boolean(False) if call.name == "has" else call.arguments[1] if len(call.arguments) > 1 else NULL
        if call.name.startswith("get") or call.name == "has":
            made = (string(call.name), receiver, *call.arguments)  # any argument may be the one that is asked for
            return run.opaque("a parameter with an unknown key", Cause.ARGUMENT, call.site, of=made)
        return None
    key = call.arguments[0].value
    if key not in entries and _is_unset(run, receiver, key):
        receiver = replace(receiver, complete=True)
    if call.name == "has":
        if key in entries:
            return boolean(True)
        if receiver.complete:
            return boolean(False)
        return _opaque(run, receiver, key, call.site, None, f"has({_asked(receiver)}:{key})")
    if call.name in ("getMultiParameter", "getMultiParameterRequired"):
        if key in entries:
            return ListValue(tuple(string(found) for found in entries[key]))
        return NULL if receiver.complete else ListValue(None, unknown=_unknown(run, receiver, key, call.site))
    if call.name in ("get", "getRequired") or call.name in _TYPES:
        return _get(run, receiver, call.name, key, call.arguments[1:], call.site)
    return None


def _is_unset(run: Run, receiver: Parameters, key: str) -> bool:
    """Whether a parameter is known not to be given. What an unknown file holds is not a matter of being given."""
    return key in run.entry.unset or (receiver.of_jvm and run.entry.is_unset(key))


def _get(run: Run, receiver: Parameters, name: str, key: str, rest: Sequence[Value], site: Site) -> Value:
    entries = dict(receiver.entries)
    java = _TYPES.get(name, "String")
    if key in entries:
        return typed(entries[key][-1], java)
    needed = run.entry.arguments_assumed and run.entry.assume_needed
    required = name == "getRequired" or (not rest and (name != "get" or needed))
    if receiver.complete and not (required and run.entry.arguments_assumed):
        if rest and not required:
            return rest[0]
        if name == "get":
            return NULL
        raise ThrowSignal(ExternalObject(External(("java.lang.RuntimeException",))))
    return _opaque(run, receiver, key, site, java, default=rest[0] if rest else None)


def typed(text: str, java: str) -> Value:
    """A text as a value of a primitive type."""
    return string(text) if java == "String" else lang.parse(text, java)


def _unknown(run: Run, receiver: Parameters, key: str | None, site: Site) -> Unknown:
    what = f"parameter '{key}'" if key is not None else "a set of parameters"
    settled = given_by(key) if key is not None else "args"
    return run.unknown(f"{what} comes from {receiver.source}", Cause.ARGUMENT, site, settled)


def _opaque(
    run: Run, receiver: Parameters, key: str, site: Site, java: str | None, symbol: str | None = None,
    default: Value | None = None,
) -> Opaque:  # fmt: skip
    unknown = _unknown(run, receiver, key, site)
    suffix = ""
    if default is not None and not is_null(default):
        suffix = f"|{default.text if isinstance(default, Constant) else run.fresh('default')}"
    kind = External(("java.lang.String",)) if java == "String" else None
    return Opaque(unknown, symbol or f"{_asked(receiver)}:{key}{suffix}:{java}", kind)


def _asked(receiver: Parameters) -> str:
    """What a value is made of: where it comes from, ending on ``arg``, as what depends on an argument does."""
    return receiver.symbol if receiver.symbol == "arg" else f"{receiver.symbol}/arg"


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``names`` are without leading hyphens, the one that people know it by first."""

    names: tuple[str, ...]
    takes_value: bool
    required: bool = False
    spelled: tuple[str, ...] = ()
    """The names as they are written in command lines."""


def read_options(
    run: Run, options: Sequence[Option], given: Sequence[str], *, equals: bool
) -> tuple[dict[Option, list[str]], list[str]] | None:
    """What each option is given by its full name, and the other arguments; None where that may be read otherwise.

    ``equals``: whether ``--name=value`` is a value, too.
    """
    by_name = {name: option for option in options for name in option.spelled}
    found: dict[Option, list[str]] = {}
    rest: list[str] = []
    tokens = list(given)
    while tokens:
        token = tokens.pop(0)
        name, separator, value = token.partition("=")
        if equals and separator and name in by_name:
            token, tokens = name, [value, *tokens]
        option = by_name.get(token)
        if option is None and not token.startswith(("-", "@")):
            rest.append(token)
            continue
        if option is None or option in found or (separator and token == name and not option.takes_value):
            return None
        if option.takes_value and (not tokens or tokens[0].startswith("-")):
            return None
        found[option] = [tokens.pop(0)] if option.takes_value else ["true"]
    missing = any(option.required and option not in found for option in options)
    return None if missing and not run.entry.arguments_assumed else (found, rest)


def texts(run: Run, value: Value | None) -> list[str] | None:
    """The program's arguments without those that are given by name alone, None where they are not known."""
    if by_name(run, value):
        return []
    if not isinstance(value, ListValue) or value.elements is None:
        return None
    found = [e.text for e in value.elements if isinstance(e, Constant) and e.java == "String"]
    return found if len(found) == len(value.elements) else None


def command_line(
    run: Run, options: Iterable[Option], given: Mapping[Option, Sequence[str]] | None
) -> dict[Option, Parameters]:
    """What each option is given; ``given`` None where the arguments are not known."""
    found: dict[Option, Parameters] = {}
    configured = dict(run.entry.values)
    for option in options:
        key = key_of(run, option)
        pinned = next((configured[name] for name in option.names if name in configured), None)
        values = (pinned,) if pinned is not None else tuple((given or {}).get(option, ()))
        entries = ((key, values),) if values else ()
        found[option] = Parameters(entries, given is not None, True, pinned=frozenset({key} if values else ()))
    return found


def key_of(run: Run, option: Option) -> str:
    """The name that an option is asked for by: one that somebody said is unset, else its first."""
    return next((name for name in option.names if name in run.entry.unset), option.names[0])


def value(run: Run, option: Option, given: Parameters, asking: Call, default: Value | None = None) -> Value:
    """The first value of an option, its default (null) where it is not given; required ones are unknown then."""
    getter = "getRequired" if option.required and run.entry.arguments_assumed else "get"
    rest = () if default is None else (default,)
    asked = asking.having(name=getter, arguments=(string(key_of(run, option)), *rest))
    first = replace(given, entries=tuple((key, found[:1]) for key, found in given.entries))
    found = call(run, first, asked)
    assert found is not None
    return found


def is_given(run: Run, option: Option, given: Parameters, asking: Call) -> Value:
    """Whether an option is given."""
    if option.required and run.entry.arguments_assumed:
        return Constant(True, "boolean")
    found = call(run, given, asking.having(name="has", arguments=(string(key_of(run, option)),)))
    assert found is not None
    return found
