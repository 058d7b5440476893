"""Handles: where the bytes of state lie. ``MetadataV2V3SerializerBase`` and its successors up to version 7.

The files of incremental handles and changelogs are only summed, so that one handle with a million files takes no more
memory than one with none.
"""

from collections.abc import Callable

from checker.model.state_handles import (
    DistributionMode,
    KeyedHandle,
    KeyedKind,
    OperatorHandle,
    OperatorStatePart,
    StreamHandle,
    StreamKind,
)
from checker.savepoint.cursor import Cursor

MAX_NESTING = 4
"""A changelog handle holds base handles; deeper nesting does not exist."""
MAX_STATE_NAMES = 2 * 0x7FFF
"""A state header counts its states with two i16."""
MAX_KEY_GROUPS = 1 << 15
"""``KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM``."""
_MAX_CHANGELOG_PARTS = 1 << 16

_MODES = (DistributionMode.SPLIT_DISTRIBUTE, DistributionMode.UNION, DistributionMode.BROADCAST)
_IN_FILES = frozenset({StreamKind.FILE, StreamKind.RELATIVE, StreamKind.SEGMENT})
_EMPTY_SEGMENT = StreamHandle(kind=StreamKind.EMPTY_SEGMENT, size=0, path="empty")


class HandleReader:
    """Reads handles at the cursor's position. Raises SavepointError for damage."""

    def __init__(self, cursor: Cursor, on_file: Callable[[StreamHandle], None] | None = None) -> None:
        """``on_file`` is called for every handle that names a file. The cursor then stands behind the handle."""
        self._cursor = cursor
        self._on_file = on_file

    def stream(self, depth: int = 0) -> StreamHandle | None:
        """A ``StreamStateHandle``, None where Flink wrote null."""
        handle = self._stream(depth)
        if handle is not None and self._on_file is not None and handle.kind in _IN_FILES:
            self._on_file(handle)
        return handle

    def _stream(self, depth: int) -> StreamHandle | None:
        cursor = self._cursor
        position = cursor.position
        code = cursor.i8()
        if code == 0:
            return None
        if code == 1:
            cursor.utf("a handle name")
            size = cursor.i32()
            return StreamHandle(kind=StreamKind.INLINE, size=size, position=cursor.skip(size, "inline state"))
        if code == 2:
            size = cursor.size_field("a state file")
            return StreamHandle(kind=StreamKind.FILE, size=size, path=cursor.utf("a path"), position=position)
        if code == 6:
            path = cursor.utf("a relative path")
            size = cursor.size_field("a state file")
            return StreamHandle(kind=StreamKind.RELATIVE, size=size, path=path, position=position)
        if code == 15:
            return self._segment()
        if code == 16:
            return _EMPTY_SEGMENT
        if code == 3 and depth < MAX_NESTING:
            start, count = self._key_groups()
            cursor.offsets(count, f"key groups from {start}")
            inner = self._stream(depth + 1)
            if inner is None:
                raise cursor.damage("key groups without a stream", position)
            return inner
        raise cursor.damage(f"an unknown stream handle code {code}", position)

    def _segment(self) -> StreamHandle:
        cursor = self._cursor
        start = cursor.size_field("the start of a segment")
        size = cursor.size_field("a segment")
        scope = cursor.i32()
        if scope not in (0, 1):
            raise cursor.damage(f"an unknown file scope {scope}", cursor.position - 4)
        path = cursor.utf("a path")
        cursor.utf("a logical file id")
        return StreamHandle(kind=StreamKind.SEGMENT, size=size, path=path, start=start)

    def required_stream(self, what: str) -> StreamHandle:
        """A stream handle that must not be null."""
        position = self._cursor.position
        handle = self.stream()
        if handle is None:
            raise self._cursor.damage(f"{what} without a stream", position)
        return handle

    def _key_groups(self) -> tuple[int, int]:
        cursor = self._cursor
        position = cursor.position
        start, count = cursor.i32(), cursor.i32()
        if start < 0 or count < 0 or start + count > MAX_KEY_GROUPS:
            raise cursor.damage(f"an impossible key-group range (from {start}, {count} groups)", position)
        return start, count

    def keyed(self, depth: int = 0) -> KeyedHandle | None:
        """A ``KeyedStateHandle``, None where Flink wrote null."""
        cursor = self._cursor
        position = cursor.position
        code = cursor.i8()
        if code == 0:
            return None
        if depth > MAX_NESTING:
            raise cursor.damage("keyed handles nested too deeply", position)
        if code in (3, 7, 12):
            return self._key_group_handle(code)
        if code in (5, 11):
            return self._incremental(code)
        if code in (8, 14):
            return self._changelog(code, depth)
        if code == 9:
            return self._changelog_inline()
        if code in (10, 13):
            return self._changelog_files(code)
        raise cursor.damage(f"an unknown keyed handle code {code}", position)

    def _key_group_handle(self, code: int) -> KeyedHandle:
        _, count = self._key_groups()
        offsets = self._cursor.offsets(count, "key groups")
        stream = self.required_stream("key groups")
        if code == 12:
            self._cursor.utf("a handle id")
        kind = KeyedKind.CANONICAL if code == 7 else KeyedKind.HEAP
        return KeyedHandle(kind=kind, key_groups=count, size=stream.size, stream=stream, offsets=offsets)

    def _incremental(self, code: int) -> KeyedHandle:
        cursor = self._cursor
        cursor.i64()
        cursor.utf("a backend id")
        _, count = self._key_groups()
        if code == 11:
            cursor.i64()
        meta = self.required_stream("an incremental handle")
        size = meta.size + self._files() + self._files()
        if code == 11:
            cursor.utf("a handle id")
        return KeyedHandle(kind=KeyedKind.INCREMENTAL, key_groups=count, size=size, stream=meta)

    def _files(self) -> int:
        """The bytes of files by their local names."""
        size = 0
        for _ in range(self._cursor.count("files", each=3)):
            self._cursor.utf("a local file name")
            size += self.required_stream("a file").size
        return size

    def _changelog(self, code: int, depth: int) -> KeyedHandle:
        cursor = self._cursor
        _, count = self._key_groups()
        cursor.i64()
        base, delta = self._keyed_list(depth), self._keyed_list(depth)
        cursor.skip(16 if code == 14 else 8, "the ids of a changelog")
        cursor.utf("a handle id")
        size = sum(h.size for h in (*base, *delta))
        return KeyedHandle(kind=KeyedKind.CHANGELOG, key_groups=count, size=size, base=base)

    def _keyed_list(self, depth: int) -> tuple[KeyedHandle, ...]:
        count = self._cursor.count("changelog parts", each=1)
        if count > _MAX_CHANGELOG_PARTS:
            raise self._cursor.damage(f"{count} changelog parts")
        handles = (self.keyed(depth + 1) for _ in range(count))
        return tuple(h for h in handles if h is not None)

    def _changelog_inline(self) -> KeyedHandle:
        cursor = self._cursor
        _, count = self._key_groups()
        cursor.skip(16, "the range of a changelog")
        size = 0
        for _ in range(cursor.count("changes", each=8)):
            cursor.i32()
            length = cursor.i32()
            cursor.skip(length, "a change")
            size += length
        cursor.utf("a handle id")
        return KeyedHandle(kind=KeyedKind.CHANGELOG_INLINE, key_groups=count, size=size)

    def _changelog_files(self, code: int) -> KeyedHandle:
        cursor = self._cursor
        _, count = self._key_groups()
        for _ in range(cursor.count("changelog files", each=9)):
            cursor.size_field("a changelog offset")
            self.required_stream("a changelog file")
        size = cursor.size_field("a changelog")
        cursor.i64()
        cursor.utf("a handle id")
        if code == 13:
            cursor.utf("a storage id")
        return KeyedHandle(kind=KeyedKind.CHANGELOG_FILES, key_groups=count, size=size)

    def operator(self) -> OperatorHandle | None:
        """An ``OperatorStateHandle``, None where Flink wrote null."""
        cursor = self._cursor
        position = cursor.position
        code = cursor.i8()
        if code == 0:
            return None
        if code not in (4, 17):
            raise cursor.damage(f"an unknown operator handle code {code}", position)
        count = cursor.count("operator states", each=7)
        if count > MAX_STATE_NAMES:
            raise cursor.damage(f"{count} operator states in one handle", position)
        states = tuple(self._operator_part() for _ in range(count))
        if code == 17:
            cursor.utf("a directory")
            cursor.utf("a directory")
            cursor.flag("the empty flag")
        return OperatorHandle(states=states, stream=self.required_stream("operator state"))

    def _operator_part(self) -> OperatorStatePart:
        cursor = self._cursor
        name = cursor.utf("a state name")
        mode = cursor.i8()
        if not 0 <= mode < len(_MODES):
            raise cursor.damage(f"an unknown distribution mode {mode}", cursor.position - 1)
        return OperatorStatePart(
            name=name, mode=_MODES[mode], offsets=cursor.offsets(cursor.i32(), "an operator state")
        )

    def channels(self, version: int, *, input_side: bool) -> int | None:
        """The bytes of in-flight data of a subtask on one side, None where it has no handle there."""
        count = self._cursor.count("channel handles", each=6)
        return sum(self._channel(version, input_side=input_side) for _ in range(count)) if count else None

    def _channel(self, version: int, *, input_side: bool) -> int:
        cursor = self._cursor
        merged = False
        if version >= 6:
            tag = cursor.i8()
            if tag not in ((1, 3) if input_side else (2, 4)):
                raise cursor.damage(f"an unknown channel handle code {tag}", cursor.position - 1)
            merged = tag > 2
        cursor.i32()
        if merged:
            size = cursor.size_field("in-flight data")
            self.required_stream("in-flight data")
            cursor.skip(cursor.i32(), "merged channel offsets")
            return size
        cursor.skip(8, "a gate and a channel")
        cursor.offsets(cursor.i32(), "in-flight data")
        size = cursor.size_field("in-flight data")
        self.required_stream("in-flight data")
        return size
