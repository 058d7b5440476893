"""Views of maps, which show their keys, values and entries, and the entries themselves."""

from __future__ import annotations

from checker.extract.java.library import equality
from checker.extract.java.library.contents import Elements, NotKnown, Rigid, View, added, hash_order, sure, unmodifiable
from checker.extract.java.library.contents import replace as replace_elements
from checker.extract.java.library.iterators import same_element
from checker.extract.java.library.map_contents import MapView, in_order, replace
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, EntryValue, ListValue, MapValue, Value
from checker.model.unknowns import Cause, Unknown


def entry(receiver: MapValue, key: Value, value: Value) -> EntryValue:
    """An entry that writes through to its map."""
    return EntryValue((("getKey", key), ("getValue", value)), None if receiver.immutable else receiver)


def view(run: Run, receiver: MapValue, name: str, request: Call) -> Value | None:
    """``keySet``, ``values`` or ``entrySet``: read through, and changed through where the map can be."""

    def read() -> Elements | None:
        ordered = in_order(run, receiver, request)
        if ordered is None:
            return None
        if name == "values":
            return tuple(value for _, value in ordered)
        if name == "entrySet":
            return tuple(entry(receiver, key, value) for key, value in ordered)
        keys = tuple(key for key, _ in ordered)
        return keys[::-1] if name == "descendingKeySet" else keys

    def write(run: Run, new: Elements) -> None:
        old, entries = sure(read()), sure(receiver.entries)
        ordered = in_order(run, receiver, request) or ()
        kept: list[Value] = []
        rest = list(new)
        for element, (key, _) in zip(old, ordered, strict=True):
            if rest and same_element(element, rest[0]):
                rest.pop(0)
                kept.append(key)
        if rest:
            throw("UnsupportedOperationException")
        replace(run, receiver, tuple(pair for pair in entries if any(pair[0] is key for key in kept)))

    if in_order(run, receiver, request) is None:
        unknown = Unknown("the order of a map's entries is not known", Cause.COLLECTION)
        return ListValue(None, "Set" if name != "values" else "List", unknown)
    kind = "Values" if name == "values" else "Set"
    if receiver.immutable and not isinstance(receiver, MapView) and (receiver.rigid or receiver.order == "random"):
        if name == "entrySet" and not receiver.rigid and len(receiver.entries or ()) == 1:
            return ListValue(read(), "RandomSet")  # Map.of with one entry gives Set.of
        return Rigid(receiver, kind, read, single=receiver.rigid and len(receiver.entries or ()) == 1)
    return View(receiver, kind, read, None if receiver.immutable else write)


def property_names(run: Run, receiver: MapValue, request: Call) -> Value:
    """The keys of ``Properties`` and their defaults that are texts of a text, as they are now, in a HashMap's order."""
    names = ListValue((), "HashSet")
    asked: MapValue | None = receiver
    while asked is not None:
        if asked.entries is None or not all(isinstance(part, Constant) for entry in asked.entries for part in entry):
            raise NotKnown
        for key, value in asked.entries:
            if isinstance(key, Constant) and isinstance(value, Constant) and key.java == value.java == "String":
                replace_elements(run, names, added(run, names, names.elements or (), key, request))
        asked = asked.defaults
    elements = names.elements or ()
    if hash_order(run, elements, names.table, request) != hash_order(run, elements[::-1], names.table, request):
        raise NotKnown  # which of two in one bucket comes first depends on the order within the Properties
    return unmodifiable(names)


def entry_call(run: Run, receiver: EntryValue, request: Call) -> Value | None:
    """A method of an entry or tuple."""
    name, given = request.name, request.arguments
    source = receiver.source
    if not isinstance(receiver.parts, tuple):
        return None  # another value on each side of a condition
    if name == "setValue" and len(given) == 1:
        new = boxed(given[0])
        if source is None and not receiver.mutable:
            throw("UnsupportedOperationException")
        key, old = receiver.parts[0][1], receiver.parts[1][1]
        if source is not None and source.entries is not None:
            pairs = tuple((k, new) if k is key else (k, v) for k, v in source.entries)
            replace(run, source, pairs, structural=False)
        else:
            run.memory.assign(receiver, "parts", (("getKey", key), ("getValue", new)))
        return old
    if name in ("equals", "hashCode"):
        return equality.asked(run, receiver, request)
    for part, value in receiver.parts:
        if part == name:
            if name == "getValue" and source is not None and source.entries is not None:
                key = receiver.parts[0][1]
                return next((v for k, v in source.entries if k is key), value)
            return value
    return None
