"""``new`` of library classes that are modelled, collections among them, and what their plain objects answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from checker.extract.java.library import holders, lang, maps, resources, strings
from checker.extract.java.library.contents import UNORDERED, Elements, NotKnown, added_all, known
from checker.extract.java.library.streams import every
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_text
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed, nanoseconds, whole
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    ListValue,
    MapValue,
    Settings,
    Value,
    boolean,
    depends_of,
    is_null,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External

_SAME_FILE = frozenset(
    {"getPath", "getFile", "getAbsolutePath", "getAbsoluteFile", "getCanonicalPath", "normalize", "openStream",
     "toAbsolutePath", "toFile", "toPath", "toURI"}
)  # fmt: skip


def create(run: Run, external: External, call: Call) -> Value | None:
    """A new object of a library class, None where the class is not modelled."""
    given = call.arguments
    simple = external.simple
    made = create_collection(run, simple, call)
    if made is not None:
        return made
    if simple in ("StringBuilder", "StringBuffer"):
        return holders.create_builder(call.arguments)
    if simple == "String" and given and (text := resources.text_of(run, *given)) is not None:
        return text
    if simple == "String":
        return strings.create(call.arguments)
    if simple == "Configuration":
        if given and isinstance(given[0], Settings):
            return Settings(dict(given[0].values), given[0].complete, given[0].source)
        return Settings()
    if simple in ("Integer", "Long", "Boolean", "Double") and call.arguments:
        return lang.static(run, simple, call.having(name="valueOf"))
    if simple in ("SimpleEntry", "SimpleImmutableEntry") and len(call.arguments) == 2:
        parts = (("getKey", boxed(call.arguments[0])), ("getValue", boxed(call.arguments[1])))
        return EntryValue(parts)
    if simple in ("Tuple2", "Tuple3", "Tuple4", "Tuple5") and given:
        return EntryValue(tuple((f"f{place}", value) for place, value in enumerate(given)))
    return None


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """The result of a modelled call of a library object; None for everything else."""
    if call.name == "isZero" and (nanos := nanoseconds(receiver)) is not None:
        return boolean(nanos == 0, depends_of(receiver))
    if receiver.type == resources.STREAM and call.name == "readAllBytes":
        return receiver  # the bytes of the same file
    if receiver.type.simple == "OutputTag" and call.name == "getId" and receiver.arguments:
        return receiver.arguments[0]
    if call.name in _SAME_FILE and not call.arguments and resources.path_of(run, receiver):
        return receiver  # another name of the same file
    if call.name in ("getContextClassLoader", "getClassLoader"):
        return resources.class_loader()
    if receiver.type.simple == "ClassLoader" and call.name in ("getResourceAsStream", "getResource") and call.arguments:
        return resources.named(run, call.arguments[0], call.frame)
    return None


_LISTS: Final = {
    "ArrayList": "List", "LinkedList": "LinkedList", "HashSet": "HashSet", "LinkedHashSet": "Set",
}  # fmt: skip
_MAPS: Final = {
    "HashMap": "hash", "LinkedHashMap": "insertion", "ConcurrentHashMap": "random",
    "Properties": "random", "Hashtable": "random",
}  # fmt: skip


def create_collection(run: Run, simple: str, call: Call) -> Value | None:
    """``new`` of a collection, None where the class is not modelled."""
    if simple not in _LISTS and simple not in _MAPS:
        return None
    given = [run.settle(value) for value in call.arguments]
    try:
        if simple not in _LISTS:
            return _new_map(simple, given)
        return _new_list(run, _LISTS[simple], given, call)
    except NotKnown:
        unknown = next((u for u in map(unknown_of, given) if u is not None), None)
        if unknown is not None:
            expression = f"new {simple}({', '.join(map(described_as, given))})"
            unknown = replace(unknown, derived_from=expression_text(expression, unknown.cause))
        if simple in _LISTS:
            return ListValue(None, _LISTS[simple], unknown)
        return MapValue(None, _MAPS[simple], unknown)


def _size(value: Value) -> int | None:
    return whole(value) if isinstance(value, Constant) else None


def _new_list(run: Run, kind: str, given: list[Value], call: Call) -> Value:
    made = ListValue((), kind)
    if not given:
        return made
    size = _size(given[0])
    if size is not None:
        if size < 0:
            throw("IllegalArgumentException")
        made.kind = "UnorderedSet" if kind == "HashSet" else kind
        return made
    if is_null(given[0]):
        throw("NullPointerException")
    source = given[0]
    if isinstance(source, ListValue):
        made.depends = source.depends
    unordered = isinstance(source, ListValue) and source.kind in UNORDERED and kind in UNORDERED
    elements: Elements = known(source) if unordered and isinstance(source, ListValue) else every(run, source, call)
    made.elements = added_all(run, made, elements, call)
    return made


def _new_map(simple: str, given: list[Value]) -> Value:
    order = _MAPS[simple]
    made = MapValue((), order)
    if not given or isinstance(given[0], ClassLiteral):
        return made
    size = _size(given[0])
    if size is not None:
        made.order = "random" if order == "hash" else order
        return made
    if is_null(given[0]):
        throw("NullPointerException")
    source = given[0]
    if not isinstance(source, MapValue):
        raise NotKnown
    if simple == "Properties":
        raise NotKnown
    entries = maps.in_order(source) if order == "insertion" else source.entries
    if entries is None:
        raise NotKnown
    made.entries = entries
    made.order = "random" if order == "hash" else order  # the table is made for them
    return made
