"""Calls on maps and their entries."""

from checker.extract.java.library import contents
from checker.extract.java.library.contents import MAX_ELEMENTS, Elements, NotKnown, View, forget, place_of, sure
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import LimitSignal
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, EntryValue, Instance, MapValue, Value, boolean, integer, is_null
from checker.model.unknowns import Cause, Unknown

Entries = tuple[tuple[Value, Value], ...]


def replace(run: Run, receiver: MapValue, entries: Entries) -> None:
    """Give a map other entries."""
    if len(entries) > MAX_ELEMENTS:
        raise LimitSignal(f"a map of more than {MAX_ELEMENTS:,} entries")
    run.made(len(entries))
    run.memory.assign(receiver, "entries", entries)


def in_order(receiver: MapValue) -> Entries | None:
    """The entries as an iteration meets them, None for contents and orders that are not known."""
    entries = receiver.entries
    if entries is None or len(entries) < 2 or receiver.order == "insertion":
        return entries
    constants = [key.ordinal for key, _ in entries if isinstance(key, Instance) and key.name is not None]
    if receiver.order != "constants" or len(constants) < len(entries):
        return None
    return tuple(entries[place] for _, place in sorted(zip(constants, range(len(entries)), strict=True)))


def find(run: Run, receiver: MapValue, key: Value, call: Call) -> int | None:
    """The place of a key, None where there is none. Raises NotKnown."""
    keys = tuple(k for k, _ in sure(receiver.entries))
    return place_of(run, keys, key, call)


def view(run: Run, receiver: MapValue, name: str, request: Call) -> Value:
    """``keySet``, ``values`` or ``entrySet``."""

    def read(any_order: bool) -> Elements | None:
        ordered = receiver.entries if any_order else in_order(receiver)
        if ordered is None:
            return None
        if name == "values":
            return tuple(value for _, value in ordered)
        if name == "entrySet":
            return tuple(EntryValue((("getKey", key), ("getValue", value)), receiver) for key, value in ordered)
        return tuple(key for key, _ in ordered)

    return View(receiver, "Values" if name == "values" else "Set", read)


def entry_call(run: Run, receiver: EntryValue, request: Call) -> Value | None:
    """A method of an entry or tuple; None where it is not modelled."""
    name, given, source = request.name, request.arguments, receiver.source
    if not isinstance(receiver.parts, tuple):
        return None  # another value on each side of a condition
    if name in ("equals", "hashCode"):
        return contents.asked(run, receiver, request)
    key = receiver.parts[0][1] if receiver.parts else None
    if name == "setValue" and len(given) == 1:
        if source is not None:
            forget(run, source, Unknown("an entry of the map was given another value", Cause.COLLECTION))
        run.memory.assign(receiver, "parts", (receiver.parts[0], ("getValue", boxed(given[0]))))
        return receiver.parts[1][1] if source is None else None
    if name == "getValue" and source is not None and source.entries is not None:
        return next((value for k, value in source.entries if k is key), receiver.parts[1][1])
    return next((value for part, value in receiver.parts if part == name), None)


def call(run: Run, receiver: MapValue, request: Call) -> Value | None:
    """A method of a map; None where it is not modelled."""
    if receiver.entries is None:
        return None
    try:
        return _call(run, receiver, request)
    except NotKnown:
        return None


def _call(run: Run, receiver: MapValue, request: Call) -> Value | None:
    name, given = request.name, [boxed(value) for value in request.arguments]
    entries = receiver.entries
    assert entries is not None
    match name, len(given):
        case "size", 0:
            return integer(len(entries))
        case "isEmpty", 0:
            return boolean(not entries)
        case (("get" | "containsKey"), 1):
            place = find(run, receiver, given[0], request)
            if name == "containsKey":
                return boolean(place is not None)
            return entries[place][1] if place is not None else NULL
        case (("getOrDefault" | "getProperty"), _) if given:
            place = find(run, receiver, given[0], request)
            if place is not None:
                return entries[place][1]
            return given[1] if len(given) > 1 else NULL
        case "equals", _:
            return contents.asked(run, receiver, request)
        case (("keySet" | "values" | "entrySet"), 0):
            return view(run, receiver, name, request)
    return _change(run, receiver, entries, name, given, request)


def _change(
    run: Run, receiver: MapValue, entries: Entries, name: str, given: list[Value], request: Call
) -> Value | None:
    if name == "clear":
        replace(run, receiver, ())
        return NULL
    if name == "putAll":
        return _put_all(run, receiver, given[0], request)
    if not given:
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
                replace(run, receiver, (*entries[:place], *entries[place + 1 :]))
            return old
        case "computeIfAbsent", 2:
            if is_null(old) and not is_null(old := contents.apply(run, given[1], given[:1], request)):
                _store(run, receiver, place, given[0], old)
            return old
    return None


def _store(run: Run, receiver: MapValue, place: int | None, key: Value, value: Value) -> None:
    entries = receiver.entries
    assert entries is not None
    if place is None:
        replace(run, receiver, (*entries, (key, value)))
    else:
        changed = (*entries[:place], (entries[place][0], value), *entries[place + 1 :])
        replace(run, receiver, changed)


def _put_all(run: Run, receiver: MapValue, added: Value, request: Call) -> Value:
    added = run.settle(added)
    more = None
    if isinstance(added, MapValue):
        more = in_order(added) if receiver.order == "insertion" else added.entries
    for key, value in sure(more):
        place = find(run, receiver, key, request)
        _store(run, receiver, place, key, value)
    return NULL
