"""The headers of state streams: names, kinds and serializers of the states inside.

``KeyedBackendSerializationProxy`` version 6 and ``OperatorBackendSerializationProxy`` versions 5 (up to Flink 1.17) and
6 (from 1.18, with a compression flag). A serializer snapshot of unknown make hides where it ends; the reader then looks
for the next state's meta information and goes on from there, and says so (``complete``).

Those of an operator are put together from the streams of its subtasks, which may differ: a state that is registered at
the first element exists only where one arrived.
"""

import re
from io import BytesIO

from checker.errors import SavepointError
from checker.model.savepoint import OperatorState
from checker.model.secrets import masked
from checker.model.state_handles import BackendStateType, HeaderSource, SerializerSnapshot, StateHeaders, StateMeta
from checker.savepoint.cursor import Cursor
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.serializer_snapshots import SnapshotReader, UnknownSnapshot

MAX_HEADER = 1 << 24
"""Bytes of a header that are looked at: no real one comes near."""
KEYED_VERSION = 6
OLDEST_OPERATOR_VERSION = 5
NEWEST_VERSION = 6

ROLES = ("KEY_SERIALIZER", "NAMESPACE_SERIALIZER", "VALUE_SERIALIZER", "USER_KEY_SERIALIZER")
_MAX_OPTIONS = 64
_FIRST_TRY = 1 << 16
_SNAPPY = b"\xff\x06\x00\x00sNaPpY"
_META = re.compile(
    rb"\x00{3}[\x00\x01\x02\x04]\x00{3}\x01\x00(?:\x10KEYED_STATE_TYPE|\x20OPERATOR_STATE_DISTRIBUTION_MODE)"
    rb"|\x00{3}\x03\x00{4}\x00{3}\x01\x00\x10VALUE_SERIALIZER\x00{3}\x02"
)
"""What stands behind a state's name: its kind, its options, and for queues its only serializer."""


