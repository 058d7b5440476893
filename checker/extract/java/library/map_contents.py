"""What maps hold: entries, views of them, and the order in which they are met."""

from __future__ import annotations

from typing import Final

from checker.extract.java.library import equality
from checker.extract.java.library.contents import (
    MAX_ELEMENTS,
    Elements,
    NotKnown,
    grow,
    hash_order,
    place_of,
    sort,
    sure,
)
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.signals import LimitSignal
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import MapValue, Value, Version, is_null
from checker.model.unknowns import Unknown

Entries = tuple[tuple[Value, Value], ...]
CHANGES: Final = frozenset(
    {
        "put", "putIfAbsent", "putAll", "remove", "clear", "merge", "compute", "computeIfAbsent", "computeIfPresent",
        "replace", "replaceAll", "setProperty", "pollFirstEntry", "pollLastEntry",
    }
)  # fmt: skip


class MapView(MapValue):
    """An unmodifiable map that shows another one."""

    __slots__ = ("root",)

    def __init__(self, root: MapValue) -> None:
        self.root = root
        self.order, self.born, self.immutable, self.comparator = root.order, root.born, True, root.comparator
        self.defaults, self.rigid = root.defaults, False

    @property
    def entries(self) -> Entries | None:  # type: ignore[override]
        """What the other map has now."""
        return self.root.entries

    @property
    def table(self) -> int:  # type: ignore[override]
        """The other map's table."""
        return self.root.table

    @property
    def unknown(self) -> Unknown | None:  # type: ignore[override]
        """Why the entries are not known."""
        return self.root.unknown

    @property
    def version(self) -> Version | None:  # type: ignore[override]
        """The state of the other map."""
        return self.root.version


def replace(run: Run, receiver: MapValue, entries: Entries, *, structural: bool = True) -> None:
    """Give a map other entries."""
    if receiver.immutable:
        throw("UnsupportedOperationException")
    if isinstance(receiver, MapView):
        raise NotKnown
    if len(entries) > MAX_ELEMENTS:
        raise LimitSignal(f"a map of more than {MAX_ELEMENTS:,} entries")
    run.made(len(entries))
    run.memory.assign(receiver, "entries", entries)
    if receiver.order == "hash":
        grow(run, receiver, len(entries))
    if structural:
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
    """The place of a key, None where there is none."""
    assert receiver.entries is not None
    keys = tuple(k for k, _ in receiver.entries)
    if receiver.order != "sorted":
        return place_of(run, keys, key, call)
    if is_null(key) and receiver.comparator is None:
        throw("NullPointerException")
    for place, known in enumerate(keys):
        if sure(equality.compare(run, key, known, receiver.comparator, call)) == 0:
            return place
    return None


class MapSnapshot(MapView):
    """A part of a map, or the map in another order: followed only for as long as nothing changes."""

    __slots__ = ("shown", "since")

    def __init__(self, root: MapValue, shown: Entries) -> None:
        MapView.__init__(self, root)
        self.immutable = root.immutable
        self.shown, self.since, self.order = shown, root.version, "insertion"

    @property
    def entries(self) -> Entries | None:  # type: ignore[override]
        """The part, None when the map has changed."""
        return self.shown if self.since is not None and self.root.version is self.since else None
