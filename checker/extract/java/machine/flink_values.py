"""The Flink objects that a program handles while it declares its topology: environments, streams, drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, ClassVar

from checker.extract.datastream.records import Draft, Handed, JobSettings
from checker.extract.interpreting.memory import EVERY_ATTRIBUTE, tick
from checker.model.declared_state import StateDescriptor
from checker.model.table_programs import TableStep
from checker.model.unknowns import Cause, Unknown


class StateStore(Enum):
    """Where a state is kept that is asked for."""

    OTHER = auto()
    OPERATOR = auto()
    KEY = auto()
    """A window function's ``globalState()``."""
    WINDOW = auto()


@dataclass(eq=False, slots=True)
class EnvValue(JobSettings):
    """A StreamExecutionEnvironment with what the program has set on it so far."""

    TOPOLOGICAL: ClassVar = EVERY_ATTRIBUTE

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

    @property
    def inputs(self) -> tuple[Draft, ...]:
        """The transformations that an operator on it reads."""
        if self.draft is not None:
            return (self.draft,)
        return tuple(draft for part in self.parts for draft in part.inputs)


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


GLOBAL_PARAMETERS = (0, "global job parameters")
"""Under which name the run keeps what a program gives to all of its functions."""


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
    function: object = None
    """What is followed."""

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
