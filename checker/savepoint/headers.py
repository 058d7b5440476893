"""The state headers of an operator, put together from the streams of its subtasks, and how large each state is.

Subtasks may differ: a state that is registered at the first element exists only where one arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

from checker.errors import SavepointError
from checker.model.savepoint import OperatorState
from checker.model.secrets import masked
from checker.model.state_headers import (
    HeaderSource,
    KeyedHeader,
    OperatorHeader,
    SerializerSnapshot,
    StateHeaders,
    StateMeta,
)
from checker.savepoint.cursor import Cursor
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.state_files import MAX_HEADER, HeaderReader

_FIRST_TRY = 1 << 16


def read_header(place: SnapshotPlace, source: HeaderSource, *, keyed: bool) -> KeyedHeader | OperatorHeader:
    """The header at the beginning of one stream. Raises SavepointError."""
    file, start, size = place.open_stream(source.stream)
    with file:
        wanted = min(size, MAX_HEADER if source.end is None else min(source.end, MAX_HEADER))
        exact = source.end is not None and source.end <= wanted
        name = f"{place.path}: {masked(source.stream.path or '') or source.stream.name or 'inline state'}"
        # without a known end most of what follows is state: a part usually holds the header
        lengths = (wanted,) if exact else tuple(sorted({min(wanted, _FIRST_TRY), wanted}))
        for length in lengths:
            file.seek(start)
            data = file.read(length)
            if len(data) < length:
                raise SavepointError(f"{name} is cut short: {length} bytes expected, {len(data)} there.")
            reader = HeaderReader(data, name, source.end if exact else None)
            try:
                return reader.keyed() if keyed else reader.operator()
            except SavepointError:
                if length == wanted:
                    raise
    raise AssertionError("the last length is the whole")


def read_headers(place: SnapshotPlace, operator: OperatorState) -> StateHeaders:
    """What the remembered headers of an operator say together. Never raises: what can't be read is a problem."""
    states: dict[tuple[str, int], StateMeta] = {}
    problems: list[str] = []
    key: SerializerSnapshot | None = None
    compressed = False
    complete = True
    read = 0
    keyed_headers: list[tuple[HeaderSource, KeyedHeader]] = []
    sources = [(s, True) for s in operator.keyed_headers] + [(s, False) for s in operator.operator_headers]
    for source, keyed in sources:
        try:
            header = read_header(place, source, keyed=keyed)
        except SavepointError as error:
            if str(error) not in problems:
                problems.append(str(error))
            continue
        read += 1
        compressed = compressed or header.compressed
        complete = complete and header.complete
        if isinstance(header, KeyedHeader):
            keyed_headers.append((source, header))
            key = key or header.key_serializer
            metas = header.states
        else:
            metas = (*header.operator_states, *header.broadcast_states)
        for meta in metas:
            known = states.get((meta.name, meta.backend_type))
            if known is None or (meta.complete and not known.complete):
                states[meta.name, meta.backend_type] = meta
    sizes, exact = state_sizes(place, operator, keyed_headers) if not problems else ((), False)
    return StateHeaders(
        key_serializer=key,
        states=tuple(states[k] for k in sorted(states)),
        compressed=compressed,
        read=read,
        available=operator.keyed_streams + operator.operator_streams,
        complete=complete and not problems,
        problems=tuple(problems[:8]),
        sizes=sizes,
        sizes_exact=exact,
    )


ALL_BYTES = 1_000_000
"""Up to so much keyed state every entry is walked."""
SAMPLED_GROUPS = 32
MOST_ENTRIES = 50_000
"""Entries that are walked of one operator at most."""
_END = 0xFFFF
_FOLLOWS = 0x80
_LONG = Struct(">q")


def state_sizes(
    place: SnapshotPlace, operator: OperatorState, headers: Sequence[tuple[HeaderSource, KeyedHeader]]
) -> tuple[tuple[tuple[str, int], ...], bool]:
    """Bytes by state name, and whether they are exact. Empty for formats that do not show them."""
    walkable = [(s, h) for s, h in headers if s.groups is not None and h.complete and not h.compressed]
    if not walkable or len(walkable) != len(headers):
        return (), False
    small = operator.sizes.managed_keyed <= ALL_BYTES and len(headers) == operator.keyed_streams
    per_stream = max(1, SAMPLED_GROUPS // len(walkable))
    walk = _Walk()
    try:
        for source, header in walkable:
            walk.stream(place, source, header, None if small else per_stream)
    except SavepointError:
        return (), False
    if walk.cut or not small:
        return walk.scaled(operator.sizes.managed_keyed), False
    return tuple(sorted(walk.sizes.items())), True


class _Walk:
    """Sums the entries of key groups by state."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.cut = False
        self._entries = 0

    def stream(self, place: SnapshotPlace, source: HeaderSource, header: KeyedHeader, groups: int | None) -> None:
        names = [meta.name for meta in header.states]
        for name in names:
            self.sizes.setdefault(name, 0)
        file, start, size = place.open_stream(source.stream)
        with file:
            cursor = Cursor(file, place.path)
            offsets = _offsets(place, source)
            ends = dict(zip(offsets, (*offsets[1:], size), strict=False))
            for offset in _spread(offsets, groups):
                if not 0 < offset < ends[offset] <= size:
                    raise cursor.damage(f"a key group from {offset} to {ends[offset]} of {size}")
                cursor.seek(start + offset)
                if not self._group(cursor, names):
                    self.cut = True
                    return
                if cursor.position != start + ends[offset]:
                    raise cursor.damage(f"a key group that does not end at {ends[offset]}")

    def _group(self, cursor: Cursor, names: list[str]) -> bool:
        """One key group; False when enough entries were walked."""
        state = cursor.i16() & 0xFFFF
        while state != _END:
            if state >= len(names):
                raise cursor.damage(f"state {state} of {len(names)}", cursor.position - 2)
            follows = False
            while not follows:
                self._entries += 1
                if self._entries > MOST_ENTRIES:
                    return False
                key = cursor.i32()
                if key < 1:
                    raise cursor.damage(f"a key of {key} bytes", cursor.position - 4)
                follows = bool(cursor.take(1)[0] & _FOLLOWS)
                cursor.skip(key - 1, "a key")
                value = cursor.i32()
                cursor.skip(value, "a value")
                self.sizes[names[state]] += 8 + key + value
            state = cursor.i16() & 0xFFFF
        return True

    def scaled(self, whole: int) -> tuple[tuple[str, int], ...]:
        """The shares of what was walked, of all bytes."""
        walked = sum(self.sizes.values())
        if not walked:
            return ()
        return tuple(sorted((name, whole * size // walked) for name, size in self.sizes.items()))


def _offsets(place: SnapshotPlace, source: HeaderSource) -> list[int]:
    """Offsets of the key groups with entries, ascending."""
    assert source.groups is not None, "only walkable streams come here"
    with place.open_metadata() as metadata:
        metadata.seek(source.groups.position)
        raw = metadata.read(8 * source.groups.count)
    return sorted({value for (value,) in _LONG.iter_unpack(raw) if value})


def _spread(offsets: list[int], most: int | None) -> list[int]:
    """All of them, or ``most`` evenly spread."""
    if most is None or len(offsets) <= most:
        return offsets
    return [offsets[i * len(offsets) // most] for i in range(most)]
