"""What a program asks of the Table API, call by call: the planner makes the same calls on a real Flink.

A program in Java and one in PyFlink that declare the same tables have the same record. Nothing in it is code of the
program: calls go to classes of Flink's own API, arguments are constants, results of earlier calls, or not known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias, Union

from checker.model.declared_state import ClassShape
from checker.model.unknowns import Location, Maybe, Unknown

_OF_STATEMENTS = frozenset({"executeSql", "sqlQuery", "sqlUpdate", "addInsertSql"})
Plain: TypeAlias = Union[str, int, float, bool, None]  # noqa: UP007


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; ``java`` is its type in Java: ``int``, ``long``, ``String``, ``null`` …"""

    value: Plain
    java: str


@dataclass(frozen=True, slots=True)
class ResultOf:
    """What an earlier call gave, by its place among the steps."""

    step: int


@dataclass(frozen=True, slots=True)
class Template:
    """A text of which parts are not known, or known to Flink only: the name that it gives a table in a text."""

    parts: tuple[str | Unknown | ResultOf, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """An array or list."""

    items: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Options:
    """A ``Configuration`` with its keys."""

    items: tuple[tuple[str, Argument], ...]


@dataclass(frozen=True, slots=True)
class ClassName:
    """A class object: one of Java's or Flink's, or one of the program's own."""

    name: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class OwnObject:
    """An object of a class of the program: a user function."""

    class_name: str


@dataclass(frozen=True, slots=True)
class StreamInput:
    """A stream that the program hands to the Table API, by its place among the streams."""

    place: int


@dataclass(frozen=True, slots=True)
class StreamEnvironment:
    """The ``StreamExecutionEnvironment`` below a table environment."""


Argument: TypeAlias = Union[  # noqa: UP007
    Literal, Template, ResultOf, Several, Options, ClassName, OwnObject, StreamInput, StreamEnvironment, Unknown
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStep:
    """One call. ``on`` is the place of the step that gave the receiver, or a class for static methods.

    ``call`` is the method as Java calls it, ``new`` for constructors; a field looks like a call of a method without
    arguments.
    """

    on: int | str
    call: str
    arguments: tuple[Argument, ...] = ()
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedStream:
    """A stream that becomes a table: the transformation, and the type of its elements as Flink spells it."""

    handle: str | None
    """None for a stream of another job."""
    type: Maybe[str] | None
    classes: tuple[ClassShape, ...] = ()
    names: tuple[str, ...] = ()
    """The names of a row's fields, empty for rows without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHole:
    """A transformation of the topology that stands for what the planner makes of a step.

    ``parallelism`` is what the stream environment says at that moment, None where the deployment decides.
    """

    handle: str
    step: int
    parallelism: Maybe[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableProgram:
    """All calls of one way through a program, up to the last that its job depends on."""

    steps: tuple[TableStep, ...]
    streams: tuple[HandedStream, ...] = ()
    holes: tuple[TableHole, ...] = ()


def described(steps: tuple[TableStep, ...], words: Callable[[str], Iterable[str]]) -> str | None:
    """A name for what steps ask, wherever they stand; None where something in them is not known by what makes it.

    ``words`` are those of a statement, without comments and layout.
    """
    parts: list[str] = []
    for step in steps:
        first = next(iter(step.arguments), None)
        option = first.value if step.call.startswith("set") and isinstance(first, Literal) else None
        idle = isinstance(option, str) and not may_plan(option)
        given = step.arguments[: 1 if idle else None]
        for part in (str(step.on), step.call, *(_described(_spoken(step.call, a, words)) for a in given)):
            if part is None:
                return None
            parts.append(part)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


_PLANNING = ("table.", "pipeline.", "execution.runtime-mode", "execution.target", "parallelism.", "paimon.release")
_LOADING = ("table.catalog-store.", "table.resources.", "pipeline.jars", "pipeline.classpaths", "pipeline.cached-files")
"""How options begin that read or write files, or load code."""
_NOT_PLANNING = frozenset(
    {"pipeline.name", "pipeline.global-job-parameters", "table.local-time-zone", "table.exec.source.idle-timeout"}
)


def may_be_set(key: str) -> bool:
    """Whether an option of a repository's program or script is handed to a planner: others say where files are."""
    return key.startswith(_PLANNING) and not key.startswith(_LOADING)


def may_plan(key: str) -> bool:
    """Whether an option may change a plan."""
    return may_be_set(key) and key not in _NOT_PLANNING


def _spoken(call: str, argument: Argument, words: Callable[[str], Iterable[str]]) -> Argument:
    if call in _OF_STATEMENTS and isinstance(argument, Literal) and isinstance(argument.value, str):
        return replace(argument, value=" ".join(words(argument.value)))
    return argument


def _described(argument: Argument | str) -> str | None:
    if isinstance(argument, Unknown):
        return None if argument.derived_from is None else f"unknown {argument.derived_from}"
    inner: tuple[Argument | str, ...] = ()
    if isinstance(argument, Template):
        inner = argument.parts
    elif isinstance(argument, Several):
        inner = argument.items
    elif isinstance(argument, Options):
        inner = tuple(part for item in argument.items for part in item)
    else:
        return repr(argument)
    parts = [_described(value) for value in inner]
    return None if None in parts else f"{type(argument).__name__}({', '.join(map(str, parts))})"


def digest(steps: tuple[TableStep, ...]) -> str:
    """A name for steps of one reading: that of others differs, also where it is not known by what."""
    return "?" + hashlib.sha256(repr(steps).encode("utf-8", "surrogatepass")).hexdigest()[:16]
