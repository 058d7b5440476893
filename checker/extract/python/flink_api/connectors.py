"""The Java classes behind the connectors of PyFlink, and what the connector tables know of them."""

from __future__ import annotations

from collections.abc import Iterator

from checker.extract.connectors.tables import SERVERS, ConnectorFacts, classes_of_pyflink, lookup
from checker.extract.datastream.table import camel
from checker.extract.python.interpreter.values import Class, External, Instance, Opaque, Value
from checker.model.flink_releases import NEWEST


def connector(value: Value, flink: str | None) -> ConnectorFacts | None:
    """What is known of the Java class behind a connector of PyFlink, builders seen through."""
    calls: dict[str, list[object]] = {}
    built = value
    while isinstance(built, External):
        if built.called:
            calls.setdefault(camel(built.simple), []).extend(
                a for a in built.arguments if isinstance(a, str | int | bool)
            )
        name = next((part for part in built.path.split(".") if part in classes_of_pyflink()), None)
        if built.before is None:
            return None if name is None else lookup(classes_of_pyflink()[name], flink or NEWEST, calls)
        built = built.before
    return None


def read_by(source: Value, facts: ConnectorFacts | None) -> tuple[Value, ...]:
    """What names the topics, streams or tables that a source reads."""
    built = source
    while facts is not None and isinstance(built, External):
        made = facts.reads == "new" and built.simple in classes_of_pyflink()
        if built.called and (made or camel(built.simple) == facts.reads):
            given = built.arguments[:1] if made else built.arguments
            given = given or tuple(value for key, value in built.keywords if key == "topics")
            return tuple(name for part in given for name in (part if isinstance(part, list) else [part]))
        built = built.before
    return ()


def addresses(source: Value, facts: ConnectorFacts | None) -> Iterator[Value]:
    """What names the servers of what a source reads: an argument of a builder's method, a property, a dictionary."""
    built = source
    while facts is not None and isinstance(built, External):
        key = built.arguments[0] if built.arguments else None
        if camel(built.simple) == facts.at or (isinstance(key, str) and key == SERVERS):
            yield from built.arguments[-1:]
        for given in (*built.arguments, *(value for _, value in built.keywords)):
            if isinstance(given, dict) and SERVERS in given:
                yield given[SERVERS]
        built = built.before


def shown(value: Value) -> str:
    """The name of a connector in messages."""
    if isinstance(value, External):
        root = value
        while root.before is not None:
            root = root.before
        return root.path
    if isinstance(value, Instance):
        return value.of.name
    return value.name if isinstance(value, Opaque | Class) and value.name else "this sink"


def called(value: Value, method: str) -> External | None:
    """The call of a method on the way to an object, or on the way to one that it was built with."""
    pending: list[Value] = [value]
    for _ in range(200):
        if not pending:
            break
        part = pending.pop()
        if isinstance(part, External):
            if part.called and part.simple == method:
                return part
            pending += [part.before, *part.arguments, *(keyword for _, keyword in part.keywords)]
    return None
