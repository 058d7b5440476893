"""Calls on maps and their entries."""

from __future__ import annotations

from checker.extract.java.library import equality
from checker.extract.java.library.contents import (
    NotKnown,
    forget,
    place_of,
    sure,
    table_for,
    unchanged,
    unknown_content,
)
from checker.extract.java.library.function_objects import apply
from checker.extract.java.library.map_contents import CHANGES, Entries, find, in_order, property_names, replace, view
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import unknown_after
from checker.extract.java.machine.exceptions import OF_COLLECTIONS, LimitSignal, throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    EntryValue,
    MapValue,
    Opaque,
    Value,
    boolean,
    depends_of,
    integer,
    is_null,
    unknown_of,
)


def call(run: Run, receiver: MapValue, request: Call) -> Value | None:
    """A method of a map; None where it is not modelled."""
    if receiver.entries is None:
        return None
    try:
        return _call(run, receiver, request)
    except NotKnown:
        unknown = unknown_content(run, request, "the entries of a map are not known")
        run.may_throw_any(OF_COLLECTIONS, unknown, receiver, *request.arguments)
        if request.name in CHANGES:
            forget(run, receiver, unknown_after(receiver, request, unknown))
        known = all(isinstance(value, Constant) for value in request.arguments)
        symbol = f"map#{run.number(receiver)}.{request.name}({request.arguments})" if known else run.fresh(request.name)
        return Opaque(unknown, symbol, None, depends_of(*request.arguments))


def _call(run: Run, receiver: MapValue, request: Call) -> Value | None:
    name, given = request.name, [boxed(value) for value in request.arguments]
    entries = receiver.entries
    assert entries is not None
    if name in CHANGES:
        if receiver.immutable:
            raise LimitSignal("a change of a map that refuses most changes")
        if name == "remove" and not given:
            return None
        return _change(run, receiver, entries, name, given, request)
    match name, len(given):
        case "size", 0:
            return integer(len(entries))
        case "isEmpty", 0:
            return boolean(not entries)
        case (("get" | "containsKey"), 1):
            place = find(run, receiver, given[0], request)
            if name == "containsKey":
                return boolean(place is not None, depends_of(given[0]))
            return entries[place][1] if place is not None else NULL
        case (("getOrDefault" | "getProperty"), _) if given:
            place = find(run, receiver, given[0], request)
            if place is not None:
                return entries[place][1]
            if name == "getProperty" and receiver.defaults is not None:
                return call(run, receiver.defaults, request)
            return given[1] if len(given) > 1 else NULL
        case "containsValue", 1:
            return boolean(place_of(run, tuple(v for _, v in entries), given[0], request) is not None)
        case (("equals" | "hashCode"), _):
            return equality.asked(run, receiver, request)
        case "stringPropertyNames", 0:
            return property_names(run, receiver, request)
        case (("keySet" | "values" | "entrySet" | "navigableKeySet" | "descendingKeySet"), 0):
            return view(run, receiver, name, request)
        case "forEach", 1:
            return _for_each(run, receiver, given[0], request)
    return _sorted(run, receiver, name, request) if receiver.order == "sorted" else None


def _change(
    run: Run, receiver: MapValue, entries: Entries, name: str, given: list[Value], request: Call
) -> Value | None:
    if name == "clear":
        replace(run, receiver, ())
        return NULL
    if name == "putAll":
        return _put_all(run, receiver, given[0], request)
    if name == "replaceAll":
        ordered = sure(in_order(run, receiver, request))
        changed = [(key, apply(run, given[0], [key, value], request)) for key, value in ordered]
        if receiver.entries is not entries:
            raise NotKnown
        replace(run, receiver, tuple((key, next(v for k, v in changed if k is key)) for key, _ in entries))
        return NULL
    if name in ("pollFirstEntry", "pollLastEntry"):
        return None
    place = find(run, receiver, given[0], request)
    old = entries[place][1] if place is not None else NULL
    match name, len(given):
        case (("put" | "setProperty"), 2):
            _store(run, receiver, place, given[0], given[1])
            return old
        case "putIfAbsent", 2:
            if place is None or is_null(old):
                _store(run, receiver, place, given[0], given[1])
            return old
        case "remove", 1:
            if place is not None:
                _drop(run, receiver, place)
            return old
        case "replace", 2:
            if place is not None:
                _store(run, receiver, place, given[0], given[1])
            return old
    return _computed(run, receiver, place, name, given, request)