class HeaderReader:
    """Reads one header out of the first bytes of a state stream."""

    def __init__(self, data: bytes, name: str, end: int | None) -> None:
        """``end`` is where the header ends, if the handle tells; nothing is read beyond it."""
        self._data = data if end is None else data[:end]
        self._cursor = Cursor(BytesIO(self._data), name, size=len(self._data))
        self._snapshots = SnapshotReader(self._cursor, self._continues)
        self._exact = end is not None and len(data) >= end
        self._complete = True
        self._problems: tuple[str, ...] = ()

    def keyed(self) -> StateHeaders:
        """The header of keyed state. Raises SavepointError."""
        self._version(KEYED_VERSION)
        compressed = self._cursor.flag("the compression flag")
        goes_on = True
        try:
            key = self._snapshots.versioned()
        except UnknownSnapshot as unknown:
            key = unknown.snapshot
            self._complete = False
            goes_on = self._resume(leading=2)
        states = self._metas(self._cursor.i16()) if goes_on else self._unlisted()
        self._check_end()
        return self._found(states, compressed, key)

    def operator(self) -> StateHeaders:
        """The header of operator state. Raises SavepointError."""
        cursor = self._cursor
        version = self._version(OLDEST_OPERATOR_VERSION)
        compressed = cursor.flag("the compression flag") if version >= 6 else False
        states = self._metas(cursor.i16())
        if self._complete or cursor.remaining:
            states += self._metas(cursor.i16())
        if not compressed:  # else the stream identifier of the compression stands between header and entries
            self._check_end()
        return self._found(states, compressed)

    def _found(
        self, states: tuple[StateMeta, ...], compressed: bool, key: SerializerSnapshot | None = None
    ) -> StateHeaders:
        return StateHeaders(
            key_serializer=key, states=states, compressed=compressed, complete=self._complete, problems=self._problems
        )

    def _unlisted(self) -> tuple[StateMeta, ...]:
        """No states, of those that stand behind a serializer whose end was not found."""
        self._problems = (f"{self._cursor.name}: a serializer that is not known hides which states come behind it",)
        return ()

    def _check_end(self) -> None:
        if self._exact and self._complete and self._cursor.position != len(self._data):
            raise self._cursor.damage(f"a header that ends where {len(self._data)} was announced")

    def _version(self, oldest: int) -> int:
        version = self._cursor.i32()
        if not oldest <= version <= NEWEST_VERSION:
            raise SavepointError(
                f"{self._cursor.name}: unknown state header version {version} ({oldest} to {NEWEST_VERSION} are read). "
                "It needs another Flink, or the file is not a state file."
            )
        return version

    def _metas(self, count: int) -> tuple[StateMeta, ...]:
        if count < 0:
            raise self._cursor.damage(f"a negative count ({count}) of states", self._cursor.position - 2)
        metas: list[StateMeta] = []
        for _ in range(count):
            meta = self._meta()
            metas.append(meta)
            if not meta.complete:
                self._complete = False
                if not self._resume(leading=0):
                    self._cursor.seek(self._cursor.size)
                    metas += self._unlisted() if len(metas) < count else ()
                    break
        return tuple(metas)

    def _meta(self) -> StateMeta:
        cursor = self._cursor
        position = cursor.position
        name = cursor.utf("a state name")
        kind = cursor.i32()
        if kind not in BackendStateType.__members__.values():
            raise cursor.damage(f"an unknown kind {kind} of state {name!r}", position)
        options = [(cursor.utf("an option"), cursor.utf("an option's value")) for _ in range(self._small("options"))]
        serializers: list[tuple[str, SerializerSnapshot]] = []
        complete = True
        for _ in range(self._small("serializers")):
            role = cursor.utf("a serializer's role")
            try:
                serializers.append((role, self._snapshots.versioned()))
            except UnknownSnapshot as unknown:
                serializers.append((role, unknown.snapshot))
                complete = False
                break
        return StateMeta(
            name=name,
            backend_type=BackendStateType(kind),
            options=tuple(options),
            serializers=tuple(serializers),
            complete=complete,
        )

    def _small(self, what: str) -> int:
        position = self._cursor.position
        value = self._cursor.i32()
        if not 0 <= value <= _MAX_OPTIONS:
            raise self._cursor.damage(f"{value} {what} of a state", position)
        return value

    def _resume(self, *, leading: int) -> bool:
        """Go to the next state's meta information, ``leading`` bytes before it. False when there is none."""
        found = self._next_meta(self._cursor.position)
        if found is None:
            return False
        self._cursor.seek(found - leading)
        return True

    def _next_meta(self, position: int) -> int | None:
        """Where the next plausible state meta begins, at or behind ``position``."""
        for match in _META.finditer(self._data, position):
            start = self._name_before(match.start(), position)
            if start is not None:
                return start
        return None

    def _name_before(self, end: int, floor: int) -> int | None:
        """Where a u16 length and exactly that many bytes of name end at ``end``; the shortest such name."""
        for length in range(1, min(end - floor - 2, 1024) + 1):
            start = end - length - 2
            if int.from_bytes(self._data[start : start + 2], "big") == length:
                return start
        return None

    def _continues(self, position: int) -> bool:
        """Whether a header can go on (or end) at ``position``: the end, a role, a meta, or a nested snapshot."""
        data = self._data
        if position == len(data) or data.startswith(_SNAPPY, position):
            return True
        if self._is_text(position, ROLES) or self._meta_at(position):
            return True
        if self._meta_at(position + 2) and int.from_bytes(data[position : position + 2], "big") < 0x7FFF:
            return True  # the i16 count in front of the first state, or of the broadcast states
        if data.startswith(b"\0\0", position) and (
            position + 2 == len(data) or data.startswith(_SNAPPY, position + 2) or self._meta_at(position + 4)
        ):
            return True  # no states of one kind
        length = int.from_bytes(data[position : position + 2], "big")
        name = data[position + 2 : position + 2 + length]
        return 8 < length == len(name) and name.endswith(b"Snapshot") and b"." in name

    def _is_text(self, position: int, texts: tuple[str, ...]) -> bool:
        return any(
            self._data.startswith(len(text).to_bytes(2, "big") + text.encode("ascii"), position) for text in texts
        )

    def _meta_at(self, position: int) -> bool:
        length = int.from_bytes(self._data[position : position + 2], "big")
        return length > 0 and _META.match(self._data, position + 2 + length) is not None


def read_header(place: SnapshotPlace, source: HeaderSource, *, keyed: bool) -> StateHeaders:
    """The header at the beginning of one stream. Raises SavepointError."""
    file, start, size = place.open_stream(source.stream)
    with file:
        wanted = min(size, MAX_HEADER if source.end is None else min(source.end, MAX_HEADER))
        exact = source.end is not None and source.end <= wanted
        name = f"{place.path}: {masked(source.stream.path or '') or 'inline state'}"
        # without a known end most of what follows is state: a part usually holds the header
        lengths = (wanted,) if exact else tuple(sorted({min(wanted, _FIRST_TRY), wanted}))
        for length in lengths:
            try:
                file.seek(start)
                data = file.read(length)
            except OSError as error:
                raise SavepointError(f"{name} can't be read: {error.strerror}.") from None
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
    found: list[StateHeaders] = []
    sources = [(s, True) for s in operator.keyed_headers] + [(s, False) for s in operator.operator_headers]
    for source, keyed in sources:
        try:
            found.append(read_header(place, source, keyed=keyed))
            problems += found[-1].problems
        except SavepointError as error:
            problems.append(str(error))
    if operator.sizes.managed_keyed and not operator.keyed_headers:
        problems.append("its keyed state is a changelog, which lists no states")
    for meta in (meta for header in found for meta in header.states):
        known = states.get((meta.name, meta.backend_type))
        if known is None or (meta.complete and not known.complete):
            states[meta.name, meta.backend_type] = meta
    return StateHeaders(
        key_serializer=next((header.key_serializer for header in found if header.key_serializer), None),
        states=tuple(states[k] for k in sorted(states)),
        compressed=any(header.compressed for header in found),
        complete=all(header.complete for header in found) and not problems,
        problems=tuple(dict.fromkeys(problems))[:8],
    )
