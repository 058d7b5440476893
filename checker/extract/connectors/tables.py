"""Operators and states as connector tables write them, turned into records of the topology.

A table's operator has the fields of the topology document and, besides: ``inputs`` and ``parallelism`` may list
alternatives with ``|`` (the first one that there is), ``{method}`` stands for the argument of a builder's method,
``{method|text}`` for the text where that was not called.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, Final

from checker.model.changed_files import Break, Library
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.flink_releases import api_of, minor_of
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorFacts:
    """What is known of one class under one Flink version.

    ``parallel`` is set for legacy sources (does it implement ParallelSourceFunction). ``committer`` and
    ``global_committer`` concern sinks handed to ``sinkTo``. ``topology`` says why a sink's own operators are not
    known; where they are, they stand in ``pre_write``, ``pre_commit``, ``post_commit``. ``stateful`` is about the
    source's or writer's own operator.
    """

    class_name: str
    kind: str
    """``source``, ``legacy-source``, ``sink`` or ``legacy-sink``."""
    open: bool = False
    """An interface or base class: the facts are its own, a class below it may add to them."""
    parallel: bool | None = None
    committer: Maybe[bool] = False
    global_committer: Maybe[bool] = False
    stateful: Maybe[bool] = False
    state: tuple[StateDescriptor, ...] | Unknown = ()
    reads: str | None = None
    """The builder's method that is given what a source reads, ``new`` for the first argument of its constructor."""
    at: str | None = None
    """The builder's method that is given the servers of what a source reads."""
    patterns: bool = False
    """What a source reads is named by patterns, and it forgets what they match no longer."""
    topology: Unknown | None = None
    pre_write: tuple[Transformation, ...] = ()
    pre_commit: tuple[Transformation, ...] = ()
    post_commit: tuple[Transformation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The result of a method of a connector class: a class, and operators where the call declares some.

    ``stream_from`` names the earlier calls on the builder one of which was handed the stream (the call itself where
    its own name is listed); empty when the operators start from the environment. In ``operators`` the input ``"@"``
    is that stream.
    """

    gives: str
    operators: tuple[Transformation, ...] = ()
    stream_from: tuple[str, ...] = ()
    options: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Methods that are given an option each, with the options that decide on operators."""


Calls = Mapping[str, Collection[object]]
"""Methods called on a builder so far, each with its arguments as far as they are constants (else an Unknown)."""


def lookup(class_name: str, flink_version: str, calls: Calls | None = None) -> ConnectorFacts | None:
    """What is known of a class; None when no table names it.

    ``calls`` are the builder methods called on the way to the instance: the shape of a few sinks depends on them.
    """
    for table in _classes().get(_plain(class_name), ()):
        if _applies(table, flink_version, calls or {}):
            return _facts(class_name, table, flink_version, calls or {})
    return None


def call(class_name: str, method: str, flink_version: str, calls: Calls | None = None) -> CallResult | None:
    """What a method of a connector class gives; None when neither the class nor the method is known.

    Any other method of a known builder gives the builder again.
    """
    found = _calls().get((_plain(class_name), method))
    if found is None:
        return CallResult(gives=class_name) if has_method(class_name, method) else None
    gives, table = found
    known = dict(calls or {})
    operators = tuple(
        operator_of(operator, known, flink_version)
        for operator in table.get("operators", ())
        if _applies(operator, flink_version, known)
    )
    return CallResult(
        gives=gives,
        operators=operators,
        stream_from=tuple(table["stream_from"].split("|")) if "stream_from" in table else (),
        options=table.get("options", {}),
    )


def has_method(class_name: str, method: str) -> bool:
    """Whether the tables know what a method of a class gives."""
    name = _plain(class_name)
    return (name, method) in _calls() or name in _builders()


SERVERS = "bootstrap.servers"
"""The property by which Kafka's connectors are given them, too."""


def hosts(lists: Collection[str | None]) -> tuple[str, ...]:
    """The hosts of lists of addresses, if all are known: one may be reached through several ports."""
    parts = [part.strip() for addresses in lists for part in (addresses or "").split(",")]
    return () if None in lists else tuple(sorted({part.rpartition("://")[2].partition(":")[0] for part in parts}))


def rows(kind: str) -> tuple[dict[str, Any], ...]:
    """All rows of one kind: ``class``, ``call``, ``release``."""
    return tuple(row for table in _tables().values() for row in table.get(kind, ()))


@cache
def classes_of_pyflink() -> Mapping[str, str]:
    """Class of PyFlink → the Java class that it wraps, whose facts the tables hold."""
    return {name: java for table in _tables().values() for name, java in table.get("pyflink", {}).items()}


_AS_WRITTEN = ("open", "parallel", "committer", "global_committer", "reads", "at", "patterns", "topology")


def _facts(class_name: str, table: dict[str, Any], flink_version: str, calls: Calls) -> ConnectorFacts:
    values = dict(table)
    for variant in table.get("variant", ()):
        if _applies(variant, flink_version, calls):
            values.update(variant)
    state = state_of_table(values.get("state", ()))
    stateful = values.get("stateful", bool(values.get("writer_state")) or (bool(state) and isinstance(state, tuple)))
    shapes: dict[str, Any] = {
        stage: tuple(operator_of(operator, calls, flink_version) for operator in values.get(stage, ()))
        for stage in ("pre_write", "pre_commit", "post_commit")
    }
    return ConnectorFacts(
        class_name=class_name,
        kind=values["kind"],
        stateful=True if values["kind"] == "source" else unknown_of(stateful),
        state=state,
        **{name: unknown_of(values[name]) for name in _AS_WRITTEN if name in values},
        **shapes,
    )


def _applies(table: Mapping[str, Any], flink_version: str, calls: Calls) -> bool:
    if "from" in table and minor_of(flink_version) < minor_of(table["from"]):
        return False
    if "until" in table and minor_of(flink_version) >= minor_of(table["until"]):
        return False
    called = table.get("when_called")
    if called is not None and not any(method in calls for method in called):
        return False
    first, *others = table.get("unless_alone", ("",))
    alone = any(call in calls for call in first.split("|")) and not any(method in calls for method in others)
    return not alone and not any(method in calls for method in table.get("unless_called", ()))


def _plain(class_name: str) -> str:
    return class_name.replace("$", ".")


@cache
def _tables() -> dict[str, dict[str, Any]]:
    folder = files("checker.extract.connectors")
    return {
        entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text(encoding="utf-8"))
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    }


