"""Reads ``datastream_api.toml``: what each call of the DataStream API declares."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.topology import PartitionerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One row: a method of a class and what it makes."""

    makes: str
    name: str | None = None
    operator: str | None = None
    partitioner: PartitionerKind | None = None
    function: int | None = None
    parallelism: int | str | None = None
    state: tuple[StateDescriptor, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSource:
    """A source method of the environment. ``parallel`` is None for FLIP-27 sources."""

    kind: str
    name: str
    operator: str
    parallel: bool | None = None
    parallelism: int | None = None
    stateful: bool | None = None
    state: tuple[StateDescriptor, ...] = ()


@cache
def _document() -> dict[str, Any]:
    source = files("checker.extract.java.flink_api").joinpath("datastream_api.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def parents() -> dict[str, str]:
    """Class of the DataStream API → its superclass, empty where it has none."""
    return dict(_document()["types"])


def is_a(simple: str, wanted: str) -> bool:
    """Whether a class of the API is another or extends it."""
    current = simple
    while current:
        if current == wanted:
            return True
        current = parents().get(current, "")
    return False


def is_stream_type(simple: str) -> bool:
    """Whether a simple class name is one of the DataStream API's streams."""
    return simple in parents() and simple != "Transformation"


def builds(simple: str) -> bool:
    """Whether objects of a simple class name are streams, or the environment that makes these."""
    return is_stream_type(simple) or simple == "StreamExecutionEnvironment"


@cache
def _calls() -> dict[tuple[str, str], ApiCall]:
    found: dict[tuple[str, str], ApiCall] = {}
    for row in _document()["call"]:
        partitioner = row.get("partitioner")
        call = ApiCall(
            makes=row["makes"],
            name=row.get("name"),
            operator=row.get("operator"),
            partitioner=PartitionerKind(partitioner) if partitioner else None,
            function=row.get("function"),
            parallelism=row.get("parallelism"),
            state=_states(row),
        )
        for method in row.get("methods", [row.get("method")]):
            found[row["on"], method] = call
    return found


def _states(row: dict[str, Any]) -> tuple[StateDescriptor, ...]:
    return tuple(StateDescriptor(name=s["name"], kind=StateKind(s["kind"])) for s in row.get("state", ()))


def lookup(simple: str, method: str) -> ApiCall | None:
    """The row for a method of a class or its superclasses."""
    current = simple
    while current:
        found = _calls().get((current, method))
        if found is not None:
            return found
        current = parents().get(current, "")
    return None


@cache
def sources() -> dict[str, ApiSource]:
    """Source methods of the environment by name."""
    found: dict[str, ApiSource] = {}
    for row in _document()["source"]:
        source = ApiSource(
            kind=row["kind"],
            name=row["name"],
            operator=row["operator"],
            parallel=row.get("parallel"),
            parallelism=row.get("parallelism"),
            stateful=row.get("stateful"),
            state=_states(row),
        )
        for method in row.get("methods", [row.get("method")]):
            found[method] = source
    return found


@cache
def process_functions() -> dict[str, tuple[str, str]]:
    """Base class of a process function → (default name, operator)."""
    return {base: (row["name"], row["operator"]) for base, row in _document()["process"].items()}


@cache
def file_names() -> tuple[str, str, str]:
    """Names of readFile's operators: of readFile, of createInput, and the reader's prefix."""
    row = _document()["files"]
    return row["name"], row["input_format"], row["reader_prefix"]
