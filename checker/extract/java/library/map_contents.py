"""What maps hold: entries, views of them, and the order in which they are met."""

from __future__ import annotations

from typing import Final

from checker.extract.java.library import equality
from checker.extract.java.library.contents import (
    MAX_ELEMENTS,
    Elements,
    NotKnown,
    View,
    added,
    forget,
    grow,
    hash_order,
    place_of,
    sort,
    sure,
)
from checker.extract.java.library.contents import replace as replace_elements
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import LimitSignal
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, EntryValue, ListValue, MapValue, Value, Version
from checker.model.unknowns import Cause, Unknown

Entries = tuple[tuple[Value, Value], ...]
CHANGES: Final = frozenset(
    {
        "put", "putIfAbsent", "putAll", "remove", "clear", "merge", "compute", "computeIfAbsent", "computeIfPresent",
        "replace", "replaceAll", "setProperty", "pollFirstEntry", "pollLastEntry",
    }
)  # fmt: skip


def replace(run: Run, receiver: MapValue, entries: Entries) -> None:
    """Give a map other entries."""
    if len(entries) > MAX_ELEMENTS:
        raise LimitSignal(f"a map of more than {MAX_ELEMENTS:,} entries")
    grown = len(entries) != len(receiver.entries or ())
    run.made(len(entries))
    run.memory.assign(receiver, "entries", entries)
    if receiver.order == "hash":
        grow(run, receiver, len(entries))
    if grown:
        run.memory.assign(receiver, "version", Version())


def in_order(run: Run, receiver: MapValue, call: Call | None) -> Entries | None:
    """The entries as an iteration meets them, None for contents and orders that are not known."""
    entries = receiver.entries
    if entries is None or len(entries) < 2 or receiver.order == "insertion":
        return entries
    keys = tuple(key for key, _ in entries)
    ordered: Elements | None = None
    if receiver.order == "sorted":
        ordered = sort(run, keys, receiver.comparator, call)
    elif receiver.order == "hash":
        ordered = hash_order(run, keys, receiver.table, call)
    if ordered is None:
        return None
    return tuple(next(entry for entry in entries if entry[0] is key) for key in ordered)


def find(run: Run, receiver: MapValue, key: Value, call: Call) -> int | None:
    """The place of a key, None where there is none. Raises NotKnown."""
    keys = tuple(k for k, _ in sure(receiver.entries))
    if receiver.order != "sorted":
        return place_of(run, keys, key, call)
    for place, known in enumerate(keys):
        if sure(equality.compare(run, key, known, receiver.comparator, call)) == 0:
            return place
    return None


def view(run: Run, receiver: MapValue, name: str, request: Call) -> Value:
    """``keySet``, ``values`` or ``entrySet``."""

    def read() -> Elements | None:
        ordered = in_order(run, receiver, request)
        if ordered is None:
            return None
        if name == "values":
            return tuple(value for _, value in ordered)
        if name == "entrySet":
            return tuple(EntryValue((("getKey", key), ("getValue", value)), receiver) for key, value in ordered)
        keys = tuple(key for key, _ in ordered)
        return keys[::-1] if name == "descendingKeySet" else keys

    if in_order(run, receiver, request) is None:
        unknown = Unknown("the order of a map's entries is not known", Cause.COLLECTION)
        return ListValue(None, "Set" if name != "values" else "List", unknown)
    return View(receiver, "Values" if name == "values" else "Set", read, refuses=receiver.immutable)


def property_names(run: Run, receiver: MapValue, request: Call) -> Value:
    """The keys of ``Properties`` and their defaults that are texts, in a HashMap's order. Raises NotKnown."""
    names = ListValue((), "HashSet")
    asked: MapValue | None = receiver
    while asked is not None:
        for key, _ in sure(asked.entries):
            if not isinstance(key, Constant):
                raise NotKnown
            replace_elements(run, names, added(run, names, names.elements or (), key, request))
        asked = asked.defaults
    elements = names.elements or ()
    if hash_order(run, elements, names.table, request) != hash_order(run, elements[::-1], names.table, request):
        raise NotKnown  # which of two in one bucket comes first depends on the order within the Properties
    return View(names, "HashSet", lambda: names.elements, refuses=True)


def entry_call(run: Run, receiver: EntryValue, request: Call) -> Value | None:
    """A method of an entry or tuple; None where it is not modelled."""
    name, given, source = request.name, request.arguments, receiver.source
    if not isinstance(receiver.parts, tuple):
        return None  # another value on each side of a condition
    if name in ("equals", "hashCode"):
        return equality.asked(run, receiver, request)
    key = receiver.parts[0][1] if receiver.parts else None
    if name == "setValue" and len(given) == 1:
        if source is not None:
            forget(run, source, Unknown("an entry of the map was given another value", Cause.COLLECTION))
        run.memory.assign(receiver, "parts", (receiver.parts[0], ("getValue", boxed(given[0]))))
        return receiver.parts[1][1] if source is None else None
    if name == "getValue" and source is not None and source.entries is not None:
        return next((value for k, value in source.entries if k is key), receiver.parts[1][1])
    return next((value for part, value in receiver.parts if part == name), None)