@cache
def _classes() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for table in _tables().values():
        for entry in table.get("class", ()):
            for name in entry["names"]:
                for spelled, _ in _spellings(name, entry.get("variables", {})):
                    found.setdefault(_plain(spelled), []).append(entry)
    return found


@cache
def _calls() -> dict[tuple[str, str], tuple[str, dict[str, Any]]]:
    found: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
    for table in _tables().values():
        for entry in table.get("call", ()):
            for name in entry["on"]:
                for spelled, values in _spellings(name, entry.get("variables", {})):
                    for method in entry["methods"]:
                        found[_plain(spelled), method] = (_substitute(entry["gives"], values), entry)
    return found


@cache
def _builders() -> frozenset[str]:
    return frozenset(name for name, _ in _calls() if name not in _classes() and name.endswith("Builder"))


def _spellings(name: str, variables: Mapping[str, list[str]]) -> Iterator[tuple[str, dict[str, str]]]:
    used = {key: values for key, values in variables.items() if f"{{{key}}}" in name}
    for combination in product(*used.values()):
        values = dict(zip(used, combination, strict=True))
        yield _substitute(name, values), values


def _substitute(text: str, values: Mapping[str, str]) -> str:
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return text


_TOKEN = re.compile(r"(?<![\w.-])v?(\d+(?:\.\d+)+[-\w.]*)")
"""A release as builds spell it: ``3.4.0-1.20``, ``1.18.1_1.1.4``, ``2.4-SNAPSHOT``."""
_SCOPE = re.compile(r"[\s\"')]*(?:(?i:provided|compile|runtime|test)[\s\"')]*)?")
"""What may stand behind a release."""
_MAVEN = re.compile(r"<version>\s*(.*?)\s*</version>")


def library_of(text: str, value: str) -> Library | None:
    """The library that an entry is about, by its name (``text``) and what it says; None for all other libraries."""
    for pattern, row in _rows():
        if pattern.search(text):
            return Library(
                name=row["library"],
                release=_release(value),
                packages=tuple(row.get("packages", ())),
                reads=row.get("reads"),
                breaks=tuple(Break(**broken) for broken in row.get("breaks", ())),
                notes=row.get("notes", ""),
            )
    return None


def _release(value: str) -> str:
    """The release that an entry says, empty where it asks a name for it: in Maven's element, else in the last part."""
    if value.startswith("<"):
        written = _MAVEN.search(value)
        value = written[1] if written else ""
    for part in reversed(re.split(r"[:%=,]", value)):
        tokens = _TOKEN.findall(part)
        if tokens or not _SCOPE.fullmatch(part):
            return str(tokens[-1]) if tokens else ""
    return ""


@cache
def _rows() -> tuple[tuple[re.Pattern[str], dict[str, Any]], ...]:
    return tuple((re.compile(row["named"], re.IGNORECASE), row) for row in rows("release"))
