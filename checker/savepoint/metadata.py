"""The ``_metadata`` file of a savepoint or retained checkpoint, versions 2 to 7 (Flink 1.3 to 2.3 and newer).

``MetadataReader`` walks the file once, in order, and hands out one subtask state at a time. What a whole snapshot
comes to is ``checker.savepoint.reader``'s business.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from checker.errors import SavepointError
from checker.model.savepoint import CheckpointProperties, MasterState
from checker.model.state_handles import StreamHandle, StreamKind, SubtaskState
from checker.model.translation import OperatorId
from checker.savepoint.cursor import Cursor
from checker.savepoint.handles import MAX_KEY_GROUPS, HandleReader
from checker.savepoint.java_object import JavaEnum, JavaObject, JavaValue, ObjectStream

MAGIC = 0x4960672D
MASTER_STATE_MAGIC = 0xC96B1696
OLDEST_VERSION = 2
NEWEST_VERSION = 7
MAX_OPERATORS = 100_000
"""More operators than any job graph has: a bound against files made to exhaust memory."""
_MAX_MASTER_STATES = 10_000


@dataclass(slots=True)
class OperatorEntry:
    """One operator state while it is read. ``subtasks`` must be used up before the next entry is asked for.

    ``uid_at`` and ``id_at`` are where its uid and its id begin in the file.
    """

    uid_at: int
    id_at: int
    operator_id: OperatorId
    name: str | None
    uid: str | None
    parallelism: int
    max_parallelism: int
    coordinator: StreamHandle | None
    fully_finished: bool
    subtasks: Iterator[SubtaskState]


class MetadataReader:
    """Reads the head at once; then ``operators`` and, after them, ``properties``.

    Raises SavepointError for everything that is not metadata of a known version, and for every damage.
    """

    def __init__(self, stream: BinaryIO, name: str, *, on_file: Callable[[StreamHandle], None] | None = None) -> None:
        """``on_file`` is called for every state file while its subtask is read."""
        self._cursor = Cursor(stream, name)
        self._handles = HandleReader(self._cursor, on_file)
        self.size = self._cursor.size
        self.version = self._read_version()
        self.checkpoint_id = self._cursor.i64()
        if self.checkpoint_id < 0:
            raise self._cursor.damage(f"a negative checkpoint id ({self.checkpoint_id})", 8)
        self.master_states = self._read_master_states()
        self._count = self._cursor.count("operator states", each=29 if self.version > 2 else 32)
        if self._count > MAX_OPERATORS:
            raise self._cursor.damage(f"{self._count} operator states")
        self._done = False

    @property
    def position(self) -> int:
        """Offset of the next byte."""
        return self._cursor.position

    def _read_version(self) -> int:
        cursor = self._cursor
        if cursor.size < 8:
            raise SavepointError(
                f"{cursor.name} is damaged or not Flink's: {cursor.size} bytes can't be savepoint metadata. "
                "Name a savepoint's directory or its _metadata file."
            )
        magic = cursor.i32() & 0xFFFFFFFF
        if magic != MAGIC:
            raise SavepointError(
                f"{cursor.name} is damaged or not Flink's: it begins with 0x{magic:08x} instead of 0x{MAGIC:08x} "
                "(Flink: Unexpected magic number). Name a savepoint's directory or its _metadata file."
            )
        version = cursor.i32()
        if version == 1:
            raise SavepointError(
                f"{cursor.name} has metadata version 1 (Flink 1.1 / 1.2), which no supported Flink reads. "
                "Restore it with Flink 1.3 to 1.7 and take a new savepoint."
            )
        if not OLDEST_VERSION <= version <= NEWEST_VERSION:
            raise SavepointError(
                f"{cursor.name}: unrecognized checkpoint version number: {version} (versions {OLDEST_VERSION} to "
                f"{NEWEST_VERSION} are known). Use a newer checker, or take the savepoint again if it is damaged."
            )
        return version

    def _read_master_states(self) -> tuple[MasterState, ...]:
        cursor = self._cursor
        count = cursor.count("master states", each=8)
        if count > _MAX_MASTER_STATES:
            raise cursor.damage(f"{count} master states")
        return tuple(self._master_state() for _ in range(count))

    def _master_state(self) -> MasterState:
        cursor = self._cursor
        position = cursor.position
        if cursor.i32() & 0xFFFFFFFF != MASTER_STATE_MAGIC:
            raise cursor.damage("no master state where one must be", position)
        length = cursor.count("bytes of master state", each=1)
        end = cursor.position + length
        version, name = cursor.i32(), cursor.utf("a master hook's name")
        size = cursor.i32()
        cursor.skip(size, "master state")
        if cursor.position != end:
            raise cursor.damage("a master state that is longer or shorter than it says", position)
        return MasterState(name=name, version=version, size=size)

    def operators(self) -> Iterator[OperatorEntry]:
        """All operator states, in file order."""
        for _ in range(self._count):
            entry = self._operator()
            yield entry
            for _rest in entry.subtasks:
                pass
        self._done = True

    def properties(self) -> CheckpointProperties | None:
        """The checkpoint properties behind the operators; None below version 4, which has none."""
        assert self._done, "operators come first in the file"
        return read_properties(self._cursor) if self.version >= 4 else None

    def _operator(self) -> OperatorEntry:
        cursor, version = self._cursor, self.version
        name = uid = None
        uid_at = cursor.position
        if version >= 5:
            name = cursor.utf("an operator name")
            uid_at = cursor.position
            uid = cursor.utf("an operator uid")
        id_at = cursor.position
        operator_id = OperatorId(cursor.take(16, "an operator id").hex())
        position = cursor.position
        parallelism, max_parallelism = cursor.i32(), cursor.i32()
        if not 0 <= parallelism <= MAX_KEY_GROUPS or not -1 <= max_parallelism <= MAX_KEY_GROUPS:
            raise cursor.damage(f"an impossible parallelism {parallelism} of at most {max_parallelism}", position)
        coordinator = None
        if version == 2:
            if cursor.i32() != 1:
                raise cursor.damage("an impossible chain length", cursor.position - 4)
        else:
            position = cursor.position
            coordinator = self._handles.stream()
            if coordinator is not None and coordinator.kind is not StreamKind.INLINE:
                raise cursor.damage("coordinator state that is not inline", position)
        position = cursor.position
        count = cursor.i32()
        finished = version >= 3 and count == -1
        if not finished and not 0 <= count <= parallelism:
            raise cursor.damage(f"{count} subtask states for parallelism {parallelism}", position)
        return OperatorEntry(
            uid_at=uid_at,
            id_at=id_at,
            operator_id=operator_id,
            name=name or None,
            uid=uid,
            parallelism=parallelism,
            max_parallelism=max_parallelism,
            coordinator=coordinator,
            fully_finished=finished,
            subtasks=iter(()) if finished else self._subtasks(count, parallelism),
        )

    def _subtasks(self, count: int, parallelism: int) -> Iterator[SubtaskState]:
        cursor = self._cursor
        seen = bytearray(parallelism)
        for _ in range(count):
            position = cursor.position
            index = cursor.i32()
            finished = index < 0 and self.version >= 3
            if finished:
                index = -index - 1
            if not 0 <= index < parallelism:
                raise cursor.damage(f"subtask {index} of {parallelism}", position)
            if seen[index]:
                raise cursor.damage(f"subtask {index} for a second time", position)
            seen[index] = 1
            yield SubtaskState(index=index, finished=True) if finished else self._subtask(index)

    def _subtask(self, index: int) -> SubtaskState:
        cursor, handles, version = self._cursor, self._handles, self.version
        if version == 2:
            cursor.skip(12, "a subtask's duration and chain")
        managed_operator = handles.operator() if self._present("managed operator state") else None
        raw_operator = handles.operator() if self._present("raw operator state") else None
        managed_keyed, raw_keyed = handles.keyed(), handles.keyed()
        inputs = handles.channels(version, input_side=True) if version >= 3 else None
        outputs = handles.channels(version, input_side=False) if version >= 3 else None
        if version >= 7 and cursor.flag("the reuse flag"):
            cursor.i64()
        return SubtaskState(
            index=index,
            managed_operator=managed_operator,
            raw_operator=raw_operator,
            managed_keyed=managed_keyed,
            raw_keyed=raw_keyed,
            input_data=inputs,
            output_data=outputs,
        )

    def _present(self, what: str) -> bool:
        value = self._cursor.i32()
        if value not in (0, 1):
            raise self._cursor.damage(f"{value} where the presence of {what} must be 0 or 1", self._cursor.position - 4)
        return value == 1


_CLASS = "org.apache.flink.runtime.checkpoint.CheckpointProperties"


def read_properties(cursor: Cursor) -> CheckpointProperties | None:
    """The properties at the cursor, None in what the State Processor API wrote. Raises SavepointError for others."""
    position = cursor.position
    value = ObjectStream(cursor).read()
    if value is None:
        return None
    if not isinstance(value, JavaObject) or value.class_name != _CLASS:
        raise cursor.damage("something other than checkpoint properties", position)
    kind = value.fields.get("checkpointType")
    name = kind.fields.get("name") if isinstance(kind, JavaObject) else None
    if not isinstance(kind, JavaObject) or not isinstance(name, str):
        raise cursor.damage("checkpoint properties without a type", position)
    return CheckpointProperties(
        type=name,
        format=_constant(kind.fields.get("formatType")),
        action=_constant(kind.fields.get("postCheckpointAction")),
    )


def _constant(value: JavaValue) -> str | None:
    return value.constant if isinstance(value, JavaEnum) else None
