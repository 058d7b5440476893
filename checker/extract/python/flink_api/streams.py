"""What a script holds of PyFlink: environments, streams, sinks, tables, and the steps that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.extract.datastream.records import Draft, JobSettings
from checker.extract.python.flink_api.element_types import UNTYPED, Elements
from checker.extract.python.interpreter.values import Arguments, Guarded, Value
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.unknowns import Location, Maybe, Unknown

KEY_BY_MAP = "_stream_key_by_map_operator"
PARTITION_CUSTOM_MAP = "_partition_custom_map_operator"
KEYED_VALUES = "_keyed_stream_values_operator"


@dataclass(slots=True, eq=False)
class Environment(JobSettings):
    """``StreamExecutionEnvironment``: what is registered and not submitted yet, and the job's settings."""

    registered: list[Draft] = field(default_factory=list)
    sources: list[Draft] = field(default_factory=list)
    python_chaining: Maybe[bool] = True
    source_descriptions: list[str] = field(default_factory=list)
    """What its sources are derived from; empty ones are not known."""
    open: Unknown | None = None
    """Why a job of this environment could not be read: later ones may share steps with it."""
    tabled: list[Draft] = field(default_factory=list)
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
    step: Draft
    elements: Elements = UNTYPED


@dataclass(slots=True, eq=False)
class Keyed(Stream):
    """A KeyedStream: ``step`` is the hash partition, ``origin`` the stream it was made of."""

    origin: Stream | None = None
    key: Maybe[str] | None = None
    key_type: Maybe[str] | None = None
    key_at: Location | None = None


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
    late: bool = False


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

    step: Draft


GETTERS = frozenset(
    {"get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state",
     "get_partitioned_state"}
)  # fmt: skip
"""Methods that give a state by its descriptor; the last one is of triggers."""


@dataclass(slots=True, eq=False, repr=False)
class Descriptor(Guarded):
    """A state descriptor: what it was made with, and its time-to-live."""

    kind: StateKind
    arguments: Arguments
    location: Location
    ttl: Value = None


@dataclass(slots=True, eq=False, repr=False)
class StateContext(Guarded):
    """A ``RuntimeContext``: the states that are asked for, each with the name of the value that stands for it."""

    found: list[tuple[StateDescriptor, str]] = field(default_factory=list)


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
