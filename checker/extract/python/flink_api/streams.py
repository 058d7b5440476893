"""What a script holds of PyFlink: environments, streams, sinks, tables, and the steps that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.extract.connectors.tables import ConnectorFacts
from checker.extract.python.flink_api.element_types import UNTYPED, Elements
from checker.extract.python.flink_api.states.context import Descriptor, StateContext
from checker.extract.python.interpreter.values import Guarded, Value
from checker.model.declared_state import StateDescriptor
from checker.model.topology import ChainingStrategy, Kind, Mode, PartitionerKind
from checker.model.unknowns import Location, Maybe, Unknown

KEY_BY_MAP = "_stream_key_by_map_operator"
PARTITION_CUSTOM_MAP = "_partition_custom_map_operator"
KEYED_VALUES = "_keyed_stream_values_operator"


@dataclass(slots=True, eq=False)
class Step:
    """One transformation while the script runs; ``python`` is the kind of Python operator, if it is one."""

    kind: Kind
    name: Maybe[str] | None = None
    inputs: list[Step] = field(default_factory=list)
    python: str | None = None
    uid: Maybe[str] | None = None
    uid_hash: Maybe[str] | None = None
    parallelism: Maybe[int] | None = None
    max_parallelism: Maybe[int] | None = None
    single: bool = False
    """It can't run in parallel: Flink refuses another parallelism than 1."""
    slot_sharing_group: Maybe[str] | None = None
    chaining: ChainingStrategy | None = None
    partitioner: PartitionerKind | None = None
    tag: Maybe[str] | None = None
    keyed: bool = False
    call: str | None = None
    function: Value = None
    window_function: Value = None
    """What is given the results of a window's own function."""
    facts: ConnectorFacts | None = None
    reads: tuple[str, ...] = ()
    reads_by: tuple[str, ...] = ()
    states: tuple[StateDescriptor, ...] = ()
    """States that PyFlink or a descriptor adds, beside those of the function."""
    registered: tuple[StateDescriptor, ...] | Unknown = ()
    """States of the function."""
    key: Maybe[str] | None = None
    key_type: Maybe[str] | None = None
    window: Maybe[str] | None = None
    content: str | None = ""
    """What its function computes; None where that is not seen."""
    location: Location | None = None
    uid_location: Location | None = None
    unknown: Unknown | None = None
    """Why nothing more is known, of a step that stands for any number of operators."""
    table_step: int | None = None
    """The call of the Table API that it stands for, of a hole that Flink's planner fills."""
    fused: tuple[Step, ...] = ()
    """The steps that PyFlink made this one of."""


@dataclass(slots=True, eq=False)
class Environment:
    """``StreamExecutionEnvironment``: what is registered and not submitted yet, and the job's settings."""

    registered: list[Step] = field(default_factory=list)
    sources: list[Step] = field(default_factory=list)
    parallelism: Maybe[int] | None = None
    """None = what the deployment passes."""
    max_parallelism: Maybe[int] | None = None
    chaining: Maybe[bool] = True
    python_chaining: Maybe[bool] = True
    chain_different_max_parallelism: Maybe[bool] = True
    mode: Maybe[Mode] = Mode.STREAMING
    state_backend: Maybe[str] | None = None
    source_descriptions: list[str] = field(default_factory=list)
    """What its sources are derived from; empty ones are not known."""
    open: Unknown | None = None
    """Why a job of this environment could not be read: later ones may share steps with it."""
    tabled: list[Step] = field(default_factory=list)
    """Streams that became tables."""


@dataclass(slots=True, eq=False)
class Configuration:
    """``Configuration``: keys as the script sets them.

    ``of_environment`` is one that an environment holds already: what is set on it is set on that.
    """

    keys: dict[str, Value] = field(default_factory=dict)
    of_environment: bool = False


@dataclass(slots=True, eq=False)
class Stream:
    """A DataStream."""

    env: Environment
    step: Step
    elements: Elements = UNTYPED


@dataclass(slots=True, eq=False)
class Keyed(Stream):
    """A KeyedStream: ``step`` is the hash partition, ``origin`` the stream it was made of."""

    origin: Stream | None = None
    key: Maybe[str] | None = None
    key_type: Maybe[str] | None = None


@dataclass(slots=True, eq=False)
class Windowed:
    """A stream with a window assigner."""

    stream: Keyed
    assigner: Maybe[str]
    windows: Maybe[str]
    """The assigner with all that its windows depend on."""
    merges: bool = False
    """Whether it is a ``MergingWindowAssigner``: which windows became one is kept as a state."""
    trigger: Value = None


@dataclass(slots=True, eq=False)
class Connected:
    """Two connected streams."""

    first: Stream
    second: Stream


@dataclass(slots=True, eq=False)
class Broadcast:
    """A stream broadcast with state descriptors, or one connected with such a stream."""

    stream: Stream
    second: Stream | None = None
    descriptors: tuple[Value, ...] = ()


@dataclass(slots=True, eq=False)
class Sink:
    """A DataStreamSink: settings can still be made."""

    step: Step


JAVA_ENVIRONMENT = "_j_stream_execution_environment"
JAVA_CONFIGURATION = "get_j_env_configuration"


@dataclass(frozen=True, slots=True, eq=False)
class EnvironmentPart:
    """``env.get_config()`` and the like, and the Java object that an environment of PyFlink stands for."""

    env: Environment
    name: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableObject(Guarded):
    """A table environment, a table, an expression …: what a recorded call of the Table API gives.

    ``role`` is its class as Java names it, ``env`` the environment below it, None for what belongs to none.
    """

    step: int
    role: str
    env: Environment | None


FLINK_OBJECTS = (
    Configuration, Environment, Stream, Sink, Windowed, Connected, Broadcast, EnvironmentPart, TableObject,
    Descriptor, StateContext,
)  # fmt: skip
"""What code that is not known must not be handed: it could add operators, or settings."""
