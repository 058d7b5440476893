"""A snapshot of a Flink job as its ``_metadata`` describes it: what exists, and how big it is.

An *operator state*, as Flink calls it, is all that one operator left in the snapshot. Nothing here holds state itself.

Which operators get the state of which when a savepoint is rewritten, and what comes of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace

from checker.model.state_handles import DistributionMode, HeaderSource, KeyedKind, StateHeaders
from checker.model.translation import OperatorId


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterState:
    """State of a master hook (``WithMasterCheckpointHook``)."""

    name: str
    version: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointProperties:
    """``CheckpointProperties`` (metadata version 4 and newer).

    ``type`` is Flink's name (``Savepoint``, ``Suspend Savepoint``, ``Terminate Savepoint``, ``Checkpoint``,
    ``Full Checkpoint``); ``format`` and ``action`` are set for savepoints.
    """

    type: str
    format: str | None = None
    action: str | None = None

    @property
    def savepoint(self) -> bool:
        """True for every kind of savepoint, False for checkpoints."""
        return self.format is not None or self.type.endswith("Savepoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorStateName:
    """A named operator (non-keyed) state over all subtasks: its mode and how many entries it has."""

    name: str
    mode: DistributionMode
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSizes:
    """Bytes of an operator by part."""

    coordinator: int = 0
    managed_operator: int = 0
    raw_operator: int = 0
    managed_keyed: int = 0
    raw_keyed: int = 0
    input_channels: int = 0
    result_subpartitions: int = 0

    @property
    def total(self) -> int:
        """``OperatorState.getStateSize``: every part together."""
        return sum(astuple(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCounts:
    """How many state files lie next to ``_metadata``, and how many are named by an absolute path."""

    relative: int = 0
    absolute: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorState:
    """All that a snapshot holds of one operator, summed over its subtasks.

    Bit i of ``present`` is set when subtask i has an entry (none has in a task without any state), of ``finished`` when
    it is flagged as finished. ``name`` and ``uid`` are None below metadata version 5; a uid is "" where none was set.
    ``input_state`` and ``output_state``: whether the operator has in-flight data.
    """

    operator_id: OperatorId
    name: str | None
    uid: str | None
    parallelism: int
    max_parallelism: int
    fully_finished: bool
    has_coordinator_state: bool
    present: int
    finished: int
    has_subtask_state: bool
    sizes: StateSizes
    operator_states: tuple[OperatorStateName, ...]
    keyed_kinds: tuple[KeyedKind, ...]
    key_groups: int
    """Key groups covered by managed keyed handles."""
    input_state: bool
    output_state: bool
    keyed_headers: tuple[HeaderSource, ...]
    operator_headers: tuple[HeaderSource, ...]
    files: FileCounts
    headers: StateHeaders | None = None
    """None until the headers were read."""

    @property
    def subtasks(self) -> int:
        """How many subtasks have an entry."""
        return self.present.bit_count()

    @property
    def finished_subtasks(self) -> int:
        """How many subtasks are flagged as finished."""
        return self.finished.bit_count()

    @property
    def has_state(self) -> bool:
        """What Flink calls non-empty: dropping it needs ``--allowNonRestoredState``."""
        return self.has_coordinator_state or self.has_subtask_state

    @property
    def state_size(self) -> int:
        """Bytes of everything the operator left."""
        return self.sizes.total


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFiles:
    """State files that the metadata names and that are not there. ``checked`` of ``total`` were looked for."""

    checked: int
    total: int
    missing: tuple[str, ...]
    missing_count: int
    owners: tuple[OperatorId, ...] = ()
    unreachable: tuple[str, ...] = ()
    """Why files could not be looked for: places that are not reachable from here."""


@dataclass(frozen=True, kw_only=True)
class Savepoint:
    """A savepoint or retained checkpoint. ``operators`` are in file order, which is the order of Flink's checks."""

    path: str
    metadata_version: int
    metadata_size: int
    metadata_sha256: str | None
    checkpoint_id: int
    master_states: tuple[MasterState, ...]
    operators: tuple[OperatorState, ...]
    properties: CheckpointProperties | None
    files: MissingFiles | None = None

    @property
    def state_size(self) -> int:
        """Bytes of all operators."""
        return sum(o.state_size for o in self.operators)

    @property
    def kind(self) -> str:
        """``savepoint``, ``checkpoint`` or ``snapshot`` where the version does not say."""
        if self.properties is None:
            return "snapshot"
        return "savepoint" if self.properties.savepoint else "checkpoint"

    def rewritten(self, moves: Iterable[Move]) -> Savepoint:
        """The same with the states of some operators under other ids."""
        moved = {move.old: move for move in moves}
        return replace(self, operators=tuple(_moved(o, moved.get(o.operator_id)) for o in self.operators))


def _moved(state: OperatorState, move: Move | None) -> OperatorState:
    if move is None:
        return state
    return replace(state, operator_id=move.new, uid=None if state.uid is None else move.uid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The state of one operator, given to the operator with another id. ``uid`` is "" where only the id is known."""

    old: OperatorId
    new: OperatorId
    uid: str = ""
