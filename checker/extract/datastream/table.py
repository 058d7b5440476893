"""Reads ``datastream_api.toml``: what each call of the DataStream API declares, by Java's and by PyFlink's names."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import PartitionerKind

ENVIRONMENT = "StreamExecutionEnvironment"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One row: a method of a class and what it makes."""

    makes: str
    """What is declared, or the word by which a reader finds its handler of the call."""
    name: str | None = None
    operator: str | None = None
    partitioner: PartitionerKind | None = None
    function: int | None = None
    parallelism: int | str | None = None
    stateful: bool | None = None
    state: tuple[StateDescriptor, ...] = ()
    of_elements: frozenset[str] = frozenset()
    """The names of the states that keep elements of the stream."""
    gives: str = "SingleOutputStreamOperator"
    python: str | None = None
    """The default name in PyFlink, empty where the call makes no operator; None where PyFlink has no such call."""


@cache
def _document() -> dict[str, Any]:
    source = files("checker.extract.datastream").joinpath("datastream_api.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def parents() -> dict[str, str]:
    """Class of the DataStream API → its superclass, empty where it has none."""
    return dict(_document()["types"])


def is_a(simple: str, wanted: str) -> bool:
    """Whether a class of the API is another or extends it."""
    while simple and simple != wanted:
        simple = parents().get(simple, "")
    return bool(simple)


def is_stream_type(simple: str) -> bool:
    """Whether a simple class name is one of the DataStream API's streams."""
    return simple in parents() and simple != "Transformation"


def builds(simple: str) -> bool:
    """Whether objects of a simple class name are streams, or the environment that makes these."""
    return is_stream_type(simple) or simple == ENVIRONMENT


@cache
def _calls() -> dict[tuple[str, str], ApiCall]:
    return {
        (owner, method): _call(row)
        for owners, rows in _document()["calls"].items()
        for methods, row in rows.items()
        for owner in owners.split()
        for method in methods.split()
    }


def _call(row: dict[str, Any]) -> ApiCall:
    states: list[str] = row.get("state", [])
    partitioner = row.get("partitioner")
    given = {
        "partitioner": PartitionerKind(partitioner) if partitioner else None,
        "state": tuple(map(_state, states)),
        "of_elements": frozenset(written.partition(":")[0] for written in states if written.endswith("!")),
    }
    return ApiCall(**{**row, **given})


def _state(written: str) -> StateDescriptor:
    name, _, kind = written.rstrip("!").partition(": ")
    return StateDescriptor(name=name, kind=StateKind(kind))


def rows() -> Iterator[tuple[str, str, ApiCall]]:
    """All rows, with the class and the method of each."""
    return ((owner, method, row) for (owner, method), row in _calls().items())


def lookup(simple: str, method: str) -> ApiCall | None:
    """The row for a method of a class or its superclasses."""
    while simple:
        found = _calls().get((simple, method))
        if found is not None:
            return found
        simple = parents().get(simple, "")
    return None


def lookup_python(simple: str, method: str) -> ApiCall | None:
    """The row for a method of PyFlink; None where PyFlink's class has none of the name."""
    found = lookup(simple, camel(method))
    return found if found is not None and found.python is not None else None


def camel(name: str) -> str:
    """The name in Java of what PyFlink calls ``in_small_letters``."""
    first, *rest = name.strip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


@cache
def makes_operator(method: str | None) -> bool:
    """Whether a call, by Java's or PyFlink's name, gives an operator, on which ``uid`` may be called."""
    makes = {
        row.makes for _, name, row in rows() if name == camel(method or "") and (row.operator or row.makes in _MAKERS)
    }
    return bool(makes - _READERS) or method in _ELSEWHERE


_MAKERS = frozenset({"window-result", "join", "files", "transform"})
"""What declares an operator whose kind its arguments decide on."""
_READERS = frozenset({"collect", "execute-and-collect"})
"""What hands its elements to the program."""
_ELSEWHERE = frozenset({
    "createInput", "readFileStream", "orderedWait", "orderedWaitWithRetry", "unorderedWait", "unorderedWaitWithRetry",
})  # fmt: skip
"""Calls that no row describes: of ``AsyncDataStream``, and old ones."""


@cache
def process_functions() -> dict[str, tuple[str, str]]:
    """Base class of a process function → (default name, operator)."""
    return {base: (row["name"], row["operator"]) for base, row in _document()["process"].items()}


@cache
def triggers() -> dict[str, StateDescriptor]:
    """Trigger of Flink → the state that it registers."""
    return {name: _state(written) for name, written in _document()["triggers"].items()}


_DYNAMIC_GAPS = ("EventTimeSessionWindows", "ProcessingTimeSessionWindows")
SESSIONS = frozenset({*_DYNAMIC_GAPS, *(f"Dynamic{name}" for name in _DYNAMIC_GAPS)})
"""Window assigners of Flink that merge windows."""


def assigner(simple: str, *, dynamic: bool) -> str:
    """The class of a window assigner; ``dynamic``: it was made with a gap that elements decide."""
    return f"Dynamic{simple}" if dynamic and simple in _DYNAMIC_GAPS else simple


@cache
def _names() -> dict[str, Any]:
    return tomllib.loads(files("checker.extract.datastream").joinpath("flink_names.toml").read_text(encoding="utf-8"))


def words(name: str) -> frozenset[str]:
    """A list of names."""
    return frozenset(_names()[name].split())


def table(name: str) -> Mapping[str, Any]:
    """Names with what they stand for."""
    found: Mapping[str, Any] = _names()[name]
    return found


BASIC_TYPES: Mapping[str, str] = table("basic_types")
"""Names of ``Types``, and of the constants of ``BasicTypeInfo`` and its like → the type."""