def _computed(
    run: Run, receiver: MapValue, place: int | None, name: str, given: list[Value], request: Call
) -> Value | None:
    assert receiver.entries is not None
    key, old = given[0], receiver.entries[place][1] if place is not None else NULL
    match name, len(given):
        case "computeIfAbsent", 2:
            if not is_null(old):
                return old
            new = _apply(run, receiver, given[1], [key], request)
        case "computeIfPresent", 2:
            if is_null(old):
                return NULL
            new = _apply(run, receiver, given[1], [key, old], request)
        case "compute", 2:
            new = _apply(run, receiver, given[1], [key, old], request)
        case "merge", 3:
            new = given[1] if is_null(old) else _apply(run, receiver, given[2], [old, given[1]], request)
        case _:
            raise NotKnown
    if unknown_of(new) is not None:
        raise NotKnown
    if not is_null(new):
        _store(run, receiver, place, key, new, computed=True)
    elif place is not None and name != "computeIfAbsent":
        _drop(run, receiver, place)
    return new


def _apply(run: Run, receiver: MapValue, function: Value, arguments: list[Value], request: Call) -> Value:
    version = receiver.version
    result = apply(run, function, arguments, request)
    unchanged(receiver, version)
    return result


def compute(run: Run, receiver: MapValue, key: Value, value: Value, call: Call) -> None:
    """Put a value as ``merge`` and ``computeIfAbsent`` do: ``HashMap`` has new keys of theirs first in a bucket."""
    _store(run, receiver, find(run, receiver, key, call), key, value, computed=True)


def _store(
    run: Run, receiver: MapValue, place: int | None, key: Value, value: Value, *, computed: bool = False
) -> None:
    entries = receiver.entries
    assert entries is not None
    if place is None and computed and receiver.order == "hash":
        replace(run, receiver, ((key, value), *entries))
    elif place is None:
        replace(run, receiver, (*entries, (key, value)))
    else:
        changed = (*entries[:place], (entries[place][0], value), *entries[place + 1 :])
        replace(run, receiver, changed)


def _drop(run: Run, receiver: MapValue, place: int) -> None:
    assert receiver.entries is not None
    replace(run, receiver, (*receiver.entries[:place], *receiver.entries[place + 1 :]))


def _put_all(run: Run, receiver: MapValue, added: Value, request: Call) -> Value:
    added = run.settle(added)
    more = in_order(run, added, request) if isinstance(added, MapValue) else None
    if is_null(added):
        throw("NullPointerException")
    more = sure(more)
    if receiver.order == "hash" and isinstance(receiver.table, int) and not receiver.entries and receiver.table == 16:
        run.memory.assign(receiver, "table", max(16, table_for(int(len(more) / 0.75 + 1))))
    for key, value in more:
        place = find(run, receiver, key, request)
        _store(run, receiver, place, key, value)
    return NULL


def _for_each(run: Run, receiver: MapValue, function: Value, request: Call) -> Value:
    version = receiver.version
    for key, value in sure(in_order(run, receiver, request)):
        apply(run, function, [key, value], request)
        unchanged(receiver, version)
    return NULL


def _sorted(run: Run, receiver: MapValue, name: str, request: Call) -> Value | None:
    """What only ``TreeMap`` has."""
    ordered = sure(in_order(run, receiver, request))
    if name not in ("firstKey", "lastKey", "firstEntry", "lastEntry") or not ordered:
        return None
    key, value = ordered[0 if name.startswith("first") else -1]
    return key if name.endswith("Key") else EntryValue((("getKey", key), ("getValue", value)))
