"""What a program declares with the DataStream API: operators, the settings of its job, and the job that it submits."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum, auto
from typing import Any, ClassVar, Final

from checker.extract.interpreting.memory import EVERY_ATTRIBUTE, tick
from checker.model.declared_state import ClassShape, StateDescriptor
from checker.model.table_programs import TableStep
from checker.model.topology import (
    ChainingStrategy,
    Kind,
    Mode,
    PartitionerKind,
    SinkUidHashes,
    Transformation,
)
from checker.model.unknowns import Location, Maybe, Unknown


class Default(Enum):
    """A parallelism that the program does not say itself."""

    DEFAULT = auto()
    """The job's default, whatever that turns out to be."""
    UNSET = auto()
    """Explicitly given back to the job: what the environment says when the graph is made."""

    def __repr__(self) -> str:
        return self.name


DEFAULT: Final = Default.DEFAULT
UNSET: Final = Default.UNSET
Parallelism = Default | int | Unknown


@dataclass(frozen=True, slots=True)
class CallSite:
    """The call that made a transformation: its place in the source and how the program got there.

    ``path`` names the methods of the repository on the way, ``call`` the API method. ``place`` orders sites within
    one revision and never leaves it.
    """

    path: tuple[str, ...]
    call: str
    place: tuple[str, int]
    trail: tuple[tuple[str, int], ...] = ()
    """The places of the calls on the way."""


@dataclass(eq=False, slots=True)
class Draft:
    """A transformation being declared: calls of the program change it, and conditions take changes back.

    Attributes are those of ``Transformation``, which ``assembling`` makes of it; ``inputs`` are drafts.
    """

    TOPOLOGICAL: ClassVar = EVERY_ATTRIBUTE
    SETTINGS: ClassVar = (
        "name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group",
        "chaining", "window", "state", "stateful", "partitioner", "committer", "global_committer",
    )  # fmt: skip
    """Attributes that are unknown where the ways of a program differ in them."""

    site: CallSite
    kind: Kind
    location: Location
    inputs: tuple[Draft, ...] = ()
    name: Maybe[str] | None = None
    uid: Maybe[str] | None = None
    uid_hash: Maybe[str] | None = None
    uid_location: Location | None = None
    uid_hash_location: Location | None = None
    parallelism: Parallelism = DEFAULT
    max_parallelism: Maybe[int] | None = None
    slot_sharing_group: Maybe[str] | None = None
    chaining: Maybe[ChainingStrategy] | None = None
    keyed: bool = False
    key: Maybe[str] | None = None
    key_at: Location | None = None
    key_type: Maybe[str] | None = None
    key_classes: tuple[ClassShape, ...] = ()
    element: Any = None
    """What the reader of the language knows of the elements that it gives."""
    operator: str | None = None
    function: str | None = None
    functions_at: tuple[Location, ...] = ()
    function_values: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    reads_by: tuple[str, ...] = ()
    reads_at: tuple[str, ...] = ()
    window: Maybe[str] | None = None
    trigger: str | None = None
    late: bool = False
    state: tuple[StateDescriptor, ...] | Unknown = ()
    stateful: Maybe[bool] | None = None
    yielding: bool | None = None
    partitioner: Maybe[PartitionerKind] | None = None
    tag: Maybe[str] | None = None
    committer: Maybe[bool] = False
    global_committer: Maybe[bool] = False
    uid_hashes: SinkUidHashes | None = None
    pre_write: tuple[Transformation, ...] = ()
    """Operators of a sink itself, as the connector tables know them."""
    pre_commit: tuple[Transformation, ...] = ()
    post_commit: tuple[Transformation, ...] = ()
    unknown: Unknown | None = None
    variable: str | None = None
    """The variable or field that the program keeps it in."""
    unbounded: bool = False
    """A source that certainly never ends."""
    table_step: int | None = None
    """The call of the Table API that it stands for, of a hole that Flink's planner fills."""
    non_parallel: bool = False
    """``forceNonParallel``: no other parallelism than 1 may be set."""
    python: str | None = None
    """The kind of Python operator, where PyFlink runs it in Python."""
    code: Any = None
    """The function that such an operator runs, as the interpreter holds it."""
    parts: tuple[Draft, ...] = ()
    """The declared operators that PyFlink made this one of."""
    born: int = field(default_factory=tick)


@dataclass(eq=False, slots=True)
class JobSettings:
    """What an environment says of the whole job."""

    parallelism: Parallelism = DEFAULT
    max_parallelism: Maybe[int] | None = None
    chaining: Maybe[bool] = True
    auto_generate_uids: Maybe[bool] = True
    chain_different_max_parallelism: Maybe[bool] = True
    mode: Maybe[Mode] = Mode.STREAMING
    state_backend: Maybe[str] | None = None

    def as_set(self) -> dict[str, Any]:
        """The settings as they are now, by name."""
        return {name: getattr(self, name) for name in JOB_SETTINGS}


JOB_SETTINGS: Final = tuple(setting.name for setting in fields(JobSettings))

Handed = tuple[Draft, Maybe[str] | None, tuple[ClassShape, ...], tuple[str, ...]]
"""A stream that becomes a table: its transformation, the type of its elements, the program's classes in that, and the
names of a row's fields."""


@dataclass(frozen=True, eq=False, slots=True)
class Job:
    """What one ``execute()`` takes away from an environment, whose settings are as they were then."""

    settings: dict[str, Any]
    drafts: tuple[Draft, ...]
    location: Location | None
    table_steps: tuple[TableStep, ...] = ()
    """All calls of the Table API so far."""
    table_streams: tuple[Handed, ...] = ()
    """Streams that were handed to the Table API."""
    unknown: Unknown | None = None
    """Why nothing of it is known."""
    executed: bool = True
    """False for what an environment holds at the program's end, if no code that is not seen may execute it."""
