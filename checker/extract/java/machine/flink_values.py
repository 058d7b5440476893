"""The Flink objects that a program handles while it declares its topology: environments, streams, drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, ClassVar, Final

from checker.extract.interpreting.memory import EVERY_ATTRIBUTE
from checker.extract.java.machine.clock import tick
from checker.model.declared_state import ClassShape, StateDescriptor
from checker.model.table_programs import TableStep
from checker.model.topology import ChainingStrategy, Exchange, Kind, Mode, PartitionerKind, SinkUidHashes
from checker.model.unknowns import Cause, Location, Maybe, Unknown


class StateStore(Enum):
    """Where a state is kept that is asked for."""

    OTHER = auto()
    OPERATOR = auto()
    KEY = auto()
    """A window function's ``globalState()``."""
    WINDOW = auto()


class _Default:
    """The job's default parallelism, whatever that turns out to be."""

    def __repr__(self) -> str:
        return "DEFAULT"


DEFAULT: Final = _Default()


class _Unset:
    """Explicitly given back to the job: what the environment says when the graph is made."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()
Parallelism = _Default | _Unset | int | Unknown


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

    Attributes are those of ``Transformation``, which ``flink_api.assemble`` makes of it; ``inputs`` are drafts.
    """

    TOPOLOGICAL: ClassVar = EVERY_ATTRIBUTE
    SETTINGS: ClassVar = (
        "name", "uid", "uid_hash", "parallelism", "max_parallelism", "slot_sharing_group", "co_location_group",
        "chaining", "window", "state", "stateful", "partitioner", "committer", "global_committer",
    )  # fmt: skip
    """Attributes that are unknown where the ways of a program differ in them."""

    site: CallSite
    kind: Kind
    location: Location
    inputs: tuple[Draft, ...] = ()
    name: Maybe[str] | None = None
    uid: Maybe[str] | None = None
    uid_depends_on: tuple[str, ...] = ()
    uid_hash: Maybe[str] | None = None
    uid_location: Location | None = None
    uid_hash_location: Location | None = None
    parallelism: Parallelism = DEFAULT
    max_parallelism: Maybe[int] | None = None
    slot_sharing_group: Maybe[str] | None = None
    co_location_group: Maybe[str] | None = None
    chaining: Maybe[ChainingStrategy] | None = None
    keyed: bool = False
    key: Maybe[str] | None = None
    key_type: Maybe[str] | None = None
    key_classes: tuple[ClassShape, ...] = ()
    element: Any = None
    """What it gives elements of (``element_types.Element``)."""
    operator: str | None = None
    function: str | None = None
    functions_at: tuple[Location, ...] = ()
    function_values: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    reads_by: tuple[str, ...] = ()
    window: Maybe[str] | None = None
    state: tuple[StateDescriptor, ...] | Unknown = ()
    stateful: Maybe[bool] | None = None
    yielding: bool | None = None
    output_at_end: bool = False
    partitioner: Maybe[PartitionerKind] | None = None
    exchange: Exchange | None = None
    tag: Maybe[str] | None = None
    committer: Maybe[bool] = False
    global_committer: Maybe[bool] = False
    uid_hashes: SinkUidHashes | None = None
    pre_write: tuple[Draft, ...] = ()
    pre_commit: tuple[Draft, ...] = ()
    post_commit: tuple[Draft, ...] = ()
    feedback: tuple[Draft, ...] = ()
    co_feedback: bool = False
    unknown: Unknown | None = None
    variable: str | None = None
    """The variable or field that the program keeps it in."""
    holds: str | None = None
    """What its function holds, as text: distinguishes the operators that one call makes."""
    unbounded: bool = False
    """A source that certainly never ends."""
    registered: bool = True
    """Added to the environment; a MultipleInputTransformation is only when the program says so."""
    table_step: int | None = None
    """The call of the Table API that it stands for, of a hole that Flink's planner fills."""
    born: int = field(default_factory=tick)
    non_parallel: bool = False
    """``forceNonParallel``: no other parallelism than 1 may be set."""


