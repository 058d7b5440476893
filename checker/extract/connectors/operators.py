"""Operators and states as connector tables write them, turned into records of the topology.

A table's operator has the fields of the topology document and, besides: ``inputs`` and ``parallelism`` may list
alternatives with ``|`` (the first one that there is), ``{method}`` stands for the argument of a builder's method,
``{method|text}`` for the text where that was not called.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.flink_releases import api_of
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind, Transformation
from checker.model.unknowns import Cause, Maybe, Unknown

INPUT: Final = "@"
"""The stream that a connector's operators are put behind."""

INPUT_PARALLELISM: Final = -2
"""In an operator of a call: as parallel as the stream it is put behind."""

_ARGUMENT = re.compile(r"\{(\w+)(\|[^}]*)?\}")


def unknown_of(value: Any) -> Any:
    """The value, or the Unknown that ``{ unknown = "why" }`` writes; ``each_run``: it is another one in each."""
    if isinstance(value, Mapping) and "unknown" in value:
        return Unknown(str(value["unknown"]), Cause.NON_DETERMINISTIC if value.get("each_run") else Cause.CONNECTOR)
    return value


def state_of_table(table: Any) -> tuple[StateDescriptor, ...] | Unknown:
    """The states that a table lists."""
    if isinstance(table, Mapping):
        return Unknown(str(table["unknown"]), Cause.CONNECTOR)
    return tuple(
        StateDescriptor(name=s["name"], kind=StateKind(s["kind"]), formerly=tuple(s.get("formerly", ()))) for s in table
    )


def operator_of(
    table: Mapping[str, Any], calls: Mapping[str, Collection[object]], flink_version: str
) -> Transformation:
    """One operator of a connector, with the arguments of the builder filled in.

    Handles are local to the connector. A uid computed from an argument that was not given is not a uid.
    """
    kind = Kind(table["kind"])
    partitioner = unknown_of(table.get("partitioner"))
    why = table.get("unknown")
    return Transformation(
        id=table["id"],
        kind=kind,
        inputs=tuple(table.get("inputs", ())),
        name=_text(table.get("name"), calls),
        uid=_text(table.get("uid"), calls),
        parallelism=_parallelism(table.get("parallelism"), calls),
        max_parallelism=table.get("max_parallelism"),
        chaining=_chaining(table.get("chaining"), flink_version),
        operator=table.get("operator"),
        partitioner=PartitionerKind(partitioner) if isinstance(partitioner, str) else partitioner,
        state=state_of_table(table.get("state", ())),
        stateful=unknown_of(table.get("stateful")),
        unknown=Unknown(str(why), Cause.CONNECTOR) if kind is Kind.UNKNOWN else None,
    )


def _chaining(written: str | None, flink_version: str) -> ChainingStrategy | None:
    """``operator-object``: ``transform`` was handed an operator, not a factory, and 1.x takes its own default."""
    if written == "operator-object":
        return api_of(flink_version).operator_objects
    return ChainingStrategy(written) if written is not None else None


def _text(template: Any, calls: Mapping[str, Collection[object]]) -> Maybe[str] | None:
    if not isinstance(template, str):
        found: Maybe[str] | None = unknown_of(template)
        return found
    text = template
    for method, otherwise in _ARGUMENT.findall(template):
        if method not in calls and not otherwise:
            return None
        argument = _first(calls[method]) if method in calls else otherwise[1:]
        if not isinstance(argument, str):
            return argument if isinstance(argument, Unknown) else Unknown(f"cannot tell the argument of {method}")
        text = text.replace(f"{{{method}{otherwise}}}", argument)
    return text


def _parallelism(written: Any, calls: Mapping[str, Collection[object]]) -> Maybe[int] | None:
    if written is None or isinstance(written, int):
        return written
    if isinstance(written, Mapping):
        found: Maybe[int] = unknown_of(written)
        return found
    method, _, otherwise = str(written).strip("{}").partition("|")
    if method in calls:
        argument = _first(calls[method])
        if isinstance(argument, (int, Unknown)):
            return argument
        return Unknown(f"cannot tell the argument of {method}", Cause.CONNECTOR)
    return INPUT_PARALLELISM if INPUT in (method, otherwise) else None


def _first(arguments: Collection[object]) -> object:
    return arguments[0] if isinstance(arguments, Sequence) and arguments else None
