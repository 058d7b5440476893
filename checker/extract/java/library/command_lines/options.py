"""What the libraries of command lines share: options by all of their names, read as ``ParameterTool`` reads its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from checker.extract.java.library import parameters
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import ThrowSignal
from checker.extract.java.machine.flink_values import Parameters
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, ListValue, Value, string
from checker.extract.java.syntax.class_index import External


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``names`` are without leading hyphens, the one that people know it by first."""

    names: tuple[str, ...]
    takes_value: bool
    required: bool = False


def refuse(exception: str) -> NoReturn:
    """The library throws an exception of its own."""
    raise ThrowSignal(ExternalObject(External((exception,))))


def texts(run: Run, value: Value | None) -> list[str] | None:
    """The program's arguments without those that are given by name alone, None where they are not known."""
    if parameters.by_name(run, value):
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
        if option.required and given is None and not values:
            run.limits.trace.asked.add(key)
            if key in run.entry.unset:
                refuse("MissingOptionException")
        found[option] = Parameters(entries, given is not None, True, pinned=frozenset({key} if values else ()))
    return found


def key_of(run: Run, option: Option) -> str:
    """The name that an option is asked for by: one that somebody said is unset, else its first."""
    return next((name for name in option.names if name in run.entry.unset), option.names[0])


def value(run: Run, option: Option, given: Parameters, call: Call, default: Value | None = None) -> Value:
    """The first value of an option, its default (null) where it is not given; required ones are unknown then."""
    getter = "getRequired" if option.required and run.entry.arguments_assumed else "get"
    rest = () if default is None else (default,)
    asked = call.having(name=getter, arguments=(string(key_of(run, option)), *rest))
    first = replace(given, entries=tuple((key, found[:1]) for key, found in given.entries))
    found = parameters.call(run, first, asked)
    assert found is not None
    return found


def is_given(run: Run, option: Option, given: Parameters, call: Call) -> Value:
    """Whether an option is given."""
    if option.required and run.entry.arguments_assumed:
        return Constant(True, "boolean")
    found = parameters.call(run, given, call.having(name="has", arguments=(string(key_of(run, option)),)))
    assert found is not None
    return found