@dataclass(eq=False, slots=True)
class EnvValue:
    """A StreamExecutionEnvironment with what the program has set on it so far."""

    TOPOLOGICAL: ClassVar = EVERY_ATTRIBUTE

    parallelism: Parallelism = DEFAULT
    max_parallelism: Maybe[int] | None = None
    chaining: Maybe[bool] = True
    auto_generate_uids: Maybe[bool] = True
    chain_different_max_parallelism: Maybe[bool] = True
    mode: Maybe[Mode] = Mode.STREAMING
    vertex_index_prefix: Maybe[bool] = False
    state_backend: Maybe[str] | None = None
    processing_time: bool = False
    """``setStreamTimeCharacteristic(ProcessingTime)``: what ``timeWindow`` goes by."""
    drafts: tuple[Draft, ...] = ()
    local: bool = False
    tabled: tuple[Draft, ...] = ()
    """Transformations that the Table API was handed: tables may read them."""
    groups: tuple[tuple[Any, Any], ...] = ()
    """Slot sharing groups given with resources: name and their resources."""
    born: int = field(default_factory=tick)


@dataclass(eq=False, slots=True)
class StreamValue:
    """Any object of the DataStream API: ``type`` is its simple class name, ``draft`` its transformation.

    ``parts`` are further streams (the other side of a join), ``extra`` what builders were called with.
    """

    TOPOLOGICAL: ClassVar = EVERY_ATTRIBUTE

    type: str
    env: EnvValue
    draft: Draft | None = None
    parts: tuple[StreamValue, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    born: int = field(default_factory=tick)


Handed = tuple[Draft, Maybe[str] | None, tuple[ClassShape, ...], tuple[str, ...]]
"""A stream that becomes a table: its transformation, the type of its elements, the program's classes in that, and the
names of a row's fields."""


@dataclass(eq=False, slots=True)
class Job:
    """What one ``execute()`` takes away from an environment."""

    env: EnvValue
    drafts: tuple[Draft, ...]
    location: Location | None
    table_steps: tuple[TableStep, ...] = ()
    table_streams: tuple[Handed, ...] = ()


@dataclass(eq=False, slots=True)
class Jobs:
    """The jobs that a program has executed so far, and its environments."""

    TOPOLOGICAL: ClassVar = frozenset({"items", "table_steps"})

    items: tuple[Any, ...] = ()
    envs: tuple[EnvValue, ...] = ()
    table_steps: tuple[TableStep, ...] = ()
    """All calls of the Table API so far."""
    table_streams: tuple[Handed, ...] = ()
    """Streams that were handed to the Table API."""


@dataclass(eq=False, slots=True)
class Parameters:
    """A ParameterTool or MultipleParameterTool: known entries, and whether those are all."""

    entries: tuple[tuple[str, tuple[str, ...]], ...]
    complete: bool
    multiple: bool = False
    source: str = "the program's arguments"
    pinned: frozenset[str] = frozenset()
    """Keys with a value that the pipeline's configuration gives: these depend on an argument."""
    symbol: str = "arg"
    of_jvm: bool = False
    """Whether these are the JVM's system properties."""


@dataclass(eq=False, slots=True)
class Registrations:
    """What a function asks Flink for while its methods are followed.

    ``found`` are the states, each with the reason why it may not be there; ``unread`` says what was not followed.
    """

    found: tuple[tuple[StateDescriptor, Unknown | None], ...] = ()
    unread: tuple[Unknown, ...] = ()
    lazily: bool = False
    """While records are processed: what depends on records and on the content of states happens sooner or later."""
    doubt: Unknown | None = None
    """Why what follows may not happen: a condition that is not known, under which the method ended."""
    relevant: frozenset[str] = frozenset()
    """The names of the methods that may ask for states; no others are followed while records are processed."""

    def doubtful(self, unknown: Unknown) -> Unknown | None:
        """Why a state may not be there that is asked for under a condition that is not known."""
        return None if self.lazily and unknown.cause is not Cause.ARGUMENT else unknown

    def merged(self, sides: Sequence[Sequence[Any]], unknown: Unknown) -> tuple[Any, ...]:
        """What was found on all sides of a condition, and what may not be there since only some of them ask for it."""
        found: dict[Any, None] = {}
        for entry in dict.fromkeys(entry for side in sides for entry in side):
            if isinstance(entry, tuple) and not all(entry in side for side in sides):
                entry = (entry[0], entry[1] or self.doubtful(unknown))
            found[entry] = None
        return tuple(found)


@dataclass(eq=False, slots=True)
class StateContext:
    """What Flink hands to a function to ask for states: a ``RuntimeContext``, a state store, a timer service."""

    store: StateStore = StateStore.OTHER
    type: str = "RuntimeContext"
    born: int = field(default_factory=tick)
